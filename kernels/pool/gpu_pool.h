// SPDX-License-Identifier: MIT
// The pooling kernels' body: a lane for each output, which gathers its window.
#pragma once

#include "kernels/pool/gpu_units.h"

namespace iir2d::pool {

template <WindowOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool_one(const GpuPool& job, const GpuUnit& unit, std::int64_t ox,
                               const Window<T>& window) {
    const auto pooled = pool_window<Op, T, Acc>(job.rule, unit.y, ox, window);
    if constexpr (Op == WindowOp::max_index) {
        auto* argmax = reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(job.argmax));
        argmax[unit.row * job.rule.columns.out + ox] = pooled.index;
    }
    job.y.row<T>(unit.plane, unit.y)[ox] = pooled.value;
}

template <WindowOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool(const GpuPool& job, const gpu::Block& block) {
    for_unit(job.units, block, 1, [&](const GpuUnit& unit) {
        const T* plane = job.x.row<T>(unit.plane, 0);
        const Taps rows = job.rule.rows.taps(unit.y);
        for_elements(job.units, unit, job.rule.columns.out, [&](std::int64_t ox) {
            gpu_pool_one<Op, T, Acc>(job, unit, ox,
                                     {plane, job.x.row_stride, rows, job.rule.columns.taps(ox)});
        });
    });
}

// Pools windows of 2x2 side by side, whole and without padding, of floats whose addresses allow a lane to
// load four at once: two outputs a lane.
template <WindowOp Op>
IIR2D_DEVICE void gpu_pool_2x2(const GpuPool& job, const gpu::Block& block) {
    struct alignas(16) Four {
        float v[4];
    };
    struct alignas(8) Two {
        float v[2];
    };
    for_unit(job.units, block, 2, [&](const GpuUnit& unit) {
        const float* plane = job.x.row<float>(unit.plane, 0);
        const float* upper = job.x.row<float>(unit.plane, 2 * unit.y);
        const float* lower = upper + job.x.row_stride;
        float* out = job.y.row<float>(unit.plane, unit.y);
        const std::int64_t width = job.rule.columns.out;
        const WindowFormula<Op, float, float> formula{job.rule};
        IIR2D_ROLLED
        for (std::int64_t step = 0; step < job.units.steps; ++step) {
            gpu::for_lanes([&](int l) {
                const std::int64_t ox = unit.first + (step * gpu::warp_lanes + l) * 2;
                if (ox + 1 < width) {
                    const Four a = *reinterpret_cast<const Four*>(upper + 2 * ox);
                    const Four b = *reinterpret_cast<const Four*>(lower + 2 * ox);
                    Two result;
                    IIR2D_UNROLL
                    for (int i = 0; i < 2; ++i) {
                        if constexpr (Op == WindowOp::max) {
                            float best = a.v[2 * i];
                            best = is_above(best, a.v[2 * i + 1]) ? a.v[2 * i + 1] : best;
                            best = is_above(best, b.v[2 * i]) ? b.v[2 * i] : best;
                            result.v[i] = is_above(best, b.v[2 * i + 1]) ? b.v[2 * i + 1] : best;
                        } else {
                            // From +0, as every sum: zeros of any sign have the sum +0.
                            const float sum = 0.0F +
                                              (formula.term(a.v[2 * i]) + formula.term(a.v[2 * i + 1])) +
                                              (formula.term(b.v[2 * i]) + formula.term(b.v[2 * i + 1]));
                            const float divisor =
                                job.rule.has_divisor != 0 ? static_cast<float>(job.rule.divisor) : 4.0F;
                            const Window<float> window{
                                plane, job.x.row_stride, {2 * unit.y, 2, 1}, {2 * (ox + i), 2, 1}};
                            result.v[i] = formula.trusts(sum)
                                              ? formula.finish(sum, divisor)
                                              : formula.exact(window, static_cast<double>(divisor));
                        }
                    }
                    *reinterpret_cast<Two*>(out + ox) = result;
                } else if (ox < width) {
                    gpu_pool_one<Op, float, float>(
                        job, unit, ox, {plane, job.x.row_stride, {2 * unit.y, 2, 1}, {2 * ox, 2, 1}});
                }
            });
        }
    });
}

}  // namespace iir2d::pool
