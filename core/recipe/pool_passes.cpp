// SPDX-License-Identifier: MIT
#include "core/recipe/pool_passes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/recipe/apply.h"
#include "iir2d/convert.h"
#include "iir2d/plan.h"

namespace workbench {

namespace {

using iir2d::ElementType;
using iir2d::Shape;

std::size_t count(const Shape& shape) {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w);
}

// Planes in any element type.
class Planes {
  public:
    Planes(ElementType type, const Shape& shape)
        : m_type(type), m_shape(shape), m_bytes(count(shape) * iir2d::element_size(type)) {}
    Planes(ElementType type, const PlanarImage& image) : Planes(type, image.view().shape) {
        const auto from = image.view();
        iir2d::convert_elements(from.data, from.type, m_bytes.data(), type, count(m_shape));
    }
    iir2d::TensorView view() { return {m_bytes.data(), m_type, m_shape}; }

    // In the type that an image holds it in exactly.
    PlanarImage image() const {
        const ElementType type = m_type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
        auto result = PlanarImage::uninitialised(m_shape.w, m_shape.h, static_cast<int>(m_shape.c), type);
        iir2d::convert_elements(m_bytes.data(), m_type, result.view().data, type, count(m_shape));
        return result;
    }

  private:
    ElementType m_type;
    Shape m_shape;
    std::vector<std::byte> m_bytes;
};

std::string size_text(const Shape& shape) {
    return std::to_string(shape.w) + " x " + std::to_string(shape.h) + " pixels of " +
           std::to_string(shape.c) + (shape.c == 1 ? " channel" : " channels");
}

PlanarImage index_image(const std::vector<std::int64_t>& indices, const Shape& shape) {
    PlanarImage image(shape.w, shape.h, static_cast<int>(shape.c), ElementType::f64);
    const std::int64_t plane = shape.h * shape.w;
    for (int c = 0; c < image.channels(); ++c) {
        const auto first = indices.begin() + c * plane;
        std::ranges::transform(first, first + plane, image.plane_f64(c).begin(),
                               [](std::int64_t index) { return static_cast<double>(index); });
    }
    return image;
}

}  // namespace

Result<PoolPasses> pool_passes(const PoolOperation& operation, const Image& source,
                               const PoolPassesWanted& wanted, const iir2d::Device& device,
                               const TaskControl& control) {
    const Shape input = source.pixels.view().shape;
    const auto plan = iir2d::PoolPlan::make(device, pool_desc(operation, input, wanted.element));
    if (!plan) return std::unexpected(from_kernel(plan.error()));
    const Shape output = plan->output_shape();
    if (wanted.upstream != nullptr && wanted.upstream->view().shape != output) {
        return fail(ErrorKind::bad_input,
                    "the upstream gradient is " + size_text(wanted.upstream->view().shape) +
                        ", the pooled image " + size_text(output) + ": they must be alike");
    }
    const double forward_share = wanted.upstream != nullptr ? 0.5 : 1.0;
    const auto part = [&](double from, double share, const char* what) {
        iir2d::RunControl run{.stop = control.stop, .progress = {}};
        if (control.progress)
            run.progress = [&control, from, share, what](double fraction) {
                control.progress(from + share * fraction, what);
            };
        return run;
    };

    Planes x(wanted.element, source.pixels);
    Planes y(wanted.element, output);
    const bool has_indices = is_max(operation.op);
    std::vector<std::int64_t> argmax(
        has_indices && (wanted.indices || wanted.upstream != nullptr) ? count(output) : 0);
    if (auto done = plan->forward(x.view(), y.view(), argmax, {}, part(0.0, forward_share, "pooling")); !done)
        return std::unexpected(from_kernel(done.error()));
    PoolPasses passes{.pooled = with_pixels(source, y.image()), .indices = {}, .gradient = {}};
    if (wanted.indices && has_indices) {
        passes.indices = with_pixels(source, index_image(argmax, output));
        passes.indices->metadata = nullptr;
    }
    if (wanted.upstream != nullptr) {
        Planes dy(wanted.element, *wanted.upstream);
        Planes dx(wanted.element, input);
        if (auto done = plan->backward(x.view(), y.view(), dy.view(), dx.view(), argmax, {},
                                       part(forward_share, 1.0 - forward_share, "gradient"));
            !done)
            return std::unexpected(from_kernel(done.error()));
        passes.gradient = with_pixels(source, dx.image());
        passes.gradient->metadata = nullptr;
    }
    return passes;
}

}  // namespace workbench
