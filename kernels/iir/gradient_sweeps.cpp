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

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// A section's coefficients, each in every lane of a vector.
template <class V>
struct Coefficients {
    V b0, b1, b2, a1, a2;
};

template <class D>
HWY_INLINE Coefficients<hn::Vec<D>> in_every_lane(D d, const Section& s) {
    return {hn::Set(d, s.b[0]), hn::Set(d, s.b[1]), hn::Set(d, s.b[2]), hn::Set(d, s.a[0]),
            hn::Set(d, s.a[1])};
}

template <int Terms, std::int64_t Group, std::int64_t N, class S>
HWY_INLINE std::int64_t run_groups(const SectionRun<S>& run, std::int64_t first) {
    const Tag<double, N> d;
    using V = Vector<double, N>;
    const auto [b0, b1, b2, a1, a2] = in_every_lane(d, *run.section);
    std::int64_t lane = first;
    for (std::int64_t left = (run.lanes - first) / (Group * N); left > 0; --left, lane += Group * N) {
        V u1[static_cast<std::size_t>(Group)];
        V u2[static_cast<std::size_t>(Group)];
        V y1[static_cast<std::size_t>(Group)];
        V y2[static_cast<std::size_t>(Group)];
        for (std::int64_t k = 0; k < Group; ++k) {
            u1[k] = hn::LoadU(d, run.u1 + lane + k * N);
            u2[k] = hn::LoadU(d, run.u2 + lane + k * N);
            y1[k] = hn::LoadU(d, run.y1 + lane + k * N);
            y2[k] = hn::LoadU(d, run.y2 + lane + k * N);
        }
        const S* from = run.u.first + lane;
        S* to = run.y.first + lane;
        for (std::int64_t i = 0; i < run.n; ++i, from += run.u.stride, to += run.y.stride) {
            for (std::int64_t k = 0; k < Group; ++k) {
                const V u = load_as(d, from + k * N);
                V y = hn::Mul(b0, u);
                if constexpr (Terms >= 2) y = hn::Add(y, hn::Mul(b1, u1[k]));
                if constexpr (Terms == 3) {
                    y = hn::Add(y, hn::Add(hn::Mul(b2, u2[k]), hn::Mul(a2, y2[k])));
                    u2[k] = u1[k];
                    y2[k] = y1[k];
                }
                u1[k] = u;
                y1[k] = hn::Add(y, hn::Mul(a1, y1[k]));
                store_from(d, y1[k], to + k * N);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(u1[k], d, run.u1 + lane + k * N);
            hn::StoreU(u2[k], d, run.u2 + lane + k * N);
            hn::StoreU(y1[k], d, run.y1 + lane + k * N);
            hn::StoreU(y2[k], d, run.y2 + lane + k * N);
        }
    }
    return lane;
}

// Where the input's gradient goes.
enum class Out { none, stored, added };

template <int Terms, Out To, bool Directed, std::int64_t Group, std::int64_t N, class S>
HWY_INLINE std::int64_t back_groups(const SectionBack<S>& back, std::int64_t first) {
    const Tag<double, N> d;
    using V = Vector<double, N>;
    const auto [b0, b1, b2, a1, a2] = in_every_lane(d, *back.section);
    constexpr bool sums[] = {true, !Directed && Terms >= 2, !Directed && Terms == 3, !Directed,
                             !Directed && Terms == 3};
    const auto [db0, db1, db2, da1, da2] = in_every_lane(d, Directed ? *back.direction : *back.section);
    std::int64_t lane = first;
    for (std::int64_t left = (back.lanes - first) / (Group * N); left > 0; --left, lane += Group * N) {
        V l1[static_cast<std::size_t>(Group)];
        V l2[static_cast<std::size_t>(Group)];
        V sum[5][static_cast<std::size_t>(Group)];
        for (std::int64_t k = 0; k < Group; ++k) {
            l1[k] = hn::LoadU(d, back.l1 + lane + k * N);
            l2[k] = hn::LoadU(d, back.l2 + lane + k * N);
            unrolled<5>([&](auto i) {
                if constexpr (sums[i]) sum[i][k] = hn::LoadU(d, back.sums + i * back.lanes + lane + k * N);
            });
        }
        const S* u_at = back.u.at(back.n - 1) + lane;
        const S* y_at = back.y.at(back.n - 1) + lane;
        const S* g_at = back.g.at(back.n - 1) + lane;
        S* out = To == Out::none ? nullptr : back.out.at(back.n - 1) + lane;
        const S* add = To == Out::added ? back.add.at(back.n - 1) + lane : nullptr;
        for (std::int64_t j = back.n; j > 0; --j) {
            for (std::int64_t k = 0; k < Group; ++k) {
                const V u = load_as(d, u_at + k * N);
                const V y = load_as(d, y_at + k * N);
                V l = hn::Add(load_as(d, g_at + k * N), hn::Mul(a1, l1[k]));
                if constexpr (Terms == 3) l = hn::Add(l, hn::Mul(a2, l2[k]));
                if constexpr (Directed) {
                    V of_u = hn::Mul(db0, l);
                    V of_y = hn::Mul(da1, l1[k]);
                    if constexpr (Terms >= 2) of_u = hn::Add(of_u, hn::Mul(db1, l1[k]));
                    if constexpr (Terms == 3) {
                        of_u = hn::Add(of_u, hn::Mul(db2, l2[k]));
                        of_y = hn::Add(of_y, hn::Mul(da2, l2[k]));
                    }
                    sum[0][k] = hn::Add(sum[0][k], hn::Add(hn::Mul(u, of_u), hn::Mul(y, of_y)));
                } else {
                    sum[0][k] = hn::Add(sum[0][k], hn::Mul(u, l));
                    sum[3][k] = hn::Add(sum[3][k], hn::Mul(y, l1[k]));
                    if constexpr (Terms >= 2) sum[1][k] = hn::Add(sum[1][k], hn::Mul(u, l1[k]));
                    if constexpr (Terms == 3) {
                        sum[2][k] = hn::Add(sum[2][k], hn::Mul(u, l2[k]));
                        sum[4][k] = hn::Add(sum[4][k], hn::Mul(y, l2[k]));
                    }
                }
                if constexpr (To != Out::none) {
                    V result = hn::Mul(b0, l);
                    if constexpr (Terms >= 2) result = hn::Add(result, hn::Mul(b1, l1[k]));
                    if constexpr (Terms == 3) result = hn::Add(result, hn::Mul(b2, l2[k]));
                    if constexpr (To == Out::added) result = hn::Add(result, load_as(d, add + k * N));
                    store_from(d, result, out + k * N);
                }
                l2[k] = l1[k];
                l1[k] = l;
            }
            u_at -= back.u.stride;
            y_at -= back.y.stride;
            g_at -= back.g.stride;
            if constexpr (To != Out::none) out -= back.out.stride;
            if constexpr (To == Out::added) add -= back.add.stride;
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(l1[k], d, back.l1 + lane + k * N);
            hn::StoreU(l2[k], d, back.l2 + lane + k * N);
            unrolled<5>([&](auto i) {
                if constexpr (sums[i]) hn::StoreU(sum[i][k], d, back.sums + i * back.lanes + lane + k * N);
            });
        }
    }
    return lane;
}

template <class F>
HWY_INLINE void with_terms(int terms, const F& f) {
    switch (terms) {
        case 1:
            return f.template operator()<1>();
        case 2:
            return f.template operator()<2>();
        default:
            return f.template operator()<3>();
    }
}

template <int Terms, class S>
HWY_NOINLINE void run_lanes(const SectionRun<S>& run) {
    std::int64_t lane = run_groups<Terms, 4, lanes<double>>(run, 0);
    lane = run_groups<Terms, 1, lanes<double>>(run, lane);
    run_groups<Terms, 1, 1>(run, lane);
}

template <int Terms, Out To, bool Directed, class S>
HWY_NOINLINE void back_lanes(const SectionBack<S>& back) {
    constexpr std::int64_t group = Terms == 3 ? 2 : 4;
    std::int64_t lane = back_groups<Terms, To, Directed, group, lanes<double>>(back, 0);
    lane = back_groups<Terms, To, Directed, 1, lanes<double>>(back, lane);
    back_groups<Terms, To, Directed, 1, 1>(back, lane);
}

template <int Terms, Out To, class S>
void back_directed(const SectionBack<S>& job) {
    if (job.direction != nullptr) return back_lanes<Terms, To, true>(job);
    back_lanes<Terms, To, false>(job);
}

template <class S>
void run(const SectionRun<S>& job) {
    with_terms(job.terms, [&]<int Terms>() { run_lanes<Terms>(job); });
}

template <class S>
void back(const SectionBack<S>& job) {
    with_terms(job.terms, [&]<int Terms>() {
        if (job.out.first == nullptr) return back_directed<Terms, Out::none>(job);
        if (job.add.first == nullptr) return back_directed<Terms, Out::stored>(job);
        back_directed<Terms, Out::added>(job);
    });
}

void run_f32(const SectionRun<float>& job) {
    run(job);
}
void run_f64(const SectionRun<double>& job) {
    run(job);
}
void back_f32(const SectionBack<float>& job) {
    back(job);
}
void back_f64(const SectionBack<double>& job) {
    back(job);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(run_f32);
HWY_EXPORT(run_f64);
HWY_EXPORT(back_f32);
HWY_EXPORT(back_f64);

void run_section(const SectionRun<float>& job) {
    HWY_DYNAMIC_DISPATCH(run_f32)(job);
}
void run_section(const SectionRun<double>& job) {
    HWY_DYNAMIC_DISPATCH(run_f64)(job);
}
void go_back(const SectionBack<float>& job) {
    HWY_DYNAMIC_DISPATCH(back_f32)(job);
}
void go_back(const SectionBack<double>& job) {
    HWY_DYNAMIC_DISPATCH(back_f64)(job);
}

}  // namespace iir2d::iir
#endif
