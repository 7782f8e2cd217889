// SPDX-License-Identifier: MIT
#include "kernels/pool/cpu_gather.h"

#include <algorithm>

#include "kernels/pool/cpu.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

template <WindowOp Op, class T, class Acc>
Result<void> gather(const WindowRule& rule, std::int64_t planes, const ConstTensorView& x,
                    const TensorView& y, std::int64_t* argmax, int threads, const RunControl& control) {
    const Planes<const T> in{static_cast<const T*>(x.data), x.row_stride, x.plane_stride};
    const Planes<T> out{static_cast<T*>(y.data), y.row_stride, y.plane_stride};
    const std::int64_t rows = planes * rule.rows.out;
    // Enough elements to hide a task's set-up.
    constexpr double task_elements = 1 << 16;
    const double of_a_row = static_cast<double>(rule.columns.out) *
                            static_cast<double>(std::min(rule.columns.window, rule.columns.in)) *
                            static_cast<double>(std::min(rule.rows.window, rule.rows.in));
    const std::int64_t step =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(task_elements / of_a_row) + 1, 1,
                                 std::max<std::int64_t>(rows / (std::int64_t{4} * threads), 1));
    const std::int64_t tasks = (rows + step - 1) / step;
    // Between two looks at the stop token.
    constexpr std::int64_t looks = 1 << 10;
    const bool finished = support::parallel_for(threads, tasks, control, {}, [&](std::int64_t task) {
        for (std::int64_t row = task * step; row < std::min(rows, (task + 1) * step); ++row) {
            const std::int64_t plane = row / rule.rows.out;
            const std::int64_t oy = row % rule.rows.out;
            Window<T> window{in.row(plane, 0), in.row_stride, rule.rows.taps(oy), {}};
            T* to = out.row(plane, oy);
            for (std::int64_t ox = 0; ox < rule.columns.out; ++ox) {
                if (ox % looks == 0 && control.stop.stop_requested()) return;
                window.columns = rule.columns.taps(ox);
                const auto pooled = pool_window<Op, T, Acc>(rule, oy, ox, window);
                to[ox] = pooled.value;
                if (argmax != nullptr) argmax[row * rule.columns.out + ox] = pooled.index;
            }
        }
    });
    if (finished) return {};
    return std::unexpected(Error{ErrorCode::cancelled, "pooling was cancelled"});
}

}  // namespace

WindowRule window_rule(const PoolDesc& desc, const PoolGeometry& geometry) {
    const bool avg = desc.op == PoolOp::avg;
    return {.rows = geometry.y,
            .columns = geometry.x,
            .divisor = static_cast<double>(desc.divisor_override.value_or(1)),
            .p = desc.p,
            .inverse_p = 1.0 / desc.p,
            .include_pad = avg && desc.count_include_pad ? 1 : 0,
            .has_divisor = avg && desc.divisor_override ? 1 : 0};
}

ElementType gathered_accumulator(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.element == ElementType::f64) return ElementType::f64;
    if (is_max(desc.op)) return ElementType::f32;
    if (needs_powers(desc)) return ElementType::f64;
    return sum_type(additions_along(geometry.x, AxisWay::sequence) +
                    additions_along(geometry.y, AxisWay::sequence));
}

Result<void> forward_gathered(const PoolDesc& desc, const PoolGeometry& geometry, const ConstTensorView& x,
                              const TensorView& y, std::int64_t* argmax, int threads,
                              const RunControl& control) {
    const WindowRule rule = window_rule(desc, geometry);
    const bool wide = gathered_accumulator(desc, geometry) == ElementType::f64;
    const auto run = [&]<WindowOp Op, class T, class Acc>() {
        return gather<Op, T, Acc>(rule, geometry.planes(), x, y, argmax, threads, control);
    };
    return with_storage(desc.element, [&]<class T>() {
        const auto sum = [&]<WindowOp Op>() {
            return wide ? run.template operator()<Op, T, double>() : run.template operator()<Op, T, float>();
        };
        if (is_max(desc.op)) return sum.template operator()<WindowOp::max>();
        if (desc.op != PoolOp::lp) return sum.template operator()<WindowOp::avg>();
        if (needs_powers(desc)) return run.template operator()<WindowOp::lp_power, T, double>();
        return desc.p == 1.0 ? sum.template operator()<WindowOp::lp1>()
                             : sum.template operator()<WindowOp::lp2>();
    });
}

}  // namespace iir2d::pool
