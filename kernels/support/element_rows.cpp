// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/support/element_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/support/element_rows.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::HWY_NAMESPACE {
namespace {

// The processor's own conversions, where every machine of the target has them. They round as element.h does;
// of NaN only the sign is kept.
#if defined(IIR2D_HAVE_HIGHWAY) && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
constexpr std::int64_t eight = 8;
HWY_INLINE std::int64_t widen_eights(const Float16* from, std::int64_t count, float* to) {
    std::int64_t i = 0;
    for (; i + eight <= count; i += eight) {
        const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
    }
    return i;
}
HWY_INLINE std::int64_t store_eights(const float* from, std::int64_t count, Float16* to) {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    const __m256 nan = _mm256_set1_ps(__builtin_nanf(""));
    std::int64_t i = 0;
    for (; i + eight <= count; i += eight) {
        const __m256 v = _mm256_loadu_ps(from + i);
        const __m256 one_nan = _mm256_or_ps(nan, _mm256_and_ps(sign, v));
        const __m256 known = _mm256_blendv_ps(v, one_nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm256_cvtps_ph(known, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    return i;
}
#else
HWY_INLINE std::int64_t widen_eights(const Float16*, std::int64_t, float*) {
    return 0;
}
HWY_INLINE std::int64_t store_eights(const float*, std::int64_t, Float16*) {
    return 0;
}
#endif

HWY_FLATTEN void widen_f16(const Float16* __restrict from, std::int64_t count, float* __restrict to) {
    for (std::int64_t i = widen_eights(from, count, to); i < count; ++i) to[i] = element::to_float(from[i]);
}
HWY_FLATTEN void store_f16(const float* __restrict from, std::int64_t count, Float16* __restrict to) {
    for (std::int64_t i = store_eights(from, count, to); i < count; ++i) to[i] = element::to_f16(from[i]);
}
HWY_FLATTEN void widen_bf16(const BFloat16* __restrict from, std::int64_t count, float* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::to_float(from[i]);
}
HWY_FLATTEN void store_bf16(const float* __restrict from, std::int64_t count, BFloat16* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::to_bf16(from[i]);
}

}  // namespace
}  // namespace iir2d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d {

HWY_EXPORT(widen_f16);
HWY_EXPORT(store_f16);
HWY_EXPORT(widen_bf16);
HWY_EXPORT(store_bf16);

void widen_row(const Float16* from, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(widen_f16)(from, count, to);
}
void store_row(const float* from, std::int64_t count, Float16* to) {
    HWY_DYNAMIC_DISPATCH(store_f16)(from, count, to);
}
// For sums of many terms, which are few.
void store_row(const double* from, std::int64_t count, Float16* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::store<Float16>(from[i]);
}
void widen_row(const BFloat16* from, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(widen_bf16)(from, count, to);
}
void store_row(const float* from, std::int64_t count, BFloat16* to) {
    HWY_DYNAMIC_DISPATCH(store_bf16)(from, count, to);
}
// For sums of many terms, which are few.
void store_row(const double* from, std::int64_t count, BFloat16* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::store<BFloat16>(from[i]);
}

}  // namespace iir2d
#endif
