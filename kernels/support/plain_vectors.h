// SPDX-License-Identifier: MIT
// What the sweeps need of Highway, for a build without it: vectors of 128 bits that the compiler maps to what
// the baseline has. The names and meanings are Highway's.
#pragma once

#include <array>
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

namespace hwy {

inline void Prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
}
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
HWY_INLINE Vector<T, N> LoadU(Simd<T, N> d, const T* from) {
    return each_lane(d, [&](std::size_t i) { return from[i]; });
}
template <class T, std::size_t N>
HWY_INLINE void StoreU(const Vector<T, N>& v, Simd<T, N>, T* to) {
    for (std::size_t i = 0; i < N; ++i) to[i] = v.lane[i];
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
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Add(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return a.lane[i] + b.lane[i]; });
}
template <class T, std::size_t N>
HWY_INLINE Vector<T, N> Mul(const Vector<T, N>& a, const Vector<T, N>& b) {
    return each_lane(Simd<T, N>(), [&](std::size_t i) { return a.lane[i] * b.lane[i]; });
}

}  // namespace N_PLAIN
}  // namespace hwy
