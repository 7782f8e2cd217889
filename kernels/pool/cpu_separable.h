// SPDX-License-Identifier: MIT
// Pools windows of any size: folds each row of the input along x once, and the results along y.
#pragma once

#include <optional>
#include <vector>

#include "kernels/pool/cpu_along_x.h"
#include "kernels/pool/cpu_gather.h"
#include "kernels/pool/doubling.h"
#include "kernels/pool/part_sums.h"

namespace iir2d::pool {

// Returns how many rows of windows in parts are made at once.
inline std::int64_t rows_made(const AxisWindows& y, bool sums) {
    if (!sums || y.stride != 1 || y.dilation != 1) return 1;
    const std::vector<PartStep> steps = part_steps(y.window);
    return steps.size() == 2 && has_row_sums(steps[1]) ? rows_at_once : 1;
}

// Returns how many rows are kept of the parts that a step reads, while `made` more are made. Of the first
// step these are single rows, of which later steps read up to three; a first step that reads fewer keeps them
// too.
inline std::int64_t ring_rows(const PartStep& step, const AxisWindows& y, std::int64_t made) {
    return std::max<std::int64_t>(step.reach(), step.part == 1 ? 2 : 0) * y.dilation + made;
}

// Returns how many rows are kept for windows along y: of all parts, or of a window in sequence.
inline std::int64_t rows_kept(const AxisWindows& y, AxisWay way, bool sums) {
    if (way == AxisWay::doubling) return DoublingOrder(y.window).rows();
    if (way == AxisWay::sequence) return std::min(y.span(), y.in);
    std::int64_t rows = 0;
    for (const PartStep& step : part_steps(y.window)) rows += ring_rows(step, y, rows_made(y, sums));
    return rows;
}

template <class Lines, class T>
class Separable {
    using Acc = typename Lines::Acc;
    using Row = typename Lines::Row;

  public:
    // Returns the way along y.
    static AxisWay way(const CpuKernel& kernel) {
        return Lines::with_argmax ? kernel.pairs_along_y : kernel.along_y;
    }

    static bool are_sums(const CpuKernel& kernel) { return !Lines::with_argmax && !is_max(kernel.formula); }

    // Prepares for blocks of at most `width` columns. only_nan: as in OutputRow.
    Separable(const CpuJob<T>& job, std::int64_t width, bool only_nan)
        : m_job(job),
          m_y(job.geometry.y),
          m_whole_rows(m_y.adaptive ? IndexRange{} : whole_windows(m_y)),
          m_only_nan(only_nan),
          m_way(way(job.kernel)),
          m_along_x(job, width) {
        const auto columns = static_cast<std::size_t>(width);
        m_folded.allocate(2, columns);
        if constexpr (!Lines::with_argmax) {
            if (m_way == AxisWay::doubling) {
                m_doubling.emplace(m_y.window, width);
                return;
            }
        }
        const std::int64_t kept = rows_kept(m_y, m_way, are_sums(job.kernel));
        m_rows.allocate(static_cast<std::size_t>(kept), columns);
        m_holds.resize(static_cast<std::size_t>(kept));
        if (m_way != AxisWay::in_parts) return;
        m_steps = part_steps(m_y.window);
        m_rows_made = rows_made(m_y, are_sums(job.kernel));
        if (m_rows_made > 1) m_sums.allocate(rows_at_once, columns);
        std::int64_t first = 0;
        for (const PartStep& step : m_steps) {
            m_rings.push_back({first, ring_rows(step, m_y, m_rows_made)});
            first += m_rings.back().size;
        }
    }

    // Pools a block. Returns false when `stop` was requested; rows not reached are then not written.
    bool pool(const Block& block, const std::stop_token& stop) {
        const Row none = m_folded.row(1);
        std::fill_n(Lines::values(none), block.columns.end - block.columns.begin, m_along_x.nothing());
        if constexpr (!Lines::with_argmax) {
            if (m_way == AxisWay::doubling) {
                if (!is_max(m_job.kernel.formula))
                    return fold_by_doubling(block, Join::sum, stop) != Outcome::stopped;
                const Outcome outcome = fold_by_doubling(block, Join::larger, stop);
                if (outcome != Outcome::met_nan) return outcome == Outcome::done;
                return fold_by_doubling(block, Join::larger_or_nan, stop) == Outcome::done;
            }
        }
        if constexpr (!Lines::with_argmax) {
            if (m_rows_made > 1) return sum_rows_at_once(block, stop);
        }
        return m_way == AxisWay::in_parts ? pool_in_parts(block, stop) : pool_in_sequence(block, stop);
    }

    // Returns whether every sum since was accurate; NaN stands for those that were not.
    bool accurate() const { return m_accurate; }
    void forget() { m_accurate = true; }

  private:
    // Says where in m_rows the parts that a step doubles are kept.
    struct Ring {
        std::int64_t first;
        std::int64_t size;
    };

    bool pool_in_sequence(const Block& block, const std::stop_token& stop) {
        std::ranges::fill(m_holds, -1);
        const auto slots = static_cast<std::int64_t>(m_holds.size());
        for (std::int64_t oy = block.rows.begin; oy < block.rows.end; ++oy) {
            if (stop.stop_requested()) return false;
            // Without divisions where no tap is cut off.
            const bool whole = oy >= m_whole_rows.begin && oy < m_whole_rows.end;
            const Taps taps = whole ? Taps{m_y.start(oy), m_y.window, m_y.dilation} : m_y.taps(oy);
            const std::int64_t first_tap =
                m_y.adaptive || whole ? 0 : (taps.first - m_y.start(oy)) / m_y.dilation;
            m_parts.clear();
            std::int64_t at = taps.first % slots;  // row % slots; no two rows of a window share a slot
            for (std::int64_t k = 0; k < taps.count; ++k) {
                const std::int64_t row = taps.first + k * taps.step;
                const auto slot = static_cast<std::size_t>(at);
                if (m_holds[slot] != row) {
                    if (stop.stop_requested()) return false;
                    m_holds[slot] = row;
                    m_along_x.fold(m_job.x.row(block.plane, row), block.columns, m_rows.row(slot));
                }
                m_parts.push_back({m_rows.row(slot), first_tap + k});
                at += taps.step;
                if (at >= slots) at -= slots;
            }
            if (m_parts.empty()) m_parts.push_back({m_folded.row(1), 0});
            finish(block, oy);
        }
        return true;
    }

    // Folds a row of the input along x. Rows outside of it, and from `end` on, which no window has, are of
    // nothing.
    void fold_row(const Block& block, std::int64_t row, std::int64_t end, const Row& to) {
        if (row >= 0 && row < std::min(m_y.in, end)) {
            m_along_x.fold(m_job.x.row(block.plane, row), block.columns, to);
        } else {
            std::fill_n(Lines::values(to), block.columns.end - block.columns.begin, m_along_x.nothing());
        }
    }

    // Returns row t of the parts of step s, counted from the block's first window.
    Row part_row(std::size_t s, std::int64_t t) {
        const Ring& ring = m_rings[s];
        return m_rows.row(static_cast<std::size_t>(ring.first + t % ring.size));
    }

    bool pool_in_parts(const Block& block, const std::stop_token& stop) {
        const std::int64_t first = m_y.start(block.rows.begin);
        const std::int64_t end = m_y.start(block.rows.end - 1) + m_y.span();
        const std::int64_t count = block.columns.end - block.columns.begin;
        const std::int64_t d = m_y.dilation;
        for (std::int64_t t = 0; first + t < end; ++t) {
            if (stop.stop_requested()) return false;
            fold_row(block, first + t, end, part_row(0, t));
            for (std::size_t s = 0; s < m_steps.size(); ++s) {
                // Parts are counted by their last row, windows by their first.
                const PartStep& step = m_steps[s];
                const std::int64_t window = t - (step.made() - 1) * d;
                if (window < 0) break;
                m_parts.clear();
                for (std::int64_t i = 0; i < step.parts; ++i) {
                    const std::int64_t behind = step.singles + (step.parts - 1 - i) * step.part;
                    m_parts.push_back({part_row(s, t - behind * d), i * step.part});
                }
                for (std::int64_t i = 0; i < step.singles; ++i) {
                    const std::int64_t behind = step.singles - 1 - i;
                    m_parts.push_back({part_row(0, t - behind * d), step.parts * step.part + i});
                }
                if (s + 1 < m_steps.size()) {
                    m_lines.fold_along_y(is_max(m_job.kernel.formula), m_parts, count, part_row(s + 1, t));
                } else if (window % m_y.stride == 0) {
                    finish(block, block.rows.begin + window / m_y.stride);
                }
            }
        }
        return true;
    }

    // Does what pool_in_parts() does, with fewer loads.
    bool sum_rows_at_once(const Block& block, const std::stop_token& stop) {
        const PartStep& step = m_steps[1];
        const std::int64_t first = m_y.start(block.rows.begin);
        const std::int64_t end = m_y.start(block.rows.end - 1) + m_y.window;
        const std::int64_t count = block.columns.end - block.columns.begin;
        // Before the block's first row there is nothing that an output needs.
        const auto row_or_any = [&](std::size_t s, std::int64_t t) {
            return part_row(s, std::max<std::int64_t>(t, 0));
        };
        for (std::int64_t t = 0; first + t < end; t += rows_at_once) {
            for (std::int64_t i = t; i < t + rows_at_once; ++i) {
                if (stop.stop_requested()) return false;
                fold_row(block, first + i, end, part_row(0, i));
            }
            RowSums<Acc> rows{.count = count};
            for (std::int64_t i = 0; i < step.part + rows_at_once - 1; ++i)
                rows.terms[static_cast<std::size_t>(i)] = row_or_any(0, t - step.part + 1 + i);
            for (std::int64_t j = 0; j < rows_at_once; ++j) {
                const auto at = static_cast<std::size_t>(j);
                for (std::int64_t i = 0; i < step.parts; ++i) {
                    const std::int64_t behind = step.singles + (step.parts - 1 - i) * step.part;
                    rows.parts[static_cast<std::size_t>(i)][at] = row_or_any(1, t + j - behind);
                }
                rows.made[at] = part_row(1, t + j);
                rows.to[at] = m_sums.row(at);
            }
            sum_rows(step, rows);
            for (std::int64_t j = 0; j < rows_at_once; ++j) {
                const std::int64_t oy = block.rows.begin + t + j - (m_y.window - 1);
                if (oy < block.rows.begin || oy >= block.rows.end) continue;
                m_parts.assign(1, {rows.to[static_cast<std::size_t>(j)], 0});
                finish(block, oy);
            }
        }
        return true;
    }

    enum class Outcome { done, stopped, met_nan };

    // Folds a block by prefix doubling. Rows that dilation keeps apart are folded one set after the other.
    Outcome fold_by_doubling(const Block& block, Join join, const std::stop_token& stop) {
        const std::int64_t first = m_y.start(block.rows.begin);
        const std::int64_t end = m_y.start(block.rows.end - 1) + m_y.span();
        const std::int64_t count = block.columns.end - block.columns.begin;
        constexpr std::int64_t wave = DoublingRings<Acc>::wave_rows;
        for (std::int64_t set = 0; set < std::min(m_y.dilation, end - first); ++set) {
            for (std::int64_t t = 0; first + set + t * m_y.dilation < end; t += wave) {
                for (std::int64_t i = t; i < t + wave; ++i) {
                    if (stop.stop_requested()) return Outcome::stopped;
                    fold_row(block, first + set + i * m_y.dilation, end, m_doubling->row(i));
                }
                if (!m_doubling->make(join, t, count)) return Outcome::met_nan;
                for (std::int64_t i = std::max(t, m_y.window - 1); i < t + wave; ++i) {
                    const std::int64_t at = set + (i - (m_y.window - 1)) * m_y.dilation;
                    const std::int64_t oy = block.rows.begin + at / m_y.stride;
                    if (at % m_y.stride != 0 || oy >= block.rows.end) continue;
                    m_parts.assign(1, {m_doubling->made(i), 0});
                    finish(block, oy);
                }
            }
        }
        return Outcome::done;
    }

    // Writes the output row that m_parts fold to.
    void finish(const Block& block, std::int64_t oy) {
        const std::int64_t count = block.columns.end - block.columns.begin;
        T* const to = m_job.y.row(block.plane, oy) + block.columns.begin;
        if constexpr (Lines::with_argmax) {
            const Row best = m_folded.row(0);
            m_lines.fold_along_y(true, m_parts, count, best);
            for (std::int64_t i = 0; i < count; ++i) to[i] = element::store<T>(best.values[i]);
            write_indices(block, oy, best);
        } else if constexpr (std::is_same_v<T, float>) {
            const OutputRow out = output_row(block, oy, to);
            if constexpr (std::is_same_v<Acc, double>) {
                if (out.formula == Formula::power) {
                    const Row sums = m_folded.row(0);
                    m_lines.fold_along_y(false, m_parts, count, sums);
                    return write_roots(block, oy, sums, out);
                }
            }
            m_accurate &= finish_rows(m_lines.pointers(m_parts), out);
        } else if constexpr (std::is_same_v<T, Acc>) {
            if (!finish_rows(m_lines.pointers(m_parts), output_row(block, oy, to)))
                replace_nan(block, oy, to, to);
        } else {
            // Rounded to 16 bits in one step from the type of the sums.
            Acc* const made = m_folded.row(0);
            if constexpr (std::is_same_v<Acc, double>) {
                if (m_job.kernel.formula == Formula::power) {
                    m_lines.fold_along_y(false, m_parts, count, made);
                    const bool good = roots_of(made, count, made);
                    store_row(made, count, to);
                    if (!good) replace_nan(block, oy, made, to);
                    return;
                }
            }
            const bool good = finish_rows(m_lines.pointers(m_parts), output_row(block, oy, made));
            store_row(made, count, to);
            if (!good) replace_nan(block, oy, made, to);
        }
    }

    template <class Out>
    OutputRowOf<Out> output_row(const Block& block, std::int64_t oy, Out* to) const {
        return {.to = to,
                .count = block.columns.end - block.columns.begin,
                .formula = m_job.kernel.formula,
                .divisors = m_job.divisors(oy, block.columns.begin),
                .non_temporal = m_job.non_temporal && !m_only_nan,
                .only_nan = m_only_nan};
    }

    // Outputs that NaN stands for, one by one.
    void replace_nan(const Block& block, std::int64_t oy, const Acc* made, T* to) const {
        const WindowRule rule = window_rule(m_job.desc, m_job.geometry);
        Window<T> window{m_job.x.row(block.plane, 0), m_job.x.row_stride, m_y.taps(oy), {}};
        for (std::int64_t ox = block.columns.begin; ox < block.columns.end; ++ox) {
            const std::int64_t i = ox - block.columns.begin;
            if (made[i] == made[i]) continue;
            window.columns = rule.columns.taps(ox);
            if (m_job.kernel.formula == Formula::power) {
                to[i] = pool_window<WindowOp::lp_power, T, double>(rule, oy, ox, window).value;
            } else if (m_job.kernel.formula == Formula::avg) {
                to[i] = pool_window<WindowOp::avg, T, Acc>(rule, oy, ox, window).value;
            } else if (m_job.kernel.formula == Formula::lp1) {
                to[i] = pool_window<WindowOp::lp1, T, Acc>(rule, oy, ox, window).value;
            } else {
                to[i] = pool_window<WindowOp::lp2, T, Acc>(rule, oy, ox, window).value;
            }
        }
    }

    void write_indices(const Block& block, std::int64_t oy,
                       const Row& best) const requires Lines::with_argmax {
        const AxisWindows& x = m_job.geometry.x;
        const std::int64_t width = m_job.geometry.input.w;
        std::int64_t* indices = m_job.indices(block.plane, oy, block.columns.begin);
        const std::int64_t top = m_y.adaptive ? m_y.taps(oy).first : m_y.start(oy);
        for (std::int64_t o = block.columns.begin; o < block.columns.end; ++o) {
            const std::int64_t i = o - block.columns.begin;
            std::int64_t row = top + best.rows[i] * m_y.dilation;
            const std::int64_t left =
                x.adaptive ? m_job.column_taps[static_cast<std::size_t>(o)].first : x.start(o);
            std::int64_t column = left + best.columns[i] * x.dilation;
            if (best.values[i] == -std::numeric_limits<Acc>::infinity()) {
                // As low as the padding: the first element, if there is one.
                const Taps rows = m_y.taps(oy);
                const Taps columns = x.taps(o);
                const bool any = rows.count > 0 && columns.count > 0;
                row = any ? rows.first : 0;
                column = any ? columns.first : -1;
            }
            indices[i] = row * width + column;
        }
    }

    void write_roots(const Block& block, std::int64_t oy, const double* sums, const OutputRow& out) const {
        if (roots_of(sums, out.count, out.to)) return;
        for (std::int64_t i = 0; i < out.count; ++i) {
            if (out.to[i] != out.to[i])
                out.to[i] = static_cast<float>(exact_norm(m_job, block.plane, oy, block.columns.begin + i));
        }
    }

    // Takes the roots of sums, with NaN in place of those of sums that are not trusted. Returns whether all
    // are.
    bool roots_of(const double* sums, std::int64_t count, auto* to) const {
        using Limits = std::numeric_limits<double>;
        const double p = m_job.desc.p;
        // Below this, terms too small for a normal number could be a part of the sum; but powers of floats
        // up to the sixth are all normal. The root of a very small p multiplies the rounding of the powers by
        // 1 / p: none of them is trusted.
        const double lowest = p <= 6.0 ? 0.0 : Limits::min() / (Limits::epsilon() * Limits::epsilon());
        const double least = p < 1.0 / 16.0 ? Limits::infinity() : lowest;
        return take_roots(1.0 / p, least, sums, count, to);
    }

    const CpuJob<T>& m_job;
    AxisWindows m_y;
    IndexRange m_whole_rows;
    bool m_only_nan;
    bool m_accurate = true;
    AxisWay m_way;
    AlongX<Lines, T> m_along_x;
    std::vector<PartStep> m_steps;
    std::vector<Ring> m_rings;  // by step
    std::optional<DoublingRings<Acc>> m_doubling;
    Lines m_lines;
    typename Lines::Store m_folded;  // one to finish, one of nothing
    typename Lines::Store m_rows;
    std::int64_t m_rows_made = 1;       // at once
    typename Lines::Store m_sums;       // rows_at_once of them
    std::vector<std::int64_t> m_holds;  // in sequence: the input row of each of m_rows, or -1
    std::vector<Part<typename Lines::ConstRow>> m_parts;
};

}  // namespace iir2d::pool
