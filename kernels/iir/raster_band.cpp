// SPDX-License-Identifier: MIT
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/raster_band.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/iir/raster.h"
#include "kernels/iir/raster_band.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits where there are so many, never more: a tile is then two vectors of floats high.
template <class T>
constexpr std::int64_t lanes = std::min<std::int64_t>(HWY_MAX_BYTES, 32) / sizeof(T);
template <class T>
using Tag = hn::FixedTag<T, lanes<T>>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

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

template <class From, class To>
HWY_INLINE Vector<To> load_as(const From* from) {
    const Tag<To> d;
    if constexpr (sizeof(From) == sizeof(To)) {
        return hn::LoadU(d, from);
    } else if constexpr (sizeof(From) < sizeof(To)) {
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<From, Tag<To>>(), from));
    } else {
        return hn::DemoteTo(d, hn::LoadU(hn::Rebind<From, Tag<To>>(), from));
    }
}

// to[j][i] = from[i][j], rows `from_stride` and `to_stride` apart.
template <class From, class To>
HWY_NOINLINE void transpose_tile(const From* from, std::int64_t from_stride, std::int64_t rows, To* to,
                                 std::int64_t to_stride, std::int64_t columns) {
    constexpr std::int64_t n = lanes<To>;
    for (std::int64_t r = 0; r < rows; r += n) {
        for (std::int64_t c = 0; c < columns; c += n) {
            Vector<To> v[n];
            for (std::int64_t i = 0; i < n; ++i) v[i] = load_as<From, To>(from + (r + i) * from_stride + c);
            transpose<To>(v);
            for (std::int64_t i = 0; i < n; ++i) hn::StoreU(v[i], Tag<To>(), to + (c + i) * to_stride + r);
        }
    }
}

template <int Terms, class V>
HWY_INLINE V step(const V& b0, const V& b1, const V& b2, const V& a1, const V& a2, const V& x, V& s1, V& s2) {
    const V y = hn::Add(hn::Mul(b0, x), s1);
    if constexpr (Terms == 1) {
        s1 = hn::Mul(a1, y);
    } else if constexpr (Terms == 2) {
        s1 = hn::Add(hn::Mul(b1, x), hn::Mul(a1, y));
    } else {
        s1 = hn::Add(hn::Add(hn::Mul(b1, x), s2), hn::Mul(a1, y));
        s2 = hn::Add(hn::Mul(b2, x), hn::Mul(a2, y));
    }
    return y;
}

template <class T>
struct InPlace {
    template <class V>
    HWY_INLINE void operator()(const V& v, T* at, std::int64_t, std::int64_t) const {
        hn::StoreU(v, Tag<T>(), at);
    }
};

// Where the last section's rows go: `put` gets each vector with its row and column.
template <class Out, bool PastCaches>
struct ToOutput {
    Out* out;
    std::int64_t stride;
    template <class V, class T>
    HWY_INLINE void operator()(const V& v, T*, std::int64_t row, std::int64_t column) const {
        Out* at = out + row * stride + column;
        const hn::Rebind<Out, Tag<T>> d;
        if constexpr (sizeof(Out) == sizeof(T)) {
            if constexpr (PastCaches) {
                hn::Stream(v, d, at);
            } else {
                hn::StoreU(v, d, at);
            }
        } else {
            if constexpr (PastCaches && lanes<T> * sizeof(Out) >= 16) {
                hn::Stream(hn::DemoteTo(d, v), d, at);
            } else {
                hn::StoreU(hn::DemoteTo(d, v), d, at);
            }
        }
    }
};

// One section over `count` samples of `width` neighbouring lanes, `pitch` apart. Groups of vectors hide the
// latency of one chain. Inlining it, or transpose_tile(), gains nothing and takes minutes to compile.
template <int Terms, std::int64_t Group, class T, class Put>
HWY_NOINLINE void sweep(const Coefficients<T>& c, T* samples, std::int64_t pitch, std::int64_t count,
                        std::int64_t width, T* s1, T* s2, const Put& put) {
    const Tag<T> d;
    constexpr std::int64_t n = lanes<T>;
    static_assert(tile_columns % (Group * n) == 0);
    const auto b0 = hn::Set(d, c.b0);
    const auto b1 = hn::Set(d, c.b1);
    const auto b2 = hn::Set(d, c.b2);
    const auto a1 = hn::Set(d, c.a1);
    const auto a2 = hn::Set(d, c.a2);
    for (std::int64_t l = 0; l < width; l += Group * n) {
        Vector<T> r1[Group];
        Vector<T> r2[Group];
        for (std::int64_t k = 0; k < Group; ++k) {
            r1[k] = hn::LoadU(d, s1 + l + k * n);
            r2[k] = hn::LoadU(d, s2 + l + k * n);
        }
        for (std::int64_t t = 0; t < count; ++t) {
            T* at = samples + t * pitch + l;
            for (std::int64_t k = 0; k < Group; ++k) {
                const auto x = hn::LoadU(d, at + k * n);
                put(step<Terms>(b0, b1, b2, a1, a2, x, r1[k], r2[k]), at + k * n, t, l + k * n);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(r1[k], d, s1 + l + k * n);
            hn::StoreU(r2[k], d, s2 + l + k * n);
        }
    }
}

template <std::int64_t Group, class T, class Put>
HWY_INLINE void sweep_section(const SectionStep<T>& section, T* samples, std::int64_t pitch,
                              std::int64_t count, std::int64_t width, T* s1, T* s2, const Put& put) {
    switch (section.terms) {
        case 1:
            return sweep<1, Group>(section.c, samples, pitch, count, width, s1, s2, put);
        case 2:
            return sweep<2, Group>(section.c, samples, pitch, count, width, s1, s2, put);
        default:
            return sweep<3, Group>(section.c, samples, pitch, count, width, s1, s2, put);
    }
}

template <class S, class A, class O>
struct Tile {
    // By column, then by row.
    alignas(64) A by_column[tile_columns * band_rows];
    alignas(64) A by_row[band_rows * tile_columns];
    // What the edge of an image does not fill.
    alignas(64) S part_in[band_rows * tile_columns];
    alignas(64) O part_out[band_rows * tile_columns];
};

template <bool PastCaches, class S, class A, class O>
HWY_INLINE void filter_tile(const RasterBand<S, A, O>& band, std::int64_t column, Tile<S, A, O>& tile) {
    const std::int64_t columns = std::min(tile_columns, band.columns - column);
    const bool whole = columns == tile_columns && band.rows == band_rows;
    const S* in = band.in + column;
    std::int64_t in_stride = band.in_stride;
    if (!whole) {
        std::fill(std::begin(tile.part_in), std::end(tile.part_in), S(0));
        for (std::int64_t r = 0; r < band.rows; ++r)
            std::copy_n(in + r * in_stride, columns, tile.part_in + r * tile_columns);
        in = tile.part_in;
        in_stride = tile_columns;
    }
    transpose_tile(in, in_stride, band_rows, tile.by_column, band_rows, tile_columns);
    constexpr std::int64_t row_group = std::min<std::int64_t>(4, band_rows / lanes<A>);
    for (std::size_t k = 0; k < band.horizontal->size(); ++k) {
        A* states = band.row_states + static_cast<std::int64_t>(k) * 2 * band_rows;
        sweep_section<row_group>((*band.horizontal)[k], tile.by_column, band_rows, tile_columns, band_rows,
                                 states, states + band_rows, InPlace<A>());
    }
    transpose_tile(tile.by_column, band_rows, tile_columns, tile.by_row, tile_columns, band_rows);

    O* out = band.out + column;
    const std::size_t sections = band.vertical->size();
    if (sections == 0) {
        for (std::int64_t r = 0; r < band.rows; ++r)
            std::copy_n(tile.by_row + r * tile_columns, columns, out + r * band.out_stride);
        return;
    }
    const auto column_state = [&](std::size_t k) {
        return band.column_states + column + static_cast<std::int64_t>(k) * 2 * band.column_states_stride;
    };
    for (std::size_t k = 0; k + 1 < sections; ++k) {
        A* states = column_state(k);
        sweep_section<4>((*band.vertical)[k], tile.by_row, tile_columns, band.rows, tile_columns, states,
                         states + band.column_states_stride, InPlace<A>());
    }
    A* states = column_state(sections - 1);
    if (whole) {
        const ToOutput<O, PastCaches> put{out, band.out_stride};
        sweep_section<4>(band.vertical->back(), tile.by_row, tile_columns, band.rows, tile_columns, states,
                         states + band.column_states_stride, put);
        return;
    }
    const ToOutput<O, false> put{tile.part_out, tile_columns};
    sweep_section<4>(band.vertical->back(), tile.by_row, tile_columns, band.rows, tile_columns, states,
                     states + band.column_states_stride, put);
    for (std::int64_t r = 0; r < band.rows; ++r)
        std::copy_n(tile.part_out + r * tile_columns, columns, out + r * band.out_stride);
}

template <class S, class A, class O>
void filter(const RasterBand<S, A, O>& band) {
    Tile<S, A, O> tile;
    const auto aligned = [](auto bytes) { return static_cast<std::uintptr_t>(bytes) % 32 == 0; };
    if (band.past_caches && aligned(reinterpret_cast<std::uintptr_t>(band.out)) &&
        aligned(band.out_stride * static_cast<std::int64_t>(sizeof(O)))) {
        for (std::int64_t c = 0; c < band.columns; c += tile_columns) filter_tile<true>(band, c, tile);
        hwy::FlushStream();
    } else {
        for (std::int64_t c = 0; c < band.columns; c += tile_columns) filter_tile<false>(band, c, tile);
    }
}

void filter_f32(const RasterBand<float, float, float>& band) {
    filter(band);
}
void filter_mixed(const RasterBand<float, double, float>& band) {
    filter(band);
}
void filter_f64(const RasterBand<double, double, double>& band) {
    filter(band);
}
void filter_to_f64(const RasterBand<float, double, double>& band) {
    filter(band);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(filter_f32);
HWY_EXPORT(filter_mixed);
HWY_EXPORT(filter_f64);
HWY_EXPORT(filter_to_f64);

void filter_band(const RasterBand<float, float, float>& band) {
    HWY_DYNAMIC_DISPATCH(filter_f32)(band);
}
void filter_band(const RasterBand<float, double, float>& band) {
    HWY_DYNAMIC_DISPATCH(filter_mixed)(band);
}
void filter_band(const RasterBand<double, double, double>& band) {
    HWY_DYNAMIC_DISPATCH(filter_f64)(band);
}
void filter_band(const RasterBand<float, double, double>& band) {
    HWY_DYNAMIC_DISPATCH(filter_to_f64)(band);
}

}  // namespace iir2d::iir
#endif
