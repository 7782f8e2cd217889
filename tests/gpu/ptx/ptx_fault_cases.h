// SPDX-License-Identifier: MIT
// The jobs that planted faults are looked for with (ptx_kernels_faults_test.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/ptx_kernels_testing.h"

namespace ptx_kernels_test {

// What a job with the kernel in it gives.
struct FaultRun {
    std::vector<double> values;
    std::uint64_t findings_total = 0;
    std::uint64_t warp_instructions = 0;
};
// The job, and what it gives without a fault.
struct FaultCase {
    std::function<FaultRun(const Replaced*)> run;
    FaultRun genuine;
};

inline void add_case(std::vector<FaultCase>& cases, std::function<FaultRun(const Replaced*)> run) {
    FaultRun genuine = run(nullptr);
    if (genuine.findings_total != 0) throw std::runtime_error("something is found in the text as it is");
    cases.push_back({std::move(run), std::move(genuine)});
}

// Returns the jobs for a kernel of filters.
std::vector<FaultCase> filter_cases(const std::string& kernel);

}  // namespace ptx_kernels_test
