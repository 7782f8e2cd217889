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

// Calls body<Terms, Count>(sections, states, is_last) for a cascade's sections, one or two neighbours of the
// same number of terms at a time. Every sweep takes them so: between two that come together nothing is
// rounded.
template <class A>
HWY_INLINE void for_each_sweep(const Cascade<A>& cascade, LaneStates<A> states, const auto& body) {
    const SectionStep<A>* sections = cascade.data();
    const SectionStep<A>* const end = sections + cascade.size();
    while (sections != end) {
        const int terms = sections->terms;
        const bool both = terms != 2 && end - sections > 1 && sections[1].terms == terms;
        const std::int64_t count = both ? 2 : 1;
        const auto call = [&]<int Terms, std::int64_t Count>() {
            body.template operator()<Terms, Count>(sections, states, sections + Count == end);
        };
        if (terms == 2) {
            call.template operator()<2, 1>();
        } else if (terms == 1) {
            both ? call.template operator()<1, 2>() : call.template operator()<1, 1>();
        } else {
            both ? call.template operator()<3, 2>() : call.template operator()<3, 1>();
        }
        sections += count;
        states.first += 2 * count * states.stride;
    }
}

// Vectors swept beside each other, whose states and coefficients should stay in registers.
template <int Terms, std::int64_t Count>
constexpr std::int64_t beside = Terms == 3 && Count == 2 ? 2 : 4;

// Sweeps Count sections over `count` samples, `pitch` apart, of lanes [first, last): groups of vectors hide
// the latency of one chain. Returns the first lane that did not fill a group.
template <int Terms, std::int64_t Count, std::int64_t Group, std::int64_t N, class S, class A, class Put>
HWY_INLINE std::int64_t sweep_groups(const SectionStep<A>* sections, const S* from, std::int64_t pitch,
                                     std::int64_t count, std::int64_t first, std::int64_t last,
                                     const LaneStates<A>& states, const Put& where) {
    const Tag<A, N> d;
    const Put put = where;  // a copy, which no store can change
    using V = Vector<A, N>;
    Coefficients<V> c[static_cast<std::size_t>(Count)];
    for (std::int64_t k = 0; k < Count; ++k) c[k] = in_all_lanes(d, sections[k].c);
    std::int64_t l = first;
    for (std::int64_t left = (last - first) / (Group * N); left > 0; --left, l += Group * N) {
        V r1[static_cast<std::size_t>(Count)][static_cast<std::size_t>(Group)];
        V r2[static_cast<std::size_t>(Count)][static_cast<std::size_t>(Group)];
        const auto at = [&](std::int64_t k, std::int64_t i) {
            return states.first + 2 * k * states.stride + l + i * N;
        };
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < Group; ++i) {
                r1[k][i] = hn::LoadU(d, at(k, i));
                if constexpr (Terms == 3) r2[k][i] = hn::LoadU(d, at(k, i) + states.stride);
            }
        }
        for (std::int64_t t = 0; t < count; ++t) {
            const S* row = from + t * pitch + l;
            unrolled_in_place<Group>([&](auto i) IIR2D_INLINE_LAMBDA {
                V y = load_as(d, row + i * N);
                unrolled_in_place<Count>(
                    [&](auto k) IIR2D_INLINE_LAMBDA { y = step<Terms>(c[k], y, r1[k][i], r2[k][i]); });
                put(d, y, t, l + i * N);
            });
        }
        for (std::int64_t k = 0; k < Count; ++k) {
            for (std::int64_t i = 0; i < Group; ++i) {
                hn::StoreU(r1[k][i], d, at(k, i));
                if constexpr (Terms == 3) hn::StoreU(r2[k][i], d, at(k, i) + states.stride);
            }
        }
    }
    return l;
}

// Sweeps any number of lanes.
template <int Terms, std::int64_t Count, class S, class A, class Put>
HWY_NOINLINE void sweep_lanes(const SectionStep<A>* sections, const S* from, std::int64_t pitch,
                              std::int64_t count, std::int64_t width, const LaneStates<A>& states,
                              const Put& put) {
    constexpr std::int64_t wide = wide_lanes<A>;
    std::int64_t l = 0;
    const auto go_on = [&]<std::int64_t Group, std::int64_t N>() {
        l = sweep_groups<Terms, Count, Group, N>(sections, from, pitch, count, l, width, states, put);
    };
    go_on.template operator()<beside<Terms, Count>, wide>();
    go_on.template operator()<1, wide>();
    if constexpr (wide > lanes<A>) go_on.template operator()<1, lanes<A>>();
    go_on.template operator()<1, 1>();
}

// A cascade over `count` samples of `width` lanes; all sections but the last leave their results in
// `between`, which may be `from`.
template <class S, class A, class Put>
HWY_INLINE void sweep_cascade(const Cascade<A>& cascade, const S* from, std::int64_t pitch, S* between,
                              std::int64_t between_pitch, std::int64_t count, std::int64_t width,
                              const LaneStates<A>& states, const Put& put) {
    for_each_sweep(cascade, states,
                   [&]<int Terms, std::int64_t Count>(const SectionStep<A>* sections,
                                                      const LaneStates<A>& own, bool is_last) {
                       if (is_last)
                           return sweep_lanes<Terms, Count>(sections, from, pitch, count, width, own, put);
                       sweep_lanes<Terms, Count>(sections, from, pitch, count, width, own,
                                                 Store<S>{between, between_pitch});
                       from = between;
                       pitch = between_pitch;
                   });
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
