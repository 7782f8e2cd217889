// SPDX-License-Identifier: MIT
// 4 x 4 blocks between rows and lanes, with a change of type where storage and arithmetic differ. Distances
// are in elements and may be negative.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#define IIR2D_TRANSPOSE_SSE2 1
#include <emmintrin.h>
#endif

namespace iir2d::iir {

inline constexpr std::size_t transpose_block = 4;

template <class From, class To>
inline void transpose_plain(const From* from, std::int64_t from_stride, To* to, std::int64_t to_stride) {
    for (std::int64_t i = 0; i < 4; ++i) {
        for (std::int64_t j = 0; j < 4; ++j)
            to[j * to_stride + i] = static_cast<To>(from[i * from_stride + j]);
    }
}

// Four samples of four rows `row_stride` apart, to four lanes of four successive samples `lane_stride` apart.
template <class S, class A>
inline void block_to_lanes(const S* rows, std::int64_t row_stride, A* lanes, std::int64_t lane_stride) {
    transpose_plain(rows, row_stride, lanes, lane_stride);
}

// And back.
template <class A, class S>
inline void block_to_rows(const A* lanes, std::int64_t lane_stride, S* rows, std::int64_t row_stride) {
    transpose_plain(lanes, lane_stride, rows, row_stride);
}

#if defined(IIR2D_TRANSPOSE_SSE2)

struct Block4 {
    __m128 r0, r1, r2, r3;

    void transpose() { _MM_TRANSPOSE4_PS(r0, r1, r2, r3); }
};

inline Block4 load_block(const float* from, std::int64_t stride) {
    return {_mm_loadu_ps(from), _mm_loadu_ps(from + stride), _mm_loadu_ps(from + 2 * stride),
            _mm_loadu_ps(from + 3 * stride)};
}

inline void store_block(const Block4& b, float* to, std::int64_t stride) {
    _mm_storeu_ps(to, b.r0);
    _mm_storeu_ps(to + stride, b.r1);
    _mm_storeu_ps(to + 2 * stride, b.r2);
    _mm_storeu_ps(to + 3 * stride, b.r3);
}

inline void store_widened(__m128 v, double* to) {
    _mm_storeu_pd(to, _mm_cvtps_pd(v));
    _mm_storeu_pd(to + 2, _mm_cvtps_pd(_mm_movehl_ps(v, v)));
}

inline __m128 load_narrowed(const double* from) {
    return _mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(from)), _mm_cvtpd_ps(_mm_loadu_pd(from + 2)));
}

inline void block_to_lanes(const float* rows, std::int64_t row_stride, float* lanes,
                           std::int64_t lane_stride) {
    Block4 b = load_block(rows, row_stride);
    b.transpose();
    store_block(b, lanes, lane_stride);
}

inline void block_to_rows(const float* lanes, std::int64_t lane_stride, float* rows,
                          std::int64_t row_stride) {
    block_to_lanes(lanes, lane_stride, rows, row_stride);
}

inline void block_to_lanes(const float* rows, std::int64_t row_stride, double* lanes,
                           std::int64_t lane_stride) {
    Block4 b = load_block(rows, row_stride);
    b.transpose();
    store_widened(b.r0, lanes);
    store_widened(b.r1, lanes + lane_stride);
    store_widened(b.r2, lanes + 2 * lane_stride);
    store_widened(b.r3, lanes + 3 * lane_stride);
}

inline void block_to_rows(const double* lanes, std::int64_t lane_stride, float* rows,
                          std::int64_t row_stride) {
    Block4 b{load_narrowed(lanes), load_narrowed(lanes + lane_stride), load_narrowed(lanes + 2 * lane_stride),
             load_narrowed(lanes + 3 * lane_stride)};
    b.transpose();
    store_block(b, rows, row_stride);
}

#endif

}  // namespace iir2d::iir
