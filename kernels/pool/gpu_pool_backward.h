// SPDX-License-Identifier: MIT
// The backward kernels' body: a lane for each element of dx, which gathers from the windows that contain it,
// row by row and then over the rows, as the CPU does. No atomics; every element is written.
#pragma once

#include "kernels/pool/gpu_units.h"
#include "kernels/pool/gradient.h"

namespace iir2d::pool {

// The sum of share(oy, ox) over the windows that have element (iy, ix).
template <class Acc, class Share>
IIR2D_DEVICE Acc sum_of_shares(const WindowRule& rule, std::int64_t iy, std::int64_t ix, Share share) {
    const IndexRange rows = rule.rows.windows_near(iy);
    const IndexRange columns = rule.columns.windows_near(ix);
    Acc sum = Acc(0);
    for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
        if (!rule.rows.has_tap(oy, iy)) continue;
        Acc row_sum = Acc(0);
        for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
            if (rule.columns.has_tap(ox, ix)) row_sum += share(oy, ox);
        }
        sum += row_sum;
    }
    return sum;
}

template <GradientOp Op, class T, class Acc>
IIR2D_DEVICE Acc gradient_of(const GpuPoolBackward& job, std::int64_t plane, std::int64_t iy,
                             std::int64_t ix) {
    using element::load;
    const auto dy = [&](std::int64_t oy, std::int64_t ox) {
        return load<Acc>(job.dy.row<const T>(plane, oy)[ox]);
    };
    if constexpr (Op == GradientOp::avg) {
        return sum_of_shares<Acc>(job.rule, iy, ix, [&](std::int64_t oy, std::int64_t ox) {
            return avg_share(dy(oy, ox), job.rule.divisor_of<Acc>(oy, ox));
        });
    } else if constexpr (Op == GradientOp::max) {
        const auto* argmax = reinterpret_cast<const std::int64_t*>(static_cast<std::uintptr_t>(job.argmax));
        const std::int64_t own = iy * job.rule.columns.in + ix;
        const IndexRange rows = job.rule.rows.windows_near(iy);
        const IndexRange columns = job.rule.columns.windows_near(ix);
        // One after the other: the CPU finds a row's windows in this order.
        Acc sum = Acc(0);
        for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
            const std::int64_t* places = argmax + (plane * job.rule.rows.out + oy) * job.rule.columns.out;
            for (std::int64_t ox = columns.begin; ox < columns.end; ++ox) {
                if (places[ox] == own) sum += dy(oy, ox);
            }
        }
        return sum;
    } else {
        const auto x = load<double>(job.x.row<const T>(plane, iy)[ix]);
        const auto y = [&](std::int64_t oy, std::int64_t ox) {
            return load<double>(job.y.row<const T>(plane, oy)[ox]);
        };
        const double sum = sum_of_shares<double>(job.rule, iy, ix, [&](std::int64_t oy, std::int64_t ox) {
            if constexpr (Op == GradientOp::lp1) return lp1_share(dy(oy, ox), y(oy, ox));
            if constexpr (Op == GradientOp::lp2) return lp2_share(dy(oy, ox), y(oy, ox));
            return lp_pair(x, y(oy, ox), dy(oy, ox), job.rule.p);
        });
        if constexpr (Op == GradientOp::lp1) return lp1_gradient(x, sum);
        if constexpr (Op == GradientOp::lp2) return lp2_gradient(x, sum);
        return sum;
    }
}

// Makes the gradients of a unit's elements, each of which has at most Most windows along an axis: all of them
// are read before the first is used, and one that an element has not adds +0, which changes no sum that began
// with +0.
template <GradientOp Op, class T, class Acc, int Most>
IIR2D_DEVICE void gpu_pool_backward_near(const GpuPoolBackward& job, const GpuUnit& unit) {
    constexpr bool reads_y = Op == GradientOp::lp1 || Op == GradientOp::lp2;
    const GpuNearAxis& rows = job.near.rows;
    const GpuNearAxis& columns = job.near.columns;
    const int iy = static_cast<int>(unit.y);
    const int first_row = rows.first(iy);
    const int row_count = rows.end(iy) - first_row;
    const T* dy = job.dy.row<const T>(unit.plane, first_row);
    const T* y = reads_y ? job.y.row<const T>(unit.plane, first_row) : nullptr;
    const T* x = reads_y ? job.x.row<const T>(unit.plane, iy) + unit.first : nullptr;
    T* dx = job.dx.row<T>(unit.plane, iy) + unit.first;
    const std::int64_t first_place = (unit.plane * rows.out + first_row) * columns.out;
    const auto* places = reinterpret_cast<const std::int64_t*>(static_cast<std::uintptr_t>(job.argmax));
    for_elements(job.units, columns.in - unit.first, [&](int i) {
        const int ix = static_cast<int>(unit.first) + i;
        const int first = columns.first(ix);
        const int count = columns.end(ix) - first;
        constexpr std::size_t most_windows = std::size_t{Most} * Most;
        Acc shares[most_windows];
        [[maybe_unused]] Acc of_y[most_windows];
        IIR2D_UNROLL
        for (int k = 0; k < Most * Most; ++k) {
            const int r = k / Most;
            const int c = k % Most;
            bool has = r < row_count && c < count;
            if constexpr (Op == GradientOp::max) {
                const std::int64_t own = unit.y * columns.in + ix;
                has = has && places[first_place + r * columns.out + first + c] == own;
            }
            shares[k] = has ? element::load<Acc>(dy[r * job.dy.row_stride + first + c]) : Acc(0);
            if constexpr (reads_y)
                of_y[k] = has ? element::load<Acc>(y[r * job.y.row_stride + first + c]) : Acc(0);
        }
        Acc sum = Acc(0);
        IIR2D_UNROLL
        for (int r = 0; r < Most; ++r) {
            Acc row_sum = Acc(0);
            IIR2D_UNROLL
            for (int c = 0; c < Most; ++c) {
                Acc share = shares[r * Most + c];
                if constexpr (Op == GradientOp::avg) {
                    if (r < row_count && c < count) {
                        Acc divisor = static_cast<Acc>(job.rule.divisor);
                        if (job.rule.has_divisor == 0)
                            divisor = static_cast<Acc>(rows.taps(first_row + r)) *
                                      static_cast<Acc>(columns.taps(first + c));
                        share = avg_share(share, divisor);
                    }
                }
                if constexpr (Op == GradientOp::lp1) share = lp1_share(share, of_y[r * Most + c]);
                if constexpr (Op == GradientOp::lp2) share = lp2_share(share, of_y[r * Most + c]);
                // Maxima one after the other: the CPU finds a row's windows in this order.
                if constexpr (Op == GradientOp::max) {
                    sum += share;
                } else {
                    row_sum += share;
                }
            }
            if constexpr (Op != GradientOp::max) sum += row_sum;
        }
        if constexpr (Op == GradientOp::lp1) sum = lp1_gradient(element::load<double>(x[i]), sum);
        if constexpr (Op == GradientOp::lp2) sum = lp2_gradient(element::load<double>(x[i]), sum);
        dx[i] = element::store<T>(sum);
    });
}

template <GradientOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool_backward(const GpuPoolBackward& job, const gpu::Block& block) {
    for_unit(job.units, block, 1, [&](const GpuUnit& unit) {
        if constexpr (Op != GradientOp::lp_power) {
            if (job.near.most == 1) return gpu_pool_backward_near<Op, T, Acc, 1>(job, unit);
            if (job.near.most == 2) return gpu_pool_backward_near<Op, T, Acc, 2>(job, unit);
            if (job.near.most == 3) return gpu_pool_backward_near<Op, T, Acc, 3>(job, unit);
        }
        T* dx = job.dx.row<T>(unit.plane, unit.y);
        for_elements(job.units, job.rule.columns.in - unit.first, [&](int i) {
            const std::int64_t ix = unit.first + i;
            dx[ix] = element::store<T>(gradient_of<Op, T, Acc>(job, unit.plane, unit.y, ix));
        });
    });
}

}  // namespace iir2d::pool
