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

HWY_FLATTEN void widen_f16(const Float16* __restrict from, std::int64_t count, float* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::to_float(from[i]);
}
HWY_FLATTEN void store_f16(const float* __restrict from, std::int64_t count, Float16* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::to_f16(from[i]);
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
