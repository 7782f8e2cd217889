// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/part_sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/fold.h"
#include "kernels/pool/part_sums.h"
#include "kernels/support/lanes-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Elsewhere a shift across a vector takes several instructions, and loads of neighbours are as fast.
#if defined(IIR2D_HAVE_HIGHWAY) && HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 && HWY_MAX_BYTES == 64

// Returns the vector that begins `Shift` lanes into `low`, and goes on in `high`.
template <int Shift>
HWY_INLINE hn::Vec<WideTag<float>> shifted(hn::Vec<WideTag<float>> low, hn::Vec<WideTag<float>> high) {
    const auto bits = [](const auto& v) HWY_ATTR { return _mm512_castps_si512(v.raw); };
    return hn::Vec<WideTag<float>>{_mm512_castsi512_ps(_mm512_alignr_epi32(bits(high), bits(low), Shift))};
}
template <int Shift>
HWY_INLINE hn::Vec<WideTag<double>> shifted(hn::Vec<WideTag<double>> low, hn::Vec<WideTag<double>> high) {
    const auto bits = [](const auto& v) HWY_ATTR { return _mm512_castpd_si512(v.raw); };
    return hn::Vec<WideTag<double>>{_mm512_castsi512_pd(_mm512_alignr_epi64(bits(high), bits(low), Shift))};
}

// Returns the vector that begins `Offset` lanes into vectors side by side.
template <std::int64_t Offset, class V>
HWY_INLINE V vector_at(const V* vectors) {
    constexpr std::int64_t n = wide_lanes<hn::TFromV<V>>;
    constexpr auto shift = static_cast<int>(Offset % n);
    const V low = vectors[Offset / n];
    if constexpr (shift == 0) {
        return low;
    } else {
        return shifted<shift>(low, vectors[Offset / n + 1]);
    }
}

template <std::int64_t Part, std::int64_t Singles, class Acc>
HWY_FLATTEN std::int64_t sum_by(const Acc* from, std::int64_t count, Acc* to) {
    constexpr std::int64_t n = wide_lanes<Acc>;
    constexpr std::int64_t window = 4 * Part + Singles;
    static_assert(Part > 1 && Part <= n && n <= row_slack);
    const auto vectors_to = [](std::int64_t offset) { return (offset + n - 1) / n; };
    constexpr std::int64_t parts_behind = vectors_to(3 * Part);
    constexpr std::int64_t behind = std::max(parts_behind + 1, vectors_to(window - 1));
    const WideTag<Acc> d;
    using V = hn::Vec<WideTag<Acc>>;
    // All reads lie before this.
    const std::int64_t end = count + window - 1 + row_slack;
    if (count < 1 || (behind + 1) * n > end) return 0;
    V terms[static_cast<std::size_t>(behind + 1)];
    V parts[static_cast<std::size_t>(parts_behind + 1)];
    const auto make_part = [&](auto i) HWY_ATTR {
        V part = terms[i];
        unrolled<Part - 1>([&](auto k) HWY_ATTR { part = hn::Add(part, vector_at<k + 1>(terms + i)); });
        parts[i] = part;
    };
    unrolled<behind>([&](auto i) HWY_ATTR { terms[i] = hn::LoadU(d, from + i * n); });
    unrolled<parts_behind>(make_part);
    std::int64_t o = 0;
    for (; o < count && o + (behind + 1) * n <= end; o += n) {
        support::prefetch(from + o + behind * n, support::page_bytes);
        terms[behind] = hn::LoadU(d, from + o + behind * n);
        make_part(std::integral_constant<std::int64_t, parts_behind>());
        V sum = parts[0];
        unrolled<3>([&](auto i) HWY_ATTR { sum = hn::Add(sum, vector_at<(i + 1) * Part>(parts)); });
        unrolled<Singles>([&](auto i) HWY_ATTR { sum = hn::Add(sum, vector_at<4 * Part + i>(terms)); });
        hn::StoreU(sum, d, to + o);
        unrolled<behind>([&](auto i) HWY_ATTR { terms[i] = terms[i + 1]; });
        unrolled<parts_behind>([&](auto i) HWY_ATTR { parts[i] = parts[i + 1]; });
    }
    return std::min(o, count);
}

template <std::int64_t Part, class Acc>
std::int64_t sum_parts_of(std::int64_t singles, const Acc* from, std::int64_t count, Acc* to) {
    switch (singles) {
        case 0:
            return sum_by<Part, 0>(from, count, to);
        case 1:
            return sum_by<Part, 1>(from, count, to);
        case 2:
            return sum_by<Part, 2>(from, count, to);
        default:
            return sum_by<Part, 3>(from, count, to);
    }
}

template <class Acc>
std::int64_t sum(std::int64_t part, std::int64_t singles, const Acc* from, std::int64_t count, Acc* to) {
    switch (part) {
        case 2:
            return sum_parts_of<2>(singles, from, count, to);
        case 3:
            return sum_parts_of<3>(singles, from, count, to);
        case 4:
            return sum_parts_of<4>(singles, from, count, to);
        case 5:
            return sum_parts_of<5>(singles, from, count, to);
        case 6:
            return sum_parts_of<6>(singles, from, count, to);
        default:
            return sum_parts_of<7>(singles, from, count, to);
    }
}

#else

template <class Acc>
std::int64_t sum(std::int64_t, std::int64_t, const Acc*, std::int64_t, Acc*) {
    return 0;
}

#endif

// Each row of terms is loaded once for four windows.
template <std::int64_t Part, std::int64_t Singles, class Acc>
HWY_FLATTEN void sum_rows_by(const RowSums<Acc>& given) {
    constexpr std::int64_t n = wide_lanes<Acc>;
    constexpr std::int64_t term_rows = Part + rows_at_once - 1;
    static_assert(Part >= rows_at_once && n <= row_slack);
    const WideTag<Acc> d;
    using V = hn::Vec<WideTag<Acc>>;
    const RowSums<Acc> rows = given;  // a copy, which no store can change
    for (std::int64_t o = 0; o < rows.count; o += n) {
        V term[static_cast<std::size_t>(term_rows)];
        V part[static_cast<std::size_t>(rows_at_once)];
        unrolled<term_rows>([&](auto i) HWY_ATTR { term[i] = hn::LoadU(d, rows.terms[i] + o); });
        unrolled<rows_at_once>([&](auto j) HWY_ATTR {
            V sum = term[j];
            unrolled<Part - 1>([&](auto k) HWY_ATTR { sum = hn::Add(sum, term[j + k + 1]); });
            part[j] = sum;
            hn::StoreU(sum, d, rows.made[j] + o);
        });
        unrolled<rows_at_once>([&](auto j) HWY_ATTR {
            V sum = hn::LoadU(d, rows.parts[0][j] + o);
            unrolled<2>([&](auto i) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, rows.parts[i + 1][j] + o)); });
            if constexpr (j >= Singles) {
                sum = hn::Add(sum, part[j - Singles]);
            } else {
                sum = hn::Add(sum, hn::LoadU(d, rows.parts[3][j] + o));
            }
            unrolled<Singles>([&](auto k) HWY_ATTR { sum = hn::Add(sum, term[Part + j - Singles + k]); });
            hn::StoreU(sum, d, rows.to[j] + o);
        });
    }
}

template <std::int64_t Part, class Acc>
void sum_rows_of(std::int64_t singles, const RowSums<Acc>& rows) {
    switch (singles) {
        case 0:
            return sum_rows_by<Part, 0>(rows);
        case 1:
            return sum_rows_by<Part, 1>(rows);
        case 2:
            return sum_rows_by<Part, 2>(rows);
        default:
            sum_rows_by<Part, 3>(rows);
    }
}

template <class Acc>
void sum_rows_in(std::int64_t part, std::int64_t singles, const RowSums<Acc>& rows) {
    switch (part) {
        case 4:
            return sum_rows_of<4>(singles, rows);
        case 5:
            return sum_rows_of<5>(singles, rows);
        case 6:
            return sum_rows_of<6>(singles, rows);
        default:
            sum_rows_of<7>(singles, rows);
    }
}

void sum_rows_f32(std::int64_t part, std::int64_t singles, const RowSums<float>& rows) {
    sum_rows_in(part, singles, rows);
}
void sum_rows_f64(std::int64_t part, std::int64_t singles, const RowSums<double>& rows) {
    sum_rows_in(part, singles, rows);
}
std::int64_t sum_f32(std::int64_t part, std::int64_t singles, const float* from, std::int64_t count,
                     float* to) {
    return sum(part, singles, from, count, to);
}
std::int64_t sum_f64(std::int64_t part, std::int64_t singles, const double* from, std::int64_t count,
                     double* to) {
    return sum(part, singles, from, count, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_f64);
HWY_EXPORT(sum_rows_f32);
HWY_EXPORT(sum_rows_f64);

std::int64_t sum_in_parts(const PartStep& step, const float* from, std::int64_t count, float* to) {
    return HWY_DYNAMIC_DISPATCH(sum_f32)(step.part, step.singles, from, count, to);
}
std::int64_t sum_in_parts(const PartStep& step, const double* from, std::int64_t count, double* to) {
    return HWY_DYNAMIC_DISPATCH(sum_f64)(step.part, step.singles, from, count, to);
}
void sum_rows(const PartStep& step, const RowSums<float>& rows) {
    HWY_DYNAMIC_DISPATCH(sum_rows_f32)(step.part, step.singles, rows);
}
void sum_rows(const PartStep& step, const RowSums<double>& rows) {
    HWY_DYNAMIC_DISPATCH(sum_rows_f64)(step.part, step.singles, rows);
}

}  // namespace iir2d::pool
#endif
