// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace iir2d::iir {

namespace {

// A pointer to rows, top down or bottom up.
template <class S>
struct RowsAt {
    S* first;
    std::int64_t stride;

    RowsAt upward(std::int64_t rows) const { return {first + (rows - 1) * stride, -stride}; }
    RowsAt below(std::int64_t rows) const { return {first + rows * stride, stride}; }
};

template <class S, class A>
class StripFilter {
  public:
    StripFilter(const Strip<S>& strip, Watch& watch)
        : m_data{strip.data, strip.stride},
          m_rows(strip.rows),
          m_columns(strip.columns),
          m_block(std::min(strip.rows, std::max(block_rows, block_rows * strip_columns / strip.columns))),
          m_watch(watch) {}

    // Any one pass, from and to the plane or what is kept beside it.
    bool sweep(const SweptPass<A>& pass) {
        const bool beside = pass.pass->from_scratch || pass.pass->to_scratch || pass.pass->add_scratch;
        if (beside && m_beside.empty()) m_beside.resize(static_cast<std::size_t>(m_rows * m_columns));
        // Without memory beside the plane no pass looks at `kept`: no arithmetic is done on a null pointer.
        const RowsAt<S> kept = beside ? RowsAt<S>{m_beside.data(), m_columns} : m_data;
        const RowsAt<S> from = directed(pass, pass.pass->from_scratch ? kept : m_data, m_rows);
        const RowsAt<S> to = directed(pass, pass.pass->to_scratch ? kept : m_data, m_rows);
        const RowsAt<S> add = directed(pass, kept, m_rows);
        const LaneStates<A> states = start(pass, from);
        for (std::int64_t row = 0; row < m_rows; row += m_block) {
            const std::int64_t rows = std::min(m_block, m_rows - row);
            sweep_block(pass, from.below(row), to.below(row), rows, states,
                        pass.pass->add_scratch ? add.below(row) : RowsAt<S>{nullptr, 0});
            if (!m_watch.go_on(rows * m_columns)) return false;
        }
        finish(pass, states, to);
        return true;
    }

    // The two passes of a sum, from the causal one's notes.
    bool sweep_sum(const SweptPass<A>& causal, const SweptPass<A>& anticausal, const DoneDown<A>& down) {
        const LaneStates<A> states = start(anticausal, m_data.upward(m_rows));
        const std::int64_t most = down.notes->rows();
        const bool at_once = goes_at_once(causal, anticausal);
        std::vector<A> again(static_cast<std::size_t>(at_once ? 0 : causal.states() * m_columns));
        m_kept.resize(static_cast<std::size_t>(at_once ? 0 : most * m_columns));
        const RowsAt<S> kept{m_kept.data(), m_columns};
        for (std::int64_t row = (m_rows - 1) / most * most; row >= 0; row -= most) {
            const std::int64_t rows = std::min(most, m_rows - row);
            const LaneStates<A> note = down.notes->at(row, down.column);
            if (at_once) {
                sweep_sum_of_block(causal, anticausal, row, rows, note, states);
                if (!m_watch.go_on(2 * rows * m_columns)) return false;
                continue;
            }
            for (std::int64_t k = 0; k < causal.states(); ++k)
                std::copy_n(note.first + k * note.stride, m_columns, again.data() + k * m_columns);
            const RowsAt<S> block = m_data.below(row);
            sweep_block(causal, block, kept, rows, {again.data(), m_columns});
            sweep_block(anticausal, block.upward(rows), block.upward(rows), rows, states, kept.upward(rows));
            if (!m_watch.go_on(2 * rows * m_columns)) return false;
        }
        finish(causal, down.states, m_data);
        finish(anticausal, states, m_data.upward(m_rows));
        return true;
    }

    // The causal states on their way down, without results.
    bool note_down(const SweptPass<A>& causal, const SweptPass<A>& anticausal, Notes<A>& notes,
                   std::vector<A>& below) {
        const std::int64_t block = goes_at_once(causal, anticausal) ? block_rows : m_block;
        notes = Notes<A>(causal.states(), m_columns, block, m_rows);
        m_kept.resize(static_cast<std::size_t>(block * m_columns));
        const LaneStates<A> states = start(causal, m_data);
        for (std::int64_t row = 0; row < m_rows; row += block) {
            const std::int64_t rows = std::min(block, m_rows - row);
            std::copy_n(states.first, causal.states() * m_columns, notes.at(row, 0).first);
            sweep_block(causal, m_data.below(row), {m_kept.data(), m_columns}, rows, states);
            if (!m_watch.go_on(rows * m_columns)) return false;
        }
        below.assign(states.first, states.first + causal.states() * m_columns);
        return true;
    }

    // After the last of the rows, in the pass's direction. Under a periodic extension the line itself lies
    // before its first sample, so a NaN or infinity anywhere in it is in the past of every sample; a start
    // state made from the nearest samples need not have met it.
    void finish(const SweptPass<A>& pass, const LaneStates<A>& states, const RowsAt<S>& rows) const {
        pass.end->template add_to<S>(states, m_columns,
                                     [&](std::int64_t row) { return rows.first + row * rows.stride; });
        if (!pass.start->of_whole_line()) return;
        for (std::int64_t c = 0; c < m_columns; ++c) {
            if (!is_lost(states, pass.states(), c)) continue;
            for (std::int64_t r = 0; r < m_rows; ++r)
                rows.first[r * rows.stride + c] = std::numeric_limits<S>::quiet_NaN();
        }
    }

    RowsAt<S> data() const { return m_data; }

  private:
    static RowsAt<S> directed(const SweptPass<A>& pass, const RowsAt<S>& rows, std::int64_t count) {
        return pass.pass->reversed ? rows.upward(count) : rows;
    }

    // The states before the first of the rows, in the pass's direction.
    LaneStates<A> start(const SweptPass<A>& pass, const RowsAt<S>& rows) {
        m_states.resize(static_cast<std::size_t>(pass.states() * m_columns));
        const LoadLanes load = [&](std::int64_t index, double* out) {
            std::copy_n(rows.first + index * rows.stride, m_columns, out);
        };
        pass.start->states(*pass.pass, static_cast<std::size_t>(m_columns), load, m_states.data(), m_columns);
        return {m_states.data(), m_columns};
    }

    static bool is_one_of_three_terms(const Cascade<A>& cascade) {
        return cascade.size() == 1 && cascade.front().terms == 3;
    }

    // Whether both of a sum's passes go through a block in one visit.
    bool goes_at_once(const SweptPass<A>& causal, const SweptPass<A>& anticausal) const {
        return m_columns >= narrowest_at_once && is_one_of_three_terms(causal.cascade) &&
               is_one_of_three_terms(anticausal.cascade);
    }

    // Both of a sum's passes over some rows.
    void sweep_sum_of_block(const SweptPass<A>& causal, const SweptPass<A>& anticausal, std::int64_t row,
                            std::int64_t rows, const LaneStates<A>& note, const LaneStates<A>& states) const {
        iir::sweep_sum(SumSweep<S, A>{.rows = rows,
                                      .columns = m_columns,
                                      .data = m_data.below(row).first,
                                      .stride = m_data.stride,
                                      .causal = &causal.cascade.front(),
                                      .anticausal = &anticausal.cascade.front(),
                                      .above = {note.first, note.stride},
                                      .states = states});
    }

    void sweep_block(const SweptPass<A>& pass, const RowsAt<S>& from, const RowsAt<S>& to, std::int64_t rows,
                     const LaneStates<A>& states, const RowsAt<S>& add = {nullptr, 0}) const {
        sweep_columns(ColumnsSweep<S, A>{.rows = rows,
                                         .columns = m_columns,
                                         .from = from.first,
                                         .from_stride = from.stride,
                                         .to = to.first,
                                         .to_stride = to.stride,
                                         .add = add.first,
                                         .add_stride = add.stride,
                                         .cascade = &pass.cascade,
                                         .states = states});
    }

    RowsAt<S> m_data;
    std::int64_t m_rows;
    std::int64_t m_columns;
    std::int64_t m_block;
    Watch& m_watch;
    std::vector<A> m_states;
    std::vector<S> m_kept;    // a block of a sum's causal half
    std::vector<S> m_beside;  // all of the strip
};

}  // namespace

std::int64_t column_work(const std::vector<CpuPass>& passes, Downward done) {
    std::int64_t work = 0;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (i == 0 && done == Downward::filter) continue;
        if (is_plain_sum(passes, i)) {
            work += i == 0 && done == Downward::advance ? 2 : 3;
            ++i;
        } else {
            ++work;
        }
    }
    return work;
}

template <class S, class A>
bool filter_strip(const std::vector<SweptPass<A>>& passes, const Strip<S>& strip, const DoneDown<A>& done,
                  Watch& watch) {
    StripFilter<S, A> filter(strip, watch);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (i == 0 && done.what == Downward::filter) {
            filter.finish(passes[i], done.states, filter.data());
        } else if (!is_plain_sum(passes, i)) {
            if (!filter.sweep(passes[i])) return false;
        } else if (i == 0 && done.what == Downward::advance) {
            if (!filter.sweep_sum(passes[i], passes[i + 1], done)) return false;
            ++i;
        } else {
            Notes<A> notes;
            std::vector<A> below;
            if (!filter.note_down(passes[i], passes[i + 1], notes, below)) return false;
            const DoneDown<A> noted{Downward::advance, {below.data(), strip.columns}, &notes, 0};
            if (!filter.sweep_sum(passes[i], passes[i + 1], noted)) return false;
            ++i;
        }
    }
    return true;
}

template bool filter_strip(const std::vector<SweptPass<float>>&, const Strip<float>&, const DoneDown<float>&,
                           Watch&);
template bool filter_strip(const std::vector<SweptPass<double>>&, const Strip<float>&,
                           const DoneDown<double>&, Watch&);
template bool filter_strip(const std::vector<SweptPass<double>>&, const Strip<double>&,
                           const DoneDown<double>&, Watch&);

}  // namespace iir2d::iir
