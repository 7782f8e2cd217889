// SPDX-License-Identifier: MIT
#include "core/recipe/indices.h"

#include <algorithm>
#include <vector>

namespace workbench {

Result<Image> max_indices(const PoolOperation& operation, const Image& source, const iir2d::Device& device,
                          const TaskControl& control) {
    const PlanarImage pixels = source.pixels.converted(iir2d::ElementType::f32);
    const iir2d::ConstTensorView input = pixels.view();
    const auto plan = iir2d::PoolPlan::make(device, pool_desc(operation, input.shape, input.type));
    if (!plan) return std::unexpected(from_kernel(plan.error()));
    const iir2d::Shape shape = plan->output_shape();

    PlanarImage pooled(shape.w, shape.h, pixels.channels(), iir2d::ElementType::f32);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w));
    iir2d::RunControl run{.stop = control.stop, .progress = {}};
    if (control.progress) run.progress = [&](double fraction) { control.progress(fraction, "indices"); };
    if (auto done = plan->forward(input, pooled.view(), indices, {}, run); !done) {
        return std::unexpected(from_kernel(done.error()));
    }

    Image result{.info = source.info,
                 .pixels = PlanarImage(shape.w, shape.h, pixels.channels(), iir2d::ElementType::f64),
                 .metadata = nullptr};
    result.info.width = shape.w;
    result.info.height = shape.h;
    for (int c = 0; c < pixels.channels(); ++c) {
        const auto first = indices.begin() + c * shape.h * shape.w;
        std::ranges::transform(first, first + shape.h * shape.w, result.pixels.plane_f64(c).begin(),
                               [](std::int64_t index) { return static_cast<double>(index); });
    }
    return result;
}

}  // namespace workbench
