// SPDX-License-Identifier: MIT
#include "kernels/support/view.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernels/support/describe.h"

namespace iir2d::support {

namespace {

std::unexpected<Error> failure(ErrorCode code, std::string_view name, const std::string& message) {
    return std::unexpected(Error{code, std::string(name) + message});
}

// Elements from the first to behind the last one; nothing when their bytes do not fit 63 bits.
std::optional<std::int64_t> extent(const Shape& shape, const Strides& strides, std::size_t element_bytes) {
    const std::int64_t most =
        std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_bytes);
    const std::int64_t last_row = shape.h - 1;
    const std::int64_t last_plane = shape.n * shape.c - 1;
    std::int64_t left = most - shape.w;
    if (last_row > 0 && strides.row > left / last_row) return std::nullopt;
    left -= last_row * strides.row;
    if (last_plane > 0 && strides.plane > left / last_plane) return std::nullopt;
    left -= last_plane * strides.plane;
    return most - left;
}

// True when planes lie one after the other, or row by row beside each other: no element is two.
bool elements_are_apart(const Shape& shape, const Strides& strides) {
    const std::int64_t last_plane = shape.n * shape.c - 1;
    const bool one_after_the_other = strides.plane >= (shape.h - 1) * strides.row + shape.w;
    const bool row_by_row = strides.plane >= shape.w && strides.row >= last_plane * strides.plane + shape.w;
    return last_plane == 0 || one_after_the_other || row_by_row;
}

}  // namespace

Result<Strides> check_view(std::string_view name, const ConstTensorView& view, ElementType element,
                           const Shape& shape) {
    if (view.data == nullptr) return failure(ErrorCode::null_pointer, name, ": data is null");
    if (view.type != element) {
        return failure(
            ErrorCode::invalid_argument, name,
            " is " + std::string(name_of(view.type)) + ", the plan is for " + std::string(name_of(element)));
    }
    if (reinterpret_cast<std::uintptr_t>(view.data) % element_size(element) != 0) {
        return failure(ErrorCode::invalid_argument, name,
                       ": data is not at a multiple of its element's " +
                           std::to_string(element_size(element)) + " bytes");
    }
    if (view.shape != shape) {
        return failure(ErrorCode::invalid_dimension, name,
                       " has shape " + describe(view.shape) + ", the plan's is " + describe(shape));
    }
    if (view.row_stride != 0 && view.row_stride < shape.w) {
        return failure(ErrorCode::invalid_dimension, name,
                       ": row_stride " + std::to_string(view.row_stride) + " is less than the width " +
                           std::to_string(shape.w));
    }
    if (view.plane_stride < 0) {
        return failure(ErrorCode::invalid_dimension, name,
                       ": plane_stride " + std::to_string(view.plane_stride) + " is negative");
    }
    const auto too_far = [&] {
        return failure(ErrorCode::invalid_dimension, name,
                       ": with row_stride " + std::to_string(view.row_stride) + " and plane_stride " +
                           std::to_string(view.plane_stride) + " its bytes do not fit 63 bits");
    };
    Strides strides{view.row_stride == 0 ? shape.w : view.row_stride, view.plane_stride};
    if (strides.plane == 0) {
        if (strides.row > std::numeric_limits<std::int64_t>::max() / shape.h) return too_far();
        strides.plane = shape.h * strides.row;
    }
    if (!extent(shape, strides, element_size(element))) return too_far();
    return strides;
}

Result<Strides> check_output_view(std::string_view name, const ConstTensorView& view, ElementType element,
                                  const Shape& shape) {
    const auto strides = check_view(name, view, element, shape);
    if (strides && !elements_are_apart(shape, *strides)) {
        return failure(ErrorCode::invalid_dimension, name,
                       ": with row_stride " + std::to_string(strides->row) + " and plane_stride " +
                           std::to_string(strides->plane) + " its planes of " +
                           describe(Extent{shape.h, shape.w}) + " lie over each other");
    }
    return strides;
}

bool views_overlap(const ConstTensorView& a, const Strides& a_strides, const ConstTensorView& b,
                   const Strides& b_strides) {
    const auto range = [](const ConstTensorView& view, const Strides& strides) {
        const auto begin = reinterpret_cast<std::uintptr_t>(view.data);
        const auto bytes =
            static_cast<std::uintptr_t>(*extent(view.shape, strides, element_size(view.type))) *
            element_size(view.type);
        return std::pair(begin, begin + bytes);
    };
    const auto [a_begin, a_end] = range(a, a_strides);
    const auto [b_begin, b_end] = range(b, b_strides);
    return a_begin < b_end && b_begin < a_end;
}

}  // namespace iir2d::support
