// SPDX-License-Identifier: MIT
// The part of Highway that the kernels use, for a build without it: vectors of 128 bits that the compiler
// maps to what the baseline has, so that the loops exist once. The names and meanings are Highway's.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define HWY_NAMESPACE N_PLAIN
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)
#define HWY_ONCE 1
#define HWY_MAX_BYTES 16
#if defined(__GNUC__)
#define HWY_INLINE inline __attribute__((always_inline))
#define HWY_NOINLINE __attribute__((noinline))
#else
#define HWY_INLINE inline
#define HWY_NOINLINE
#endif
#define HWY_FLATTEN
#define HWY_ATTR
#define HWY_EXPORT(function) static_assert(true)
#define HWY_DYNAMIC_DISPATCH(function) N_PLAIN::function

namespace hwy {

inline void FlushStream() {}

namespace N_PLAIN {

template <class T, std::size_t N>
struct Simd {};
template <class T, std::size_t N>
struct Vector {
    std::array<T, N> lane;
};
template <class T, std::size_t N>
using FixedTag = Simd<T, N>;

template <class D>
struct TagFacts;
template <class T, std::size_t N>
struct TagFacts<Simd<T, N>> {
    using Lane = T;
    template <class U>
    using Rebound = Simd<U, N>;
    static constexpr std::size_t lanes = N;
};
template <class D>
using TFromD = typename TagFacts<D>::Lane;
template <class D>
using Vec = Vector<TFromD<D>, TagFacts<D>::lanes>;
template <class T, class D>
using Rebind = typename TagFacts<D>::template Rebound<T>;
template <class D>
constexpr std::size_t MaxLanes(D) {
    return TagFacts<D>::lanes;
}

template <class T, std::size_t N, class F>
HWY_INLINE Vector<T, N> each_lane(Simd<T, N>, const F& f) {
    Vector<T, N> v;
    for (std::size_t i = 0; i < N; ++i) v.lane[i] = f(i);
    return v;
}

template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Set(Simd<T, N> d, T value) {
    return each_lane(d, [&](std::size_t) { return value; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Iota(Simd<T, N> d, T first) {
    return each_lane(d, [&](std::size_t i) { return static_cast<T>(first + static_cast<T>(i)); });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> LoadU(Simd<T, N> d, const T* from) {
    return each_lane(d, [&](std::size_t i) { return from[i]; });
}
template <class T, std::size_t N>
HWY_INLINE void StoreU(const Vector<T, N>& v, Simd<T, N>, T* to) {
    for (std::size_t i = 0; i < N; ++i) to[i] = v.lane[i];
}
template <class T, std::size_t N>
HWY_INLINE void StoreInterleaved2(const Vector<T, N>& first, const Vector<T, N>& second, Simd<T, N>, T* to) {
    for (std::size_t i = 0; i < N; ++i) {
        to[2 * i] = first.lane[i];
        to[2 * i + 1] = second.lane[i];
    }
}
template <class T, std::size_t N>
HWY_INLINE void Stream(const Vector<T, N>& v, Simd<T, N> d, T* to) {
    StoreU(v, d, to);
}
template <class T, class From, std::size_t N>
HWY_INLINE Vector<T, N> PromoteTo(Simd<T, N> d, const Vector<From, N>& v) {
    return each_lane(d, [&](std::size_t i) { return static_cast<T>(v.lane[i]); });
}
template <class T, class From, std::size_t N>
HWY_INLINE Vector<T, N> DemoteTo(Simd<T, N> d, const Vector<From, N>& v) {
    return PromoteTo(d, v);
}
template <class T, class From, std::size_t N>
HWY_INLINE Vector<T, N> TruncateTo(Simd<T, N> d, const Vector<From, N>& v) {
    return PromoteTo(d, v);
}
template <class T, class From, std::size_t N>
HWY_INLINE Vector<T, N> ConvertTo(Simd<T, N> d, const Vector<From, N>& v) {
    return PromoteTo(d, v);
}
template <class T, class From, std::size_t N>
HWY_INLINE Vector<T, N> BitCast(Simd<T, N> d, const Vector<From, N>& v) {
    return each_lane(d, [&](std::size_t i) { return std::bit_cast<T>(v.lane[i]); });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Zero(Simd<T, N> d) {
    return Set(d, T(0));
}
// Returns every second lane of two vectors, `low` first.
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> ConcatEven(Simd<T, N> d, const Vector<T, N>& high, const Vector<T, N>& low) {
    return each_lane(d, [&](std::size_t i) { return i < N / 2 ? low.lane[2 * i] : high.lane[2 * i - N]; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> ConcatOdd(Simd<T, N> d, const Vector<T, N>& high, const Vector<T, N>& low) {
    return each_lane(
        d, [&](std::size_t i) { return i < N / 2 ? low.lane[2 * i + 1] : high.lane[2 * i + 1 - N]; });
}

// Returns the lanes of `low`, then those of `high`.
template <class T, std::size_t N, std::size_t Half>
HWY_INLINE Vector<T, N> Combine(Simd<T, N> d, const Vector<T, Half>& high, const Vector<T, Half>& low) {
    return each_lane(d, [&](std::size_t i) { return i < Half ? low.lane[i] : high.lane[i - Half]; });
}

// Returns the upper half of `low`, then the lower of `high`.
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> ConcatLowerUpper(Simd<T, N> d, const Vector<T, N>& high, const Vector<T, N>& low) {
    return each_lane(d,
                     [&](std::size_t i) { return i < N / 2 ? low.lane[i + N / 2] : high.lane[i - N / 2]; });
}

template <class T, std::size_t N, class F>
HWY_INLINE Vector<T, N> each_pair(const Vector<T, N>& a, const Vector<T, N>& b, const F& f) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return f(a.lane[i], b.lane[i]); });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Add(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x + y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Sub(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x - y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Mul(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x * y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> MulAdd(const Vector<T, N>& a, const Vector<T, N>& b, const Vector<T, N>& c) {
    return Add(Mul(a, b), c);
}
// The second where they are equal.
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Max(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x > y ? x : y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Min(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x < y ? x : y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Div(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return x / y; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Sqrt(const Vector<T, N>& v) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return std::sqrt(v.lane[i]); });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Abs(const Vector<T, N>& v) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return std::abs(v.lane[i]); });
}

template <int Bits, class T, std::size_t N>
HWY_INLINE Vector<T, N> ShiftLeft(const Vector<T, N>& v) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return static_cast<T>(v.lane[i] << Bits); });
}
template <int Bits, class T, std::size_t N>
HWY_INLINE Vector<T, N> ShiftRight(const Vector<T, N>& v) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return static_cast<T>(v.lane[i] >> Bits); });
}

// One answer for each lane, whatever the lanes are.
template <std::size_t N>
using Mask = Vector<bool, N>;
template <class T, std::size_t N>
HWY_INLINE Mask<N> Le(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_lane(Simd<bool, N>(), [&](std::size_t i) { return a.lane[i] <= b.lane[i]; });
}
template <class T, std::size_t N>
HWY_INLINE Mask<N> Ge(const Vector<T, N>& a, const Vector<T, N>& b) {
    return Le(b, a);
}
template <class T, std::size_t N>
HWY_INLINE Mask<N> Eq(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_lane(Simd<bool, N>(), [&](std::size_t i) { return a.lane[i] == b.lane[i]; });
}
template <class T, std::size_t N>
HWY_INLINE Mask<N> IsNaN(const Vector<T, N>& v) {
    return each_lane(Simd<bool, N>(), [&](std::size_t i) { return v.lane[i] != v.lane[i]; });
}
template <std::size_t N>
HWY_INLINE Mask<N> And(const Mask<N>& a, const Mask<N>& b) {
    return each_pair(a, b, [](bool x, bool y) { return x && y; });
}
template <std::size_t N>
HWY_INLINE Mask<N> Or(const Mask<N>& a, const Mask<N>& b) {
    return each_pair(a, b, [](bool x, bool y) { return x || y; });
}
// Of whole numbers, bit by bit.
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Or(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_pair(a, b, [](T x, T y) { return static_cast<T>(x | y); });
}
template <class D, std::size_t N>
HWY_INLINE bool AllTrue(D, const Mask<N>& mask) {
    return std::all_of(mask.lane.begin(), mask.lane.end(), [](bool lane) { return lane; });
}
template <class D, std::size_t N>
HWY_INLINE Mask<N> RebindMask(D, const Mask<N>& mask) {
    return mask;
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> IfThenElse(const Mask<N>& mask, const Vector<T, N>& yes, const Vector<T, N>& no) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return mask.lane[i] ? yes.lane[i] : no.lane[i]; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> IfThenElseZero(const Mask<N>& mask, const Vector<T, N>& yes) {
    return IfThenElse(mask, yes, Zero(Simd<T, N>()));
}

}  // namespace N_PLAIN
}  // namespace hwy
