// SPDX-License-Identifier: MIT
#include "core/recipe/pulls.h"

#include <cstddef>

#include "iir2d/plan.h"

namespace workbench {

Result<Pulls> pulls(const PoolOperation& operation, const PlanarImage& input, int channel, std::int64_t x,
                    std::int64_t y) {
    const auto cpu = iir2d::Device::cpu(1);
    if (!cpu) return std::unexpected(from_kernel(cpu.error()));
    const iir2d::Shape whole{.h = input.height(), .w = input.width()};
    const auto plan = iir2d::PoolPlan::make(*cpu, pool_desc(operation, whole, iir2d::ElementType::f32));
    if (!plan) return std::unexpected(from_kernel(plan.error()));
    const iir2d::Shape output = plan->output_shape();
    if (x < 0 || y < 0 || x >= output.w || y >= output.h || channel < 0 || channel >= input.channels()) {
        return fail(ErrorKind::bad_argument, "the pooled image has no pixel (" + std::to_string(x) + ", " +
                                                 std::to_string(y) + ") in channel " +
                                                 std::to_string(channel));
    }
    const iir2d::PoolWindow window = plan->window(y, x);
    if (window.rows == 0 || window.columns == 0) return Pulls{};
    if (window.rows > most_pulls / window.columns) {
        return fail(ErrorKind::bad_argument, "the window has " + std::to_string(window.rows) + " x " +
                                                 std::to_string(window.columns) +
                                                 " samples, more than can be shown apart");
    }

    // The window alone, as an image with nothing around it.
    Pulls result;
    std::vector<double> samples;
    for (std::int64_t r = 0; r < window.rows; ++r) {
        for (std::int64_t c = 0; c < window.columns; ++c) {
            const Pull pull{.x = window.first_column + c * window.column_step,
                            .y = window.first_row + r * window.row_step};
            samples.push_back(input.at(pull.x, pull.y, channel));
            result.samples.push_back(pull);
        }
    }
    const iir2d::Shape shape{.h = window.rows, .w = window.columns};
    iir2d::PoolDesc desc{.shape = shape,
                         .window = {window.rows, window.columns},
                         .p = operation.p,
                         .element = iir2d::ElementType::f64};
    desc.op = is_max(operation.op)
                  ? iir2d::PoolOp::max
                  : (operation.op == iir2d::PoolOp::lp ? iir2d::PoolOp::lp : iir2d::PoolOp::avg);
    if (desc.op == iir2d::PoolOp::avg) desc.divisor_override = window.divisor;
    const auto alone = iir2d::PoolPlan::make(*cpu, desc);
    if (!alone) return std::unexpected(from_kernel(alone.error()));
    const double one = 1.0;
    std::vector<double> gradient(samples.size());
    const iir2d::ConstTensorView in(samples.data(), desc.element, shape);
    const iir2d::TensorView pooled{&result.value, desc.element, {}};
    if (auto done = alone->forward(in, pooled); !done) return std::unexpected(from_kernel(done.error()));
    if (auto done = alone->backward(in, pooled, {&one, desc.element, iir2d::Shape{}},
                                    {gradient.data(), desc.element, shape});
        !done)
        return std::unexpected(from_kernel(done.error()));
    for (std::size_t i = 0; i < gradient.size(); ++i) result.samples[i].weight = gradient[i];
    return result;
}

}  // namespace workbench
