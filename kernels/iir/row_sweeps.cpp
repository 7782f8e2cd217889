// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/row_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include <algorithm>
#include <array>

#include "kernels/iir/tile_sweeps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

constexpr std::uintptr_t page = 4096;

template <class S, class A, std::int64_t Height>
struct Tile {
    alignas(64) S edge[tile_samples<Height>];  // in rows, of a tile that is not whole
    alignas(64) S by_column[tile_samples<Height>];
    alignas(64) S swept[tile_samples<Height>];
    alignas(64) S rooms[page / sizeof(S) + tile_samples<Height>];

    // Room for the tile in rows, away from where it goes within a page: a load waits for a store shortly
    // before it whose address agrees with its own in the lowest 12 bits (4K aliasing).
    S* by_row(const S* target) {
        const auto address = [](const S* at) { return reinterpret_cast<std::uintptr_t>(at); };
        const std::uintptr_t away = (address(target) + page / 2 - address(rooms)) % page / 64 * 64;
        return rooms + away / sizeof(S);
    }
};

template <bool NonTemporal, std::int64_t Height, class S>
HWY_NOINLINE void store_rows(const S* by_row, S* out, std::int64_t stride) {
    constexpr std::int64_t n = wide_lanes<S>;
    const Tag<S, n> d;
    for (std::int64_t r = 0; r < Height; ++r) {
        for (std::int64_t c = 0; c < tile_columns; c += n) {
            const auto v = hn::LoadU(d, by_row + r * tile_columns + c);
            if constexpr (NonTemporal) {
                hn::Stream(v, d, out + r * stride + c);
            } else {
                hn::StoreU(v, d, out + r * stride + c);
            }
        }
    }
}

// Rows of a tile to columns, or columns to rows, as they are.
template <std::int64_t Height, class S, class A>
void turn(const Places<S>& places, S* by_row) {
    sweep_squares<1, 0, false, Height, S, A>(nullptr, places, {}, 0, by_row, false);
}

// Columns of a part of a band to tile.edge, in which what is not copied stays as it is.
template <class S, class A, std::int64_t Height>
HWY_INLINE void copy_rows(const RowsSweep<S, A>& part, std::int64_t column, std::int64_t columns,
                          Tile<S, A, Height>& tile) {
    for (std::int64_t r = 0; r < part.rows; ++r)
        std::copy_n(part.in + r * part.in_stride + column, columns, tile.edge + r * tile_columns);
}

// What is left of a tile with fewer columns or rows that has gone along its rows: down, and out.
template <class S, class A, std::int64_t Height>
HWY_NOINLINE void finish_some(const RowsSweep<S, A>& part, std::int64_t column, std::int64_t columns,
                              S* by_row, Tile<S, A, Height>& tile) {
    if (part.downward != Downward::none) {
        S* to = part.downward == Downward::filter ? by_row : tile.swept;
        sweep_cascade(*part.down, by_row, tile_columns, to, tile_columns, part.rows, columns,
                      LaneStates<A>{part.down_states.first + column, part.down_states.stride},
                      Store<S>{to, tile_columns});
    }
    for (std::int64_t r = 0; r < part.rows; ++r)
        std::copy_n(by_row + r * tile_columns, columns, part.out + r * part.out_stride + column);
}

// The steps of a whole tile, chosen once for a part of a band.
template <class S, class A, std::int64_t Height>
class TileSteps {
  public:
    TileSteps(const RowsSweep<S, A>& part, bool non_temporal, Tile<S, A, Height>& tile)
        : m_low(part.rows < Height), m_prefetch(part.reversed && !non_temporal), m_tile(tile) {
        go_along(part);
        if (m_low) {
            std::fill(std::begin(tile.edge), std::end(tile.edge), S(0));
        } else if (part.out != nullptr) {
            go_down(part, non_temporal);
        }
    }

    // The tile of that number from the left; `begins` where the row does.
    void sweep_tile(std::int64_t number, bool begins) {
        S* const out = m_out == nullptr ? nullptr : m_out + number * tile_columns;
        S* const by_row = out == nullptr ? nullptr : m_tile.by_row(out);
        if (m_prefetch && out != nullptr) {
            constexpr std::int64_t line = 64 / sizeof(S);
            unrolled<Height>([&](auto r) {
                for (std::int64_t c = 0; c < tile_columns; c += line)
                    prefetch_back<support::Access::write>(out + r * m_out_stride + c);
            });
        }
        sweep_along(number, by_row, begins);
        if (out == nullptr) return;
        const S* from = by_row;
        for (std::size_t i = 0; i < m_down_count; ++i) {
            const Down& d = m_down[i];
            S* to = d.to == Down::To::out ? out : d.to == Down::To::by_row ? by_row : m_tile.swept;
            d.sweep(d.sections, from, to, d.to == Down::To::out ? m_out_stride : tile_columns, d.states,
                    number);
            from = to;
        }
        if (m_store != nullptr) m_store(by_row, out, m_out_stride);
    }

    // Likewise of a band with fewer rows than a whole one, as if the others were zeros.
    void sweep_low_tile(const RowsSweep<S, A>& part, std::int64_t number, bool begins) {
        const std::int64_t column = number * tile_columns;
        if (part.in != nullptr) {
            copy_rows(part, column, tile_columns, m_tile);
            S* to = part.kept == nullptr ? m_tile.by_column : part.kept + number * tile_samples<Height>;
            turn<Height, S, A>({.rows = m_tile.edge, .stride = tile_columns, .to = to}, nullptr);
        }
        S* const by_row = part.out == nullptr ? nullptr : m_tile.by_row(part.out + column);
        sweep_along(number, by_row, begins);
        if (by_row != nullptr) finish_some(part, column, tile_columns, by_row, m_tile);
    }

    // Sections at most, in each direction; with more, tiles go the way of those that are not whole.
    static constexpr std::size_t most = 8;

  private:
    struct Along {
        void (*sweep)(const SectionStep<A>*, const Places<S>&, const LaneStates<A>&, std::int64_t, S*, bool);
        const SectionStep<A>* sections;
        LaneStates<A> states;
        Places<S> places;
    };
    struct Down {
        enum class To { by_row, swept, out };  // `swept` also where nothing is kept
        void (*sweep)(const SectionStep<A>*, const S*, S*, std::int64_t, const LaneStates<A>&, std::int64_t);
        const SectionStep<A>* sections;
        LaneStates<A> states;
        To to;
    };

    void sweep_along(std::int64_t number, S* by_row, bool begins) {
        for (std::size_t i = 0; i < m_along_count; ++i) {
            const Along& a = m_along[i];
            a.sweep(a.sections, a.places, a.states, number, i + 1 == m_along_count ? by_row : nullptr,
                    begins);
        }
    }

    void go_along(const RowsSweep<S, A>& part) {
        Along next{};
        next.states = part.states;
        if (part.in != nullptr && !m_low) {
            next.places.rows = part.in;
            next.places.stride = part.in_stride;
            next.places.kept = part.kept;
        } else if (part.in != nullptr && part.kept == nullptr) {
            next.places.from = m_tile.by_column;
        } else if (part.in != nullptr) {
            next.places.from = part.kept;
            next.places.from_step = tile_samples<Height>;
        } else {
            next.places.from = part.from;
            next.places.from_step = tile_samples<Height>;
        }
        const auto goes_out = [&] {
            next.places.to = part.to;
            next.places.to_step = tile_samples<Height>;
        };
        if (part.cascade == nullptr) {
            next.sweep = sweep_squares<1, 0, false, Height, S, A>;
            goes_out();
            m_along[m_along_count++] = next;
            return;
        }
        for_each_sweep(*part.cascade, part.states,
                       [&]<int Terms, std::int64_t Count>(const SectionStep<A>* sections,
                                                          const LaneStates<A>& states, bool is_last) {
                           next.sweep = part.reversed ? sweep_squares<Terms, Count, true, Height, S, A>
                                                      : sweep_squares<Terms, Count, false, Height, S, A>;
                           next.sections = sections;
                           next.states = states;
                           if (is_last) {
                               goes_out();
                               next.places.add = part.add;
                           } else {
                               next.places.to = m_tile.by_column;
                           }
                           m_along[m_along_count++] = next;
                           next.places = {};
                           next.places.from = m_tile.by_column;
                       });
    }

    void go_down(const RowsSweep<S, A>& part, bool non_temporal) {
        // Stored straight from the registers where that fills whole cache lines.
        constexpr bool whole_lines = 2 * wide_lanes<A> * sizeof(S) >= 64;
        const bool filter = part.downward == Downward::filter;
        const bool straight = whole_lines && filter;
        if (!straight) m_store = non_temporal ? store_rows<true, Height, S> : store_rows<false, Height, S>;
        m_out = part.out;
        m_out_stride = part.out_stride;
        if (part.downward == Downward::none) return;
        for_each_sweep(*part.down, part.down_states,
                       [&]<int Terms, std::int64_t Count>(const SectionStep<A>* sections,
                                                          const LaneStates<A>& states, bool is_last) {
                           constexpr Kept streamed = whole_lines ? Kept::streamed : Kept::stored;
                           const bool out = straight && is_last;
                           auto sweep = out && non_temporal
                                            ? sweep_down<Terms, Count, streamed, Height, S, A>
                                            : sweep_down<Terms, Count, Kept::stored, Height, S, A>;
                           if constexpr (Terms == 3 && Count == 1) {
                               if (!filter && is_last)
                                   sweep = sweep_down<Terms, Count, Kept::nothing, Height, S, A>;
                           }
                           m_down[m_down_count++] = {sweep, sections, states,
                                                     out      ? Down::To::out
                                                     : filter ? Down::To::by_row
                                                              : Down::To::swept};
                       });
    }

    bool m_low;       // fewer rows than a whole band
    bool m_prefetch;  // what is written: such stores read the cache line first
    Tile<S, A, Height>& m_tile;
    std::size_t m_along_count = 0;
    std::size_t m_down_count = 0;
    std::array<Along, most> m_along;
    std::array<Down, most> m_down;
    void (*m_store)(const S*, S*, std::int64_t) = nullptr;
    S* m_out = nullptr;
    std::int64_t m_out_stride = 0;
};

// A tile with fewer columns, or of more sections than TileSteps has room for.
template <class S, class A, std::int64_t Height>
HWY_NOINLINE void sweep_edge(const RowsSweep<S, A>& part, std::int64_t t, std::int64_t columns,
                             Tile<S, A, Height>& tile) {
    const auto in_line = [&](auto* line) { return line == nullptr ? line : line + t * tile_samples<Height>; };
    const std::int64_t column = t * tile_columns;
    const S* from = in_line(part.from);
    if (part.in != nullptr) {
        std::fill(std::begin(tile.edge), std::end(tile.edge), S(0));
        copy_rows(part, column, columns, tile);
        turn<Height, S, A>({.rows = tile.edge, .stride = tile_columns, .to = tile.by_column}, nullptr);
        from = tile.by_column;
        if (part.kept != nullptr) std::copy_n(from, columns * Height, in_line(part.kept));
    }
    if (part.cascade != nullptr) {
        S* to = part.to != nullptr ? in_line(part.to) : tile.by_column;
        const bool begins = part.begins && (part.reversed ? column + columns == part.columns : t == 0);
        for_each_sweep(
            *part.cascade, part.states,
            [&]<int Terms, std::int64_t Count>(const SectionStep<A>* sections, const LaneStates<A>& states,
                                               bool is_last) {
                const Places<S> places{.from = from, .add = is_last ? in_line(part.add) : nullptr, .to = to};
                sweep_some<Terms, Count, Height>(sections, places, columns, part.reversed, states, begins);
                from = to;
            });
    } else if (part.to != nullptr) {
        std::copy_n(from, columns * Height, in_line(part.to));
    }
    if (part.out == nullptr) return;
    S* by_row = tile.by_row(part.out + column);
    turn<Height, S, A>({.from = from}, by_row);
    finish_some(part, column, columns, by_row, tile);
}

template <class S, class A, std::int64_t Height>
HWY_NOINLINE void rows(const RowsSweep<S, A>& part) {
    Tile<S, A, Height> tile;
    constexpr std::uintptr_t alignment = std::max<std::uintptr_t>(32, wide_lanes<S> * sizeof(S));
    const auto aligned = [](auto bytes) { return static_cast<std::uintptr_t>(bytes) % alignment == 0; };
    const bool non_temporal = part.non_temporal && aligned(reinterpret_cast<std::uintptr_t>(part.out)) &&
                              aligned(part.out_stride * static_cast<std::int64_t>(sizeof(S)));
    const std::int64_t tiles = (part.columns + tile_columns - 1) / tile_columns;
    const auto fits = [](const Cascade<A>* c) {
        return c == nullptr || c->size() <= TileSteps<S, A, Height>::most;
    };
    const bool in_steps = fits(part.cascade) && fits(part.down);
    const std::int64_t whole = in_steps ? part.columns / tile_columns : 0;
    const auto edge = [&](std::int64_t t) {
        sweep_edge(part, t, std::min(tile_columns, part.columns - t * tile_columns), tile);
    };
    if (part.reversed) {
        for (std::int64_t t = tiles - 1; t >= whole; --t) edge(t);
    }
    if (whole > 0) {
        TileSteps<S, A, Height> steps(part, non_temporal, tile);
        for (std::int64_t i = 0; i < whole; ++i) {
            const std::int64_t t = part.reversed ? whole - 1 - i : i;
            const bool first = part.reversed ? (t + 1) * tile_columns == part.columns : t == 0;
            if (part.rows == Height) {
                steps.sweep_tile(t, part.begins && first);
            } else {
                steps.sweep_low_tile(part, t, part.begins && first);
            }
        }
    }
    if (!part.reversed) {
        for (std::int64_t t = whole; t < tiles; ++t) edge(t);
    }
}

// Sweeps a band as high as the longest vectors have lanes, or one of least_band_rows.
template <class S, class A>
HWY_INLINE void rows_of_either_height(const RowsSweep<S, A>& part) {
    if constexpr (least_band_rows < tallest_band<A>) {
        if (part.height == least_band_rows) return rows<S, A, least_band_rows>(part);
    }
    rows<S, A, tallest_band<A>>(part);
}

std::int64_t bytes() {
    return HWY_MAX_BYTES;
}
void rows_f32(const RowsSweep<float, float>& part) {
    rows_of_either_height(part);
}
void rows_mixed(const RowsSweep<float, double>& part) {
    rows_of_either_height(part);
}
void rows_f64(const RowsSweep<double, double>& part) {
    rows_of_either_height(part);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(bytes);
HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_mixed);
HWY_EXPORT(rows_f64);

std::int64_t vector_bytes() {
    return HWY_DYNAMIC_DISPATCH(bytes)();
}
void finish_stores() {
    hwy::FlushStream();
}
void sweep_rows(const RowsSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(rows_f32)(part);
}
void sweep_rows(const RowsSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(rows_mixed)(part);
}
void sweep_rows(const RowsSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(rows_f64)(part);
}

}  // namespace iir2d::iir
#endif
