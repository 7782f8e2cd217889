// SPDX-License-Identifier: MIT
// The pooling kernels' body: a lane for each output, which gathers its window in row-major order. Sums are
// made as on the CPU, row by row and then over the rows, so their bits are the CPU's.
#pragma once

#include "kernels/pool/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::pool {

using gpu::Block;
using gpu::for_lanes;

enum class GpuPoolOp { max, max_index, avg, lp1, lp2, lp_power };

// One output: where its window lies and what it may have to know of its plane.
struct GpuWindow {
    const float* plane;
    std::int64_t row_stride;
    Taps rows;
    Taps columns;

    template <class Visit>
    IIR2D_DEVICE void visit_row(std::int64_t r, Visit visit) const {
        const std::int64_t row = rows.first + r * rows.step;
        const float* from = plane + row * row_stride;
        std::int64_t column = columns.first;
        for (std::int64_t c = 0; c < columns.count; ++c, column += columns.step)
            visit(row, column, from[column]);
    }
};

// v replaces the best so far. A NaN is above every number and never replaced.
IIR2D_DEVICE bool gpu_above(float best, float v) {
    return !(v <= best) && best == best;
}

// The term of an element, the sum of the terms made into the output, and which sums can be trusted: those
// that neither overflowed nor lost terms that are too small.
template <GpuPoolOp Op, class Acc>
struct GpuFormula {
    const GpuPool& job;

    IIR2D_DEVICE Acc term(Acc v) const {
        if constexpr (Op == GpuPoolOp::avg) return v;
        if constexpr (Op == GpuPoolOp::lp1) return v < Acc(0) ? -v : v == Acc(0) ? Acc(0) : v;
        if constexpr (Op == GpuPoolOp::lp2) return v * v;
        return static_cast<Acc>(pow(fabs(static_cast<double>(v)), job.p));
    }

    IIR2D_DEVICE bool trusts(Acc sum) const {
        constexpr bool wide = sizeof(Acc) == sizeof(double);
        constexpr Acc highest =
            wide ? static_cast<Acc>(1.7976931348623157e308) : static_cast<Acc>(3.402823466e38);
        // The smallest normal number over the square of the rounding unit.
        constexpr Acc lowest = wide ? static_cast<Acc>(4.5130219806e-277) : static_cast<Acc>(8.2718061e-25);
        if constexpr (Op == GpuPoolOp::avg) return sum >= -highest && sum <= highest;
        if constexpr (Op == GpuPoolOp::lp1) return sum >= Acc(0) && sum <= highest;
        // The root of a very small p multiplies the rounding of the powers by 1 / p: trust none of them.
        if (Op == GpuPoolOp::lp_power && job.p < 1.0 / 16.0) return false;
        return sum >= lowest && sum <= highest;
    }

    IIR2D_DEVICE Acc count(std::int64_t taps, std::int64_t padded) const {
        return static_cast<Acc>(job.include_pad != 0 ? padded : taps > 0 ? taps : 1);
    }

    // `divisor` is that of avg.
    IIR2D_DEVICE float finish(Acc sum, Acc divisor) const {
        if constexpr (Op == GpuPoolOp::avg) return static_cast<float>(sum / divisor);
        if constexpr (Op == GpuPoolOp::lp1) return static_cast<float>(sum);
        if constexpr (Op == GpuPoolOp::lp2) return static_cast<float>(sqrt(sum));
        return static_cast<float>(pow(static_cast<double>(sum), job.inverse_p));
    }

    IIR2D_DEVICE Acc divisor(std::int64_t oy, std::int64_t ox, const GpuWindow& window) const {
        if constexpr (Op != GpuPoolOp::avg) return Acc(1);
        if (job.has_divisor != 0) return static_cast<Acc>(job.divisor);
        const bool padded = job.include_pad != 0;
        return count(window.rows.count, padded ? job.rows.padded_count(oy) : 0) *
               count(window.columns.count, padded ? job.columns.padded_count(ox) : 0);
    }

    // The sum of a window: each row's, and then the rows'.
    IIR2D_DEVICE Acc sum_of(const GpuWindow& window) const {
        Acc sum = Acc(0);
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            Acc row_sum = Acc(0);
            window.visit_row(
                r, [&](std::int64_t, std::int64_t, float v) { row_sum += term(static_cast<Acc>(v)); });
            sum += row_sum;
        }
        return sum;
    }

    // The slow way, where the sum cannot be trusted: in double, which holds every sum but those of powers.
    IIR2D_DEVICE float exact(const GpuWindow& window, double divisor) const {
        if constexpr (Op != GpuPoolOp::lp_power) {
            const GpuFormula<Op, double> wide{job};
            return wide.finish(wide.sum_of(window), divisor);
        }
        double largest = 0.0;
        bool has_nan = false;
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t, std::int64_t, float v) {
                const double magnitude = fabs(static_cast<double>(v));
                has_nan = has_nan || v != v;
                largest = magnitude > largest ? magnitude : largest;
            });
        }
        if (has_nan) return gpu::quiet_nan<float>();
        if (largest == 0.0 || !gpu::is_finite(largest)) return static_cast<float>(largest);
        double sum = 0.0;
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t, std::int64_t, float v) {
                sum += pow(fabs(static_cast<double>(v)) / largest, job.p);
            });
        }
        return static_cast<float>(largest * pow(sum, job.inverse_p));
    }
};

// The piece of an output row that a warp has.
struct GpuUnit {
    std::int64_t plane;
    std::int64_t oy;
    std::int64_t row;  // of all planes' output rows
    std::int64_t first;
};

IIR2D_DEVICE GpuUnit gpu_unit(const GpuPool& job, std::int64_t unit, int outputs_of_a_lane) {
    const std::int64_t row = unit / job.pieces;
    const std::int64_t plane = row / job.rows.out;
    return {plane, row - plane * job.rows.out, row,
            (unit - row * job.pieces) * job.steps * gpu::warp_lanes * outputs_of_a_lane};
}

template <GpuPoolOp Op, class Acc>
IIR2D_DEVICE void gpu_pool_one(const GpuPool& job, const GpuUnit& unit, std::int64_t ox,
                               const GpuWindow& window) {
    float result = 0.0F;
    if constexpr (Op == GpuPoolOp::max || Op == GpuPoolOp::max_index) {
        result = -__builtin_inff();
        std::int64_t index = -1;
        for (std::int64_t r = 0; r < window.rows.count; ++r) {
            window.visit_row(r, [&](std::int64_t row, std::int64_t column, float v) {
                const bool take = index < 0 || gpu_above(result, v);
                index = take ? row * job.columns.in + column : index;
                result = take ? v : result;
            });
        }
        if constexpr (Op == GpuPoolOp::max_index) {
            auto* argmax = reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(job.argmax));
            argmax[unit.row * job.columns.out + ox] = index;
        }
    } else {
        const GpuFormula<Op, Acc> formula{job};
        const Acc sum = formula.sum_of(window);
        const Acc divisor = formula.divisor(unit.oy, ox, window);
        result = formula.trusts(sum) ? formula.finish(sum, divisor)
                                     : formula.exact(window, static_cast<double>(divisor));
    }
    auto* y = reinterpret_cast<float*>(static_cast<std::uintptr_t>(job.y));
    y[unit.plane * job.y_plane_stride + unit.oy * job.y_row_stride + ox] = result;
}

template <GpuPoolOp Op, class Acc>
IIR2D_DEVICE void gpu_pool(const GpuPool& job, const Block& block) {
    const std::int64_t index = (job.first_block + block.index()) * block.warps() + block.warp();
    if (index >= job.units) return;
    const GpuUnit unit = gpu_unit(job, index, 1);
    const auto* x = reinterpret_cast<const float*>(static_cast<std::uintptr_t>(job.x));
    const float* plane = x + unit.plane * job.x_plane_stride;
    const Taps rows = job.rows.taps(unit.oy);
    IIR2D_ROLLED
    for (int step = 0; step < job.steps; ++step) {
        for_lanes([&](int l) {
            const std::int64_t ox = unit.first + step * gpu::warp_lanes + l;
            if (ox < job.columns.out) {
                gpu_pool_one<Op, Acc>(job, unit, ox, {plane, job.x_row_stride, rows, job.columns.taps(ox)});
            }
        });
    }
}

// Windows of 2x2 side by side, whole and without padding, which lie so in memory that a lane may load four
// floats at once: two outputs a lane.
template <GpuPoolOp Op>
IIR2D_DEVICE void gpu_pool_2x2(const GpuPool& job, const Block& block) {
    struct alignas(16) Four {
        float v[4];
    };
    struct alignas(8) Two {
        float v[2];
    };
    const std::int64_t index = (job.first_block + block.index()) * block.warps() + block.warp();
    if (index >= job.units) return;
    const GpuUnit unit = gpu_unit(job, index, 2);
    const auto* x = reinterpret_cast<const float*>(static_cast<std::uintptr_t>(job.x));
    auto* y = reinterpret_cast<float*>(static_cast<std::uintptr_t>(job.y));
    const float* plane = x + unit.plane * job.x_plane_stride;
    const float* upper = plane + 2 * unit.oy * job.x_row_stride;
    const float* lower = upper + job.x_row_stride;
    float* out = y + unit.plane * job.y_plane_stride + unit.oy * job.y_row_stride;
    const GpuFormula<Op, float> formula{job};
    IIR2D_ROLLED
    for (int step = 0; step < job.steps; ++step) {
        for_lanes([&](int l) {
            const std::int64_t ox = unit.first + (step * gpu::warp_lanes + l) * 2;
            if (ox + 1 < job.columns.out) {
                const Four a = *reinterpret_cast<const Four*>(upper + 2 * ox);
                const Four b = *reinterpret_cast<const Four*>(lower + 2 * ox);
                Two result;
                IIR2D_UNROLL
                for (int i = 0; i < 2; ++i) {
                    if constexpr (Op == GpuPoolOp::max) {
                        float best = a.v[2 * i];
                        best = gpu_above(best, a.v[2 * i + 1]) ? a.v[2 * i + 1] : best;
                        best = gpu_above(best, b.v[2 * i]) ? b.v[2 * i] : best;
                        result.v[i] = gpu_above(best, b.v[2 * i + 1]) ? b.v[2 * i + 1] : best;
                    } else {
                        // From +0, as every sum: zeros of any sign have the sum +0.
                        const float sum = 0.0F + (formula.term(a.v[2 * i]) + formula.term(a.v[2 * i + 1])) +
                                          (formula.term(b.v[2 * i]) + formula.term(b.v[2 * i + 1]));
                        const float divisor = job.has_divisor != 0 ? static_cast<float>(job.divisor) : 4.0F;
                        const GpuWindow window{
                            plane, job.x_row_stride, {2 * unit.oy, 2, 1}, {2 * (ox + i), 2, 1}};
                        result.v[i] = formula.trusts(sum)
                                          ? formula.finish(sum, divisor)
                                          : formula.exact(window, static_cast<double>(divisor));
                    }
                }
                *reinterpret_cast<Two*>(out + ox) = result;
            } else if (ox < job.columns.out) {
                gpu_pool_one<Op, float>(job, unit, ox,
                                        {plane, job.x_row_stride, {2 * unit.oy, 2, 1}, {2 * ox, 2, 1}});
            }
        });
    }
}

}  // namespace iir2d::pool
