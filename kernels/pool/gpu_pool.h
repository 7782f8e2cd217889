// SPDX-License-Identifier: MIT
// The pooling kernels' body: a lane for each output, which gathers its window.
#pragma once

#include "kernels/pool/gpu_units.h"
#include "kernels/pool/gpu_whole.h"

namespace iir2d::pool {

// Where a row of outputs of a unit is written.
template <WindowOp Op, class T>
class PooledRow {
  public:
    IIR2D_DEVICE PooledRow(const GpuPool& job, std::int64_t plane, std::int64_t y, std::int64_t first)
        : m_values(job.y.row<T>(plane, y) + first) {
        if constexpr (Op == WindowOp::max_index) {
            m_places = reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(job.argmax)) +
                       (plane * job.rule.rows.out + y) * job.rule.columns.out + first;
        }
    }

    IIR2D_DEVICE void put(std::int64_t i, T value, std::int64_t place) const {
        m_values[i] = value;
        if constexpr (Op == WindowOp::max_index) m_places[i] = place;
    }

  private:
    T* m_values;
    std::int64_t* m_places = nullptr;
};

// Pools one window, wherever it lies.
template <WindowOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool_any(const GpuPool& job, std::int64_t plane, std::int64_t oy, std::int64_t ox) {
    const Window<T> window{job.x.row<T>(plane, 0), job.x.row_stride, job.rule.rows.taps(oy),
                           job.rule.columns.taps(ox)};
    const auto pooled = pool_window<Op, T, Acc>(job.rule, oy, ox, window);
    PooledRow<Op, T>(job, plane, oy, ox).put(0, pooled.value, pooled.index);
}

// Pools the windows of a unit that lie inside whole: a stack of rows or one row, of which `row` is the first
// of the unit's. The others are left over, and those whose sums cannot be trusted.
template <WindowOp Op, class T, class Acc, int Rows>
IIR2D_DEVICE void gpu_pool_whole(const GpuPool& job, const GpuUnit& unit, std::int64_t y, int row,
                                 GpuLeftOver& left_over) {
    const WholeWindows<T> windows(job, unit, y + row);
    const WholeFold<Op, T, Acc> fold(job);
    const PooledRow<Op, T> out(job, unit.plane, y + row, unit.first);
    for_elements(job.units, job.rule.columns.out - unit.first, [&](int i) {
        const auto finish = [&](int r, const typename WholeFold<Op, T, Acc>::Value& folded) {
            std::int64_t place = 0;
            if constexpr (Op == WindowOp::max_index) place = windows.place(i, folded.tap);
            if (fold.trusts(folded)) {
                if constexpr (Rows == 1)
                    out.put(i, fold.finish(folded), place);
                else
                    PooledRow<Op, T>(job, unit.plane, y + r, unit.first).put(i, fold.finish(folded), place);
            } else {
                left_over.add(i, row + r, true);
            }
        };
        if (windows.has_column(i)) {
            if constexpr (Rows == 1)
                finish(0, windows.folded(fold, i));
            else
                windows.fold_stack(fold, i, finish);
        } else {
            IIR2D_ROLLED
            for (int r = 0; r < Rows; ++r) left_over.add(i, row + r, true);
        }
    });
}

template <WindowOp Op, class T, class Acc>
IIR2D_DEVICE void gpu_pool(const GpuPool& job, const gpu::Block& block) {
    for_unit(job.units, block, 1, [&](const GpuUnit& unit) {
        const std::int64_t columns = job.rule.columns.out - unit.first;
        if constexpr (Op == WindowOp::lp_power) {
            for_elements(job.units, columns,
                         [&](int i) { gpu_pool_any<Op, T, Acc>(job, unit.plane, unit.y, unit.first + i); });
        } else {
            constexpr int most_rows = 1 << most_stack_bits;
            GpuLeftOver left_over(job.whole.stack_bits);
            const std::int64_t y = unit.y << job.whole.stack_bits;
            if (job.whole.stack_bits == most_stack_bits &&
                WholeWindows<T>(job, unit, y).has_rows(most_rows)) {
                gpu_pool_whole<Op, T, Acc, most_rows>(job, unit, y, 0, left_over);
            } else {
                IIR2D_ROLLED
                for (int row = 0; row < 1 << job.whole.stack_bits && y + row < job.rule.rows.out; ++row)
                    gpu_pool_whole<Op, T, Acc, 1>(job, unit, y, row, left_over);
            }
            left_over.visit(
                [&](int i, int row) { gpu_pool_any<Op, T, Acc>(job, unit.plane, y + row, unit.first + i); });
        }
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
        const float* upper = job.x.row<float>(unit.plane, 2 * unit.y) + 2 * unit.first;
        const float* lower = upper + job.x.row_stride;
        float* out = job.y.row<float>(unit.plane, unit.y) + unit.first;
        const std::int64_t left = job.rule.columns.out - unit.first;
        const WindowFormula<Op, float, float> formula{job.rule};
        const float divisor = job.rule.divisor_of_whole<float>(2, 2);
        GpuLeftOver left_over(0);
        for_elements(job.units, (left + 1) / 2, [&](int pair) {
            bool done = 2 * pair + 1 < left;
            if (done) {
                const Four a = *reinterpret_cast<const Four*>(upper + 4 * pair);
                const Four b = *reinterpret_cast<const Four*>(lower + 4 * pair);
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
                        const float sum = 0.0F + (formula.term(a.v[2 * i]) + formula.term(a.v[2 * i + 1])) +
                                          (formula.term(b.v[2 * i]) + formula.term(b.v[2 * i + 1]));
                        done = done && formula.trusts(sum);
                        result.v[i] = formula.finish(sum, divisor);
                    }
                }
                if (done) *reinterpret_cast<Two*>(out + 2 * pair) = result;
            }
            left_over.add(pair, 0, !done);
        });
        left_over.visit([&](int pair, int) {
            IIR2D_ROLLED
            for (int i = 2 * pair; i < 2 * pair + 2 && i < left; ++i) {
                const Window<float> window{upper, job.x.row_stride, {0, 2, 1}, {2 * i, 2, 1}};
                out[i] = pool_window<Op, float, float>(job.rule, window, divisor).value;
            }
        });
    });
}

}  // namespace iir2d::pool
