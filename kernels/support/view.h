// SPDX-License-Identifier: MIT
// Checks of the tensor views that a run is handed.
#pragma once

#include <cstdint>
#include <string_view>

#include "iir2d/error.h"
#include "iir2d/tensor.h"

namespace iir2d::support {

// Strides with 0 ("dense") and `repeated` resolved: each is a distance, which may be 0. A resolved view is
// not checked again. A stride that nothing is multiplied with, as of one image, follows from the others.
struct Strides {
    std::int64_t row;
    std::int64_t plane;
    std::int64_t image;
};

// Strides of dense planes.
inline Strides dense_strides(const Shape& shape) {
    return {shape.w, shape.h * shape.w, shape.c * shape.h * shape.w};
}

// Returns a checked view whose strides are resolved, as the backends take it.
inline ConstTensorView resolved(const ConstTensorView& view, const Strides& strides) {
    return {view.data, view.type, view.shape, strides.row, strides.plane, strides.image};
}
inline TensorView resolved(const TensorView& view, const Strides& strides) {
    return {view.data, view.type, view.shape, strides.row, strides.plane, strides.image};
}

// Of a resolved view: how many elements after the first one plane `plane` begins, counted n-major.
template <class View>
std::int64_t plane_offset(const View& view, std::int64_t plane) {
    return plane / view.shape.c * view.image_stride + plane % view.shape.c * view.plane_stride;
}

// Of a resolved view: whether plane `p` begins p * plane_stride elements after the first one.
template <class View>
bool planes_are_even(const View& view) {
    return view.image_stride == view.shape.c * view.plane_stride;
}

// Returns a resolved dense view of memory at an address, which may be a device's.
inline TensorView dense_view(std::uintptr_t address, ElementType type, const Shape& shape) {
    const TensorView view{reinterpret_cast<void*>(address), type, shape};
    return resolved(view, dense_strides(shape));
}

// Of a resolved view: image `n` alone.
template <class View>
View image_of(const View& view, std::int64_t n) {
    View image = view;
    image.shape.n = 1;
    image.image_stride = view.shape.c * view.plane_stride;
    if (view.data != nullptr) {
        const auto bytes = n * view.image_stride * static_cast<std::int64_t>(element_size(view.type));
        image.data = reinterpret_cast<decltype(image.data)>(reinterpret_cast<std::uintptr_t>(view.data) +
                                                            static_cast<std::uintptr_t>(bytes));
    }
    return image;
}

// Of a resolved view: plane `p` alone, of n * c.
template <class View>
View plane_of(const View& view, std::int64_t p) {
    View plane = view;
    plane.shape = {1, 1, view.shape.h, view.shape.w};
    const auto bytes = plane_offset(view, p) * static_cast<std::int64_t>(element_size(view.type));
    plane.data = reinterpret_cast<decltype(plane.data)>(reinterpret_cast<std::uintptr_t>(view.data) +
                                                        static_cast<std::uintptr_t>(bytes));
    return plane;
}

// Resolves the strides of a view called `name`, of a plan's shape: every size at least 1 and its dense bytes
// within 63 bits. Checks what check_view() says of them; the address is not looked at.
Result<Strides> resolve_strides(std::string_view name, const ConstTensorView& view);

// Checks that no element is two, so that it may be written.
Result<void> check_apart(std::string_view name, const Shape& shape, const Strides& strides);

// Checks a view called `name` against what a plan needs: element type and shape (an error names both sides),
// data not null and aligned to its elements, strides that are not negative but for `repeated`, rows that do
// not overlap, and an extent whose bytes fit 63 bits. `shape` is a plan's: every size at least 1 and its
// dense bytes within 63 bits.
Result<Strides> check_view(std::string_view name, const ConstTensorView& view, ElementType element,
                           const Shape& shape);

// The same for a view that is written: no element of it may be two, so planes must not lie over each other.
Result<Strides> check_output_view(std::string_view name, const ConstTensorView& view, ElementType element,
                                  const Shape& shape);

// Memory from `begin` to before `end`.
struct Bytes {
    std::uintptr_t begin;
    std::uintptr_t end;
};

// Returns the memory from a resolved view's first to behind its last element; none where it has no address.
Bytes bytes_of(const ConstTensorView& view);

// Returns whether the two have a byte in common.
inline bool overlap(const Bytes& a, const Bytes& b) {
    return a.begin < b.end && b.begin < a.end;
}

// Returns the same of checked views.
bool views_overlap(const ConstTensorView& a, const Strides& a_strides, const ConstTensorView& b,
                   const Strides& b_strides);

}  // namespace iir2d::support
