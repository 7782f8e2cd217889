// SPDX-License-Identifier: MIT
// A pooling case made ready to run, forward or backward, in any element type.
#pragma once

#include <memory>

#include "core/benchmark/workload.h"
#include "core/support/error.h"
#include "iir2d/device.h"
#include "iir2d/tune.h"

namespace workbench {

// The input's samples must be of the case's element type, as InputSource makes them. Backward gets the
// gradient of the result from a synthetic plane of the input's upstream_seed, and the result (or of max the
// places of the maxima) from a forward pass that runs here.
Result<std::unique_ptr<Workload>> make_pool_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                     const iir2d::Device& device,
                                                     const std::optional<iir2d::Config>& config);

// What a benchmark's plans are made by. It measures one way, and does not take turns in measuring several.
inline iir2d::TuneOptions options_of_benchmarks() {
    iir2d::TuneOptions options = iir2d::tune_options();
    if (options.mode == iir2d::TuneMode::measure) options.mode = iir2d::TuneMode::automatic;
    return options;
}

}  // namespace workbench
