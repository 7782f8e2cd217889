// SPDX-License-Identifier: MIT
#include "kernels/pool/cpu_gather.h"

#include <algorithm>
#include <array>

#include "kernels/pool/cpu.h"
#include "kernels/support/element_rows.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

// Elements as sums take them: 16 bits are widened in vectors, many neighbours at once.
template <class T>
using Widened = std::conditional_t<(sizeof(T) < sizeof(float)), float, T>;

// Sums a window as WindowFormula::sum_of(), and with its bits: each row from first to last, and then the
// rows. An addition waits for the one before it, so several rows are summed at a time, whose additions do
// not.
template <WindowOp Op, class T, class Acc>
class WindowSum {
  public:
    explicit WindowSum(const WindowRule& rule) : m_formula{rule} {}

    // Returns whether windows are so wide that it takes less time than one row after the other.
    static bool pays(const AxisWindows& columns) {
        return columns.window > widest_row_by_row && columns.dilation == 1;
    }

    Acc of(const Window<T>& window) {
        Acc sum = Acc(0);
        std::int64_t r = 0;
        for (; r + most_rows <= window.rows.count; r += most_rows) add_rows<most_rows>(window, r, sum);
        for (; r < window.rows.count; ++r) add_rows<1>(window, r, sum);
        return sum;
    }

  private:
    static constexpr std::int64_t most_rows = 8;  // at a time
    static constexpr bool is_widened = sizeof(T) < sizeof(float);
    static constexpr std::int64_t piece = 256;  // columns that are widened at once

    template <std::size_t Rows>
    void add_rows(const Window<T>& window, std::int64_t first, Acc& sum) {
        std::array<const T*, Rows> rows;
        for (const T*& row : rows)
            row = window.plane + (window.rows.first + first++ * window.rows.step) * window.row_stride +
                  window.columns.first;
        std::array<Acc, Rows> sums{};
        if constexpr (is_widened) {
            for (std::int64_t c = 0; c < window.columns.count; c += piece) {
                const std::int64_t count = std::min(piece, window.columns.count - c);
                std::array<const float*, Rows> widened;
                for (std::size_t i = 0; i < Rows; ++i) {
                    widen_row(rows[i] + c, count, m_widened[i].data());
                    widened[i] = m_widened[i].data();
                }
                add(widened, count, sums);
            }
        } else {
            add(rows, window.columns.count, sums);
        }
        for (const Acc one : sums) sum += one;
    }

    template <std::size_t Rows>
    void add(const std::array<const Widened<T>*, Rows>& rows, std::int64_t count,
             std::array<Acc, Rows>& sums) const {
        for (std::int64_t c = 0; c < count; ++c) {
            for (std::size_t i = 0; i < Rows; ++i) sums[i] += m_formula.term(element::load<Acc>(rows[i][c]));
        }
    }

    WindowFormula<Op, T, Acc> m_formula;
    std::array<std::array<float, piece>, is_widened ? most_rows : 1> m_widened;
};

template <WindowOp Op, class T, class Acc>
PooledWindow<T> pool_wide(const WindowRule& rule, std::int64_t oy, std::int64_t ox, const Window<T>& window) {
    const WindowFormula<Op, T, Acc> formula{rule};
    const Acc divisor = Op == WindowOp::avg ? rule.divisor_of<Acc>(oy, ox) : Acc(1);
    return {formula.output_of(window, WindowSum<Op, T, Acc>(rule).of(window), divisor), -1};
}

// Pools every window by pool(oy, ox, window).
template <class T>
Result<void> gather(const WindowRule& rule, std::int64_t planes, const ConstTensorView& x,
                    const TensorView& y, std::int64_t* argmax, int threads, const RunControl& control,
                    const auto& pool) {
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
                const PooledWindow<T> pooled = pool(oy, ox, window);
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
        const auto by = [&](const auto& pool) {
            return gather<T>(rule, geometry.planes(), x, y, argmax, threads, control, pool);
        };
        if constexpr (Op != WindowOp::max) {
            if (WindowSum<Op, T, Acc>::pays(rule.columns)) {
                return by([&rule](std::int64_t oy, std::int64_t ox, const Window<T>& window) {
                    return pool_wide<Op, T, Acc>(rule, oy, ox, window);
                });
            }
        }
        return by([&rule](std::int64_t oy, std::int64_t ox, const Window<T>& window) {
            return pool_window<Op, T, Acc>(rule, oy, ox, window);
        });
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
