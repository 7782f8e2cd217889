// SPDX-License-Identifier: MIT
// Describes what is tuned: one operation on planes of one size, as a text by which anyone makes it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "iir2d/config.h"
#include "iir2d/plan.h"

namespace workbench::tune {

struct Problem {
    std::variant<FilterOperation, PoolOperation> operation;
    iir2d::ElementType element = iir2d::ElementType::f32;  // of pooling
    PoolPass pass = PoolPass::forward;                     // of pooling
    bool places = false;                                   // of max pooling forward
    std::int64_t width = 1;
    std::int64_t height = 1;
    std::int64_t planes = 1;

    const FilterOperation* filter() const { return std::get_if<FilterOperation>(&operation); }
    const PoolOperation* pool() const { return std::get_if<PoolOperation>(&operation); }
    iir2d::Shape shape() const { return {1, planes, height, width}; }
    friend bool operator==(const Problem&, const Problem&) = default;
};

// Writes a problem as a text: "filter:6 param:sigma=3 border:mirror precision:f32 size:640x480 planes:3",
// "pool:max window:3x3 stride:1x1 pass:backward size:640x480": words in this order, those of defaults left
// out.
std::string spec_of(const Problem& problem);

// Reads words in any order. bad_argument names a word that is unknown, repeated or impossible, and what the
// operation itself refuses.
Result<Problem> problem_from_spec(std::string_view spec);

// Returns what plans are made of.
iir2d::FilterDesc filter_desc_of(const Problem& problem);  // precondition: a filter
iir2d::PoolDesc pool_desc_of(const Problem& problem);      // precondition: pooling
iir2d::PoolUse use_of(const Problem& problem);             // precondition: pooling
iir2d::ElementType element_of(const Problem& problem);     // of its planes

Result<std::vector<iir2d::Config>> candidates_of(const Problem& problem, const iir2d::Device& device,
                                                 bool other_bits = false);
Result<std::string> key_of(const Problem& problem, const iir2d::Device& device);

// Returns where a problem of that key runs.
iir2d::Backend backend_of(std::string_view key);

// Names the model that would decide: "iir-cpu", "pool-cpu", "pool-backward-cpu", "iir-cuda", "pool-cuda".
std::string_view purpose_of(const Problem& problem, iir2d::Backend backend = iir2d::Backend::cpu);

// Names what it is counted with: purpose, causal or both ways (of pooling max or sums), how many samples all
// planes have, one plane or several: "iir-cpu, causal, to 2^20, one plane".
std::string family_of(const Problem& problem, iir2d::Backend backend = iir2d::Backend::cpu);

}  // namespace workbench::tune
