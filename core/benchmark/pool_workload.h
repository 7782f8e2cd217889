// SPDX-License-Identifier: MIT
// A pooling case made ready to run, forward or backward, in any element type.
#pragma once

#include <memory>

#include "core/benchmark/workload.h"
#include "core/support/error.h"
#include "iir2d/device.h"

namespace workbench {

// The input's samples must be of the case's element type, as InputSource makes them. Backward gets the
// gradient of the result from a synthetic plane of the input's upstream_seed, and the result (or of max the
// places of the maxima) from a forward pass that runs here.
Result<std::unique_ptr<Workload>> make_pool_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                     const iir2d::Device& device,
                                                     const std::optional<iir2d::Config>& config);

}  // namespace workbench
