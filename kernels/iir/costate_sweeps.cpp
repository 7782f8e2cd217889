// SPDX-License-Identifier: MIT
#include "kernels/iir/costate_sweeps.h"

#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/costate_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "kernels/iir/sums-inl.h"
#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

template <int Terms, int Sections, CostateTask Task, std::int64_t Group, std::int64_t N, class In, class S,
          class A>
HWY_INLINE std::int64_t sweep_groups(const CostateSweep<In, S, A>& job, std::int64_t first) {
    constexpr std::int64_t taps = taps_of(Terms, Sections);
    constexpr std::int64_t order = Terms == 1 ? 1 : 2;
    // Products with z[j + first_product], and so on.
    constexpr std::int64_t first_product = Task == CostateTask::products ? 1 : 0;
    constexpr std::int64_t products = Task == CostateTask::feedback ? 0
                                      : Task == CostateTask::taps   ? taps
                                                                    : products_of(Terms, Sections);
    constexpr std::int64_t kept = std::max(order, first_product + products - 1);
    const Tag<A, N> d;
    using V = Vector<A, N>;
    const V a1 = hn::Set(d, static_cast<A>(job.a[0]));
    const V a2 = hn::Set(d, static_cast<A>(job.a[1]));
    V tap[static_cast<std::size_t>(taps)];
    unrolled<taps>(
        [&](auto m) { tap[m] = hn::Set(d, static_cast<A>(job.taps[static_cast<std::size_t>(m)])); });
    std::int64_t column = first;
    for (std::int64_t left = (job.columns - first) / (Group * N); left > 0; --left, column += Group * N) {
        const LaneRows<const In> in{job.in.first + column, job.in.stride};
        const LaneRows<A> z{job.z.first + column, job.z.stride};
        const LaneRows<A> below{job.below.first + column, job.below.stride};
        const LaneRows<const S> u{products > 0 ? job.u.first + column : nullptr, job.u.stride};
        const LaneRows<S> out{Task == CostateTask::taps ? job.out.first + column : nullptr, job.out.stride};
        V last[static_cast<std::size_t>(kept)][static_cast<std::size_t>(Group)];  // z[j+1], z[j+2], ...
        V sum[static_cast<std::size_t>(std::max<std::int64_t>(products, 1))][static_cast<std::size_t>(Group)];
        unrolled<kept>([&](auto m) {
            unrolled<Group>([&](auto k) { last[m][k] = hn::LoadU(d, below.at(m) + k * N); });
        });
        unrolled<products>([&](auto m) { unrolled<Group>([&](auto k) { sum[m][k] = hn::Zero(d); }); });
        for (std::int64_t j = job.rows - 1; j >= 0; --j) {
            unrolled<Group>([&](auto k) {
                V next = load_as(d, in.at(j) + k * N);
                if constexpr (order == 2) next = hn::MulAdd(a2, last[1][k], next);
                next = hn::MulAdd(a1, last[0][k], next);
                hn::StoreU(next, d, z.at(j) + k * N);
                const auto at = [&](auto m) {
                    if constexpr (m == 0) {
                        return next;
                    } else {
                        return last[m - 1][k];
                    }
                };
                if constexpr (products > 0) {
                    const V sample = load_as(d, u.at(j) + k * N);
                    unrolled<products>([&](auto m) {
                        sum[m][k] = hn::MulAdd(
                            sample, at(std::integral_constant<std::int64_t, m + first_product>()), sum[m][k]);
                    });
                }
                if constexpr (Task == CostateTask::taps) {
                    V result = hn::Mul(tap[0], next);
                    unrolled<taps - 1>([&](auto m) { result = hn::MulAdd(tap[m + 1], last[m][k], result); });
                    store_from(d, result, out.at(j) + k * N);
                }
                unrolled<kept - 1>([&](auto m) { last[kept - 1 - m][k] = last[kept - 2 - m][k]; });
                last[0][k] = next;
            });
        }
        unrolled<kept>([&](auto m) {
            unrolled<Group>([&](auto k) { hn::StoreU(last[m][k], d, below.at(m) + k * N); });
        });
        unrolled<products>([&](auto m) {
            V all = sum[m][0];
            unrolled<Group - 1>([&](auto k) { all = hn::Add(all, sum[m][k + 1]); });
            add_to_sums(d, all, job.sums + m * sum_lanes);
        });
    }
    return column;
}

template <int Terms, int Sections, CostateTask Task, class In, class S, class A>
HWY_NOINLINE void sweep_columns(const CostateSweep<In, S, A>& job) {
    constexpr std::int64_t group = Terms == 1 ? 4 : 2;
    std::int64_t column = sweep_groups<Terms, Sections, Task, group, lanes<A>>(job, 0);
    column = sweep_groups<Terms, Sections, Task, 1, lanes<A>>(job, column);
    sweep_groups<Terms, Sections, Task, 1, 1>(job, column);
}

// Each loop is compiled for every type and instruction set: only those that CostatePlan's steps of at most
// two sections ask for. The first step reads samples, later ones costates.
template <int Terms, int Sections, class In, class S, class A>
HWY_INLINE void sweep_task(const CostateSweep<In, S, A>& job) {
    constexpr bool first = std::is_same_v<In, S>;
    constexpr bool later = std::is_same_v<In, A>;
    if constexpr (first) {
        // The same for any number of sections.
        if (job.task == CostateTask::feedback) return sweep_columns<Terms, 1, CostateTask::feedback>(job);
    }
    if constexpr (Terms == 1 || (Sections == 1 ? first : later)) {
        if (job.task == CostateTask::taps) return sweep_columns<Terms, Sections, CostateTask::taps>(job);
    }
    if constexpr (later) {
        if (job.task == CostateTask::products)
            return sweep_columns<Terms, Sections, CostateTask::products>(job);
    }
    std::abort();  // a step that was not compiled
}

template <class In, class S, class A>
HWY_INLINE void sweep(const CostateSweep<In, S, A>& job) {
    if (job.terms == 1) return sweep_task<1, 1>(job);
    if (job.sections == 1) return sweep_task<3, 1>(job);
    sweep_task<3, 2>(job);
}

void sweep_f32(const CostateSweep<float, float, float>& job) {
    sweep(job);
}
void sweep_mixed(const CostateSweep<float, float, double>& job) {
    sweep(job);
}
void sweep_mixed_again(const CostateSweep<double, float, double>& job) {
    sweep(job);
}
void sweep_f64(const CostateSweep<double, double, double>& job) {
    sweep(job);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(sweep_f32);
HWY_EXPORT(sweep_mixed);
HWY_EXPORT(sweep_mixed_again);
HWY_EXPORT(sweep_f64);

void sweep_costates(const CostateSweep<float, float, float>& job) {
    HWY_DYNAMIC_DISPATCH(sweep_f32)(job);
}
void sweep_costates(const CostateSweep<float, float, double>& job) {
    HWY_DYNAMIC_DISPATCH(sweep_mixed)(job);
}
void sweep_costates(const CostateSweep<double, float, double>& job) {
    HWY_DYNAMIC_DISPATCH(sweep_mixed_again)(job);
}
void sweep_costates(const CostateSweep<double, double, double>& job) {
    HWY_DYNAMIC_DISPATCH(sweep_f64)(job);
}

}  // namespace iir2d::iir
#endif
