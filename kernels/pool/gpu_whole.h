// SPDX-License-Identifier: MIT
// Windows that lie inside the input with all their taps, as most do: gathered without a test of bounds, in
// numbers of 32 bits, with the loads of a window of 2x2, 3x3 or 5x5 under way before the first is used.
#pragma once

#include "kernels/pool/gpu_units.h"

namespace iir2d::pool {

// How taps become an output: of a row of a window first, then of the rows. A maximum of maxima is that of
// all, with the first NaN or else the first of equals.
template <WindowOp Op, class T, class Acc>
class WholeFold {
  public:
    struct Value {
        Acc v;
        int tap;  // of the maximum, among those of the lane's windows
    };

    IIR2D_DEVICE explicit WholeFold(const GpuPool& job)
        : m_formula{job.rule},
          m_divisor(job.rule.divisor_of_whole<Acc>(job.whole.rows.window, job.whole.columns.window)) {}

    IIR2D_DEVICE Value of_tap(T stored, int tap) const {
        const Acc v = element::load<Acc>(stored);
        if constexpr (is_max)
            return {v, tap};
        else
            return {m_formula.term(v), 0};
    }
    // What follows is below or right of what is there.
    IIR2D_DEVICE Value join(const Value& folded, const Value& next) const {
        if constexpr (is_max) {
            const bool take = is_above(folded.v, next.v);
            return {take ? next.v : folded.v, take ? next.tap : folded.tap};
        } else {
            return {folded.v + next.v, 0};
        }
    }

    IIR2D_DEVICE bool trusts(const Value& folded) const {
        if constexpr (is_max)
            return true;
        else
            return m_formula.trusts(folded.v);
    }
    IIR2D_DEVICE T finish(const Value& folded) const {
        if constexpr (is_max) return element::store<T>(folded.v);
        // Zeros of any sign have the sum +0.
        else
            return m_formula.finish(folded.v + Acc(0), m_divisor);
    }

  private:
    static constexpr bool is_max = Op == WindowOp::max || Op == WindowOp::max_index;

    WindowFormula<Op, T, Acc> m_formula;
    Acc m_divisor;
};

// The windows of a unit's columns that lie inside, in the rows of outputs from `y` on.
template <class T>
class WholeWindows {
  public:
    IIR2D_DEVICE WholeWindows(const GpuPool& job, const GpuUnit& unit, std::int64_t y)
        : m_job(job), m_plane(job.x.row<T>(unit.plane, 0)) {
        const GpuWholeAxis& rows = job.whole.rows;
        const GpuWholeAxis& columns = job.whole.columns;
        if (y < rows.begin || y >= rows.end || unit.first >= columns.end) return;
        const int first = static_cast<int>(unit.first);
        m_rows = rows.end - static_cast<int>(y);
        m_begin = columns.begin - first;
        m_end = columns.end - first;
        m_row = static_cast<int>(y) * rows.stride - rows.padding;
        m_column = first * columns.stride - columns.padding;
        m_offset = m_row * job.x.row_stride + m_column;
    }

    // Returns whether the windows of so many rows lie inside along y.
    IIR2D_DEVICE bool has_rows(int rows) const { return rows <= m_rows; }
    // Returns whether those of column i, counted from the unit's first, lie inside, in rows that do.
    IIR2D_DEVICE bool has_column(int i) const { return i >= m_begin && i < m_end; }

    // Folds the window of column i in the first row.
    template <class Fold>
    IIR2D_DEVICE typename Fold::Value folded(const Fold& fold, int i) const {
        const T* from = first_tap(i);
        typename Fold::Value made = {};
        const auto keep = [&](int, const typename Fold::Value& value) { made = value; };
        switch (m_job.whole.square) {
            case 2:
                fold_square<2, 1>(from, fold, keep);
                break;
            case 3:
                fold_square<3, 1>(from, fold, keep);
                break;
            case 5:
                fold_square<5, 1>(from, fold, keep);
                break;
            default:
                made = fold_any(from, fold);
        }
        return made;
    }

    // Folds those of column i in a whole stack of rows: calls made(row, value).
    template <class Fold, class Made>
    IIR2D_DEVICE void fold_stack(const Fold& fold, int i, Made made) const {
        constexpr std::size_t rows = 1 << most_stack_bits;
        const T* from = first_tap(i);
        switch (m_job.whole.square) {
            case 2:
                return fold_square<2, rows>(from, fold, made);
            case 3:
                return fold_square<3, rows>(from, fold, made);
            default:
                return fold_square<5, rows>(from, fold, made);
        }
    }

    // Returns where in the plane a tap lies that was counted from the window of column i in the first row.
    IIR2D_DEVICE std::int64_t place(int i, int tap) const {
        const GpuWholeAxis& columns = m_job.whole.columns;
        const int r = static_cast<int>(static_cast<unsigned>(tap) / static_cast<unsigned>(columns.window));
        const int c = tap - r * columns.window;
        const std::int64_t row = m_row + r * m_job.whole.rows.dilation;
        return row * m_job.rule.columns.in + (m_column + i * columns.stride + c * columns.dilation);
    }

  private:
    IIR2D_DEVICE const T* first_tap(int i) const {
        return m_plane + (m_offset + i * m_job.whole.columns.stride);
    }

    template <class Fold>
    IIR2D_DEVICE typename Fold::Value fold_any(const T* row, const Fold& fold) const {
        typename Fold::Value all = {};
        int tap = 0;
        IIR2D_ROLLED
        for (int r = 0; r < m_job.whole.rows.window; ++r) {
            const T* from = row;
            auto of_row = fold.of_tap(*from, tap++);
            IIR2D_UNROLL_BY_4
            for (int c = 1; c < m_job.whole.columns.window; ++c) {
                from += m_job.whole.columns.dilation;
                of_row = fold.join(of_row, fold.of_tap(*from, tap++));
            }
            all = r == 0 ? of_row : fold.join(all, of_row);
            row += m_job.whole.row_step;
        }
        return all;
    }

    // Windows of Side rows and columns, Outputs of them one below the other, a row apart: they share what is
    // made of a row. All loads are under way before the first is used, as far as there are registers.
    template <std::size_t Side, std::size_t Outputs, class Fold, class Made>
    IIR2D_DEVICE void fold_square(const T* row, const Fold& fold, Made made) const {
        constexpr std::size_t rows = Side + Outputs - 1;
        T v[rows][Side];
        IIR2D_UNROLL
        for (std::size_t r = 0; r < rows; ++r) {
            IIR2D_UNROLL
            for (std::size_t c = 0; c < Side; ++c) v[r][c] = row[c];
            row += m_job.whole.row_step;
        }
        typename Fold::Value folded[Outputs];
        IIR2D_UNROLL
        for (std::size_t r = 0; r < rows; ++r) {
            auto of_row = fold.of_tap(v[r][0], static_cast<int>(r * Side));
            IIR2D_UNROLL
            for (std::size_t c = 1; c < Side; ++c)
                of_row = fold.join(of_row, fold.of_tap(v[r][c], static_cast<int>(r * Side + c)));
            IIR2D_UNROLL
            for (std::size_t o = 0; o < Outputs; ++o) {
                if (r == o) folded[o] = of_row;
                if (r > o && r < o + Side) folded[o] = fold.join(folded[o], of_row);
                if (r == o + Side - 1) made(static_cast<int>(o), folded[o]);
            }
        }
    }

    const GpuPool& m_job;
    const T* m_plane;
    int m_rows = 0;
    int m_begin = 0;  // of the columns
    int m_end = 0;
    int m_row = 0;  // of tap 0 of the first window
    int m_column = 0;
    std::int64_t m_offset = 0;  // of it in the plane
};

}  // namespace iir2d::pool
