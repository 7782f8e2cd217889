// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/doubling_batch.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/join-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

// Parts of 2, 4 and 8 taps that end in each row of the batch. Adds to `good` whether its rows are numbers.
template <Join J, class Acc, class Good>
HWY_INLINE void first_parts(const DoublingBatch<Acc>& batch, std::int64_t o, Vector<Acc>* eights,
                            Good& good) {
    const Tag<Acc> d;
    using V = Vector<Acc>;
    V single{};
    V pairs[2]{};
    V fours[4]{};
    V sum{};
    unrolled<2 * batch_rows - 1>([&](auto i) HWY_ATTR {
        constexpr std::int64_t before = batch_rows - 1;
        const V next = hn::LoadU(d, i < before ? batch.rows_before + (i + 1) * batch.distance + o
                                               : batch.rows + (i - before) * batch.distance + o);
        if constexpr (J == Join::larger && i >= batch_rows - 1) {
            sum = i == batch_rows - 1 ? next : hn::Add(sum, next);
        }
        if constexpr (i > 0) {
            const V pair = joined<J>(single, next);
            if constexpr (i > 2) {
                const V four = joined<J>(pairs[i % 2], pair);
                if constexpr (i > 6) eights[i - 7] = joined<J>(fours[i % 4], four);
                fours[i % 4] = four;
            }
            pairs[i % 2] = pair;
        }
        single = next;
    });
    if constexpr (J == Join::larger) good = hn::And(good, hn::Le(sum, sum));
}

// Adds to every window its last `Singles` rows, which are in no part: by the binary digits of their number,
// from the highest, of pairs and fours that the batch's windows share.
template <std::int64_t Singles, class D, class Acc>
HWY_INLINE void add_last_rows(D d, const Acc* before, const Acc* rows, std::int64_t distance,
                              Vector<Acc>* windows) {
    using V = Vector<Acc>;
    constexpr std::int64_t earlier = Singles - 1;
    constexpr auto count = static_cast<std::size_t>(batch_rows + earlier);
    V single[count];
    V pair[count];
    V four[count];
    unrolled<batch_rows + earlier>([&](auto i) HWY_ATTR {
        single[i] = hn::LoadU(d, i < earlier ? before + (i - earlier + batch_rows) * distance
                                             : rows + (i - earlier) * distance);
        if constexpr (Singles >= 2 && i > 0) pair[i] = hn::Add(single[i - 1], single[i]);
        if constexpr (Singles >= 4 && i > 2) four[i] = hn::Add(pair[i - 2], pair[i]);
        if constexpr (i >= earlier) {
            V sum = single[i];
            if constexpr (Singles == 2) sum = pair[i];
            if constexpr (Singles == 3) sum = hn::Add(pair[i - 1], single[i]);
            if constexpr (Singles == 4) sum = four[i];
            if constexpr (Singles == 5) sum = hn::Add(four[i - 1], single[i]);
            if constexpr (Singles == 6) sum = hn::Add(four[i - 2], pair[i]);
            if constexpr (Singles == 7) sum = hn::Add(hn::Add(four[i - 3], pair[i - 1]), single[i]);
            windows[i - earlier] = hn::Add(windows[i - earlier], sum);
        }
    });
}

template <Join J, class Acc>
HWY_FLATTEN bool fold_batch(const DoublingBatch<Acc>& given) {
    const DoublingBatch<Acc> batch = given;  // a copy, which no store can change
    const Tag<Acc> d;
    constexpr std::int64_t n = lanes<Acc>;
    using V = Vector<Acc>;
    const auto delayed_row = [&](const typename DoublingBatch<Acc>::Delayed& part, std::int64_t j) {
        const std::int64_t row = part.first + j;
        return part.batches[row / batch_rows] + row % batch_rows * n;
    };
    const Acc* first_delayed[batch_rows]{};
    for (std::int64_t j = 0; j < batch_rows && !batch.delayed.empty(); ++j)
        first_delayed[j] = delayed_row(batch.delayed[0], j);
    const std::int64_t distance = batch.distance;
    auto good = all_true(d);
    for (std::int64_t o = 0; o < batch.count; o += n) {
        const std::int64_t at = o * batch_rows;
        V parts[batch_rows];
        first_parts<J>(batch, o, parts, good);
        for (const auto& step : batch.steps) {
            // As constants: a store of a vector could change whatever is in memory.
            const Acc* const from = step.from + at;
            Acc* const to = step.to + at;
            unrolled<batch_rows>([&parts, d, from, to](auto j) HWY_ATTR {
                const V before = hn::LoadU(d, from + j * n);
                hn::StoreU(parts[j], d, to + j * n);
                parts[j] = joined<J>(before, parts[j]);
            });
        }
        if (batch.top != nullptr) {
            Acc* const to = batch.top + at;
            unrolled<batch_rows>([&parts, d, to](auto j) HWY_ATTR { hn::StoreU(parts[j], d, to + j * n); });
        }
        if (!batch.delayed.empty()) {
            unrolled<batch_rows>([&](auto j) HWY_ATTR {
                const V part = hn::LoadU(d, first_delayed[j] + at);
                parts[j] = J == Join::sum ? part : joined<J>(part, parts[j]);
            });
        }
        for (std::size_t p = 1; p < batch.delayed.size(); ++p) {
            unrolled<batch_rows>([&](auto j) HWY_ATTR {
                parts[j] = joined<J>(parts[j], hn::LoadU(d, delayed_row(batch.delayed[p], j) + at));
            });
        }
        Acc* const before = batch.rows_before + o;
        const Acc* const rows = batch.rows + o;
        if constexpr (J == Join::sum) {
            if (batch.singles > 0) {
                with_singles(batch.singles, [&parts, d, before, rows, distance](auto singles) HWY_ATTR {
                    add_last_rows<singles>(d, before, rows, distance, parts);
                });
            }
        }
        unrolled<batch_rows>([&parts, d, before, distance](auto j)
                                 HWY_ATTR { hn::StoreU(parts[j], d, before + j * distance); });
    }
    return hn::AllTrue(d, good);
}

bool fold_batch_f32(Join join, const DoublingBatch<float>& batch) {
    return with_join(join, [&]<Join J>() HWY_ATTR { return fold_batch<J>(batch); });
}
bool fold_batch_f64(Join join, const DoublingBatch<double>& batch) {
    return with_join(join, [&]<Join J>() HWY_ATTR { return fold_batch<J>(batch); });
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(fold_batch_f32);
HWY_EXPORT(fold_batch_f64);

bool fold_batch_by_doubling(Join join, const DoublingBatch<float>& batch) {
    return HWY_DYNAMIC_DISPATCH(fold_batch_f32)(join, batch);
}
bool fold_batch_by_doubling(Join join, const DoublingBatch<double>& batch) {
    return HWY_DYNAMIC_DISPATCH(fold_batch_f64)(join, batch);
}

}  // namespace iir2d::pool
#endif
