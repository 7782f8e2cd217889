// SPDX-License-Identifier: MIT
#include "core/recipe/pool_passes.h"
#include "core/recipe/seen.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/image/element_planes.h"
#include "core/recipe/apply.h"
#include "core/recipe/steps.h"
#include "core/support/counted.h"
#include "core/support/try.h"
#include "iir2d/plan.h"

namespace workbench {

namespace {

using iir2d::ElementType;
using iir2d::Shape;

std::size_t count(const Shape& shape) {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w);
}

std::string size_text(const Shape& shape) {
    return std::to_string(shape.w) + " x " + std::to_string(shape.h) + " pixels of " +
           counted(static_cast<std::uint64_t>(shape.c), "channel");
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

std::uint64_t peak_memory(const PoolOperation& operation, Shape source, ElementType type,
                          const PoolPassesWanted& wanted, bool with_gradient) {
    const Shape pooled = validate(Operation{.what = operation}, source).value_or(source);
    // More than any machine has, and several of them still make a number.
    const auto count_of = [](const Shape& shape) {
        return samples(shape) >= 0x1p56 ? std::uint64_t{1} << 56 : std::uint64_t{count(shape)};
    };
    const std::uint64_t in = count_of(source);
    const std::uint64_t out = count_of(pooled);
    const std::uint64_t image = iir2d::element_size(type);
    const std::uint64_t element = iir2d::element_size(wanted.element);
    // An image of results is f64 for f64, else f32; samples of other types lie beside their image.
    const std::uint64_t result = wanted.element == ElementType::f64 ? 8 : 4;
    const std::uint64_t source_planes = wanted.element == type ? 0 : element;
    const std::uint64_t result_planes = element < 4 ? element : 0;
    std::uint64_t bytes = in * (image + source_planes) + out * (result + result_planes);
    if (is_max(operation.op) && (wanted.indices || with_gradient)) bytes += out * sizeof(std::int64_t);
    if (is_max(operation.op) && wanted.indices) bytes += out * sizeof(double);
    if (with_gradient) bytes += out * (image + source_planes) + in * (result + result_planes);
    return bytes;
}

Result<PoolPasses> pool_passes(const PoolOperation& operation, const Image& source,
                               const PoolPassesWanted& wanted, const iir2d::Device& device,
                               const TaskControl& control) {
    const Shape input = source.pixels.view().shape;
    const iir2d::PoolDesc desc = pool_desc(operation, input, wanted.element);
    const bool has_indices = is_max(operation.op);
    const bool finds_places = has_indices && (wanted.indices || wanted.upstream != nullptr);
    SeenOperations::of_process().note(
        {.operation = operation, .element = wanted.element, .shape = input, .places = finds_places});
    if (wanted.upstream != nullptr)
        SeenOperations::of_process().note(
            {.operation = operation, .element = wanted.element, .shape = input, .backward = true});
    if (wanted.config) {
        const auto use = finds_places ? iir2d::PoolUse::forward_with_places : iir2d::PoolUse::forward;
        IIR2D_RETURN_IF_ERROR(from_kernel(check_config(device, desc, use, *wanted.config)));
    }
    IIR2D_TRY(const auto plan,
              from_kernel(wanted.config ? iir2d::PoolPlan::make(device, desc, *wanted.config, {})
                                        : iir2d::PoolPlan::make(device, desc)));
    const Shape output = plan.output_shape();
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

    const SourcePlanes x(wanted.element, source.pixels);
    PlanarImage pooled;
    ResultPlanes y(wanted.element, output, pooled);
    std::vector<std::int64_t> argmax(finds_places ? count(output) : 0);
    IIR2D_RETURN_IF_ERROR(
        from_kernel(plan.forward(x.view(), y.view(), argmax, part(0.0, forward_share, "pooling"))));
    PoolPasses passes;
    if (wanted.indices && has_indices) {
        passes.indices = with_pixels(source, index_image(argmax, output));
        passes.indices->metadata = nullptr;
    }
    if (wanted.upstream != nullptr) {
        const SourcePlanes dy(wanted.element, *wanted.upstream);
        PlanarImage gradient;
        ResultPlanes dx(wanted.element, input, gradient);
        const auto run = part(forward_share, 1.0 - forward_share, "gradient");
        IIR2D_RETURN_IF_ERROR(
            from_kernel(plan.backward(x.view(), y.view(), dy.view(), dx.view(), argmax, run)));
        dx.finish();
        passes.gradient = with_pixels(source, std::move(gradient));
        passes.gradient->metadata = nullptr;
    }
    y.finish();
    passes.pooled = with_pixels(source, std::move(pooled));
    return passes;
}

}  // namespace workbench
