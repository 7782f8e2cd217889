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

template <GradientOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool_backward(const GpuPoolBackward& job, const gpu::Block& block) {
    for_unit(job.units, block, 1, [&](const GpuUnit& unit) {
        T* dx = job.dx.row<T>(unit.plane, unit.y);
        for_elements(job.units, unit, job.rule.columns.in, [&](std::int64_t ix) {
            dx[ix] = element::store<T>(gradient_of<Op, T, Acc>(job, unit.plane, unit.y, ix));
        });
    });
}

}  // namespace iir2d::pool
