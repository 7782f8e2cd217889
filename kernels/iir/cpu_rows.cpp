// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu_rows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <thread>

namespace iir2d::iir {

namespace {

// Returns the fewest columns of a plane whose bands several threads share. Each band waits for the one above:
// a narrow one for all of it, where nothing but the sweep down is left of the columns.
constexpr std::int64_t narrowest_shared(Downward downward) {
    if (downward == Downward::none) return 1;
    return downward == Downward::filter ? 192 : 32;
}

// Returns the rows of a band. Rows that are a multiple of 4 KiB apart share a set of a first-level cache:
// where it has 8 ways and passes have little arithmetic, bands are no higher than that. With 12 ways the
// wider vectors of 16 rows are worth more.
template <class S, class A>
std::int64_t height_of_band(const std::vector<SweptPass<A>>& horizontal, const CpuPlane<S>& plane,
                            int l1d_ways) {
    constexpr std::int64_t bytes_of_all_sets = 4096;
    if (l1d_ways == 0 || l1d_ways > least_band_rows) return rows_of_band<A>();
    const auto share_sets = [](std::int64_t stride) {
        return stride * static_cast<std::int64_t>(sizeof(S)) % bytes_of_all_sets == 0;
    };
    const bool conflict = share_sets(plane.in_stride) || share_sets(plane.out_stride);
    return conflict && std::ranges::all_of(horizontal, is_light<A>) ? least_band_rows : rows_of_band<A>();
}

}  // namespace

template <class S, class A>
RowBands<S, A>::RowBands(const std::vector<SweptPass<A>>& horizontal,
                         const std::vector<SweptPass<A>>& vertical, const CpuJob& job,
                         const CpuPlane<S>& plane, int threads)
    : m_horizontal(horizontal),
      m_vertical(vertical),
      m_downward(job.downward),
      m_stores(stores_of(job)),
      m_caches(job.caches),
      m_threads_are_given(job.config.threads != 0),
      m_plane(plane),
      m_height(height_of_band(horizontal, plane, job.caches.l1d_ways)),
      m_bands((plane.height + m_height - 1) / m_height),
      m_whole_line(horizontal.back().start->of_whole_line()),
      m_beside(keeps_beside(horizontal)),
      m_line(needs_line(horizontal) || (m_beside && 2 * threads * m_height <= plane.height)),
      m_non_temporal(takes_non_temporal_stores()),
      m_lead(m_non_temporal ? columns_before_line() : 0),
      m_parts(make_parts(horizontal.back(), plane.width, m_lead,
                         columns_of_part(job.config, plane.width, share(threads)))),
      m_bands_done(std::make_unique<Counter[]>(m_parts.size())) {
    if (m_downward == Downward::none) return;
    m_column_states =
        support::AlignedArray<A>(static_cast<std::size_t>(m_vertical.front().states() * plane.width));
    if (m_downward == Downward::advance)
        m_notes = Notes<A>(m_vertical.front().states(), plane.width, block_rows, plane.height);
}

template <class S, class A>
auto RowBands<S, A>::make_parts(const SweptPass<A>& last_pass, std::int64_t width, std::int64_t lead,
                                std::int64_t columns) -> std::vector<Part> {
    std::int64_t held = 0;
    std::int64_t held_end = 0;
    const PassEnd& end = *last_pass.end;
    if (!end.empty() && !last_pass.start->of_whole_line()) {
        const bool reversed = last_pass.pass->reversed;
        const std::int64_t first = reversed ? width - end.last() : end.first();
        const std::int64_t last = reversed ? width - end.first() : end.last();
        // Whole tiles.
        held = first < lead ? 0 : lead + (first - lead) / tile_columns * tile_columns;
        const std::int64_t tiles = (std::max(last, lead) - lead + tile_columns - 1) / tile_columns;
        held_end = std::min(width, lead + tiles * tile_columns);
    }
    std::vector<Part> parts;
    for (std::int64_t first = 0; first < width;) {
        const bool in_held = first >= held && first < held_end;
        std::int64_t last = first < lead ? lead : lead + ((first - lead) / columns + 1) * columns;
        last = std::min(width, last);
        if (in_held) last = std::min(last, held_end);
        if (first < held) last = std::min(last, held);
        parts.push_back({first, last, in_held});
        first = last;
    }
    return parts;
}

template <class S, class A>
int RowBands<S, A>::share(int threads) const {
    if (!m_threads_are_given && m_plane.width < narrowest_shared(m_downward)) return 1;
    const std::int64_t lines = std::max(1, (m_line ? 1 : 0) + (m_beside ? 1 : 0));
    return static_cast<int>(std::clamp<std::int64_t>(m_bands / lines, 1, threads));
}

// The samples of rows as they were, which two passes read, are in a line at hand and need not be brought
// there twice.
template <class S, class A>
bool RowBands<S, A>::keeps_samples(const SweptPass<A>& pass) const {
    return m_line && pass.pass->to_scratch;
}

template <class S, class A>
auto RowBands<S, A>::make_lines() const -> Lines {
    const std::int64_t columns =
        m_lead + (m_plane.width - m_lead + tile_columns - 1) / tile_columns * tile_columns;
    const auto samples = static_cast<std::size_t>(columns * m_height);
    std::int64_t states = 0;
    for (const auto& pass : m_horizontal) states = std::max(states, pass.states());
    return {support::AlignedArray<S>(m_line ? samples : 0), support::AlignedArray<S>(m_beside ? samples : 0),
            support::AlignedArray<A>(static_cast<std::size_t>(states * m_height))};
}

template <class S, class A>
void RowBands<S, A>::start_columns() {
    if (m_downward == Downward::none) return;
    // From rows that are filtered for that alone.
    const Lines lines = make_lines();
    support::AlignedArray<S> rows(static_cast<std::size_t>(m_height * m_plane.width));
    std::int64_t filtered = -1;
    const auto load = [&](std::int64_t index, double* out) {
        const std::int64_t band = index / m_height;
        if (band != filtered) {
            filtered = band;
            filter_band(band, lines, {rows.data(), m_plane.width, Downward::none, false}, nullptr);
        }
        std::copy_n(rows.data() + (index - band * m_height) * m_plane.width, m_plane.width, out);
    };
    const SweptPass<A>& pass = m_vertical.front();
    pass.start->states(*pass.pass, static_cast<std::size_t>(m_plane.width), std::ref(load),
                       m_column_states.data(), m_plane.width);
}

template <class S, class A>
bool RowBands<S, A>::filter_bands(Watch& watch) {
    const Lines lines = make_lines();
    bool go_on = true;
    for (std::int64_t band = m_next.fetch_add(1); go_on && band < m_bands; band = m_next.fetch_add(1)) {
        const Target target{m_plane.out + band * m_height * m_plane.out_stride, m_plane.out_stride,
                            m_downward, m_non_temporal};
        const std::int64_t rows = std::min(m_height, m_plane.height - band * m_height);
        go_on = filter_band(band, lines, target, &watch) && watch.go_on(rows * m_plane.width);
    }
    finish_stores();
    return go_on;
}

// A load waits for a store shortly before it whose address agrees with its own in the lowest 12 bits (4K
// aliasing). A config that asks for such stores gets them where the rows lie so, which the sweeps look at.
template <class S, class A>
bool RowBands<S, A>::takes_non_temporal_stores() const {
    if (m_stores != 0) return m_stores == stores_past;
    constexpr std::uintptr_t page = 4096;
    constexpr std::uintptr_t near = 512;
    const std::uintptr_t ahead =
        (reinterpret_cast<std::uintptr_t>(m_plane.out) - reinterpret_cast<std::uintptr_t>(m_plane.in)) % page;
    return worth_non_temporal<S>(m_horizontal, m_vertical, m_downward, m_caches,
                                 m_plane.width * m_plane.height) &&
           (ahead == 0 || ahead > near);
}

// Large arrays of NumPy begin 16 bytes after the start of a cache line. Samples are taken in pairs of
// columns, so that the number is even.
template <class S, class A>
std::int64_t RowBands<S, A>::columns_before_line() const {
    constexpr std::int64_t cache_line = 64;
    constexpr std::int64_t bytes = sizeof(S);
    const std::int64_t stride = m_plane.out_stride * bytes;
    // With AVX2 a vector is half a cache line, so half lines will do.
    const std::int64_t line =
        stride % cache_line == 0 ? cache_line : std::clamp<std::int64_t>(vector_bytes(), 32, cache_line);
    const auto behind = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(m_plane.out) %
                                                  static_cast<std::uintptr_t>(line));
    if (stride % line != 0 || behind % (2 * bytes) != 0) return 0;
    const std::int64_t columns = (line - behind) % line / bytes;
    return columns < m_plane.width ? columns : 0;
}

template <class S, class A>
bool RowBands<S, A>::sweep_part(std::size_t index, const RowsSweep<S, A>& whole, std::int64_t band,
                                const Target& target, Watch* watch) {
    const Part& part = m_parts[index];
    const auto moved = [&](auto* line) { return line == nullptr ? line : line + part.first * m_height; };
    RowsSweep<S, A> sweep = whole;
    sweep.columns = part.last - part.first;
    sweep.begins = index == (whole.reversed ? m_parts.size() - 1 : 0);
    if (sweep.in != nullptr) sweep.in += part.first;
    sweep.from = moved(sweep.from);
    sweep.to = moved(sweep.to);
    sweep.kept = moved(sweep.kept);
    sweep.add = moved(sweep.add);
    const bool goes_down = sweep.out != nullptr && target.downward != Downward::none;
    if (goes_down) {
        if (!wait_for(index, band, *watch)) return false;
        if (target.downward == Downward::advance) note_states(band, part.first, part.last);
        sweep.down_states = {m_column_states.data() + part.first, m_plane.width};
    }
    if (sweep.out != nullptr) sweep.out += part.first;
    sweep_rows(sweep);
    if (goes_down) m_bands_done[index].value.store(band + 1, std::memory_order_release);
    return true;
}

template <class S, class A>
bool RowBands<S, A>::sweep_parts(const RowsSweep<S, A>& whole, std::int64_t band, const Target& target,
                                 Watch* watch) {
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (!sweep_part(whole.reversed ? m_parts.size() - 1 - i : i, whole, band, target, watch))
            return false;
    }
    return true;
}

// With no watch nothing is waited for and the columns are left alone.
template <class S, class A>
bool RowBands<S, A>::filter_band(std::int64_t band, const Lines& lines, const Target& target, Watch* watch) {
    const std::int64_t rows = std::min(m_height, m_plane.height - band * m_height);
    const auto into_columns = [&](RowsSweep<S, A> sweep) {
        sweep.to = nullptr;
        sweep.out = target.out;
        sweep.out_stride = target.stride;
        sweep.downward = target.downward;
        if (target.downward != Downward::none) sweep.down = &m_vertical.front().cascade;
        sweep.non_temporal = target.non_temporal;
        return sweep;
    };
    // Samples of the line as they are.
    const RowsSweep<S, A> out_of_line =
        into_columns({.height = m_height, .rows = rows, .from = lines.line.data()});
    bool in_line = false;  // or in the plane still
    for (std::size_t i = 0; i < m_horizontal.size(); ++i) {
        const SweptPass<A>& pass = m_horizontal[i];
        const bool from_plane = !pass.pass->from_scratch && !in_line;
        start_pass(pass, band, rows, lines, from_plane);
        RowsSweep<S, A> sweep{.height = m_height,
                              .rows = rows,
                              .reversed = pass.pass->reversed,
                              .from = (pass.pass->from_scratch ? lines.beside : lines.line).data(),
                              .to = (pass.pass->to_scratch ? lines.beside : lines.line).data(),
                              .add = pass.pass->add_scratch ? lines.beside.data() : nullptr,
                              .cascade = &pass.cascade,
                              .states = {lines.states.data(), m_height}};
        if (from_plane) {
            sweep.in = m_plane.in + band * m_height * m_plane.in_stride;
            sweep.in_stride = m_plane.in_stride;
            sweep.from = nullptr;
            if (keeps_samples(pass)) sweep.kept = lines.line.data();
        }
        in_line = in_line || !pass.pass->to_scratch || sweep.kept != nullptr;
        if (i + 1 < m_horizontal.size() || m_whole_line) {
            if (!sweep_parts(sweep, band, target, watch)) return false;
            finish_pass(pass, lines);
            continue;
        }
        const RowsSweep<S, A> out = into_columns(sweep);
        for (std::size_t k = 0; k < m_parts.size(); ++k) {
            const std::size_t part = sweep.reversed ? m_parts.size() - 1 - k : k;
            if (!sweep_part(part, m_parts[part].held ? sweep : out, band, target, watch)) return false;
        }
        finish_pass(pass, lines);
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            if (m_parts[part].held && !sweep_part(part, out_of_line, band, target, watch)) return false;
        }
    }
    return !m_whole_line || sweep_parts(out_of_line, band, target, watch);
}

// The states left of the band's rows, or right of them for a pass that comes from there.
template <class S, class A>
void RowBands<S, A>::start_pass(const SweptPass<A>& pass, std::int64_t band, std::int64_t rows,
                                const Lines& lines, bool from_plane) const {
    const S* in = m_plane.in + band * m_height * m_plane.in_stride;
    const S* line = (pass.pass->from_scratch ? lines.beside : lines.line).data();
    const auto load = [&](std::int64_t index, double* out) {
        const std::int64_t column = pass.pass->reversed ? m_plane.width - 1 - index : index;
        if (!from_plane) {
            std::copy_n(line + column * m_height, m_height, out);
            return;
        }
        for (std::int64_t r = 0; r < rows; ++r)
            out[r] = static_cast<double>(in[r * m_plane.in_stride + column]);
        std::fill(out + rows, out + m_height, 0.0);
    };
    pass.start->states(*pass.pass, static_cast<std::size_t>(m_height), std::ref(load), lines.states.data(),
                       m_height);
}

// As in strips of columns.
template <class S, class A>
void RowBands<S, A>::finish_pass(const SweptPass<A>& pass, const Lines& lines) const {
    S* to = (pass.pass->to_scratch ? lines.beside : lines.line).data();
    const LaneStates<A> states{lines.states.data(), m_height};
    // Of a section of one term the sweep left the last result, which is not yet multiplied.
    for (std::size_t k = 0; k < pass.cascade.size(); ++k) {
        if (pass.cascade[k].terms != 1) continue;
        A* state = states.first + 2 * static_cast<std::int64_t>(k) * states.stride;
        std::for_each(state, state + m_height, [&](A& value) { value *= pass.cascade[k].c.a1; });
    }
    const std::int64_t last = m_plane.width - 1;
    pass.end->template add_to<S>(states, m_height, [&](std::int64_t i) {
        return to + (pass.pass->reversed ? last - i : i) * m_height;
    });
    if (!pass.start->of_whole_line()) return;
    for (std::int64_t r = 0; r < m_height; ++r) {
        if (!is_lost(states, pass.states(), r)) continue;
        for (std::int64_t c = 0; c < m_plane.width; ++c)
            to[c * m_height + r] = std::numeric_limits<S>::quiet_NaN();
    }
}

template <class S, class A>
bool RowBands<S, A>::wait_for(std::size_t part, std::int64_t band, Watch& watch) const {
    const auto& done = m_bands_done[part].value;
    while (done.load(std::memory_order_acquire) < band) {
        if (watch.stopped()) return false;
        std::this_thread::yield();
    }
    return true;
}

template <class S, class A>
void RowBands<S, A>::note_states(std::int64_t band, std::int64_t first, std::int64_t last) {
    const std::int64_t row = band * m_height;
    if (row % m_notes.rows() != 0) return;
    const LaneStates<A> note = m_notes.at(row, first);
    for (std::int64_t k = 0; k < m_vertical.front().states(); ++k) {
        std::copy(m_column_states.data() + k * m_plane.width + first,
                  m_column_states.data() + k * m_plane.width + last, note.first + k * note.stride);
    }
}

template class RowBands<float, float>;
template class RowBands<float, double>;
template class RowBands<double, double>;

}  // namespace iir2d::iir
