// SPDX-License-Identifier: MIT
// Results made by hand, with figures that a test can know.
#pragma once

#include <string>
#include <vector>

#include "core/benchmark/benchmark.h"

namespace workbench {

// A timed filter case whose samples are `latencies`; every preemptedEvery-th is marked, 0: none. A copy takes
// 0.5 ms.
CaseResult madeCase(int filterId, std::int64_t side, iir2d::Precision precision,
                    const std::vector<double>& latencies, int preemptedEvery = 0);
// Of one pooling operation, timed at 1 ms.
CaseResult madePool(const PoolOperation& pool, iir2d::ElementType element, PoolPass pass);
CaseResult failedCase(int filterId, std::int64_t side, const std::string& why);

}  // namespace workbench
