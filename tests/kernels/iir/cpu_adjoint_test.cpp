// SPDX-License-Identifier: MIT
// The CPU's adjoint: dot products with the CPU's own filter, the transposed reference, any filter data, and
// the same bits for every number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "iir2d/config.h"
#include "kernels/iir/adjoint.h"
#include "kernels/iir/cpu.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/aligned_array.h"
#include "tests/kernels/iir/adjoint_testing.h"
#include "tests/kernels/iir/iir_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace iir2d;
using namespace iir_test;

// Runs f(in, out) on dense views of the precision's type.
std::vector<double> through(const FilterDesc& desc, const std::vector<double>& x, const auto& f) {
    const auto go = [&]<class S>(S) {
        const std::vector<S> in(x.begin(), x.end());
        std::vector<S> out(x.size());
        const ElementType type = storage_type(desc.precision);
        const Shape& s = desc.shape;
        const auto done = f(ConstTensorView(in.data(), type, s, s.w, s.w * s.h, s.c * s.w * s.h),
                            TensorView{out.data(), type, s, s.w, s.w * s.h, s.c * s.w * s.h});
        EXPECT_TRUE(done) << done.error().message;
        return std::vector<double>(out.begin(), out.end());
    };
    return desc.precision == Precision::f64 ? go(double{}) : go(float{});
}

std::vector<double> forward(const FilterDesc& desc, const FilterData& data, const std::vector<double>& x) {
    return through(desc, x, [&](const ConstTensorView& in, const TensorView& out) {
        return iir::forward_cpu(iir::make_cpu_job(desc, data, 2), in, out, {});
    });
}

std::vector<double> adjoint(const FilterDesc& desc, const FilterData& data, const std::vector<double>& dy,
                            int threads = 2) {
    return through(desc, dy, [&](const ConstTensorView& in, const TensorView& out) {
        return iir::forward_cpu(iir::make_adjoint_job(desc, data, threads), in, out, {});
    });
}

// The dot product, and the reference within the forward's bound times max(1, max|A^T dy|).
void expect_adjoint(FilterDesc desc, const FilterData& data, unsigned seed) {
    auto x = random_plane(count_of(desc.shape), seed);
    for (double& v : x) v = static_cast<float>(v - 0.5);
    const auto dy = random_plane(count_of(desc.shape), seed + 1);
    const auto expected = reference_adjoint(desc, data, dy);
    for (const Precision precision : all_precisions) {
        desc.precision = precision;
        const auto back = adjoint(desc, data, dy);
        const double difference = std::abs(dot(forward(desc, data, x), dy) - dot(x, back));
        EXPECT_LE(difference, tolerance(precision) * std::sqrt(dot(x, x) * dot(back, back)))
            << describe(desc);
        EXPECT_LE(max_abs_difference(back, expected),
                  *iir::guarantee_of(desc, iir::Filters{data}).max_abs_error * largest(expected))
            << describe(desc);
    }
}

void expect_adjoint(const FilterDesc& desc, unsigned seed) {
    const auto data = make_filter(desc.filter);
    ASSERT_TRUE(data);
    expect_adjoint(desc, *data, seed);
}

using Size = std::pair<std::int64_t, std::int64_t>;  // height, width

class CpuAdjoint : public ::testing::TestWithParam<std::tuple<int, Size>> {};

TEST_P(CpuAdjoint, TransposesTheFilterInEveryMode) {
    const auto [id, size] = GetParam();
    for (const auto [border, start] : all_modes) {
        FilterDesc desc{.shape = {.h = size.first, .w = size.second},
                        .filter = {.id = std::min(id, 8)},
                        .border = border,
                        .start = start};
        if (id == 9) desc.filter = {.id = 6, .parameters = {{"compat_1_0", 1.0}}};
        expect_adjoint(desc, static_cast<unsigned>(id));
    }
}

// One sample, fewer than a border reads, fewer than a tile, a tile with a remainder, several parts of the
// columns, rows that are filtered alone.
INSTANTIATE_TEST_SUITE_P(
    Sizes, CpuAdjoint,
    ::testing::Combine(::testing::Range(1, 10),
                       ::testing::Values(Size{1, 1}, Size{1, 7}, Size{7, 1}, Size{2, 3}, Size{3, 4},
                                         Size{5, 6}, Size{17, 23}, Size{8, 32}, Size{40, 33}, Size{9, 35},
                                         Size{129, 257}, Size{70, 1027}, Size{3, 5000}, Size{700, 45})));

TEST(CpuAdjointOf, RandomFiltersIsTransposed) {
    Random random(24);
    for (int i = 0; i < 300; ++i) {
        const auto [filter, spec] = random_filter(random);
        const FilterDesc desc{
            .shape = {.n = random.integer(1, 2), .h = random_size(random), .w = random_size(random)},
            .filter = spec,
            .border = static_cast<Border>(random.integer(0, 3)),
            .start = static_cast<Start>(random.integer(0, 1))};
        SCOPED_TRACE(i);
        expect_adjoint(desc, static_cast<unsigned>(i));
    }
}

TEST(CpuAdjointOf, ParametersAtTheEndsOfTheirRangesIsTransposed) {
    const std::pair<int, std::pair<const char*, double>> cases[] = {
        {1, {"alpha", 0.999}}, {1, {"alpha", 0.0}},  {2, {"a", 0.999}},     {5, {"alpha", 0.999}},
        {6, {"sigma", 0.3}},   {6, {"sigma", 25.0}}, {6, {"sigma", 100.0}}, {2, {"a", 0.0}}};
    for (const auto& [id, parameter] : cases) {
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : {Size{4, 3}, Size{60, 50}, Size{211, 190}}) {
                SCOPED_TRACE(parameter.second);
                expect_adjoint({.shape = {.h = h, .w = w},
                                .filter = {.id = id, .parameters = {parameter}},
                                .border = border,
                                .start = start},
                               9);
            }
        }
    }
}

Section second_order(std::array<double, 3> b, std::array<double, 2> a) {
    return {.order = 2, .b = b, .a = a, .start_b = b};
}

Section first_order(double b0, double b1, double a1) {
    return {.order = 1, .b = {b0, b1, 0}, .a = {a1, 0}, .start_b = {b0, b1, 0}};
}

// Zeros on poles or beside them, missing taps, gains, and taps of the start that are others.
std::vector<Section> unusual_sections() {
    Section late = second_order({0.0, 0.5, -0.2}, {0.9, -0.3});
    late.start_b = {0.5, -0.2, 0.0};
    return {second_order({1.0, -0.5, -0.2}, {0.5, 0.2}),
            second_order({1.0, -0.9, 0.0}, {0.9, 0.0}),
            second_order({0.3, -0.15, 0.0}, {1.4, -0.45}),
            second_order({0.3, -0.27 + 1e-9, 0.0}, {0.9, 0.0}),
            second_order({0.0, 0.0, 0.0}, {0.4, 0.3}),
            second_order({0.2, 0.1, 0.3}, {0.0, 0.0}),
            second_order({0.0, 0.0, 0.5}, {0.0, -0.5}),
            first_order(0.4, -0.2, 0.5),
            first_order(0.4, 0.3, 0.5),
            first_order(0.7, 0.0, 0.0),
            first_order(0.0, 0.7, 0.3),
            {.order = 0, .b = {0.5, 0, 0}, .a = {0, 0}, .start_b = {0.5, 0, 0}},
            late};
}

TEST(CpuAdjointOf, UnusualSectionsIsTransposed) {
    const auto sections = unusual_sections();
    const AxisFilter plain{{{.sections = {first_order(0.4, 0.0, 0.6)}}}};
    for (std::size_t i = 0; i < sections.size(); ++i) {
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : {Size{2, 3}, Size{40, 37}}) {
                const FilterDesc desc{.shape = {.h = h, .w = w}, .border = border, .start = start};
                SCOPED_TRACE("section " + std::to_string(i));
                const Section& s = sections[i];
                const AxisFilter one{{{.sections = {s}}}};
                const AxisFilter back{{{.kind = Stage::Kind::anticausal, .sections = {s}}}};
                const AxisFilter with_others{{{.sections = {first_order(0.4, 0.0, 0.6), s,
                                                            second_order({0.3, 0.2, 0.1}, {0.5, -0.2})}}}};
                const AxisFilter in_sum{{{.kind = Stage::Kind::sum,
                                          .causal = {first_order(0.4, 0.2, 0.6), s},
                                          .anticausal = {s}}}};
                expect_adjoint(desc, {one, plain}, 3);
                expect_adjoint(desc, {plain, back}, 3);
                expect_adjoint(desc, {with_others, one}, 3);
                expect_adjoint(desc, {in_sum, with_others}, 3);
                expect_adjoint(desc, {plain, in_sum}, 3);
            }
        }
    }
}

TEST(CpuAdjointOf, AnyNumberOfThreadsHasTheSameBits) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            const FilterDesc desc{
                .shape = {.h = 301, .w = 700}, .filter = {.id = id}, .border = border, .start = start};
            const auto data = make_filter(desc.filter);
            const auto dy = random_plane(count_of(desc.shape), 6);
            const auto one = adjoint(desc, *data, dy, 1);
            EXPECT_EQ(one, adjoint(desc, *data, dy, 2)) << describe(desc);
            EXPECT_EQ(one, adjoint(desc, *data, dy, 7)) << describe(desc);
        }
    }
}

TEST(CpuAdjointOf, PlanesWithStridesWorksInPlace) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : all_borders) {
            const FilterDesc desc{
                .shape = {.n = 2, .c = 2, .h = 37, .w = 70}, .filter = {.id = id}, .border = border};
            const auto data = make_filter(desc.filter);
            const auto dy = random_plane(count_of(desc.shape), 8);
            const auto expected = adjoint(desc, *data, dy);
            constexpr std::int64_t stride = 73;
            constexpr std::int64_t plane = 40 * stride;
            std::vector<float> buffer(static_cast<std::size_t>(4 * plane), 9.0F);
            const auto at = [&](std::int64_t i) -> float& {
                return buffer[static_cast<std::size_t>(i / (37 * 70) * plane + i / 70 % 37 * stride +
                                                       i % 70)];
            };
            for (std::int64_t i = 0; i < count_of(desc.shape); ++i)
                at(i) = static_cast<float>(dy[static_cast<std::size_t>(i)]);
            const TensorView view{buffer.data(), ElementType::f32, desc.shape, stride, plane, 2 * plane};
            ASSERT_TRUE(iir::forward_cpu(iir::make_adjoint_job(desc, *data, 2), view, view, {}));
            for (std::int64_t i = 0; i < count_of(desc.shape); ++i)
                ASSERT_EQ(static_cast<double>(at(i)), expected[static_cast<std::size_t>(i)])
                    << describe(desc);
            EXPECT_EQ(std::ranges::count(buffer, 9.0F), 4 * plane - count_of(desc.shape));
        }
    }
}

TEST(CpuAdjointOf, NonFiniteGradientsReachesTheSameSamplesAsTheReference) {
    Random random(25);
    constexpr double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
    for (int i = 0; i < 300; ++i) {
        FilterDesc desc{.shape = {.h = random.integer(1, 20), .w = random.integer(1, i % 4 == 0 ? 700 : 40)},
                        .filter = {.id = static_cast<int>(random.integer(1, 8))},
                        .border = static_cast<Border>(random.integer(0, 3)),
                        .start = static_cast<Start>(random.integer(0, 1))};
        if (i % 5 == 0) desc.filter = {.id = 1, .parameters = {{"alpha", 0.0}}};
        const auto data = make_filter(desc.filter);
        auto dy = random_plane(count_of(desc.shape), static_cast<unsigned>(i));
        dy[static_cast<std::size_t>(random.integer(0, count_of(desc.shape) - 1))] =
            specials[random.integer(0, 2)];
        const auto expected = reference_adjoint(desc, *data, dy);
        for (const Precision precision : all_precisions) {
            desc.precision = precision;
            const auto dx = adjoint(desc, *data, dy);
            for (std::size_t k = 0; k < dx.size(); ++k) {
                ASSERT_EQ(std::isfinite(dx[k]), std::isfinite(expected[k]))
                    << i << ": " << describe(desc) << " sample " << k;
            }
        }
    }
}

TEST(CpuAdjointOf, AStoppedRunSaysSo) {
    const FilterDesc desc{.shape = {.h = 64, .w = 64}, .filter = {.id = 6}};
    const auto adjoint = iir::make_adjoint_job(desc, *make_filter(desc.filter), 1);
    std::vector<float> dy(64 * 64);
    const TensorView view{dy.data(), ElementType::f32, desc.shape, 64, 64 * 64};
    std::stop_source stop;
    stop.request_stop();
    const auto done = iir::forward_cpu(adjoint, view, view, {.stop = stop.get_token()});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::cancelled);
}

// The adjoint holds columns at the ends of rows back until it has added to them. Rows begin `bytes` after the
// start of a cache line.
TEST(CpuAdjoint, NonTemporalStoresGiveTheSameBitsWhereverRowsBegin) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        const auto data = *make_filter({.id = id});
        for (const Border border : {Border::mirror, Border::wrap, Border::clamp}) {
            for (const std::int64_t w : {4, 12, 20, 45, 560}) {
                const FilterDesc desc{.shape = {.h = 35, .w = w}, .filter = {.id = id}, .border = border};
                const auto noise = random_plane(count_of(desc.shape), 5);
                const std::vector<float> dy(noise.begin(), noise.end());
                const std::int64_t stride = (w + 31) / 16 * 16;
                const auto run = [&](std::int32_t stores, float* out) {
                    iir::CpuJob job = iir::make_adjoint_job(desc, data, 1);
                    job.config.stores = stores;
                    const Shape& s = desc.shape;
                    EXPECT_TRUE(
                        iir::forward_cpu(job, {dy.data(), ElementType::f32, s, w, w * s.h, w * s.h},
                                         {out, ElementType::f32, s, stride, stride * s.h, stride * s.h}, {}));
                };
                const auto count = static_cast<std::size_t>(stride * (desc.shape.h + 1));
                const support::AlignedArray<float> through(count);
                const support::AlignedArray<float> past(count);
                for (const std::int64_t bytes : {0, 16, 48}) {
                    run(stores_through, through.data());
                    float* const out = past.data() + bytes / 4;
                    run(stores_past, out);
                    for (std::int64_t r = 0; r < desc.shape.h; ++r) {
                        ASSERT_TRUE(
                            std::equal(out + r * stride, out + r * stride + w, through.data() + r * stride))
                            << describe(desc) << " " << w << " columns, row " << r << ", " << bytes
                            << " bytes";
                    }
                }
            }
        }
    }
}

}  // namespace
