// SPDX-License-Identifier: MIT
// Planes of an image in any element type, of which images hold two: f16 and bf16 stand in an image as the f32
// that have their values.
#pragma once

#include <cstddef>

#include "core/image/image.h"
#include "iir2d/tensor.h"

namespace workbench {

// Returns the type of an image that holds samples of `type` exactly.
constexpr iir2d::ElementType image_type(iir2d::ElementType type) {
    return type == iir2d::ElementType::f64 ? type : iir2d::ElementType::f32;
}

// Returns the magnitude below which the units that samples are stored in are not relative to their value.
double least_normal(iir2d::ElementType type);

// Returns the image after its samples were stored in `type`.
PlanarImage rounded(PlanarImage image, iir2d::ElementType type);

// An image's samples rounded to a type, once; of the image's own type they are the image's, which must
// outlive this.
class SourcePlanes {
  public:
    SourcePlanes(iir2d::ElementType type, const PlanarImage& image);
    SourcePlanes(const SourcePlanes&) = delete;
    SourcePlanes& operator=(const SourcePlanes&) = delete;
    iir2d::ConstTensorView view() const { return m_view; }

  private:
    Samples<std::byte> m_bytes;
    iir2d::ConstTensorView m_view;
};

// Room for a result of a type, and the image that holds its values: `image` gets the size at once and the
// values with finish(). It must outlive this.
class ResultPlanes {
  public:
    ResultPlanes(iir2d::ElementType type, const iir2d::Shape& shape, PlanarImage& image);
    ResultPlanes(const ResultPlanes&) = delete;
    ResultPlanes& operator=(const ResultPlanes&) = delete;
    iir2d::TensorView view() const { return m_view; }
    void finish();

  private:
    PlanarImage& m_image;
    Samples<std::byte> m_bytes;  // of 16-bit types
    iir2d::TensorView m_view;
};

}  // namespace workbench
