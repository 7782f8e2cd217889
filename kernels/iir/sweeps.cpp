// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/iir/sweeps.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits where there are so many, never more: a band is then two vectors of floats high.
template <class T>
constexpr std::int64_t lanes = std::min<std::int64_t>(HWY_MAX_BYTES, 32) / sizeof(T);
template <class T, std::int64_t N = lanes<T>>
using Tag = hn::FixedTag<T, N>;
template <class T, std::int64_t N = lanes<T>>
using Vector = hn::Vec<Tag<T, N>>;

// How far ahead tiles are fetched.
constexpr std::int64_t tiles_ahead = 3;

#if defined(IIR2D_HAVE_HIGHWAY)
// A square of vectors: row i, lane j becomes row j, lane i.
template <class T>
HWY_INLINE void transpose(Vector<T>* v) {
    const Tag<T> d;
    if constexpr (lanes<T> == 2) {
        const auto a = hn::InterleaveLower(d, v[0], v[1]);
        v[1] = hn::InterleaveUpper(d, v[0], v[1]);
        v[0] = a;
    } else if constexpr (sizeof(T) == 8) {
        const auto a0 = hn::InterleaveLower(d, v[0], v[1]);
        const auto a1 = hn::InterleaveUpper(d, v[0], v[1]);
        const auto a2 = hn::InterleaveLower(d, v[2], v[3]);
        const auto a3 = hn::InterleaveUpper(d, v[2], v[3]);
        v[0] = hn::ConcatLowerLower(d, a2, a0);
        v[1] = hn::ConcatLowerLower(d, a3, a1);
        v[2] = hn::ConcatUpperUpper(d, a2, a0);
        v[3] = hn::ConcatUpperUpper(d, a3, a1);
    } else {
        const hn::RepartitionToWide<Tag<T>> dw;
        const auto pair = [&](auto a, auto b) { return hn::BitCast(dw, hn::InterleaveLower(d, a, b)); };
        const auto upper_pair = [&](auto a, auto b) { return hn::BitCast(dw, hn::InterleaveUpper(d, a, b)); };
        // Four rows to the four columns of each 128-bit block.
        const auto four = [&](Vector<T>* r) {
            const auto l01 = pair(r[0], r[1]);
            const auto l23 = pair(r[2], r[3]);
            const auto u01 = upper_pair(r[0], r[1]);
            const auto u23 = upper_pair(r[2], r[3]);
            r[0] = hn::BitCast(d, hn::InterleaveLower(dw, l01, l23));
            r[1] = hn::BitCast(d, hn::InterleaveUpper(dw, l01, l23));
            r[2] = hn::BitCast(d, hn::InterleaveLower(dw, u01, u23));
            r[3] = hn::BitCast(d, hn::InterleaveUpper(dw, u01, u23));
        };
        four(v);
        if constexpr (lanes<T> == 8) {
            four(v + 4);
            for (int i = 0; i < 4; ++i) {
                const auto low = hn::ConcatLowerLower(d, v[4 + i], v[i]);
                v[4 + i] = hn::ConcatUpperUpper(d, v[4 + i], v[i]);
                v[i] = low;
            }
        }
    }
}
#else
template <class T>
HWY_INLINE void transpose(Vector<T>* v) {
    for (std::size_t i = 0; i < lanes<T>; ++i) {
        for (std::size_t j = 0; j < i; ++j) std::swap(v[i].lane[j], v[j].lane[i]);
    }
}
#endif

// to[j][i] = from[i][j], rows `from_stride` and `to_stride` apart.
template <class S>
HWY_NOINLINE void transpose_tile(const S* from, std::int64_t from_stride, std::int64_t rows, S* to,
                                 std::int64_t to_stride, std::int64_t columns) {
    constexpr std::int64_t n = lanes<S>;
    const Tag<S> d;
    for (std::int64_t r = 0; r < rows; r += n) {
        for (std::int64_t c = 0; c < columns; c += n) {
            Vector<S> v[n];
            for (std::int64_t i = 0; i < n; ++i) v[i] = hn::LoadU(d, from + (r + i) * from_stride + c);
            transpose<S>(v);
            for (std::int64_t i = 0; i < n; ++i) hn::StoreU(v[i], d, to + (c + i) * to_stride + r);
        }
    }
}

// Samples as arithmetic sees them, and back.
template <class D, class S>
HWY_INLINE auto load_as(D d, const S* from) {
    if constexpr (sizeof(S) == sizeof(hn::TFromD<D>)) {
        return hn::LoadU(d, from);
    } else {
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<S, D>(), from));
    }
}
template <bool PastCaches = false, class D, class V, class S>
HWY_INLINE void store_from(D, const V& v, S* to) {
    const hn::Rebind<S, D> d;
    const auto as_stored = [&] {
        if constexpr (sizeof(S) == sizeof(hn::TFromD<D>)) {
            return v;
        } else {
            return hn::DemoteTo(d, v);
        }
    }();
    if constexpr (PastCaches && hn::MaxLanes(hn::Rebind<S, D>()) * sizeof(S) >= 16) {
        hn::Stream(as_stored, d, to);
    } else {
        hn::StoreU(as_stored, d, to);
    }
}

template <int Terms, class V>
HWY_INLINE V step(const Coefficients<V>& c, const V& x, V& s1, V& s2) {
    const V y = hn::Add(hn::Mul(c.b0, x), s1);
    if constexpr (Terms == 1) {
        s1 = hn::Mul(c.a1, y);
    } else if constexpr (Terms == 2) {
        s1 = hn::Add(hn::Mul(c.c1, x), hn::Mul(c.a1, s1));
    } else {
        const V next = hn::Add(hn::Add(hn::Mul(c.c1, x), s2), hn::Mul(c.a1, s1));
        s2 = hn::Add(hn::Mul(c.c2, x), hn::Mul(c.a2, s1));
        s1 = next;
    }
    return y;
}

// Where a sweep's results go: sample t of lane l.
template <class S, bool PastCaches = false>
struct Store {
    S* to;
    std::int64_t pitch;
    template <class D, class V>
    HWY_INLINE void operator()(D d, const V& v, std::int64_t t, std::int64_t l) const {
        store_from<PastCaches>(d, v, to + t * pitch + l);
    }
};
template <class S>
struct AddAndStore {
    S* to;
    std::int64_t pitch;
    const S* add;
    std::int64_t add_pitch;
    template <class D, class V>
    HWY_INLINE void operator()(D d, const V& v, std::int64_t t, std::int64_t l) const {
        store_from(d, hn::Add(v, load_as(d, add + t * add_pitch + l)), to + t * pitch + l);
    }
};

// What a sweep along rows does on the side, sixteen samples of a tile at each of its steps, because its chain
// leaves the machine idle enough: rows come in and go out in whole cache lines. Rows whose distance is a
// power of two meet in one set of the first-level cache, which holds fewer lines than a band has rows.
template <class S>
struct OnTheSide {
    const S* in = nullptr;  // the next tile, to `waiting`
    std::int64_t in_stride = 0;
    S* waiting = nullptr;
    const S* fetch = nullptr;  // one that comes later, to the caches
    const S* done = nullptr;   // the tile before, to `out`
    std::int64_t rows = 0;
    S* out = nullptr;
    std::int64_t out_stride = 0;
    bool past_caches = false;
    const S* claim = nullptr;  // where this tile will go

    HWY_INLINE void operator()(std::int64_t t) const {
        constexpr std::int64_t pieces = tile_columns / band_rows;
        const std::int64_t row = t / pieces;
        const std::int64_t column = t % pieces * band_rows;
        const std::int64_t packed = t * band_rows;
        if (in != nullptr) copy_piece<false>(in + row * in_stride + column, waiting + packed);
        if (fetch != nullptr) prefetch_piece(fetch + row * in_stride + column);
        if (claim != nullptr) prefetch_piece(claim + row * out_stride + column);
        if (row < rows) {
            S* to = out + row * out_stride + column;
            if (past_caches) {
                copy_piece<true>(done + packed, to);
            } else {
                copy_piece<false>(done + packed, to);
            }
        }
    }

  private:
    template <bool PastCaches>
    static HWY_INLINE void copy_piece(const S* from, S* to) {
        const Tag<S> d;
        for (std::int64_t c = 0; c < band_rows; c += lanes<S>)
            store_from<PastCaches>(d, hn::LoadU(d, from + c), to + c);
    }
    static HWY_INLINE void prefetch_piece(const S* at) {
        hwy::Prefetch(at);
        if constexpr (sizeof(S) == 8) hwy::Prefetch(at + band_rows / 2);
    }
};
struct NothingOnTheSide {
    HWY_INLINE void operator()(std::int64_t) const {}
};

// One section over `count` samples, `pitch` apart, of lanes [first, last): groups of vectors hide the latency
// of one chain. Returns the first lane that did not fill a group.
template <int Terms, std::int64_t Group, std::int64_t N, class S, class A, class Put, class Side>
HWY_INLINE std::int64_t sweep_groups(const Coefficients<A>& c, const S* from, std::int64_t pitch,
                                     std::int64_t count, std::int64_t first, std::int64_t last, A* s1, A* s2,
                                     const Put& where, const Side& also) {
    const Tag<A, N> d;
    // Copies, which no store can change.
    const Put put = where;
    const Side side = also;
    using V = Vector<A, N>;
    const Coefficients<V> v{hn::Set(d, c.b0), hn::Set(d, c.a1), hn::Set(d, c.a2), hn::Set(d, c.c1),
                            hn::Set(d, c.c2)};
    std::int64_t l = first;
    for (; l + Group * N <= last; l += Group * N) {
        V r1[Group];
        V r2[Group];
        for (std::int64_t k = 0; k < Group; ++k) {
            r1[k] = hn::LoadU(d, s1 + l + k * N);
            if constexpr (Terms == 3) r2[k] = hn::LoadU(d, s2 + l + k * N);
        }
        for (std::int64_t t = 0; t < count; ++t) {
            const S* at = from + t * pitch + l;
            if (l == 0) side(t);
            for (std::int64_t k = 0; k < Group; ++k) {
                const V x = load_as(d, at + k * N);
                put(d, step<Terms>(v, x, r1[k], r2[k]), t, l + k * N);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(r1[k], d, s1 + l + k * N);
            if constexpr (Terms == 3) hn::StoreU(r2[k], d, s2 + l + k * N);
        }
    }
    return l;
}

// All lanes of a band. Inlining it, or transpose_tile(), gains nothing and takes minutes to compile.
template <int Terms, class S, class A, class Put>
HWY_NOINLINE void sweep_lanes(const Coefficients<A>& c, const S* from, std::int64_t pitch, std::int64_t count,
                              std::int64_t width, A* s1, A* s2, const Put& put, const OnTheSide<S>& side) {
    constexpr std::int64_t group = std::min<std::int64_t>(4, band_rows / lanes<A>);
    sweep_groups<Terms, group, lanes<A>>(c, from, pitch, count, 0, width, s1, s2, put, side);
}

// Any number of lanes.
template <int Terms, class S, class A, class Put>
HWY_NOINLINE void sweep_lanes(const Coefficients<A>& c, const S* from, std::int64_t pitch, std::int64_t count,
                              std::int64_t width, A* s1, A* s2, const Put& put, NothingOnTheSide side) {
    std::int64_t l = sweep_groups<Terms, 4, lanes<A>>(c, from, pitch, count, 0, width, s1, s2, put, side);
    l = sweep_groups<Terms, 1, lanes<A>>(c, from, pitch, count, l, width, s1, s2, put, side);
    sweep_groups<Terms, 1, 1>(c, from, pitch, count, l, width, s1, s2, put, side);
}

template <class S, class A, class Put, class Side>
HWY_INLINE void sweep_section(const SectionStep<A>& section, const S* from, std::int64_t pitch,
                              std::int64_t count, std::int64_t width, A* s1, A* s2, const Put& put,
                              const Side& side) {
    switch (section.terms) {
        case 1:
            return sweep_lanes<1>(section.c, from, pitch, count, width, s1, s2, put, side);
        case 2:
            return sweep_lanes<2>(section.c, from, pitch, count, width, s1, s2, put, side);
        default:
            return sweep_lanes<3>(section.c, from, pitch, count, width, s1, s2, put, side);
    }
}

// A cascade over `count` samples of `width` lanes; all sections but the last leave their results in
// `between`, which may be `from`. The last does something on the side.
template <class S, class A, class Put, class Side>
HWY_INLINE void sweep_cascade(const Cascade<A>& cascade, const S* from, std::int64_t pitch, S* between,
                              std::int64_t between_pitch, std::int64_t count, std::int64_t width,
                              const LaneStates<A>& states, const Put& put, const Side& side) {
    constexpr bool band = std::is_same_v<Side, OnTheSide<S>>;
    const std::conditional_t<band, OnTheSide<S>, NothingOnTheSide> nothing{};
    A* s = states.first;
    for (std::size_t k = 0; k + 1 < cascade.size(); ++k, s += 2 * states.stride) {
        sweep_section(cascade[k], from, pitch, count, width, s, s + states.stride,
                      Store<S>{between, between_pitch}, nothing);
        from = between;
        pitch = between_pitch;
    }
    sweep_section(cascade.back(), from, pitch, count, width, s, s + states.stride, put, side);
}

template <class S>
struct Tile {
    alignas(64) S waiting[tile_samples];
    alignas(64) S by_column[tile_samples];
    alignas(64) S by_row[tile_samples];
    alignas(64) S swept[tile_samples];
};

// The tile back in rows, as far as the columns' first step takes it.
template <class S, class A>
HWY_INLINE void go_down(const RowsSweep<S, A>& part, std::int64_t column, std::int64_t columns, const S* line,
                        S* by_row, S* swept) {
    transpose_tile(line, band_rows, tile_columns, by_row, tile_columns, band_rows);
    if (part.downward == Downward::none) return;
    const LaneStates<A> states{part.down_states.first + column, part.down_states.stride};
    S* to = part.downward == Downward::filter ? by_row : swept;
    sweep_cascade(*part.down, by_row, tile_columns, to, tile_columns, part.rows, columns, states,
                  Store<S>{to, tile_columns}, NothingOnTheSide());
}

template <class S, class A>
HWY_INLINE void rows(const RowsSweep<S, A>& part) {
    Tile<S> tile;
    const auto aligned = [](auto bytes) { return static_cast<std::uintptr_t>(bytes) % 32 == 0; };
    const bool past_caches = part.past_caches && aligned(reinterpret_cast<std::uintptr_t>(part.out)) &&
                             aligned(part.out_stride * static_cast<std::int64_t>(sizeof(S)));
    const std::int64_t tiles = (part.columns + tile_columns - 1) / tile_columns;
    const auto place = [&](std::int64_t i) { return part.reversed ? tiles - 1 - i : i; };
    const auto columns_of = [&](std::int64_t t) {
        return std::min(tile_columns, part.columns - t * tile_columns);
    };
    // The i-th tile's rows, where it is whole and there is one.
    const auto whole_in = [&](std::int64_t i) -> const S* {
        const bool whole = i < tiles && part.rows == band_rows && columns_of(place(i)) == tile_columns;
        return part.in != nullptr && whole ? part.in + place(i) * tile_columns : nullptr;
    };
    OnTheSide<S> side{.in_stride = part.in_stride,
                      .waiting = tile.waiting,
                      .done = tile.by_row,
                      .out_stride = part.out_stride,
                      .past_caches = past_caches};
    const auto finish_side = [&](std::int64_t t) {
        for (side.fetch = side.claim = nullptr; t < tile_columns; ++t) side(t);
        side.rows = 0;
    };
    side.in = whole_in(0);
    finish_side(0);
    for (std::int64_t i = 0; i < tiles; ++i) {
        const std::int64_t t = place(i);
        const std::int64_t column = t * tile_columns;
        const std::int64_t columns = columns_of(t);
        const auto in_line = [&](auto* line) {
            return line == nullptr ? tile.by_column : line + t * tile_samples;
        };
        S* from = in_line(part.from);
        S* to = part.cascade != nullptr ? in_line(part.to) : from;
        if (part.in != nullptr) {
            if (side.in == nullptr) {
                std::fill(std::begin(tile.waiting), std::end(tile.waiting), S(0));
                for (std::int64_t r = 0; r < part.rows; ++r)
                    std::copy_n(part.in + r * part.in_stride + column, columns,
                                tile.waiting + r * tile_columns);
            }
            transpose_tile(tile.waiting, tile_columns, band_rows, from, band_rows, tile_columns);
            side.in = whole_in(i + 1);
            side.fetch = whole_in(i + tiles_ahead);
        } else if (part.next != nullptr && columns == tile_columns) {
            side.fetch = part.next + column;
        }
        if (part.out != nullptr && !past_caches && columns == tile_columns && part.rows == band_rows)
            side.claim = part.out + column;
        if (part.cascade != nullptr) {
            const std::int64_t start = part.reversed ? (columns - 1) * band_rows : 0;
            const std::int64_t pitch = part.reversed ? -band_rows : band_rows;
            const auto along = [&](const auto& put) {
                sweep_cascade(*part.cascade, from + start, pitch, to + start, pitch, columns, band_rows,
                              part.states, put, side);
            };
            if (part.add != nullptr) {
                along(AddAndStore<S>{to + start, pitch, part.add + t * tile_samples + start, pitch});
            } else {
                along(Store<S>{to + start, pitch});
            }
        }
        finish_side(part.cascade != nullptr ? columns : 0);
        if (part.out == nullptr) continue;
        go_down(part, column, columns, to, tile.by_row, tile.swept);
        side.out = part.out + column;
        side.rows = part.rows;
        if (columns < tile_columns) {
            for (std::int64_t r = 0; r < part.rows; ++r)
                std::copy_n(tile.by_row + r * tile_columns, columns, side.out + r * part.out_stride);
            side.rows = 0;
        }
    }
    side.in = nullptr;
    finish_side(0);
    if (past_caches) hwy::FlushStream();
}

template <class S, class A>
HWY_INLINE void columns(const ColumnsSweep<S, A>& part) {
    // A few rows at once, so that states are loaded and stored less often than samples, and memory is still
    // read along rows.
    const std::int64_t at_once = part.columns < 4 * tile_columns ? part.rows : 4;
    for (std::int64_t r = 0; r < part.rows; r += at_once) {
        const std::int64_t count = std::min(at_once, part.rows - r);
        const S* from = part.from + r * part.from_stride;
        S* to = part.to + r * part.to_stride;
        const auto down = [&](const auto& put) {
            sweep_cascade(*part.cascade, from, part.from_stride, to, part.to_stride, count, part.columns,
                          part.states, put, NothingOnTheSide());
        };
        if (part.add != nullptr) {
            down(AddAndStore<S>{to, part.to_stride, part.add + r * part.add_stride, part.add_stride});
        } else {
            down(Store<S>{to, part.to_stride});
        }
    }
}

void rows_f32(const RowsSweep<float, float>& part) {
    rows(part);
}
void rows_mixed(const RowsSweep<float, double>& part) {
    rows(part);
}
void rows_f64(const RowsSweep<double, double>& part) {
    rows(part);
}
void columns_f32(const ColumnsSweep<float, float>& part) {
    columns(part);
}
void columns_mixed(const ColumnsSweep<float, double>& part) {
    columns(part);
}
void columns_f64(const ColumnsSweep<double, double>& part) {
    columns(part);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_mixed);
HWY_EXPORT(rows_f64);
HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_mixed);
HWY_EXPORT(columns_f64);

void sweep_rows(const RowsSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(rows_f32)(part);
}
void sweep_rows(const RowsSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(rows_mixed)(part);
}
void sweep_rows(const RowsSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(rows_f64)(part);
}
void sweep_columns(const ColumnsSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f32)(part);
}
void sweep_columns(const ColumnsSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_mixed)(part);
}
void sweep_columns(const ColumnsSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f64)(part);
}

}  // namespace iir2d::iir
#endif
