// SPDX-License-Identifier: MIT
// Folds the windows of one input row along x.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/pool/cpu_lines.h"
#include "kernels/pool/doubling.h"
#include "kernels/pool/part_sums.h"
#include "kernels/pool/powers.h"
#include "kernels/support/element.h"
#include "kernels/support/element_rows.h"

namespace iir2d::pool {

template <class Lines, class T>
class AlongX {
    using Acc = typename Lines::Acc;
    using Row = typename Lines::Row;
    using ConstRow = typename Lines::ConstRow;
    // Those of f64 are taken window by window.
    static constexpr bool takes_powers = sizeof(T) <= sizeof(float) && std::is_same_v<Acc, double>;

  public:
    // Prepares for rows of at most `width` windows.
    AlongX(const CpuJob<T>& job, std::int64_t width)
        : m_axis(job.geometry.x),
          m_width(piece(m_axis, width)),
          m_way(Lines::with_argmax ? job.kernel.pairs_along_x : job.kernel.along_x),
          m_formula(job.kernel.formula),
          m_p(job.desc.p),
          m_steps(part_steps(m_axis.window)),
          m_column_taps(job.column_taps.data()) {
        if (m_axis.adaptive) {
            lay_out_uneven();
            return;
        }
        if (m_way == AxisWay::one_by_one) return;
        const auto length = static_cast<std::size_t>((m_width - 1) * m_axis.stride + m_axis.span());
        if constexpr (sizeof(T) < sizeof(float) && sizeof(Acc) > sizeof(float)) m_widened.resize(length);
        m_line.allocate(m_way == AxisWay::doubling ? 3 : m_way == AxisWay::in_parts ? 2 : 1, length);
        m_terms = m_line.row(0);
        if (m_way == AxisWay::in_parts) {
            m_made = m_line.row(1);
        } else if (m_way == AxisWay::doubling) {
            m_made = m_line.row(1);
            m_scratch = m_line.row(2);
        } else {
            lay_out_sequence();
        }
    }

    // Folds the windows in `columns` of a row of the input, of which `row` is the first element.
    void fold(const T* row, IndexRange columns, const Row& to) {
        if (m_way == AxisWay::one_by_one && !m_axis.adaptive) return fold_one_by_one(row, columns, to);
        for (std::int64_t o = columns.begin; o < columns.end; o += m_width)
            fold_piece(row, {o, std::min(o + m_width, columns.end)}, Lines::at(to, o - columns.begin));
    }

    // Returns the value of a window without an element.
    Acc nothing() const { return m_formula == Formula::max ? -std::numeric_limits<Acc>::infinity() : Acc(0); }

  private:
    // Returns how many windows to take at once, so that what is made of them stays in the first-level cache.
    static std::int64_t piece(const AxisWindows& axis, std::int64_t width) {
        constexpr std::int64_t line_bytes = 8192;
        const std::int64_t elements = line_bytes / static_cast<std::int64_t>(sizeof(Acc));
        return std::min(width, std::max(elements / axis.stride, 4 * axis.span() / axis.stride + row_slack));
    }

    // Reads the row itself where elements are the terms and all that is read lies within it.
    void fold_piece(const T* row, IndexRange columns, const Row& to) {
        if (m_axis.adaptive) return fold_uneven(row, columns, to);
        const auto fold_from_line = [&](std::int64_t begin, std::int64_t end) {
            if (begin >= end) return;
            load_line(row, {begin, end});
            fold_terms(m_terms, end - begin, Lines::at(to, begin - columns.begin));
        };
        if constexpr (std::is_same_v<ConstRow, const T*>) {
            if (const IndexRange inside = terms_in_place(columns); !inside.empty()) {
                fold_from_line(columns.begin, inside.begin);
                fold_terms(row + m_axis.start(inside.begin), inside.end - inside.begin,
                           Lines::at(to, inside.begin - columns.begin));
                return fold_from_line(inside.end, columns.end);
            }
        }
        fold_from_line(columns.begin, columns.end);
    }

    // Folds `count` windows, of which the first begins with the first term.
    void fold_terms(const ConstRow& terms, std::int64_t count, const Row& to) {
        if constexpr (!Lines::with_argmax) {
            if (m_way == AxisWay::doubling) return fold_by_doubling(terms, count, to);
        }
        if (m_way == AxisWay::in_parts) return fold_in_parts(terms, count, to);
        if (m_axis.stride == 1) {
            for (Part<ConstRow>& part : m_sequence) part.row = Lines::at(terms, part.taps * m_axis.dilation);
        }
        const std::int64_t length = (count - 1) * m_axis.stride + m_axis.span();
        if (m_dealt_out.empty()) {
            for (std::size_t i = 0; i < m_phases.size(); ++i) {
                const std::int64_t taps = (length - m_phases[i] + m_axis.stride - 1) / m_axis.stride;
                pick_every(m_axis.stride, Lines::values(terms) + m_phases[i], taps,
                           Lines::values(m_dealt.row(i)));
            }
        } else {
            const bool from_image = Lines::values(terms) != Lines::values(m_terms);
            deal_out(Lines::values(terms), (length + m_axis.stride - 1) / m_axis.stride, m_dealt_out,
                     from_image);
        }
        m_lines.fold_along_x(is_max(m_formula), m_sequence, count, to);
    }

    void fold_by_doubling(const Acc* terms, std::int64_t count, Row to) {
        const std::int64_t all = (count - 1) * m_axis.stride + 1;
        Acc* const made = m_axis.stride == 1 ? to : m_made;
        if (!fold_row_by_doubling(is_max(m_formula) ? Join::larger : Join::sum, m_order, terms, all, made,
                                  m_scratch))
            fold_row_by_doubling(Join::larger_or_nan, m_order, terms, all, made, m_scratch);
        if (m_axis.stride > 1) pick_every(m_axis.stride, made, count, to);
    }

    // Returns the windows whose terms are a row's elements, of which all that is read is in the row.
    IndexRange terms_in_place(IndexRange columns) const {
        if (m_formula != Formula::max && m_formula != Formula::avg) return {};
        const std::int64_t begin = (m_axis.padding + m_axis.stride - 1) / m_axis.stride;
        const std::int64_t room = m_axis.in - row_slack - m_axis.span() + m_axis.padding;
        const std::int64_t end = room < 0 ? 0 : room / m_axis.stride + 1;
        return {std::max(columns.begin, begin), std::min(columns.end, end)};
    }

    // Lays out windows in sequence. A stride s splits a line of terms into s phases, of which each tap of all
    // windows is a part. Stride 1 needs none: fold_terms() says where the taps are.
    void lay_out_sequence() {
        const std::int64_t stride = m_axis.stride;
        std::vector<std::int64_t> number(static_cast<std::size_t>(std::min(stride, m_axis.span())), -1);
        for (std::int64_t k = 0; k < m_axis.window && stride > 1; ++k) {
            auto& phase = number[static_cast<std::size_t>(k * m_axis.dilation % stride)];
            if (phase >= 0) continue;
            phase = static_cast<std::int64_t>(m_phases.size());
            m_phases.push_back(k * m_axis.dilation % stride);
        }
        const auto longest = static_cast<std::size_t>(m_width + m_axis.span() / stride + 1);
        if (!m_phases.empty()) m_dealt.allocate(m_phases.size(), longest);
        if (is_dealt_out(stride) && static_cast<std::int64_t>(m_phases.size()) == stride) {
            m_dealt_out.resize(m_phases.size());
            for (std::size_t i = 0; i < m_phases.size(); ++i)
                m_dealt_out[static_cast<std::size_t>(m_phases[i])] = Lines::values(m_dealt.row(i));
        }
        for (std::int64_t k = 0; k < m_axis.window; ++k) {
            const std::int64_t tap = k * m_axis.dilation;
            if (stride == 1) {
                m_sequence.push_back({m_terms, k});
            } else {
                const auto phase = static_cast<std::size_t>(number[static_cast<std::size_t>(tap % stride)]);
                m_sequence.push_back({Lines::at(m_dealt.row(phase), tap / stride), k});
            }
        }
    }

    // Lays out the line for adaptive windows, which where they do not divide the row evenly have in / out
    // elements, rounded up, or one more. Tap k of all of them is a row, as where a stride splits a line.
    void lay_out_uneven() {
        const auto columns = static_cast<std::size_t>(m_width);
        if constexpr (sizeof(T) < sizeof(float)) {
            const std::int64_t length = m_width * (m_axis.stride + 1) + m_axis.window;
            m_widened.resize(static_cast<std::size_t>(length));
        }
        m_dealt.allocate(static_cast<std::size_t>(m_axis.window), columns);
        for (std::int64_t k = 0; k < m_axis.window; ++k)
            m_sequence.push_back({m_dealt.row(static_cast<std::size_t>(k)), k});
    }

    // Folds adaptive windows, of max and of avg whose terms are the elements.
    void fold_uneven(const T* row, IndexRange columns, const Row& to) {
        const Taps* const taps = m_column_taps + columns.begin;
        const std::int64_t count = columns.end - columns.begin;
        if constexpr (sizeof(T) < sizeof(float)) {
            const std::int64_t first = taps[0].first;
            const Taps& last = taps[count - 1];
            widen_row(row + first, last.first + last.count - first, m_widened.data());
            deal_out_uneven(m_widened.data(), first, taps, count);
        } else {
            deal_out_uneven(row, 0, taps, count);
        }
        m_lines.fold_along_x(is_max(m_formula), m_sequence, count, to);
    }

    // Copies each tap of uneven windows to a row of its own. `from` begins with position `first` of the row.
    void deal_out_uneven(const auto* from, std::int64_t first, const Taps* taps, std::int64_t count) {
        const std::int64_t least = (m_axis.in + m_axis.out - 1) / m_axis.out;
        for (std::int64_t k = 0; k < m_axis.window; ++k) {
            Acc* const to = Lines::values(m_dealt.row(static_cast<std::size_t>(k)));
            if (k < least) {
                for (std::int64_t o = 0; o < count; ++o)
                    to[o] = static_cast<Acc>(from[taps[o].first + k - first]);
                continue;
            }
            // Another load of the last tap instead of one behind it, and no branch.
            for (std::int64_t o = 0; o < count; ++o) {
                const bool inside = k < taps[o].count;
                const auto value = static_cast<Acc>(from[taps[o].first - first + (inside ? k : 0)]);
                to[o] = inside ? value : nothing();
            }
        }
    }

    // Computes the terms of the elements under the windows, and nothing in the padding.
    void load_line(const T* row, IndexRange columns) {
        const std::int64_t first = m_axis.start(columns.begin);
        const std::int64_t length = (columns.end - columns.begin - 1) * m_axis.stride + m_axis.span();
        const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, length);
        const std::int64_t end = std::clamp<std::int64_t>(m_axis.in - first, begin, length);
        Acc* line = Lines::values(m_terms);
        std::fill(line, line + begin, nothing());
        if constexpr (sizeof(T) < sizeof(float)) {
            float* widened = m_widened.data();
            if constexpr (std::is_same_v<Acc, float>) widened = line + begin;
            widen_row(row + first + begin, end - begin, widened);
            const bool are_terms = m_formula == Formula::max || m_formula == Formula::avg;
            if (!std::is_same_v<Acc, float> || !are_terms) make_line(widened, end - begin, line + begin);
        } else {
            make_line(row + first + begin, end - begin, line + begin);
        }
        std::fill(line + end, line + length, nothing());
    }

    void make_line(const auto* from, std::int64_t count, Acc* to) const {
        if constexpr (takes_powers) {
            if (m_formula == Formula::power) return raise(m_p, from, count, to);
        }
        make_terms(m_formula, from, count, to);
    }

    // Computes what make_terms() does.
    Acc term(T value) const {
        const Acc v = element::load<Acc>(value);
        switch (m_formula) {
            case Formula::max:
            case Formula::avg:
                return v;
            case Formula::max_magnitude:
            case Formula::lp1:
                return std::abs(v);
            case Formula::lp2:
                return v * v;
            case Formula::lp3:
                return std::abs(v) * std::abs(v) * std::abs(v);
            case Formula::power:  // fold_powers_one_by_one()
                break;
        }
        return v;
    }

    void fold_in_parts(const ConstRow& terms, std::int64_t count, const Row& to) {
        const std::int64_t needed = (count - 1) * m_axis.stride + m_axis.span();
        const auto target = [&](const PartStep& step) -> const Row& {
            return step.made() == m_axis.window && m_axis.stride == 1 ? to : m_made;
        };
        const auto outputs = [&](const PartStep& step) {
            return needed - (step.made() - 1) * m_axis.dilation;
        };
        // What the first two steps make, from its first element on. Sums are in parts from 9 taps on: two
        // steps.
        std::int64_t done = 0;
        if constexpr (!Lines::with_argmax) {
            if (!is_max(m_formula) && m_axis.dilation == 1)
                done = sum_in_parts(m_steps[1], terms, outputs(m_steps[1]), target(m_steps[1]));
        }
        const bool all_done = done > 0 && done == outputs(m_steps[1]);
        ConstRow made = all_done ? ConstRow(m_made) : terms;
        for (std::size_t s = all_done ? 2 : 0; s < m_steps.size(); ++s) {
            const PartStep& step = m_steps[s];
            const std::int64_t begin = s < 2 ? done : 0;
            m_parts.clear();
            for (std::int64_t i = 0; i < step.parts + step.singles; ++i) {
                const bool single = i >= step.parts;
                const std::int64_t tap = single ? step.parts * step.part + i - step.parts : i * step.part;
                m_parts.push_back({Lines::at(single ? terms : made, begin + tap * m_axis.dilation), tap});
            }
            m_lines.fold_along_x(is_max(m_formula), m_parts, outputs(step) - begin,
                                 Lines::at(target(step), begin));
            made = m_made;
        }
        if (m_axis.stride == 1) return;
        pick_every(m_axis.stride, Lines::values(m_made), count, Lines::values(to));
        if constexpr (Lines::with_argmax) {
            for (std::int64_t o = 0; o < count; ++o) to.columns[o] = m_made.columns[o * m_axis.stride];
            std::fill_n(to.rows, count, 0);
        }
    }

    // Folds powers in vectors of the elements of many windows.
    void fold_powers_one_by_one(const T* row, IndexRange columns, double* to) {
        constexpr std::size_t enough = 256;
        for (std::int64_t o = columns.begin; o < columns.end;) {
            m_picked.clear();
            m_picked_counts.clear();
            for (; o < columns.end && m_picked.size() < enough; ++o) {
                const Taps taps = m_axis.taps(o);
                for (std::int64_t k = 0; k < taps.count; ++k)
                    m_picked.push_back(element::load<float>(row[taps.first + k * taps.step]));
                m_picked_counts.push_back(taps.count);
            }
            m_raised.resize(m_picked.size());
            raise(m_p, m_picked.data(), static_cast<std::int64_t>(m_picked.size()), m_raised.data());
            const double* from = m_raised.data();
            for (const std::int64_t count : m_picked_counts) {
                double sum = 0.0;
                for (std::int64_t k = 0; k < count; ++k) sum += *from++;
                *to++ = sum;
            }
        }
    }

    void fold_one_by_one(const T* row, IndexRange columns, const Row& to) {
        if constexpr (takes_powers) {
            if (m_formula == Formula::power) return fold_powers_one_by_one(row, columns, to);
        }
        for (std::int64_t o = columns.begin; o < columns.end; ++o) {
            const Taps taps = m_axis.taps(o);
            Acc folded = nothing();
            std::int64_t best = 0;
            for (std::int64_t k = 0; k < taps.count; ++k) {
                const Acc value = term(row[taps.first + k * taps.step]);
                if (!is_max(m_formula)) {
                    folded += value;
                } else if (!(value <= folded || folded != folded)) {
                    folded = value;
                    best = k;
                }
            }
            const std::int64_t i = o - columns.begin;
            Lines::values(to)[i] = folded;
            if constexpr (Lines::with_argmax) {
                const std::int64_t first = (taps.first - m_axis.start(o)) / m_axis.dilation;
                to.columns[i] = static_cast<typename Lines::Index>(first + best);
                to.rows[i] = 0;
            }
        }
    }

    AxisWindows m_axis;
    std::int64_t m_width;  // of a piece
    AxisWay m_way;
    Formula m_formula;
    double m_p;
    std::vector<PartStep> m_steps;
    Lines m_lines;
    typename Lines::Store m_line;
    std::vector<float> m_widened;  // elements of 16 bits
    Row m_terms = {};
    Row m_made = {};
    Row m_scratch = {};
    DoublingOrder m_order{m_axis.window};
    typename Lines::Store m_dealt;
    std::vector<std::int64_t> m_phases;  // each one's first element in the line
    std::vector<Acc*> m_dealt_out;       // the rows of all phases, where they are dealt out at once
    std::vector<Part<ConstRow>> m_sequence;
    const Taps* m_column_taps;
    std::vector<float> m_picked;  // of windows that are raised to p one by one
    std::vector<double> m_raised;
    std::vector<std::int64_t> m_picked_counts;
    std::vector<Part<ConstRow>> m_parts;
};

}  // namespace iir2d::pool
