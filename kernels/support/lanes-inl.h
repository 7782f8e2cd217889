// SPDX-License-Identifier: MIT
// Vectors of a fixed length, and elements of one type in arithmetic of another: included once for each
// instruction set, after Highway or its stand-in.
#if defined(IIR2D_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_LANES_INL_H
#undef IIR2D_LANES_INL_H
#else
#define IIR2D_LANES_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace iir2d::support::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits where there are so many, never more: a longer vector whose address is no multiple of its length
// always crosses a cache line.
template <class T>
constexpr std::int64_t lanes = std::max<std::int64_t>(std::min<std::int64_t>(HWY_MAX_BYTES, 32) / sizeof(T),
                                                      1);
template <class T, std::int64_t N = lanes<T>>
using Tag = hn::FixedTag<T, static_cast<std::size_t>(N)>;
template <class T, std::int64_t N = lanes<T>>
using Vector = hn::Vec<Tag<T, N>>;
// All bits that vectors have.
template <class T>
constexpr std::int64_t wide_lanes = std::max<std::int64_t>(HWY_MAX_BYTES / sizeof(T), 1);
template <class T>
using WideTag = Tag<T, wide_lanes<T>>;
template <class D>
constexpr std::int64_t lanes_of = static_cast<std::int64_t>(hn::MaxLanes(D()));

// Samples as arithmetic sees them, and back.
template <class D, class V>
HWY_INLINE auto promoted(D d, const V& v) {
    if constexpr (std::is_same_v<V, hn::Vec<D>>) {
        return v;
    } else {
        return hn::PromoteTo(d, v);
    }
}
template <class D, class V>
HWY_INLINE auto demoted(D d, const V& v) {
    if constexpr (std::is_same_v<V, hn::Vec<D>>) {
        return v;
    } else {
        return hn::DemoteTo(d, v);
    }
}
template <class D, class S>
HWY_INLINE auto load_as(D d, const S* from) {
    return promoted(d, hn::LoadU(hn::Rebind<S, D>(), from));
}
template <class D, class V, class S>
HWY_INLINE void store_from(D, const V& v, S* to) {
    const hn::Rebind<S, D> d;
    hn::StoreU(demoted(d, v), d, to);
}

// body(0) to body(N - 1), where the number is a constant: vectors that it indexes stay in registers.
template <std::int64_t N>
HWY_INLINE void unrolled(const auto& body) {
    [&]<std::int64_t... I>(std::integer_sequence<std::int64_t, I...>) {
        (body(std::integral_constant<std::int64_t, I>()), ...);
    }
    (std::make_integer_sequence<std::int64_t, N>());
}

#if !defined(IIR2D_INLINE_LAMBDA)
#if defined(__GNUC__)
#define IIR2D_INLINE_LAMBDA __attribute__((always_inline))
#else
#define IIR2D_INLINE_LAMBDA
#endif
#endif
// Does what unrolled() does, but never as a function of its own, however long the body is, if that is an
// IIR2D_INLINE_LAMBDA: otherwise what it works on would go through memory.
template <std::int64_t N>
HWY_INLINE void unrolled_in_place(const auto& body) {
    [&]<std::int64_t... I>(std::integer_sequence<std::int64_t, I...>) IIR2D_INLINE_LAMBDA {
        (body(std::integral_constant<std::int64_t, I>()), ...);
    }
    (std::make_integer_sequence<std::int64_t, N>());
}

}  // namespace
}  // namespace iir2d::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
