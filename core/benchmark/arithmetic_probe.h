// SPDX-License-Identifier: MIT
// The roof that a processor's arithmetic gives: multiply-adds on as many threads as a benchmark had.
#pragma once

#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

struct ArithmeticCeiling {
    int threads = 1;
    double gflops_f32 = 0;  // the most of all rounds, 1e9 operations a second; a multiply-add is two
    double gflops_f64 = 0;
    std::vector<double> rounds_f32;  // every round, in the order measured
    std::vector<double> rounds_f64;
    // "fused multiply-add, AVX2" and the like: the widest of AVX-512, AVX2 with FMA and SSE2 that the
    // processor has, plain C++ on others.
    std::string_view method;
};

// 15 rounds of each type, each of about 20 ms: independent chains of multiply-adds in registers, begun on all
// threads together. A ceiling is the most that was reached, not a median: a round that was disturbed says
// less. Blocks for about a second; `cancelled` when control.stop asked between two rounds. bad_argument for
// fewer than one thread.
Result<ArithmeticCeiling> measure_arithmetic(int threads, const TaskControl& control = {});

}  // namespace workbench
