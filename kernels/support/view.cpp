// SPDX-License-Identifier: MIT
#include "kernels/support/view.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "iir2d/try.h"
#include "kernels/support/describe.h"

namespace iir2d::support {

namespace {

std::unexpected<Error> failure(ErrorCode code, std::string_view name, const std::string& message) {
    return std::unexpected(Error{code, std::string(name) + message});
}

// How often a dimension steps, and how far.
struct Dimension {
    std::int64_t size;
    std::int64_t stride;
};

std::array<Dimension, 3> dimensions(const Shape& shape, const Strides& strides) {
    return {Dimension{shape.h, strides.row}, Dimension{shape.c, strides.plane},
            Dimension{shape.n, strides.image}};
}

// Elements from the first to behind the last one; nothing when their bytes do not fit 63 bits.
std::optional<std::int64_t> extent(const Shape& shape, const Strides& strides, std::size_t element_bytes) {
    const std::int64_t most =
        std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_bytes);
    std::int64_t left = most - shape.w;
    for (const Dimension& d : dimensions(shape, strides)) {
        const std::int64_t last = d.size - 1;
        if (last > 0 && d.stride > left / last) return std::nullopt;
        left -= last * d.stride;
    }
    return most - left;
}

// True when each dimension steps over all that lies within it, the nearest first: no element is two.
bool elements_are_apart(const Shape& shape, const Strides& strides) {
    auto by_stride = dimensions(shape, strides);
    std::ranges::sort(by_stride, {}, &Dimension::stride);
    std::int64_t within = shape.w;
    for (const Dimension& d : by_stride) {
        if (d.size == 1) continue;
        if (d.stride < within) return false;
        within += (d.size - 1) * d.stride;
    }
    return true;
}

std::string shown(std::int64_t stride) {
    return stride == repeated ? "0 (repeated)" : std::to_string(stride);
}

}  // namespace

Result<Strides> resolve_strides(std::string_view name, const ConstTensorView& view) {
    const Shape& shape = view.shape;
    if (view.row_stride != 0 && view.row_stride < shape.w) {
        return failure(ErrorCode::invalid_dimension, name,
                       ": row_stride " + std::to_string(view.row_stride) + " is less than the width " +
                           std::to_string(shape.w));
    }
    for (const auto& [stride, value] :
         {std::pair("plane_stride", view.plane_stride), std::pair("image_stride", view.image_stride)}) {
        if (value < 0 && value != repeated) {
            return failure(ErrorCode::invalid_dimension, name,
                           ": " + std::string(stride) + " " + std::to_string(value) + " is negative");
        }
    }
    const auto too_far = [&] {
        return failure(ErrorCode::invalid_dimension, name,
                       ": with row_stride " + std::to_string(view.row_stride) + ", plane_stride " +
                           shown(view.plane_stride) + " and image_stride " + shown(view.image_stride) +
                           " its bytes do not fit 63 bits");
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto distance = [](std::int64_t stride) { return stride == repeated ? 0 : stride; };
    Strides strides{view.row_stride == 0 ? shape.w : view.row_stride, distance(view.plane_stride),
                    distance(view.image_stride)};
    if (view.plane_stride == 0) {
        if (strides.row > most / shape.h) return too_far();
        strides.plane = shape.h * strides.row;
    }
    if (view.image_stride == 0) {
        if (strides.plane > most / shape.c) return too_far();
        strides.image = shape.c * strides.plane;
    }
    if (!extent(shape, strides, element_size(view.type))) return too_far();
    // What nothing is multiplied with must not tell apart views that are the same.
    if (shape.h == 1) strides.row = shape.w;
    if (shape.c == 1) strides.plane = shape.n == 1 ? 0 : strides.image;
    if (shape.n == 1) strides.image = shape.c * strides.plane;
    return strides;
}

Result<void> check_apart(std::string_view name, const Shape& shape, const Strides& strides) {
    if (elements_are_apart(shape, strides)) return {};
    return failure(ErrorCode::invalid_dimension, name,
                   ": with row_stride " + std::to_string(strides.row) + ", plane_stride " +
                       std::to_string(strides.plane) + " and image_stride " + std::to_string(strides.image) +
                       " its planes of " + describe(Extent{shape.h, shape.w}) + " lie over each other");
}

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
    return resolve_strides(name, view);
}

Result<Strides> check_output_view(std::string_view name, const ConstTensorView& view, ElementType element,
                                  const Shape& shape) {
    const auto strides = check_view(name, view, element, shape);
    if (!strides) return strides;
    IIR2D_RETURN_IF_ERROR(check_apart(name, shape, *strides));
    return strides;
}

Bytes bytes_of(const ConstTensorView& view) {
    if (view.data == nullptr) return {0, 0};
    const Strides strides{view.row_stride, view.plane_stride, view.image_stride};
    const std::size_t size = element_size(view.type);
    const auto begin = reinterpret_cast<std::uintptr_t>(view.data);
    return {begin, begin + static_cast<std::uintptr_t>(*extent(view.shape, strides, size)) * size};
}

bool views_overlap(const ConstTensorView& a, const Strides& a_strides, const ConstTensorView& b,
                   const Strides& b_strides) {
    return overlap(bytes_of(resolved(a, a_strides)), bytes_of(resolved(b, b_strides)));
}

}  // namespace iir2d::support
