// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/column_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/iir/sweep_lanes-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

// Columns of a strip so narrow that all its rows are swept at once.
constexpr std::int64_t narrow = 128;

template <class S, class A>
HWY_INLINE void columns(const ColumnsSweep<S, A>& part) {
    // A few rows at once, so that states are loaded and stored less often than samples, and memory is still
    // read along rows.
    const std::int64_t at_once = part.columns < narrow ? part.rows : 4;
    for (std::int64_t r = 0; r < part.rows; r += at_once) {
        const std::int64_t count = std::min(at_once, part.rows - r);
        const S* from = part.from + r * part.from_stride;
        S* to = part.to + r * part.to_stride;
        const auto down = [&](const auto& put) {
            sweep_cascade(*part.cascade, from, part.from_stride, to, part.to_stride, count, part.columns,
                          part.states, put);
        };
        if (part.add != nullptr) {
            down(AddAndStore<S>{to, part.to_stride, part.add + r * part.add_stride, part.add_stride});
        } else {
            down(Store<S>{to, part.to_stride});
        }
    }
}

// What a sum's block keeps of a few columns on the way down, for the way up.
template <class S, class A>
struct KeptColumns {
    static constexpr std::int64_t group = 4;  // vectors beside each other
    static constexpr std::int64_t pitch = group * wide_lanes<A>;
    alignas(64) S samples[static_cast<std::size_t>(most_sum_rows * pitch)];
    alignas(64) S causal[static_cast<std::size_t>(most_sum_rows * pitch)];
};

// Columns from `first` on, Group vectors at a time. Returns the first one that did not fill them.
template <std::int64_t Group, std::int64_t N, class S, class A>
HWY_INLINE std::int64_t sum_groups(const SumSweep<S, A>& given, std::int64_t first, KeptColumns<S, A>& kept) {
    const Tag<A, N> d;
    const Tag<S, N> ds;
    using V = Vector<A, N>;
    const SumSweep<S, A> part = given;  // a copy, which no store can change
    const Coefficients<V> causal = in_all_lanes(d, part.causal->c);
    const Coefficients<V> anticausal = in_all_lanes(d, part.anticausal->c);
    constexpr std::int64_t pitch = KeptColumns<S, A>::pitch;
    constexpr std::int64_t bytes = N * sizeof(S);
    std::int64_t l = first;
    for (; part.columns - l >= Group * N; l += Group * N) {
        const bool has_next = Group > 1 && part.columns - l > Group * N;
        V r1[static_cast<std::size_t>(Group)];
        V r2[static_cast<std::size_t>(Group)];
        for (std::int64_t k = 0; k < Group; ++k) {
            r1[k] = hn::LoadU(d, part.above.first + l + k * N);
            r2[k] = hn::LoadU(d, part.above.first + part.above.stride + l + k * N);
        }
        S* row = part.data + l;
        for (std::int64_t t = 0; t < part.rows; ++t, row += part.stride) {
            for (std::int64_t k = 0; k < Group; ++k) {
                // The hardware prefetcher does not follow so many rows at once.
                if (has_next && k * bytes % 64 == 0)
                    support::prefetch<support::Access::write>(row, (Group + k) * bytes);
                const auto x = hn::LoadU(ds, row + k * N);
                hn::StoreU(x, ds, kept.samples + t * pitch + k * N);
                const V y = step<3>(causal, promoted(d, x), r1[k], r2[k]);
                hn::StoreU(demoted(ds, y), ds, kept.causal + t * pitch + k * N);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            r1[k] = hn::LoadU(d, part.states.first + l + k * N);
            r2[k] = hn::LoadU(d, part.states.first + part.states.stride + l + k * N);
        }
        for (std::int64_t t = part.rows - 1; t >= 0; --t) {
            row -= part.stride;
            for (std::int64_t k = 0; k < Group; ++k) {
                const std::int64_t at = t * pitch + k * N;
                const V y = step<3>(anticausal, load_as(d, kept.samples + at), r1[k], r2[k]);
                store_from(d, hn::Add(y, load_as(d, kept.causal + at)), row + k * N);
            }
        }
        for (std::int64_t k = 0; k < Group; ++k) {
            hn::StoreU(r1[k], d, part.states.first + l + k * N);
            hn::StoreU(r2[k], d, part.states.first + part.states.stride + l + k * N);
        }
    }
    return l;
}

template <class S, class A>
HWY_INLINE void sum(const SumSweep<S, A>& part) {
    constexpr std::int64_t wide = wide_lanes<A>;
    KeptColumns<S, A> kept;
    std::int64_t l = sum_groups<KeptColumns<S, A>::group, wide>(part, 0, kept);
    l = sum_groups<1, wide>(part, l, kept);
    if constexpr (wide > lanes<A>) l = sum_groups<1, lanes<A>>(part, l, kept);
    sum_groups<1, 1>(part, l, kept);
}

void columns_f32(const ColumnsSweep<float, float>& part) {
    columns(part);
}
void columns_mixed(const ColumnsSweep<float, double>& part) {
    columns(part);
}
void columns_f64(const ColumnsSweep<double, double>& part) {
    columns(part);
}
void sum_f32(const SumSweep<float, float>& part) {
    sum(part);
}
void sum_mixed(const SumSweep<float, double>& part) {
    sum(part);
}
void sum_f64(const SumSweep<double, double>& part) {
    sum(part);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_mixed);
HWY_EXPORT(columns_f64);
HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_mixed);
HWY_EXPORT(sum_f64);

void sweep_columns(const ColumnsSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f32)(part);
}
void sweep_columns(const ColumnsSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_mixed)(part);
}
void sweep_columns(const ColumnsSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f64)(part);
}
void sweep_sum(const SumSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(sum_f32)(part);
}
void sweep_sum(const SumSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(sum_mixed)(part);
}
void sweep_sum(const SumSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(sum_f64)(part);
}

}  // namespace iir2d::iir
#endif
