// SPDX-License-Identifier: MIT
// Inside core/duel only: turns a case of a matrix into a call of the C interface.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/benchmark/workload.h"
#include "core/duel/duel.h"
#include "core/duel/page.h"

namespace workbench::duel {

// Holds what is called, its planes, and how its result is read. The launch chooses where the planes lie.
struct PreparedCase {
    Call call;
    std::vector<std::byte> input, upstream, pooled, argmax;
    std::size_t output_bytes = 0;
    iir2d::ElementType element = iir2d::ElementType::f32;  // of the result
    std::int64_t output_width = 0, output_height = 0;
    double magnitude = 1;  // of the input, at least 1
};

// Prepares a case. bad_argument: the case cannot be called through the C interface; the sentence says what
// can.
Result<PreparedCase> prepare_case(const BenchmarkCase& what, const BenchmarkInputPtr& input);

// Compares two results of a case.
Result<DuelOutputs> compare_outputs(const PreparedCase& prepared, const BenchmarkCase& what,
                                    std::span<const std::byte> base, std::span<const std::byte> now,
                                    std::string& why_wrong);

}  // namespace workbench::duel
