// SPDX-License-Identifier: MIT
#include "core/image/element_planes.h"

#include <limits>

#include "iir2d/convert.h"

namespace workbench {

namespace {

using iir2d::ElementType;

std::size_t count(const iir2d::Shape& shape) {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w);
}

}  // namespace

double least_normal(ElementType type) {
    switch (type) {
        case ElementType::f64:
            return std::numeric_limits<double>::min();
        case ElementType::f16:
            return 0x1p-14;
        case ElementType::bf16:
            return std::numeric_limits<float>::min();
        case ElementType::f32:
            break;
    }
    return 1e-30;
}

PlanarImage rounded(PlanarImage image, ElementType type) {
    if (image.type() == type) return image;
    const SourcePlanes planes(type, image);
    const iir2d::Shape shape = planes.view().shape;
    auto result = PlanarImage::uninitialised(shape.w, shape.h, static_cast<int>(shape.c), image_type(type));
    iir2d::convert_elements(planes.view().data, type, result.view().data, result.type(), count(shape));
    return result;
}

SourcePlanes::SourcePlanes(ElementType type, const PlanarImage& image) : m_view(image.view()) {
    if (image.type() == type) return;
    const iir2d::Shape shape = m_view.shape;
    m_bytes.resize(count(shape) * iir2d::element_size(type));
    iir2d::convert_elements(m_view.data, m_view.type, m_bytes.data(), type, count(shape));
    m_view = {m_bytes.data(), type, shape};
}

ResultPlanes::ResultPlanes(ElementType type, const iir2d::Shape& shape, PlanarImage& image) : m_image(image) {
    image = PlanarImage::uninitialised(shape.w, shape.h, static_cast<int>(shape.c), image_type(type));
    m_view = image.view();
    if (image_type(type) == type) return;
    m_bytes.resize(count(shape) * iir2d::element_size(type));
    m_view = {m_bytes.data(), type, shape};
}

void ResultPlanes::finish() {
    if (m_bytes.empty()) return;
    const iir2d::TensorView to = m_image.view();
    iir2d::convert_elements(m_bytes.data(), m_view.type, to.data, to.type, count(m_view.shape));
}

}  // namespace workbench
