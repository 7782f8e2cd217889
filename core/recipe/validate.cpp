// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/recipe/recipe.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "iir2d/reference.h"

namespace workbench {

namespace {

std::unexpected<Error> wrong(std::string message) {
    return fail(ErrorKind::bad_argument, std::move(message));
}

// An enumeration's name, or why the number is none.
template <class E>
Result<void> check_known(E value, std::string_view field) {
    if (name_of(value) != "unknown") return {};
    return wrong(fmt::format("{} {} does not exist", field, static_cast<int>(value)));
}

Result<void> check_filter(const FilterOperation& filter) {
    IIR2D_RETURN_IF_ERROR(check_known(filter.border, "border"));
    IIR2D_RETURN_IF_ERROR(check_known(filter.precision, "precision"));
    IIR2D_RETURN_IF_ERROR(check_known(filter.start, "start"));
    // The constant is read as float wherever pixels are.
    constexpr double largest = std::numeric_limits<float>::max();
    if (!(std::abs(filter.border_const) <= largest)) {
        return wrong("border_const " + format_number(filter.border_const) + " is out of range: give " +
                     format_number(-largest) + " to " + format_number(largest));
    }
    if (const auto data = iir2d::make_filter(filter_spec(filter)); !data) return wrong(data.error().message);
    return {};
}

Result<iir2d::Shape> pool_shape(const PoolOperation& pool, iir2d::Shape input) {
    const bool sized = input.w != 0;
    const iir2d::Shape tried = sized ? input : iir2d::Shape{};
    const auto output = iir2d::reference::pool_output_shape(pool_desc(pool, tried, iir2d::ElementType::f32));
    if (output) return sized ? *output : input;
    // Parameters are checked before the window is placed, so without a size only their errors count.
    if (!sized && output.error().code == iir2d::ErrorCode::invalid_dimension) return input;
    return wrong(output.error().message);
}

}  // namespace

Result<iir2d::Shape> validate(const Operation& operation, iir2d::Shape input) {
    if (input.w != 0 && (input.n < 1 || input.c < 1 || input.h < 1 || input.w < 1)) {
        return wrong(fmt::format(
            "an image of {} x {} pixels and {} has nothing to work on: every size must be at least 1",
            input.w, input.h, counted(static_cast<std::uint64_t>(input.n * input.c), "channel")));
    }
    if (const auto* pool = std::get_if<PoolOperation>(&operation.what)) return pool_shape(*pool, input);
    IIR2D_RETURN_IF_ERROR(check_filter(std::get<FilterOperation>(operation.what)));
    return input;
}

Result<iir2d::Shape> validate(const Recipe& recipe, iir2d::Shape input) {
    for (std::size_t i = 0; i < recipe.operations.size(); ++i) {
        const Operation& operation = recipe.operations[i];
        if (!operation.enabled) continue;
        auto output = validate(operation, input);
        if (!output) {
            output.error().message = fmt::format("operation {} ({}): {}", i + 1, operation_name(operation),
                                                 output.error().message);
            return output;
        }
        input = *output;
    }
    return input;
}

}  // namespace workbench
