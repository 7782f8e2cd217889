// SPDX-License-Identifier: MIT
// Bands of rows through the passes of their own axis, and while they are in cache through the first step of
// the columns'. The image is read once and written once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/iir/cpu_columns.h"
#include "kernels/iir/cpu_plane.h"
#include "kernels/iir/sweeps.h"
#include "kernels/support/aligned_array.h"

namespace iir2d::iir {

// Bytes of an output below which non-temporal (streaming) stores are never worth it.
inline constexpr std::int64_t non_temporal_bytes = std::int64_t{8} << 20;

// Columns of a part, at most.
inline constexpr std::int32_t most_part = 1 << 20;

// Returns how many columns a band goes on into at once: one thread alone into all. Threads that share a plane
// follow each other, each a part behind the band above: with two parts for each of them a thread that is late
// does not stop the others.
constexpr std::int64_t columns_of_part(const Config& config, std::int64_t width, int threads) {
    constexpr std::int64_t least = 128;
    constexpr std::int64_t most = 1024;
    if (config.part != 0) return config.part;
    if (threads == 1) return std::clamp<std::int64_t>(width, tile_columns, most_part);
    const std::int64_t share = width / (std::int64_t{2} * threads);
    return std::clamp((share + tile_columns - 1) / tile_columns * tile_columns, least, most);
}

// Returns whether a pass takes next to no arithmetic: one first-order section without a feed-forward term.
template <class A>
bool is_light(const SweptPass<A>& pass) {
    return pass.cascade.size() == 1 && pass.cascade.front().terms == 1;
}

// Returns the bytes of an output from which on non-temporal stores are worth it. An output that the columns'
// passes read again had better stay in the last-level cache, up to a sixteenth of that: other cores share it,
// and the input takes as much.
constexpr std::int64_t least_non_temporal_bytes(bool read_again, std::int64_t last_level_bytes) {
    return read_again ? std::max(non_temporal_bytes, last_level_bytes / 16) : non_temporal_bytes;
}

// Returns whether non-temporal stores are worth it for planes of so many samples, apart from where they lie:
// they are slow where much arithmetic lies between two of them to a cache line. Where one does not fill it,
// only first-order sections sweep down and store at once fast enough.
template <class S, class A>
bool worth_non_temporal(const std::vector<SweptPass<A>>& horizontal,
                        const std::vector<SweptPass<A>>& vertical, Downward downward,
                        const support::CpuCaches& caches, std::int64_t samples) {
    constexpr std::int64_t cache_line = 64;
    const bool read_again = vertical.size() > (downward == Downward::filter ? 1U : 0U);
    const bool whole_lines =
        vector_bytes() / static_cast<std::int64_t>(sizeof(A)) * static_cast<std::int64_t>(sizeof(S)) >=
        cache_line;
    const bool fast = whole_lines || downward != Downward::filter ||
                      (std::ranges::all_of(horizontal, is_light<A>) && is_light(vertical.front()));
    return fast && samples * static_cast<std::int64_t>(sizeof(S)) >=
                       least_non_temporal_bytes(read_again, caches.last_level_bytes);
}

// Returns whether a band's passes keep something beside its line.
template <class AnyPass>
bool keeps_beside(const std::vector<AnyPass>& passes) {
    return std::ranges::any_of(passes, [](const auto& p) { return pass_of(p).to_scratch; });
}

// Returns whether passes need a line at all: a single pass, and the second one of a sum, go out tile by tile,
// except where something is to be added to them when they are done.
template <class AnyPass>
bool needs_line(const std::vector<AnyPass>& passes) {
    return start_of(passes.back()).of_whole_line() || !end_of(passes.back()).empty() ||
           std::any_of(passes.begin(), passes.end() - 1,
                       [](const auto& p) { return !pass_of(p).to_scratch; });
}

// Filters the rows of one plane. Several threads may call filter_bands() at once: each takes the next band,
// filters its rows alone and then goes down into the columns, part by part, always behind the band above.
// Which samples meet in which operation does not depend on the number of threads.
template <class S, class A>
class RowBands {
  public:
    // Prepares bands for at most so many threads: where these are more than half the bands, a sum keeps no
    // samples in a line, so that each thread has a band's memory.
    RowBands(const std::vector<SweptPass<A>>& horizontal, const std::vector<SweptPass<A>>& vertical,
             const CpuJob& job, const CpuPlane<S>& plane, int threads);

    // Returns how many of the threads will take bands: as many as are worth it and leave the bands' own
    // memory below the plane's.
    int share(int threads) const;

    // Prepares the columns, before any band. Where it throws it may be called again.
    void start_columns();

    // Takes bands until none is left. Returns false when it was stopped. If it throws, other threads in it
    // must be stopped.
    bool filter_bands(Watch& watch);

    // Returns what the bands have done of the strip of columns that begins with `column`, when all bands are
    // done.
    DoneDown<A> done(std::int64_t column) const {
        A* const states = m_column_states.data();  // none where columns keep no state
        return {m_downward, {states == nullptr ? nullptr : states + column, m_plane.width}, &m_notes, column};
    }

  private:
    struct alignas(64) Counter {
        std::atomic<std::int64_t> value{0};
    };
    // A thread's own.
    struct Lines {
        support::AlignedArray<S> line;
        support::AlignedArray<S> beside;
        support::AlignedArray<A> states;
    };
    // Holds columns that a band goes on into at once.
    struct Part {
        std::int64_t first;
        std::int64_t last;
        bool held;  // until the rows' last pass is at its end, which adds to them
    };
    // Holds where a band's samples go.
    struct Target {
        S* out;
        std::int64_t stride;
        Downward downward;
        bool non_temporal;
    };

    // Returns how many columns lie before the first whole cache line of each row of the output, or with AVX2
    // half a line; 0 where rows differ in that.
    std::int64_t columns_before_line() const;
    // Returns parts of `columns` at most. The first `lead` columns, if any, are a part of their own.
    static std::vector<Part> make_parts(const SweptPass<A>& last_pass, std::int64_t width, std::int64_t lead,
                                        std::int64_t columns);
    Lines make_lines() const;
    bool keeps_samples(const SweptPass<A>& pass) const;
    bool takes_non_temporal_stores() const;
    bool filter_band(std::int64_t band, const Lines& lines, const Target& target, Watch* watch);
    void start_pass(const SweptPass<A>& pass, std::int64_t band, std::int64_t rows, const Lines& lines,
                    bool from_plane) const;
    bool wait_for(std::size_t part, std::int64_t band, Watch& watch) const;
    // Sweeps all parts in the sweep's direction, or one of them. Returns false when it was stopped.
    bool sweep_parts(const RowsSweep<S, A>& whole, std::int64_t band, const Target& target, Watch* watch);
    bool sweep_part(std::size_t part, const RowsSweep<S, A>& whole, std::int64_t band, const Target& target,
                    Watch* watch);
    void finish_pass(const SweptPass<A>& pass, const Lines& lines) const;
    void note_states(std::int64_t band, std::int64_t first, std::int64_t last);

    const std::vector<SweptPass<A>>& m_horizontal;
    const std::vector<SweptPass<A>>& m_vertical;
    Downward m_downward;
    std::int32_t m_stores;  // of the config
    support::CpuCaches m_caches;
    bool m_threads_are_given;  // by the config
    CpuPlane<S> m_plane;
    std::int64_t m_height;  // of a band
    std::int64_t m_bands;
    bool m_whole_line;  // rows must be complete before their columns go on
    bool m_beside;      // a pass keeps something beside the line
    bool m_line;        // samples stay in a line between passes
    bool m_non_temporal;
    std::int64_t m_lead;  // columns before those whose non-temporal stores fill cache lines
    std::vector<Part> m_parts;
    support::AlignedArray<A> m_column_states;
    Notes<A> m_notes;
    std::atomic<std::int64_t> m_next{0};
    std::unique_ptr<Counter[]> m_bands_done;  // of each part of the columns
};

}  // namespace iir2d::iir
