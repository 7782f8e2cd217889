// SPDX-License-Identifier: MIT
// Sweeps sections over neighbouring lanes, as loops over memory: included once for each instruction set,
// after Highway or its stand-in.
#if defined(IIR2D_SWEEP_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_SWEEP_LANES_INL_H
#undef IIR2D_SWEEP_LANES_INL_H
#else
#define IIR2D_SWEEP_LANES_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/iir/sweeps.h"
#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using namespace support::HWY_NAMESPACE;

template <int Terms, class V>
HWY_INLINE V step(const Coefficients<V>& c, const V& x, V& s1, V& s2) {
    const V y = hn::Add(hn::Mul(c.b0, x), s1);
    if constexpr (Terms == 1) {
        s1 = hn::Mul(c.a1, y);
    } else if constexpr (Terms == 2) {
        s1 = hn::Add(hn::Mul(c.c1, x), hn::Mul(c.a1, s1));
    } else {
        const V next = hn::Add(hn::Add(hn::Mul(c.c1, x), s2), hn::Mul(c.a1, s1));
        s2 = hn::Add(hn::Mul(c.c2, x), hn::Mul(c.a2, s1));
        s1 = next;
    }
    return y;
}

template <class D, class A>
HWY_INLINE Coefficients<hn::Vec<D>> in_all_lanes(D d, const Coefficients<A>& c) {
    return {hn::Set(d, c.b0), hn::Set(d, c.a1), hn::Set(d, c.a2), hn::Set(d, c.c1), hn::Set(d, c.c2)};
}

// Stores a sweep's results: sample t of lane l.
template <class S>
struct Store {
    S* to;
    std::int64_t pitch;
    template <class D, class V>
    HWY_INLINE void operator()(D d, const V& v, std::int64_t t, std::int64_t l) const {
        store_from(d, v, to + t * pitch + l);
    }
};
template <class S>
struct AddAndStore {
    S* to;
    std::int64_t pitch;
    const S* add;
    std::int64_t add_pitch;
    template <class D, class V>
    HWY_INLINE void operator()(D d, const V& v, std::int64_t t, std::int64_t l) const {
        store_from(d, hn::Add(v, load_as(d, add + t * add_pitch + l)), to + t * pitch + l);
    }
};

// Sweeps one section over `count` samples, `pitch` apart, of lanes [first, last): groups of vectors hide the
// latency of one chain. Returns the first lane that did not fill a group.
template <int Terms, std::int64_t Group, std::int64_t N, class S, class A, class Put>
HWY_INLINE std::int64_t sweep_groups(const Coefficients<A>& c, const S* from, std::int64_t pitch,
                                     std::int64_t count, std::int64_t first, std::int64_t last, A* s1, A* s2,
                                     const Put& where) {
    const Tag<A, N> d;
    const Put put = where;  // a copy, which no store can change
    using V = Vector<A, N>;
    const Coefficients<V> v = in_all_lanes(d, c);
    std::int64_t l = first;
    for (std::int64_t left = (last - first) / (Group * N); left > 0; --left, l += Group * N) {
        V r1[static_cast<std::size_t>(Group)];
        V r2[static_cast<std::size_t>(Group)];
        for (std::int64_t k = 0; k < Group; ++k) {
            r1[k] = hn::LoadU(d, s1 + l + k * N);
            if constexpr (Terms == 3) r2[k] = hn::LoadU(d, s2 + l + k * N);
        }
        for (std::int64_t t = 0; t < count; ++t) {
            const S* at = from + t * pitch + l;
            for (std::int64_t k = 0; k < Group; ++k) {
                const V x = load_as(d, at + k * N);
                put(d, step<Terms>(v, x, r1[k], r2[k]), t, l + k * N);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(r1[k], d, s1 + l + k * N);
            if constexpr (Terms == 3) hn::StoreU(r2[k], d, s2 + l + k * N);
        }
    }
    return l;
}

// Sweeps any number of lanes.
template <int Terms, class S, class A, class Put>
HWY_NOINLINE void sweep_lanes(const Coefficients<A>& c, const S* from, std::int64_t pitch, std::int64_t count,
                              std::int64_t width, A* s1, A* s2, const Put& put) {
    constexpr std::int64_t wide = wide_lanes<A>;
    std::int64_t l = sweep_groups<Terms, 4, wide>(c, from, pitch, count, 0, width, s1, s2, put);
    l = sweep_groups<Terms, 1, wide>(c, from, pitch, count, l, width, s1, s2, put);
    if constexpr (wide > lanes<A>)
        l = sweep_groups<Terms, 1, lanes<A>>(c, from, pitch, count, l, width, s1, s2, put);
    sweep_groups<Terms, 1, 1>(c, from, pitch, count, l, width, s1, s2, put);
}

template <class S, class A, class Put>
HWY_INLINE void sweep_section(const SectionStep<A>& section, const S* from, std::int64_t pitch,
                              std::int64_t count, std::int64_t width, A* s1, A* s2, const Put& put) {
    switch (section.terms) {
        case 1:
            return sweep_lanes<1>(section.c, from, pitch, count, width, s1, s2, put);
        case 2:
            return sweep_lanes<2>(section.c, from, pitch, count, width, s1, s2, put);
        default:
            return sweep_lanes<3>(section.c, from, pitch, count, width, s1, s2, put);
    }
}

// A cascade over `count` samples of `width` lanes; all sections but the last leave their results in
// `between`, which may be `from`.
template <class S, class A, class Put>
HWY_INLINE void sweep_cascade(const Cascade<A>& cascade, const S* from, std::int64_t pitch, S* between,
                              std::int64_t between_pitch, std::int64_t count, std::int64_t width,
                              const LaneStates<A>& states, const Put& put) {
    A* s = states.first;
    for (std::size_t k = 0; k + 1 < cascade.size(); ++k, s += 2 * states.stride) {
        sweep_section(cascade[k], from, pitch, count, width, s, s + states.stride,
                      Store<S>{between, between_pitch});
        from = between;
        pitch = between_pitch;
    }
    sweep_section(cascade.back(), from, pitch, count, width, s, s + states.stride, put);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
