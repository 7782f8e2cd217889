// SPDX-License-Identifier: MIT
// Folds a vector of elements into another, and makes results of sums: included once for each instruction set,
// after Highway or its stand-in.
#if defined(IIR2D_POOL_FOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_POOL_FOLD_INL_H
#undef IIR2D_POOL_FOLD_INL_H
#else
#define IIR2D_POOL_FOLD_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/pool/fold.h"
#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// For rows shorter than a vector.
template <class T>
using OneTag = Tag<T, 1>;

template <Formula F, class V>
HWY_INLINE V term(const V& v) {
    if constexpr (F == Formula::max || F == Formula::avg) {
        return v;
    } else if constexpr (F == Formula::max_magnitude || F == Formula::lp1) {
        return hn::Abs(v);
    } else if constexpr (F == Formula::lp2) {
        return hn::Mul(v, v);
    } else {
        const V a = hn::Abs(v);
        return hn::Mul(hn::Mul(a, a), a);
    }
}

// Returns where v does not replace the best so far: a NaN is above every number and never replaced.
template <class V>
HWY_INLINE auto stays(const V& best, const V& v) {
    return hn::Or(hn::Le(v, best), hn::IsNaN(best));
}

// Returns the larger of two numbers, the first where they are equal.
template <class V>
HWY_INLINE V larger(const V& first, const V& later) {
#if defined(__SSE2__)
    return hn::Max(later, first);  // one instruction, which gives its second operand then
#else
    return hn::IfThenElse(hn::Le(later, first), first, later);
#endif
}

template <bool Max, class V>
HWY_INLINE V join(const V& first, const V& later) {
    if constexpr (Max) {
        return hn::IfThenElse(stays(first, later), first, later);
    } else {
        return hn::Add(first, later);
    }
}

// Computes cube roots. In float, of normal numbers, to 3e-7: a guess from the exponent, then Newton's steps.
// In double lane by lane; that is for the few sums that float does not hold.
template <class D>
HWY_INLINE hn::Vec<D> cube_root(D d, const hn::Vec<D>& v) {
    using Acc = hn::TFromD<D>;
    if constexpr (sizeof(Acc) == sizeof(double)) {
        Acc each[static_cast<std::size_t>(lanes_of<D>)];
        hn::StoreU(v, d, each);
        for (Acc& one : each) one = std::cbrt(one);
        return hn::LoadU(d, each);
    } else {
        const hn::Rebind<std::int32_t, D> di;
        const auto third = hn::Set(d, 1.0F / 3.0F);
        const auto bits = hn::ConvertTo(d, hn::BitCast(di, v));
        auto root = hn::BitCast(d, hn::Add(hn::ConvertTo(di, hn::Mul(bits, third)), hn::Set(di, 709921077)));
        for (int i = 0; i < 3; ++i) {
            root = hn::Mul(hn::Add(hn::Add(root, root), hn::Div(v, hn::Mul(root, root))), third);
        }
        return root;
    }
}

// The range in which sums are accurate, where their type is the elements'; a wider type holds every sum.
template <Formula F, class D>
HWY_INLINE auto trusted(D d, const hn::Vec<D>& sum) {
    using Limits = std::numeric_limits<hn::TFromD<D>>;
    const auto highest = hn::Set(d, Limits::max());
    if constexpr (F == Formula::avg) {
        return hn::Le(hn::Abs(sum), highest);
    } else if constexpr (F == Formula::lp1) {
        return hn::Le(sum, highest);  // a magnitude cannot underflow
    } else {
        // Below this, terms too small for a normal number could be a part of the sum.
        const auto lowest = hn::Set(d, Limits::min() / (Limits::epsilon() * Limits::epsilon()));
        return hn::And(hn::Ge(sum, lowest), hn::Le(sum, highest));
    }
}

template <class D>
HWY_INLINE hn::Vec<D> divisors(D d, const Divisors& by, std::int64_t o) {
    using Acc = hn::TFromD<D>;
    const auto rows = hn::Set(d, static_cast<Acc>(by.rows));
    if (by.columns == nullptr) return rows;
    const auto columns = hn::LoadU(hn::Rebind<std::int32_t, D>(), by.columns + o);
    if constexpr (sizeof(Acc) == sizeof(std::int32_t)) {
        return hn::Mul(rows, hn::ConvertTo(d, columns));
    } else {
        return hn::Mul(rows, hn::PromoteTo(d, columns));
    }
}

template <class D>
HWY_INLINE auto all_true(D d) {
    return hn::Le(hn::Zero(d), hn::Zero(d));
}

template <class D>
HWY_INLINE auto as_stored(D d, const hn::Vec<D>& v) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
        static_cast<void>(d);
        return v;
    } else {
        return hn::DemoteTo(hn::Rebind<float, D>(), v);
    }
}

// Computes one vector of outputs from their folded windows. Returns which are accurate.
template <Formula F, class D, class Out>
HWY_INLINE auto finish(D d, const hn::Vec<D>& folded, const OutputRowOf<Out>& out, std::int64_t o,
                       bool stream) {
    using Acc = hn::TFromD<D>;
    const hn::Rebind<Out, D> dout;
    const auto put = [&](const auto& stored) HWY_ATTR {
        if (stream) {
            hn::Stream(stored, dout, out.to + o);
        } else {
            hn::StoreU(stored, dout, out.to + o);
        }
    };
    if constexpr (is_max(F)) {
        put(folded);
        return all_true(d);
    } else {
        auto result = folded;
        if constexpr (F == Formula::avg) {
            // A sum of zeros is +0, whatever their signs.
            result = hn::Div(hn::Add(folded, hn::Zero(d)), divisors(d, out.divisors, o));
        } else if constexpr (F == Formula::lp2) {
            result = hn::Sqrt(folded);
        } else if constexpr (F == Formula::lp3) {
            result = cube_root(d, folded);
        }
        const auto nan = hn::Set(d, std::numeric_limits<Acc>::quiet_NaN());
        if constexpr (sizeof(Acc) > sizeof(Out)) {
            // Every sum is accurate. One kind of NaN, whichever operand it came from.
            const auto stored = as_stored(d, hn::IfThenElse(hn::IsNaN(result), nan, result));
            if (out.only_nan) {
                const auto old = hn::LoadU(dout, out.to + o);
                put(hn::IfThenElse(hn::IsNaN(old), stored, old));
            } else {
                put(stored);
            }
            return all_true(d);
        } else {
            const auto good = trusted<F>(d, folded);
            put(hn::IfThenElse(good, result, nan));
            return good;
        }
    }
}

// Returns whether a row of outputs is short and does not end with a whole vector. Its non-temporal stores
// take shorter vectors: fewer outputs are then left to an ordinary store, which is slow beside them.
template <class Acc>
HWY_INLINE bool ends_within_vector(std::int64_t count) {
    return count < shortest_non_temporal && count % wide_lanes<Acc> != 0;
}

// Calls body(d, o, stream) so that the outputs from 0 to `count` are all made, some of them twice; it answers
// which are accurate, and this whether all are. Rows shorter than a vector take shorter ones.
template <class Acc, std::int64_t N = wide_lanes<Acc>, class Body>
HWY_INLINE bool for_outputs(const void* to, std::int64_t count, bool non_temporal, const Body& body) {
    if constexpr (N > lanes<Acc>) {
        if (count < N || (non_temporal && ends_within_vector<Acc>(count)))
            return for_outputs<Acc, lanes<Acc>>(to, count, non_temporal, body);
    } else if (count < N) {
        const OneTag<Acc> one;
        auto good = all_true(one);
        for (std::int64_t o = 0; o < count; ++o) good = hn::And(good, body(one, o, false));
        return hn::AllTrue(one, good);
    }
    const Tag<Acc, N> d;
    auto good = all_true(d);
    std::int64_t o = 0;
    if (constexpr std::size_t bytes = N * sizeof(float); non_temporal && bytes >= 16) {
        const std::size_t behind = reinterpret_cast<std::uintptr_t>(to) % bytes;
        if (behind != 0) {
            good = body(d, 0, false);
            o = static_cast<std::int64_t>((bytes - behind) / sizeof(float));
        }
        for (; o + N <= count; o += N) good = hn::And(good, body(d, o, true));
    } else {
        for (; o + N <= count; o += N) good = hn::And(good, body(d, o, false));
    }
    if (o < count) good = hn::And(good, body(d, count - N, false));
    return hn::AllTrue(d, good);
}

// Calls use.operator()<F>() with the formula as a constant.
template <class Use>
HWY_INLINE auto with_formula(Formula formula, const Use& use) {
    switch (formula) {
        case Formula::max:
            return use.template operator()<Formula::max>();
        case Formula::max_magnitude:
            return use.template operator()<Formula::max_magnitude>();
        case Formula::avg:
            return use.template operator()<Formula::avg>();
        case Formula::lp1:
            return use.template operator()<Formula::lp1>();
        case Formula::lp2:
            return use.template operator()<Formula::lp2>();
        default:
            return use.template operator()<Formula::lp3>();
    }
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
