// SPDX-License-Identifier: MIT
#include "core/recipe/pool_gradient.h"
#include "core/support/try.h"

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "iir2d/plan.h"

namespace workbench {

namespace {

// Differentiates single windows, each as an image with nothing around it.
class WindowDifferentiator {
  public:
    static Result<WindowDifferentiator> make(const PoolOperation& operation, const PlanarImage& input,
                                             int channel) {
        IIR2D_TRY(auto cpu, from_kernel(iir2d::Device::cpu(1)));
        const iir2d::Shape whole{.h = input.height(), .w = input.width()};
        IIR2D_TRY(auto plan, from_kernel(iir2d::PoolPlan::make(
                                 cpu, pool_desc(operation, whole, iir2d::ElementType::f32))));
        return WindowDifferentiator(cpu, std::move(plan), operation, input, channel);
    }

    Result<WindowGradient> of(std::int64_t x, std::int64_t y, double gradient) {
        const iir2d::Shape output = m_plan.output_shape();
        if (x < 0 || y < 0 || x >= output.w || y >= output.h || m_channel < 0 ||
            m_channel >= m_input.channels()) {
            return fail(ErrorKind::bad_argument, "the pooled image has no pixel (" + std::to_string(x) +
                                                     ", " + std::to_string(y) + ") in channel " +
                                                     std::to_string(m_channel));
        }
        const iir2d::PoolWindow window = m_plan.window(y, x);
        if (window.rows == 0 || window.columns == 0) return WindowGradient{};
        if (window.rows > most_gradient_samples / window.columns) {
            return fail(ErrorKind::bad_argument, "the window has " + std::to_string(window.rows) + " x " +
                                                     std::to_string(window.columns) +
                                                     " samples, more than can be shown apart");
        }
        WindowGradient result;
        m_samples.clear();
        for (std::int64_t r = 0; r < window.rows; ++r) {
            for (std::int64_t c = 0; c < window.columns; ++c) {
                const SampleGradient sample{.x = window.first_column + c * window.column_step,
                                            .y = window.first_row + r * window.row_step};
                m_samples.push_back(m_input.at(sample.x, sample.y, m_channel));
                result.samples.push_back(sample);
            }
        }
        IIR2D_RETURN_IF_ERROR(differentiate(window, gradient, result));
        return result;
    }

  private:
    WindowDifferentiator(iir2d::Device cpu, iir2d::PoolPlan plan, const PoolOperation& operation,
                         const PlanarImage& input, int channel)
        : m_cpu(cpu), m_plan(std::move(plan)), m_operation(operation), m_input(input), m_channel(channel) {}

    // Most windows are alike.
    Result<iir2d::PoolPlan> plan_of(const iir2d::PoolWindow& window) {
        const std::tuple key{window.rows, window.columns, window.divisor};
        if (m_alone && m_alone_key == key) return *m_alone;
        iir2d::PoolDesc desc{.shape = {.h = window.rows, .w = window.columns},
                             .window = {window.rows, window.columns},
                             .p = m_operation.p,
                             .element = iir2d::ElementType::f64};
        desc.op = is_max(m_operation.op)
                      ? iir2d::PoolOp::max
                      : (m_operation.op == iir2d::PoolOp::lp ? iir2d::PoolOp::lp : iir2d::PoolOp::avg);
        if (desc.op == iir2d::PoolOp::avg) desc.divisor_override = window.divisor;
        IIR2D_TRY(auto plan, from_kernel(iir2d::PoolPlan::make(m_cpu, desc)));
        m_alone = plan;
        m_alone_key = key;
        return plan;
    }

    Result<void> differentiate(const iir2d::PoolWindow& window, double gradient, WindowGradient& result) {
        IIR2D_TRY(const auto alone, plan_of(window));
        const iir2d::Shape shape = alone.desc().shape;
        constexpr auto f64 = iir2d::ElementType::f64;
        m_gradient.resize(m_samples.size());
        const iir2d::ConstTensorView in(m_samples.data(), f64, shape);
        const iir2d::TensorView pooled{&result.value, f64, {}};
        IIR2D_RETURN_IF_ERROR(from_kernel(alone.forward(in, pooled)));
        IIR2D_RETURN_IF_ERROR(from_kernel(
            alone.backward(in, pooled, {&gradient, f64, iir2d::Shape{}}, {m_gradient.data(), f64, shape})));
        for (std::size_t i = 0; i < m_gradient.size(); ++i) result.samples[i].weight = m_gradient[i];
        return {};
    }

    iir2d::Device m_cpu;
    iir2d::PoolPlan m_plan;
    PoolOperation m_operation;
    const PlanarImage& m_input;
    int m_channel;
    std::vector<double> m_samples;
    std::vector<double> m_gradient;
    std::optional<iir2d::PoolPlan> m_alone;
    std::tuple<std::int64_t, std::int64_t, std::int64_t> m_alone_key;
};

}  // namespace

Result<WindowGradient> window_gradient(const PoolOperation& operation, const PlanarImage& input, int channel,
                                       std::int64_t x, std::int64_t y) {
    IIR2D_TRY(auto windows, WindowDifferentiator::make(operation, input, channel));
    return windows.of(x, y, 1.0);
}

Result<std::vector<SampleGradient>> input_gradient(const PoolOperation& operation, const PlanarImage& input,
                                                   int channel, std::span<const Upstream> upstream) {
    IIR2D_TRY(auto windows, WindowDifferentiator::make(operation, input, channel));
    std::int64_t followed = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, double> sums;  // by row and column
    for (const Upstream& pixel : upstream) {
        IIR2D_TRY(const auto found, windows.of(pixel.x, pixel.y, pixel.gradient));
        followed += static_cast<std::int64_t>(found.samples.size());
        if (followed > most_followed) {
            return fail(ErrorKind::bad_argument,
                        "the windows of " + std::to_string(upstream.size()) +
                            " pixels have more samples together than can be followed at"
                            " once; paint fewer");
        }
        for (const SampleGradient& sample : found.samples) sums[{sample.y, sample.x}] += sample.weight;
        if (static_cast<std::int64_t>(sums.size()) > most_gradient_samples) {
            return fail(ErrorKind::bad_argument, "the windows of " + std::to_string(upstream.size()) +
                                                     " pixels have more samples than can be shown apart");
        }
    }
    std::vector<SampleGradient> all;
    all.reserve(sums.size());
    for (const auto& [at, weight] : sums) all.push_back({.x = at.second, .y = at.first, .weight = weight});
    return all;
}

int pooling_to_look_at(const Recipe& recipe, int selected) {
    const int count = static_cast<int>(recipe.operations.size());
    const auto pools = [&recipe](int i) {
        const Operation& operation = recipe.operations[static_cast<std::size_t>(i)];
        return operation.enabled && std::holds_alternative<PoolOperation>(operation.what);
    };
    if (selected >= 0 && selected < count && pools(selected)) return selected;
    for (int i = count - 1; i >= 0; --i) {
        if (pools(i)) return i;
    }
    return -1;
}

Recipe before_operation(const Recipe& recipe, int operation) {
    Recipe before{.keep_alpha = recipe.keep_alpha};
    for (int i = 0; i < operation; ++i) {
        const Operation& one = recipe.operations[static_cast<std::size_t>(i)];
        if (one.enabled) before.operations.push_back(one);
    }
    return before;
}

}  // namespace workbench
