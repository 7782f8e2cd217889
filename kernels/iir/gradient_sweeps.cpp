// SPDX-License-Identifier: MIT
#include "kernels/iir/gradient_sweeps.h"

#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/gradient_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include <algorithm>

#include "kernels/iir/sums-inl.h"
#include "kernels/support/lanes-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Samples of which the products are added in float, at most.
constexpr std::int64_t added_in_float = 64;
// Rows of a plane lie too far apart for the processor to see what comes next.
constexpr std::int64_t rows_ahead = 8;

// A section's coefficients, each in every lane of a vector.
template <class V>
struct Coefficients {
    V b0, b1, b2, a1, a2;
};

template <class D>
HWY_INLINE Coefficients<hn::Vec<D>> in_every_lane(D d, const Section& s) {
    using A = hn::TFromD<D>;
    const auto set = [&](double coefficient) { return hn::Set(d, static_cast<A>(coefficient)); };
    return {set(s.b[0]), set(s.b[1]), set(s.b[2]), set(s.a[0]), set(s.a[1])};
}

template <int Terms, bool Add, std::int64_t Group, std::int64_t N, class S, class A>
HWY_INLINE std::int64_t run_groups(const SectionRun<S, A>& run, std::int64_t first) {
    const Tag<A, N> d;
    using V = Vector<A, N>;
    const auto [b0, b1, b2, a1, a2] = in_every_lane(d, *run.lines.section);
    std::int64_t lane = first;
    for (std::int64_t left = (run.lines.lanes - first) / (Group * N); left > 0; --left, lane += Group * N) {
        V u1[static_cast<std::size_t>(Group)];
        V u2[static_cast<std::size_t>(Group)];
        V y1[static_cast<std::size_t>(Group)];
        V y2[static_cast<std::size_t>(Group)];
        unrolled<Group>([&](auto k) {
            u1[k] = hn::LoadU(d, run.u1 + lane + k * N);
            u2[k] = hn::LoadU(d, run.u2 + lane + k * N);
            y1[k] = hn::LoadU(d, run.y1 + lane + k * N);
            y2[k] = hn::LoadU(d, run.y2 + lane + k * N);
        });
        const LaneRows<const S> in{run.u.first + lane, run.u.stride};
        const LaneRows<S> out{run.y.first + lane, run.y.stride};
        const LaneRows<const S> add{Add ? run.add.first + lane : nullptr, run.add.stride};
        const LaneRows<S> sum{Add ? run.sum.first + lane : nullptr, run.sum.stride};
        const std::int64_t n = run.lines.n;
        for (std::int64_t i = 0; i < n; ++i) {
            unrolled<Group>([&](auto k) {
                const V u = load_as(d, in.at(i) + k * N);
                V y = hn::Mul(b0, u);
                if constexpr (Terms >= 2) y = hn::MulAdd(b1, u1[k], y);
                if constexpr (Terms == 3) {
                    y = hn::MulAdd(a2, y2[k], hn::MulAdd(b2, u2[k], y));
                    u2[k] = u1[k];
                    y2[k] = y1[k];
                }
                u1[k] = u;
                y1[k] = hn::MulAdd(a1, y1[k], y);
                if constexpr (Add) {
                    const V added = hn::Add(y1[k], load_as(d, add.at(i) + k * N));
                    store_from(d, y1[k], out.at(i) + k * N);
                    store_from(d, added, sum.at(i) + k * N);
                } else {
                    store_from(d, y1[k], out.at(i) + k * N);
                }
            });
        }
        unrolled<Group>([&](auto k) {
            hn::StoreU(u1[k], d, run.u1 + lane + k * N);
            hn::StoreU(u2[k], d, run.u2 + lane + k * N);
            hn::StoreU(y1[k], d, run.y1 + lane + k * N);
            hn::StoreU(y2[k], d, run.y2 + lane + k * N);
        });
    }
    return lane;
}

// Where the input's gradient goes.
enum class Out { none, stored, added };

template <int Terms, Out To, bool Directed, std::int64_t Group, std::int64_t N, class S, class A>
HWY_INLINE std::int64_t back_groups(const SectionBack<S, A>& back, std::int64_t first) {
    const Tag<A, N> d;
    using V = Vector<A, N>;
    const auto [b0, b1, b2, a1, a2] = in_every_lane(d, *back.lines.section);
    constexpr bool sums[] = {true, !Directed && Terms >= 2, !Directed && Terms == 3, !Directed,
                             !Directed && Terms == 3};
    const auto [db0, db1, db2, da1, da2] = in_every_lane(d, Directed ? *back.direction : *back.lines.section);
    constexpr bool in_float = sizeof(A) == sizeof(float);
    std::int64_t lane = first;
    for (std::int64_t left = (back.lines.lanes - first) / (Group * N); left > 0; --left, lane += Group * N) {
        V l1[static_cast<std::size_t>(Group)];
        V l2[static_cast<std::size_t>(Group)];
        V sum[5][static_cast<std::size_t>(Group)];
        double* const to = back.sums + lane;
        unrolled<Group>([&](auto k) {
            l1[k] = hn::LoadU(d, back.l1 + lane + k * N);
            l2[k] = hn::LoadU(d, back.l2 + lane + k * N);
        });
        const LaneRows<const S> u_rows{back.u.first + lane, back.u.stride};
        const LaneRows<const S> y_rows{back.y.first + lane, back.y.stride};
        const LaneRows<const S> g_rows{back.g.first + lane, back.g.stride};
        const LaneRows<S> out{To == Out::none ? nullptr : back.out.first + lane, back.out.stride};
        const LaneRows<const S> add{To == Out::added ? back.add.first + lane : nullptr, back.add.stride};
        for (std::int64_t end = back.lines.n; end > 0;) {
            const std::int64_t begin = in_float ? std::max<std::int64_t>(end - added_in_float, 0) : 0;
            unrolled<5>([&](auto i) {
                if constexpr (sums[i]) unrolled<Group>([&](auto k) { sum[i][k] = hn::Zero(d); });
            });
            for (std::int64_t j = end - 1; j >= begin; --j) {
                const S* const ahead = g_rows.at(std::max<std::int64_t>(j - rows_ahead, 0));
                unrolled<Group>([&](auto k) {
                    if constexpr ((k * N * sizeof(S)) % 64 == 0) support::prefetch(ahead + k * N);
                    const V u = load_as(d, u_rows.at(j) + k * N);
                    const V y = load_as(d, y_rows.at(j) + k * N);
                    V l = load_as(d, g_rows.at(j) + k * N);
                    if constexpr (Terms == 3) l = hn::MulAdd(a2, l2[k], l);
                    l = hn::MulAdd(a1, l1[k], l);
                    if constexpr (Directed) {
                        V of_u = hn::Mul(db0, l);
                        V of_y = hn::Mul(da1, l1[k]);
                        if constexpr (Terms >= 2) of_u = hn::MulAdd(db1, l1[k], of_u);
                        if constexpr (Terms == 3) {
                            of_u = hn::MulAdd(db2, l2[k], of_u);
                            of_y = hn::MulAdd(da2, l2[k], of_y);
                        }
                        sum[0][k] = hn::Add(sum[0][k], hn::MulAdd(u, of_u, hn::Mul(y, of_y)));
                    } else {
                        sum[0][k] = hn::MulAdd(u, l, sum[0][k]);
                        sum[3][k] = hn::MulAdd(y, l1[k], sum[3][k]);
                        if constexpr (Terms >= 2) sum[1][k] = hn::MulAdd(u, l1[k], sum[1][k]);
                        if constexpr (Terms == 3) {
                            sum[2][k] = hn::MulAdd(u, l2[k], sum[2][k]);
                            sum[4][k] = hn::MulAdd(y, l2[k], sum[4][k]);
                        }
                    }
                    if constexpr (To != Out::none) {
                        V result = hn::Mul(b0, l);
                        if constexpr (Terms >= 2) result = hn::MulAdd(b1, l1[k], result);
                        if constexpr (Terms == 3) result = hn::MulAdd(b2, l2[k], result);
                        if constexpr (To == Out::added)
                            result = hn::Add(result, load_as(d, add.at(j) + k * N));
                        store_from(d, result, out.at(j) + k * N);
                    }
                    l2[k] = l1[k];
                    l1[k] = l;
                });
            }
            unrolled<5>([&](auto i) {
                if constexpr (sums[i])
                    unrolled<Group>(
                        [&](auto k) { add_to_sums(d, sum[i][k], to + i * back.lines.lanes + k * N); });
            });
            end = begin;
        }
        unrolled<Group>([&](auto k) {
            hn::StoreU(l1[k], d, back.l1 + lane + k * N);
            hn::StoreU(l2[k], d, back.l2 + lane + k * N);
        });
    }
    return lane;
}

template <int Terms, bool Add, class S, class A>
HWY_NOINLINE void run_lanes(const SectionRun<S, A>& run) {
    std::int64_t lane = run_groups<Terms, Add, 4, lanes<A>>(run, 0);
    lane = run_groups<Terms, Add, 2, lanes<A>>(run, lane);
    lane = run_groups<Terms, Add, 1, lanes<A>>(run, lane);
    run_groups<Terms, Add, 1, 1>(run, lane);
}

template <int Terms, Out To, bool Directed, class S, class A>
HWY_NOINLINE void back_lanes(const SectionBack<S, A>& back) {
    std::int64_t lane = 0;
    if constexpr (Terms < 3) lane = back_groups<Terms, To, Directed, 4, lanes<A>>(back, lane);
    lane = back_groups<Terms, To, Directed, 2, lanes<A>>(back, lane);
    lane = back_groups<Terms, To, Directed, 1, lanes<A>>(back, lane);
    back_groups<Terms, To, Directed, 1, 1>(back, lane);
}

// Loops for what the table's filters ask for, each of which is compiled for every type and instruction set.
// Whatever else comes goes through more terms, whose coefficients are 0.
template <class S, class A>
void run(const SectionRun<S, A>& job) {
    if (job.add.first != nullptr) return run_lanes<3, true>(job);
    if (job.lines.terms == 1) return run_lanes<1, false>(job);
    run_lanes<3, false>(job);
}

template <Out To, class S, class A>
void back_to(const SectionBack<S, A>& job) {
    if (job.direction == nullptr) return back_lanes<3, To, false>(job);
    if constexpr (To != Out::added) {
        if (job.lines.terms == 1) return back_lanes<1, To, true>(job);
    }
    back_lanes<3, To, true>(job);
}

template <class S, class A>
void back(const SectionBack<S, A>& job) {
    if (job.out.first == nullptr) return back_to<Out::none>(job);
    if (job.add.first == nullptr) return back_to<Out::stored>(job);
    back_to<Out::added>(job);
}

void run_f32(const SectionRun<float, float>& job) {
    run(job);
}
void run_mixed(const SectionRun<float, double>& job) {
    run(job);
}
void run_f64(const SectionRun<double, double>& job) {
    run(job);
}
void back_f32(const SectionBack<float, float>& job) {
    back(job);
}
void back_mixed(const SectionBack<float, double>& job) {
    back(job);
}
void back_f64(const SectionBack<double, double>& job) {
    back(job);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(run_f32);
HWY_EXPORT(run_mixed);
HWY_EXPORT(run_f64);
HWY_EXPORT(back_f32);
HWY_EXPORT(back_mixed);
HWY_EXPORT(back_f64);

void run_section(const SectionRun<float, float>& job) {
    HWY_DYNAMIC_DISPATCH(run_f32)(job);
}
void run_section(const SectionRun<float, double>& job) {
    HWY_DYNAMIC_DISPATCH(run_mixed)(job);
}
void run_section(const SectionRun<double, double>& job) {
    HWY_DYNAMIC_DISPATCH(run_f64)(job);
}
void go_back(const SectionBack<float, float>& job) {
    HWY_DYNAMIC_DISPATCH(back_f32)(job);
}
void go_back(const SectionBack<float, double>& job) {
    HWY_DYNAMIC_DISPATCH(back_mixed)(job);
}
void go_back(const SectionBack<double, double>& job) {
    HWY_DYNAMIC_DISPATCH(back_f64)(job);
}

}  // namespace iir2d::iir
#endif
