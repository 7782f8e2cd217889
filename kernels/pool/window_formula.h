// SPDX-License-Identifier: MIT
// Gathers one output from its window in row-major order: what a lane of a GPU does, and the CPU where it has
// no faster way. Sums are made row by row and then over the rows, from +0.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/pool/windows.h"
#include "kernels/support/element.h"
#include "kernels/support/warp.h"

namespace iir2d::pool {

enum class WindowOp { max, max_index, avg, lp1, lp2, lp_power };

// The windows of a plane and the parameters of their formula.
struct WindowRule {
    AxisWindows rows;
    AxisWindows columns;
    double divisor;
    double p;
    double inverse_p;
    std::int32_t include_pad;
    std::int32_t has_divisor;

    // Taps that an average divides by. An empty window, which only dilation makes, has the sum 0 and counts
    // as one.
    IIR2D_BOTH std::int64_t count(const AxisWindows& axis, std::int64_t o) const {
        const std::int64_t taps = include_pad != 0 ? axis.padded_count(o) : axis.taps(o).count;
        return taps > 0 ? taps : 1;
    }

    template <class Acc>
    IIR2D_BOTH Acc divisor_of(std::int64_t oy, std::int64_t ox) const {
        if (has_divisor != 0) return static_cast<Acc>(divisor);
        return static_cast<Acc>(count(rows, oy)) * static_cast<Acc>(count(columns, ox));
    }

    // Returns the divisor of a window that lies inside with all its taps.
    template <class Acc>
    IIR2D_BOTH Acc divisor_of_whole(std::int32_t taps_of_column, std::int32_t taps_of_row) const {
        if (has_divisor != 0) return static_cast<Acc>(divisor);
        return static_cast<Acc>(taps_of_column) * static_cast<Acc>(taps_of_row);
    }
};

// One window of a plane.
template <class T>
struct Window {
    const T* plane;
    std::int64_t row_stride;
    Taps rows;
    Taps columns;

    template <class Visit>
    IIR2D_BOTH void visit_row(std::int64_t r, Visit visit) const {
        const std::int64_t row = rows.first + r * rows.step;
        const T* from = plane + row * row_stride;
        std::int64_t column = columns.first;
        IIR2D_ROLLED
        for (std::int64_t c = 0; c < columns.count; ++c, column += columns.step)
            visit(row, column, from[column]);
    }
};

// Returns whether v replaces the best so far. A NaN is above every number and never replaced.
template <class V>
IIR2D_BOTH bool is_above(V best, V v) {
    return !(v <= best) && best == best;
}

// The term of an element, the sum of the terms made into the output, and which sums can be trusted: those
// that neither overflowed nor lost terms that are too small.
template <WindowOp Op, class T, class Acc>
struct WindowFormula {
    const WindowRule& rule;

    IIR2D_BOTH Acc term(Acc v) const {
        if constexpr (Op == WindowOp::avg) return v;
        if constexpr (Op == WindowOp::lp1) return v < Acc(0) ? -v : v == Acc(0) ? Acc(0) : v;
        if constexpr (Op == WindowOp::lp2) return v * v;
        return static_cast<Acc>(pow(fabs(static_cast<double>(v)), rule.p));
    }

    IIR2D_BOTH bool trusts(Acc sum) const {
        constexpr bool wide = sizeof(Acc) == sizeof(double);
        constexpr Acc highest =
            wide ? static_cast<Acc>(1.7976931348623157e308) : static_cast<Acc>(3.402823466e38);
        // The smallest normal number over the square of the rounding unit.
        constexpr Acc lowest = wide ? static_cast<Acc>(4.5130219806e-277) : static_cast<Acc>(8.2718061e-25);
        if constexpr (Op == WindowOp::avg) return sum >= -highest && sum <= highest;
        if constexpr (Op == WindowOp::lp1) return sum >= Acc(0) && sum <= highest;
        // The root of a very small p multiplies the rounding of the powers by 1 / p: trust none of them.
        if (Op == WindowOp::lp_power && rule.p < 1.0 / 16.0) return false;
        return sum >= lowest && sum <= highest;
    }

    // Makes the output of a sum. `divisor` is that of avg.
    IIR2D_BOTH T finish(Acc sum, Acc divisor) const {
        if constexpr (Op == WindowOp::avg) return element::store<T>(sum / divisor);
        if constexpr (Op == WindowOp::lp1) return element::store<T>(sum);
        if constexpr (Op == WindowOp::lp2) return element::store<T>(static_cast<Acc>(sqrt(sum)));
        return element::store<T>(pow(static_cast<double>(sum), rule.inverse_p));
    }

    // Makes the output of a window's sum, by another way where that cannot be trusted.
    IIR2D_BOTH T output_of(const Window<T>& window, Acc sum, Acc divisor) const {
        return trusts(sum) ? finish(sum, divisor) : exact(window, static_cast<double>(divisor));
    }

    // Sums a window: each row, and then the rows.
    IIR2D_BOTH Acc sum_of(const Window<T>& window) const {
        Acc sum = Acc(0);
        IIR2D_ROLLED
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            Acc row_sum = Acc(0);
            window.visit_row(
                r, [&](std::int64_t, std::int64_t, T v) { row_sum += term(element::load<Acc>(v)); });
            sum += row_sum;
        }
        return sum;
    }

    // Computes the output the slow way, where the sum cannot be trusted: in double, which holds every sum of
    // narrower elements but those of powers; else of elements divided by the largest.
    IIR2D_BOTH T exact(const Window<T>& window, double divisor) const {
        if constexpr (Op != WindowOp::lp_power && sizeof(T) < sizeof(double)) {
            const WindowFormula<Op, T, double> wide{rule};
            return wide.finish(wide.sum_of(window), divisor);
        }
        double largest = 0.0;
        bool has_nan = false;
        IIR2D_ROLLED
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t, std::int64_t, T v) {
                const double magnitude = fabs(element::load<double>(v));
                has_nan = has_nan || magnitude != magnitude;
                largest = magnitude > largest ? magnitude : largest;
            });
        }
        if (has_nan) return element::store<T>(static_cast<double>(__builtin_nan("")));
        if (largest == 0.0) return element::store<T>(0.0);
        if constexpr (Op == WindowOp::avg) {
            // Infinities are added as they are; finite numbers in parts of the largest.
            const double scale = largest - largest == 0.0 ? largest : 1.0;
            return element::store<T>(scaled_sum(window, scale) / divisor * scale);
        }
        if (largest - largest != 0.0) return element::store<T>(largest);
        double sum = scaled_sum(window, largest);
        if constexpr (Op == WindowOp::lp2) sum = sqrt(sum);
        if constexpr (Op == WindowOp::lp_power) sum = pow(sum, rule.inverse_p);
        return element::store<T>(largest * sum);
    }

  private:
    IIR2D_BOTH double scaled_sum(const Window<T>& window, double scale) const {
        const WindowFormula<Op, T, double> wide{rule};
        double sum = 0.0;
        IIR2D_ROLLED
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t, std::int64_t, T v) {
                sum += wide.term(element::load<double>(v) / scale);
            });
        }
        return sum;
    }
};

template <class T>
struct PooledWindow {
    T value;
    std::int64_t index;  // of max: in the plane, as the rows are dense; -1 where the window is empty
};

// Pools a window. `divisor` is that of avg.
template <WindowOp Op, class T, class Acc>
IIR2D_BOTH PooledWindow<T> pool_window(const WindowRule& rule, const Window<T>& window, Acc divisor) {
    if constexpr (Op == WindowOp::max || Op == WindowOp::max_index) {
        Acc best = -static_cast<Acc>(__builtin_inff());
        std::int64_t index = -1;
        IIR2D_ROLLED
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t row, std::int64_t column, T stored) {
                const Acc v = element::load<Acc>(stored);
                const bool take = index < 0 || is_above(best, v);
                best = take ? v : best;
                index = take ? row * rule.columns.in + column : index;
            });
        }
        return {element::store<T>(best), index};
    } else {
        const WindowFormula<Op, T, Acc> formula{rule};
        return {formula.output_of(window, formula.sum_of(window), divisor), -1};
    }
}

// Pools window (oy, ox) of a plane.
template <WindowOp Op, class T, class Acc>
IIR2D_BOTH PooledWindow<T> pool_window(const WindowRule& rule, std::int64_t oy, std::int64_t ox,
                                       const Window<T>& window) {
    const Acc divisor = Op == WindowOp::avg ? rule.divisor_of<Acc>(oy, ox) : Acc(1);
    return pool_window<Op, T, Acc>(rule, window, divisor);
}

}  // namespace iir2d::pool
