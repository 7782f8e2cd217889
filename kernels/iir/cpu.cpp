// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "kernels/iir/border.h"
#include "kernels/iir/coefficients.h"
#include "kernels/iir/lines.h"
#include "kernels/iir/start_state.h"
#include "kernels/support/denormals.h"
#include "kernels/support/parallel.h"

namespace iir2d::iir {

namespace {

constexpr std::size_t row_lanes = 16;
// Columns in a tile: one thread streams whole rows fastest; several share the second-level cache's bandwidth
// better in shorter pieces, and so does a pass that keeps a scratch line beside each column.
constexpr std::int64_t column_tile_alone = 4096;
constexpr std::int64_t column_tile_shared = 1024;
// Between two looks at the stop token within one tile.
constexpr std::int64_t samples_between_stops = 1 << 20;

// Several lanes in one register, where the compiler has such types; it does not find them by itself in a loop
// whose states stay in registers.
#if defined(__GNUC__)
template <class A>
struct PackOf {
    typedef A Type __attribute__((vector_size(16)));
};
#else
template <class A>
struct PackOf {
    using Type = A;
};
#endif

// One sample, of one lane or of a pack of lanes. `Terms` is how much of the section there is: 1 for a pure
// first-order feedback, 2 with x[n-1], 3 for the second order.
template <int Terms, class A, class V>
inline V step(const Coefficients<A>& c, const V& x, V& s1, V& s2) {
    const V y = c.b0 * x + s1;
    if constexpr (Terms == 1) {
        s1 = c.a1 * y;
    } else if constexpr (Terms == 2) {
        s1 = c.b1 * x + c.a1 * y;
    } else {
        s1 = (c.b1 * x + s2) + c.a1 * y;
        s2 = c.b2 * x + c.a2 * y;
    }
    return y;
}

// A long chunk of few lanes: the states stay in registers, several packs of them to hide the latency of one
// chain.
template <int Terms, std::size_t Lanes, class A>
void sweep_long(const Coefficients<A>& c, A* chunk, std::size_t count, A* s1, A* s2) {
    using Pack = typename PackOf<A>::Type;
    constexpr std::size_t packs = 4;
    constexpr std::size_t group = packs * sizeof(Pack) / sizeof(A);
    static_assert(Lanes % group == 0);
    for (std::size_t l0 = 0; l0 < Lanes; l0 += group) {
        std::array<Pack, packs> r1;
        std::array<Pack, packs> r2;
        std::array<Pack, packs> x;
        std::memcpy(r1.data(), s1 + l0, sizeof(r1));
        std::memcpy(r2.data(), s2 + l0, sizeof(r2));
        for (std::size_t t = 0; t < count; ++t) {
            A* samples = chunk + t * Lanes + l0;
            std::memcpy(x.data(), samples, sizeof(x));
            for (std::size_t k = 0; k < packs; ++k) x[k] = step<Terms, A, Pack>(c, x[k], r1[k], r2[k]);
            std::memcpy(samples, x.data(), sizeof(x));
        }
        std::memcpy(s1 + l0, r1.data(), sizeof(r1));
        std::memcpy(s2 + l0, r2.data(), sizeof(r2));
    }
}

// One sample of many lanes; `from` and `to` may be the same row.
template <int Terms, class From, class To, class A>
void sweep_wide(const Coefficients<A>& c, const From* from, To* to, std::size_t lanes, A* __restrict s1,
                A* __restrict s2) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (std::size_t l = 0; l < lanes; ++l) {
        to[l] = static_cast<To>(step<Terms, A, A>(c, static_cast<A>(from[l]), s1[l], s2[l]));
    }
}

template <class A>
struct SweptSection {
    SectionStep<A> step;
    std::vector<A> s1;
    std::vector<A> s2;

    SweptSection(const Section& section, const SectionState& state)
        : step(section_step<A>(section)),
          s1(state.s1.begin(), state.s1.end()),
          s2(state.s2.begin(), state.s2.end()) {}

    template <std::size_t Lanes>
    void sweep_long(A* chunk, std::size_t count) {
        const auto run = step.terms == 1   ? iir::sweep_long<1, Lanes, A>
                         : step.terms == 2 ? iir::sweep_long<2, Lanes, A>
                                           : iir::sweep_long<3, Lanes, A>;
        run(step.c, chunk, count, s1.data(), s2.data());
    }
    template <class From, class To>
    void sweep_wide(const From* from, To* to) {
        const auto run = step.terms == 1   ? iir::sweep_wide<1, From, To, A>
                         : step.terms == 2 ? iir::sweep_wide<2, From, To, A>
                                           : iir::sweep_wide<3, From, To, A>;
        run(step.c, from, to, s1.size(), s1.data(), s2.data());
    }
};

// All sections over a chunk that `lines` loads and stores.
template <class S, class A, std::size_t Lanes>
void sweep_lines(std::vector<SweptSection<A>>& sections, const RowLines<S, A, Lanes>& lines,
                 std::int64_t first, std::size_t count, bool reversed, A* chunk) {
    lines.load(first, count, reversed, chunk);
    for (auto& section : sections) section.template sweep_long<Lanes>(chunk, count);
    lines.store(first, count, reversed, chunk);
}

// A row of a tile goes from the plane to the plane; only what lies between two sections needs the chunk.
template <class S, class A>
void sweep_lines(std::vector<SweptSection<A>>& sections, const ColumnLines<S, A>& lines, std::int64_t first,
                 std::size_t, bool, A* chunk) {
    const S* from = lines.row_in(first);
    S* to = lines.row_out(first);
    if (sections.size() == 1) {
        sections.front().sweep_wide(from, to);
        return;
    }
    sections.front().sweep_wide(from, chunk);
    for (std::size_t k = 1; k + 1 < sections.size(); ++k) sections[k].sweep_wide(chunk, chunk);
    sections.back().sweep_wide(chunk, to);
}

// All sections over a chunk that is there already.
template <class S, class A, std::size_t Lanes>
void sweep_chunk(std::vector<SweptSection<A>>& sections, const RowLines<S, A, Lanes>&, std::size_t count,
                 A* chunk) {
    for (auto& section : sections) section.template sweep_long<Lanes>(chunk, count);
}
template <class S, class A>
void sweep_chunk(std::vector<SweptSection<A>>& sections, const ColumnLines<S, A>&, std::size_t, A* chunk) {
    for (auto& section : sections) section.sweep_wide(chunk, chunk);
}

// The same where the pass reads, writes or adds the scratch line, which is kept sample by sample of every
// lane.
template <class S, class A, class Lines>
void sweep_with_scratch(const Pass& pass, std::vector<SweptSection<A>>& sections, const Lines& lines,
                        std::int64_t first, std::size_t count, S* scratch, A* chunk) {
    const std::size_t lanes = lines.lanes();
    // The place of the chunk's sample t.
    const auto aside = [&](std::size_t t) {
        const auto index = static_cast<std::size_t>(first) + (pass.reversed ? count - 1 - t : t);
        return scratch + index * lanes;
    };
    if (pass.from_scratch) {
        for (std::size_t t = 0; t < count; ++t) std::copy_n(aside(t), lanes, chunk + t * lanes);
    } else {
        lines.load(first, count, pass.reversed, chunk);
    }
    sweep_chunk(sections, lines, count, chunk);
    if (pass.add_scratch) {
        for (std::size_t t = 0; t < count; ++t) {
            const S* other = aside(t);
            A* samples = chunk + t * lanes;
            for (std::size_t l = 0; l < lanes; ++l) samples[l] += static_cast<A>(other[l]);
        }
    }
    if (!pass.to_scratch) {
        lines.store(first, count, pass.reversed, chunk);
        return;
    }
    for (std::size_t t = 0; t < count; ++t) {
        const A* samples = chunk + t * lanes;
        std::transform(samples, samples + lanes, aside(t), [](A sample) { return static_cast<S>(sample); });
    }
}

// Under a periodic extension the line itself lies before its first sample, so a NaN or infinity anywhere in
// it is in the past of every sample; a start state made from the nearest samples need not have met it. No
// recurrence forgets one: it is in the state that the sweep ended with.
template <class S, class A, class Lines>
void spread_non_finite(const Pass& pass, const std::vector<SweptSection<A>>& sections, const Lines& lines,
                       S* scratch) {
    const std::size_t lanes = lines.lanes();
    for (std::size_t l = 0; l < lanes; ++l) {
        const bool finite = std::ranges::all_of(sections, [l](const SweptSection<A>& section) {
            return std::isfinite(section.s1[l]) && std::isfinite(section.s2[l]);
        });
        if (finite) continue;
        constexpr S nan = std::numeric_limits<S>::quiet_NaN();
        if (!pass.to_scratch) {
            lines.fill_lane(l, nan);
        } else {
            for (std::int64_t i = 0; i < lines.length(); ++i)
                scratch[static_cast<std::size_t>(i) * lanes + l] = nan;
        }
    }
}

// All passes of an axis over one band of rows or tile of columns. Returns false when it was stopped.
template <class S, class A, class Lines>
bool run_lines(const std::vector<Pass>& passes, const CpuJob& job, Lines lines, const RunControl& control) {
    const std::int64_t n = lines.length();
    const std::size_t lanes = lines.lanes();
    std::vector<A> chunk(Lines::chunk_length * lanes);
    std::vector<S> scratch;  // one line of every lane, sample by sample, where a pass keeps its result aside
    const auto scratch_at = [&](std::int64_t index) {
        return scratch.data() + static_cast<std::size_t>(index) * lanes;
    };
    if (std::ranges::any_of(passes, &Pass::to_scratch)) scratch.resize(static_cast<std::size_t>(n) * lanes);

    std::int64_t since_stop = 0;
    for (const Pass& pass : passes) {
        const LoadLanes load = [&](std::int64_t index, double* out) {
            const std::int64_t at = pass.reversed ? n - 1 - index : index;
            if (pass.from_scratch) {
                std::copy_n(scratch_at(at), lanes, out);
            } else {
                lines.load_at(at, out);
            }
        };
        const auto states = start_states(pass, n, lanes, job.border, job.start, load);
        std::vector<SweptSection<A>> sections;
        for (std::size_t k = 0; k < states.size(); ++k) sections.emplace_back(pass.sections[k], states[k]);

        for (std::int64_t done = 0; done < n;) {
            const auto count = static_cast<std::size_t>(
                std::min<std::int64_t>(static_cast<std::int64_t>(Lines::chunk_length), n - done));
            const std::int64_t first = pass.reversed ? n - done - static_cast<std::int64_t>(count) : done;
            if (pass.from_scratch || pass.to_scratch || pass.add_scratch) {
                sweep_with_scratch(pass, sections, lines, first, count, scratch.data(), chunk.data());
            } else {
                sweep_lines(sections, lines, first, count, pass.reversed, chunk.data());
            }
            done += static_cast<std::int64_t>(count);
            since_stop += static_cast<std::int64_t>(count * lanes);
            if (since_stop >= samples_between_stops) {
                since_stop = 0;
                if (control.stop.stop_requested()) return false;
            }
        }
        if (job.start == Start::steady && is_periodic(job.border)) {
            spread_non_finite(pass, sections, lines, scratch.data());
        }
        if (!pass.to_scratch) lines.read_output_from_now();
    }
    return true;
}

// Columns per tile: wide enough to stream, narrow enough that every thread has one.
std::int64_t tile_width(const CpuJob& job, std::int64_t width, std::int64_t planes, int threads) {
    const bool alone = threads == 1 && std::ranges::none_of(job.vertical, &Pass::to_scratch);
    const std::int64_t per_thread = (width * planes + threads - 1) / threads;
    const std::int64_t share = (per_thread + 15) / 16 * 16;
    return std::clamp<std::int64_t>(std::min(share, alone ? column_tile_alone : column_tile_shared), 1,
                                    width);
}

template <class S, class A>
Result<void> run(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                 const RunControl& control) {
    const std::int64_t planes = x.shape.n * x.shape.c;
    const std::int64_t width = x.shape.w;
    const std::int64_t height = x.shape.h;
    const int threads = threads_worth(job, planes * width * height);
    const auto plane_of = [&](std::int64_t p) {
        return LinePlane<S>{static_cast<const S*>(x.data) + p * x.plane_stride,
                            static_cast<S*>(y.data) + p * y.plane_stride, x.row_stride, y.row_stride};
    };
    std::atomic<bool> stopped{false};

    const auto band = static_cast<std::int64_t>(row_lanes);
    const std::int64_t bands = (height + band - 1) / band;
    const bool rows_done =
        support::parallel_for(threads, planes * bands, control, {0.0, 0.5}, [&](std::int64_t i) {
            const support::FlushDenormals flush;
            const std::int64_t first = i % bands * band;
            const auto rows = static_cast<std::size_t>(std::min(band, height - first));
            const RowLines<S, A, row_lanes> lines(plane_of(i / bands), first, rows, width);
            if (!run_lines<S, A>(job.horizontal, job, lines, control)) stopped = true;
        });

    const std::int64_t tile = tile_width(job, width, planes, threads);
    const std::int64_t tiles = (width + tile - 1) / tile;
    const bool columns_done =
        rows_done && !stopped &&
        support::parallel_for(threads, planes * tiles, control, {0.5, 1.0}, [&](std::int64_t i) {
            const support::FlushDenormals flush;
            LinePlane<S> plane = plane_of(i / tiles);
            plane.in = plane.out;
            plane.in_stride = plane.out_stride;
            const std::int64_t first = i % tiles * tile;
            const auto columns = static_cast<std::size_t>(std::min(tile, width - first));
            const ColumnLines<S, A> lines(plane, first, columns, height);
            if (!run_lines<S, A>(job.vertical, job, lines, control)) stopped = true;
        });
    if (!columns_done || stopped) {
        return std::unexpected(Error{ErrorCode::cancelled, "the filter was cancelled"});
    }
    return {};
}

}  // namespace

Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control) {
    return with_types(job.precision, [&]<class S, class A>() { return run<S, A>(job, x, y, control); });
}

}  // namespace iir2d::iir
