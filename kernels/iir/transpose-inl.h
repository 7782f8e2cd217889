// SPDX-License-Identifier: MIT
// Transposes squares of vectors: included once for each instruction set, after Highway or its stand-in.
#if defined(IIR2D_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_TRANSPOSE_INL_H
#undef IIR2D_TRANSPOSE_INL_H
#else
#define IIR2D_TRANSPOSE_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Columns of a block of 128 bits, or of a vector that is no longer: so many neighbouring columns of N rows
// are transposed by themselves, without those beside them.
template <class T, std::int64_t N>
constexpr std::int64_t block_columns = std::min<std::int64_t>(16 / sizeof(T), N);

// Deinterleaves the 128-bit blocks of two vectors: a gets the even blocks of both, b the odd ones.
#if defined(IIR2D_HAVE_HIGHWAY) && HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 && HWY_MAX_BYTES == 64
template <class T, std::int64_t N>
HWY_INLINE void deinterleave_blocks(Vector<T, N>& a, Vector<T, N>& b) {
    static_assert(N * sizeof(T) == 64);
    const hn::Repartition<float, Tag<T, N>> df;
    const auto floats = [&](const auto& v) IIR2D_INLINE_LAMBDA { return hn::BitCast(df, v).raw; };
    const auto vector = [](__m512 raw) IIR2D_INLINE_LAMBDA {
        return hn::BitCast(Tag<T, N>(), hn::Vec<decltype(df)>{raw});
    };
    const __m512 even = _mm512_shuffle_f32x4(floats(a), floats(b), 0x88);
    b = vector(_mm512_shuffle_f32x4(floats(a), floats(b), 0xDD));
    a = vector(even);
}
#else
template <class T, std::int64_t N>
HWY_INLINE void deinterleave_blocks(Vector<T, N>&, Vector<T, N>&) {
    static_assert(N == 0, "no other target has vectors of 512 bits");
}
#endif

#if defined(IIR2D_HAVE_HIGHWAY)
// Transposes four vectors of four 128-bit blocks: block j of vector i becomes block i of vector j.
template <class T, std::int64_t N>
HWY_INLINE void transpose_blocks(Vector<T, N>& a, Vector<T, N>& b, Vector<T, N>& c, Vector<T, N>& d) {
    const Tag<T, N> tag;
    const auto ab_high = hn::ConcatUpperUpper(tag, b, a);
    const auto cd_high = hn::ConcatUpperUpper(tag, d, c);
    a = hn::ConcatLowerLower(tag, b, a);
    b = hn::ConcatLowerLower(tag, d, c);
    deinterleave_blocks<T, N>(a, b);
    c = ab_high;
    d = cd_high;
    deinterleave_blocks<T, N>(c, d);
}

// Halves of a vector, or all of it if it has one block, from rows that are `step` apart, one behind the
// other.
template <class T, std::int64_t N>
HWY_INLINE Vector<T, N> load_halves(const T* from, std::int64_t step) {
    const Tag<T, N> d;
    if constexpr (N * sizeof(T) <= 16) {
        static_cast<void>(step);
        return hn::LoadU(d, from);
    } else {
        const hn::Half<Tag<T, N>> half;
        return hn::Combine(d, hn::LoadU(half, from + step), hn::LoadU(half, from));
    }
}

// Transposes block_columns vectors: within each of their blocks, row i, lane j becomes row j, lane i.
template <class T, std::int64_t N>
HWY_INLINE void transpose_within(Vector<T, N>* v) {
    const Tag<T, N> d;
    if constexpr (block_columns<T, N> == 2) {
        const auto a = hn::InterleaveLower(d, v[0], v[1]);
        v[1] = hn::InterleaveUpper(d, v[0], v[1]);
        v[0] = a;
    } else {
        const hn::RepartitionToWide<Tag<T, N>> dw;
        const auto pair = [&](auto a, auto b)
                              IIR2D_INLINE_LAMBDA { return hn::BitCast(dw, hn::InterleaveLower(d, a, b)); };
        const auto upper_pair = [&](auto a, auto b) IIR2D_INLINE_LAMBDA {
            return hn::BitCast(dw, hn::InterleaveUpper(d, a, b));
        };
        const auto l01 = pair(v[0], v[1]);
        const auto l23 = pair(v[2], v[3]);
        const auto u01 = upper_pair(v[0], v[1]);
        const auto u23 = upper_pair(v[2], v[3]);
        v[0] = hn::BitCast(d, hn::InterleaveLower(dw, l01, l23));
        v[1] = hn::BitCast(d, hn::InterleaveUpper(dw, l01, l23));
        v[2] = hn::BitCast(d, hn::InterleaveLower(dw, u01, u23));
        v[3] = hn::BitCast(d, hn::InterleaveUpper(dw, u01, u23));
    }
}

// Transposes N vectors whose blocks are transposed within: moves the blocks, as if each were one lane.
template <class T, std::int64_t N>
HWY_INLINE void transpose_across(Vector<T, N>* v) {
    constexpr std::int64_t k = block_columns<T, N>;
    if constexpr (N / k == 4) {
        unrolled_in_place<k>([&](auto i) IIR2D_INLINE_LAMBDA {
            transpose_blocks<T, N>(v[i], v[k + i], v[2 * k + i], v[3 * k + i]);
        });
    } else if constexpr (N / k == 2) {
        const Tag<T, N> d;
        unrolled_in_place<k>([&](auto i) IIR2D_INLINE_LAMBDA {
            const auto low = hn::ConcatLowerLower(d, v[k + i], v[i]);
            v[k + i] = hn::ConcatUpperUpper(d, v[k + i], v[i]);
            v[i] = low;
        });
    } else {
        static_assert(N == k);
    }
}
#else
// Vectors have one block.
template <class T, std::int64_t N>
HWY_INLINE Vector<T, N> load_halves(const T* from, std::int64_t) {
    return hn::LoadU(Tag<T, N>(), from);
}
template <class T, std::int64_t N>
HWY_INLINE void transpose_within(Vector<T, N>* v) {
    static_assert(block_columns<T, N> == N);
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < i; ++j) std::swap(v[i].lane[j], v[j].lane[i]);
    }
}
template <class T, std::int64_t N>
HWY_INLINE void transpose_across(Vector<T, N>*) {}
#endif

// Columns of half a vector, or of all of it if it has one block.
template <class T, std::int64_t N>
constexpr std::int64_t columns_at_once = N * sizeof(T) <= 16 ? N : N / 2;

// Loads columns_at_once columns of N rows, `stride` apart, each as one vector. `from` is the first one's
// sample in the first row.
template <class T, std::int64_t N>
HWY_INLINE void load_columns(const T* from, std::int64_t stride, Vector<T, N>* v) {
    constexpr std::int64_t k = block_columns<T, N>;
    const auto load = [&](const T* row, Vector<T, N>* to) IIR2D_INLINE_LAMBDA {
        unrolled_in_place<k>(
            [&](auto i) IIR2D_INLINE_LAMBDA { to[i] = load_halves<T, N>(row + i * stride, k * stride); });
        transpose_within<T, N>(to);
    };
    load(from, v);
    if constexpr (columns_at_once<T, N> != k) {
        static_assert(columns_at_once<T, N> == 2 * k);
        load(from + 2 * k * stride, v + k);
        unrolled_in_place<k>([&](auto i) IIR2D_INLINE_LAMBDA { deinterleave_blocks<T, N>(v[i], v[k + i]); });
    }
}

// A square of N vectors of N lanes: row i, lane j becomes row j, lane i.
template <class T, std::int64_t N>
HWY_INLINE void transpose(Vector<T, N>* v) {
    constexpr std::int64_t k = block_columns<T, N>;
    unrolled_in_place<N / k>([&](auto i) IIR2D_INLINE_LAMBDA { transpose_within<T, N>(v + i * k); });
    transpose_across<T, N>(v);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
