// SPDX-License-Identifier: MIT
// Defines element types and non-owning views of planar [N, C, H, W] data. All counts are 64-bit and in
// elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iir2d {

enum class ElementType { f32, f64, f16, bf16 };

// Bytes of one element: 4, 8, 2, 2.
constexpr std::size_t element_size(ElementType type) {
    switch (type) {
        case ElementType::f64:
            return 8;
        case ElementType::f16:
        case ElementType::bf16:
            return 2;
        case ElementType::f32:
            break;
    }
    return 4;
}

// Returns "f32", "f64", "f16" or "bf16".
constexpr std::string_view name_of(ElementType type) {
    constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16"};
    return names[static_cast<std::size_t>(type)];
}

// Holds height by width, in that order as everywhere in the pooling contract.
struct Extent {
    std::int64_t h = 1;
    std::int64_t w = 1;
    friend bool operator==(const Extent&, const Extent&) = default;
};

struct Shape {
    std::int64_t n = 1;
    std::int64_t c = 1;
    std::int64_t h = 1;
    std::int64_t w = 1;
    friend bool operator==(const Shape&, const Shape&) = default;
};

// A distance between planes or images that are one and the same memory, in a view that is only read.
inline constexpr std::int64_t repeated = -1;

// Planes of equal size. A row is contiguous; rows are row_stride elements apart, the planes of an image
// plane_stride and images image_stride. A stride of 0 means "dense": row_stride = w, plane_stride = h *
// row_stride, image_stride = c * plane_stride. Strides may not be negative, but for `repeated` in place of
// the last two, and row_stride is at least w.
struct TensorView {
    void* data = nullptr;
    ElementType type = ElementType::f32;
    Shape shape;
    std::int64_t row_stride = 0;
    std::int64_t plane_stride = 0;
    std::int64_t image_stride = 0;
};

struct ConstTensorView {
    const void* data = nullptr;
    ElementType type = ElementType::f32;
    Shape shape;
    std::int64_t row_stride = 0;
    std::int64_t plane_stride = 0;
    std::int64_t image_stride = 0;

    ConstTensorView() = default;
    ConstTensorView(const void* d, ElementType t, Shape s, std::int64_t row = 0, std::int64_t plane = 0,
                    std::int64_t image = 0)
        : data(d), type(t), shape(s), row_stride(row), plane_stride(plane), image_stride(image) {}
    // A writable view is also a readable one.
    ConstTensorView(const TensorView& v)  // NOLINT(google-explicit-constructor)
        : data(v.data),
          type(v.type),
          shape(v.shape),
          row_stride(v.row_stride),
          plane_stride(v.plane_stride),
          image_stride(v.image_stride) {}
};

}  // namespace iir2d
