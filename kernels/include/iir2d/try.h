// SPDX-License-Identifier: MIT
// Provides two macros for functions that return std::expected and call others that do, as all of this
// library's do:
//
//     iir2d::Result<void> smooth(const iir2d::ConstTensorView& x, const iir2d::TensorView& y) {
//         IIR2D_TRY(const auto plan, iir2d::FilterPlan::make(device, desc));  // declares it, or returns the
//         error IIR2D_RETURN_IF_ERROR(plan.run(x, y));                              // goes on, or returns
//         the error return {};
//     }
//
// Both functions have the same type of error. The macros are plain statements without compiler extensions.
// IIR2D_TRY declares its variable in the block around it, so it cannot be the only statement of an `if`
// without braces. Commas in the expression are allowed; a lambda that uses the macros itself is given a name
// before.
#pragma once

#include <expected>
#include <utility>

// Evaluates the expression once. Initialises (or assigns) `target`, such as `auto name`, `const auto name` or
// the name of a variable, with its value, or else returns its error.
#define IIR2D_TRY(target, ...) IIR2D_TRY_AS(IIR2D_TRY_JOIN(iir2d_tried_, __LINE__), target, __VA_ARGS__)

// Evaluates the expression once and returns its error, if it has one. A value is not used.
#define IIR2D_RETURN_IF_ERROR(...)                                  \
    do {                                                            \
        if (auto iir2d_tried = (__VA_ARGS__); !iir2d_tried)         \
            return std::unexpected(std::move(iir2d_tried).error()); \
    } while (false)

#define IIR2D_TRY_AS(result, target, ...)                           \
    auto result = (__VA_ARGS__);                                    \
    if (!result) return std::unexpected(std::move(result).error()); \
    target = *std::move(result)
#define IIR2D_TRY_JOIN(first, second) IIR2D_TRY_JOIN_EXPANDED(first, second)
#define IIR2D_TRY_JOIN_EXPANDED(first, second) first##second
