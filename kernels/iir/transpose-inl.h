// SPDX-License-Identifier: MIT
// Transposes squares of vectors: included once for each instruction set, after Highway or its stand-in.
#if defined(IIR2D_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_TRANSPOSE_INL_H
#undef IIR2D_TRANSPOSE_INL_H
#else
#define IIR2D_TRANSPOSE_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

#if defined(IIR2D_HAVE_HIGHWAY)
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 && HWY_MAX_BYTES == 64
// Four vectors of four 128-bit blocks: block j of vector i becomes block i of vector j.
template <class T, std::int64_t N>
HWY_INLINE void transpose_blocks(Vector<T, N>& a, Vector<T, N>& b, Vector<T, N>& c, Vector<T, N>& d) {
    static_assert(N * sizeof(T) == 64);
    const hn::Repartition<float, Tag<T, N>> df;
    const auto floats = [&](const auto& v) { return hn::BitCast(df, v).raw; };
    const auto vector = [](__m512 raw) { return hn::BitCast(Tag<T, N>(), hn::Vec<decltype(df)>{raw}); };
    const __m512 ab_low = _mm512_shuffle_f32x4(floats(a), floats(b), 0x44);
    const __m512 cd_low = _mm512_shuffle_f32x4(floats(c), floats(d), 0x44);
    const __m512 ab_high = _mm512_shuffle_f32x4(floats(a), floats(b), 0xEE);
    const __m512 cd_high = _mm512_shuffle_f32x4(floats(c), floats(d), 0xEE);
    a = vector(_mm512_shuffle_f32x4(ab_low, cd_low, 0x88));
    b = vector(_mm512_shuffle_f32x4(ab_low, cd_low, 0xDD));
    c = vector(_mm512_shuffle_f32x4(ab_high, cd_high, 0x88));
    d = vector(_mm512_shuffle_f32x4(ab_high, cd_high, 0xDD));
}
#else
template <class T, std::int64_t N>
HWY_INLINE void transpose_blocks(Vector<T, N>&, Vector<T, N>&, Vector<T, N>&, Vector<T, N>&) {
    static_assert(N == 0, "no other target has vectors of 512 bits");
}
#endif

// A square of N vectors of N lanes: row i, lane j becomes row j, lane i.
template <class T, std::int64_t N>
HWY_INLINE void transpose(Vector<T, N>* v) {
    const Tag<T, N> d;
    if constexpr (N == 2) {
        const auto a = hn::InterleaveLower(d, v[0], v[1]);
        v[1] = hn::InterleaveUpper(d, v[0], v[1]);
        v[0] = a;
    } else if constexpr (sizeof(T) == 8 && N == 8) {
        unrolled<4>([&](auto i) {
            const auto low = hn::InterleaveLower(d, v[2 * i], v[2 * i + 1]);
            v[2 * i + 1] = hn::InterleaveUpper(d, v[2 * i], v[2 * i + 1]);
            v[2 * i] = low;
        });
        unrolled<2>([&](auto i) { transpose_blocks<T, N>(v[i], v[2 + i], v[4 + i], v[6 + i]); });
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
        const hn::RepartitionToWide<Tag<T, N>> dw;
        const auto pair = [&](auto a, auto b) { return hn::BitCast(dw, hn::InterleaveLower(d, a, b)); };
        const auto upper_pair = [&](auto a, auto b) { return hn::BitCast(dw, hn::InterleaveUpper(d, a, b)); };
        // Four rows to the four columns of each 128-bit block.
        const auto four = [&](Vector<T, N>* r) {
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
        if constexpr (N == 16) {
            unrolled<3>([&](auto i) { four(v + 4 + 4 * i); });
            unrolled<4>([&](auto i) { transpose_blocks<T, N>(v[i], v[4 + i], v[8 + i], v[12 + i]); });
        } else if constexpr (N == 8) {
            four(v + 4);
            unrolled<4>([&](auto i) {
                const auto low = hn::ConcatLowerLower(d, v[4 + i], v[i]);
                v[4 + i] = hn::ConcatUpperUpper(d, v[4 + i], v[i]);
                v[i] = low;
            });
        }
    }
}
#else
template <class T, std::int64_t N>
HWY_INLINE void transpose(Vector<T, N>* v) {
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < i; ++j) std::swap(v[i].lane[j], v[j].lane[i]);
    }
}
#endif

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
