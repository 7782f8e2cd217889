// SPDX-License-Identifier: MIT
// A build without Highway: those of its operations that the pooling kernels use, on vectors of one lane, so
// that the kernels exist once. What each does is Highway's to say.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#define HWY_NAMESPACE plain
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)
#define HWY_INLINE inline
#define HWY_FLATTEN
#define HWY_ATTR
#define HWY_MAX_BYTES 1
#define HWY_ONCE 1
#define HWY_EXPORT(function) static_assert(true)
#define HWY_DYNAMIC_DISPATCH(function) plain::function

namespace hwy {
inline void FlushStream() {}
}  // namespace hwy

namespace hwy::plain {

template <class T, std::size_t N>
struct FixedTag {
    using Lane = T;
};
template <class D>
using TFromD = typename D::Lane;
template <class D>
using Vec = typename D::Lane;
template <class T, class D>
using Rebind = FixedTag<T, 1>;

template <class D>
TFromD<D> LoadU(D, const TFromD<D>* from) {
    return *from;
}
template <class D>
void StoreU(TFromD<D> v, D, TFromD<D>* to) {
    *to = v;
}
template <class D>
void Stream(TFromD<D> v, D, TFromD<D>* to) {
    *to = v;
}
template <class D, class T>
TFromD<D> Set(D, T value) {
    return static_cast<TFromD<D>>(value);
}
template <class D>
TFromD<D> Zero(D) {
    return 0;
}

// Named, but of no use to one lane.
template <class D, class V>
V ConcatEven(D, V high, V low);
template <class D, class V>
V ConcatOdd(D, V high, V low);

template <class T>
T Add(T a, T b) {
    return a + b;
}
template <class T>
T Mul(T a, T b) {
    return a * b;
}
template <class T>
T Div(T a, T b) {
    return a / b;
}
template <class T>
T Sqrt(T a) {
    return std::sqrt(a);
}
template <class T>
T Abs(T a) {
    return std::abs(a);
}

template <class T>
bool Le(T a, T b) {
    return a <= b;
}
template <class T>
bool Ge(T a, T b) {
    return a >= b;
}
template <class T>
bool IsNaN(T a) {
    return a != a;
}
inline bool And(bool a, bool b) {
    return a && b;
}
inline bool Or(bool a, bool b) {
    return a || b;
}
template <class D>
bool AllTrue(D, bool mask) {
    return mask;
}
template <class D>
bool RebindMask(D, bool mask) {
    return mask;
}
template <class T>
T IfThenElse(bool mask, T yes, T no) {
    return mask ? yes : no;
}

template <class D, class T>
TFromD<D> PromoteTo(D, T v) {
    return static_cast<TFromD<D>>(v);
}
template <class D, class T>
TFromD<D> DemoteTo(D, T v) {
    return static_cast<TFromD<D>>(v);
}
template <class D, class T>
TFromD<D> ConvertTo(D, T v) {
    return static_cast<TFromD<D>>(v);
}
template <class D, class T>
TFromD<D> BitCast(D, T v) {
    return std::bit_cast<TFromD<D>>(v);
}

}  // namespace hwy::plain
