// SPDX-License-Identifier: MIT
// How the CPU backend takes filters apart: bands, tiles, strips, threads.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <stop_token>
#include <thread>
#include <tuple>

#include "tests/kernels/array_at_offset.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;
using ::testing::HasSubstr;

std::string kernel_of(const FilterDesc& desc) {
    const KernelIdentity kernel = FilterPlan::make(*Device::cpu(1), desc)->kernel();
    return kernel.name + " " + kernel.variant;
}

// What goes down with the rows, and what is left for strips of columns, follows from the passes.
TEST(Raster, TheFirstStepOfTheColumnsGoesAlongWithTheRows) {
    const auto of_filter = [](int id, Border border = Border::mirror, Start start = Start::truncated,
                              std::int64_t height = 64) {
        return kernel_of(
            {.shape = {.h = height, .w = 40}, .filter = {.id = id}, .border = border, .start = start});
    };
    for (const int id : {1, 2, 3, 4, 7, 8}) EXPECT_EQ(of_filter(id), "iir_raster rows_1_down_1_columns_0");
    for (const int id : {5, 6}) EXPECT_EQ(of_filter(id), "iir_raster rows_2_down_1_columns_1");
    EXPECT_EQ(of_filter(4, Border::wrap), "iir_raster rows_2_down_1_columns_1");
    // Images so low that the rows filtered for the columns' start would count.
    EXPECT_EQ(of_filter(1, Border::mirror, Start::truncated, 63), "iir_raster rows_1_down_0_columns_1");
    EXPECT_EQ(of_filter(1, Border::mirror, Start::steady, 1000), "iir_raster rows_1_down_0_columns_1");
    EXPECT_EQ(of_filter(1, Border::mirror, Start::steady, 2000), "iir_raster rows_1_down_1_columns_0");
    EXPECT_EQ(of_filter(1, Border::clamp, Start::steady), "iir_raster rows_1_down_1_columns_0");
    // Few long rows, of which a band would be larger than the plane.
    const auto of_size = [](int id, std::int64_t width, std::int64_t height) {
        return kernel_of({.shape = {.h = height, .w = width}, .filter = {.id = id}});
    };
    EXPECT_EQ(of_size(5, 5000, 7), "iir_lines rows_2_down_0_columns_2");
    EXPECT_EQ(of_size(5, 5000, 8), "iir_raster rows_2_down_0_columns_2");
    EXPECT_EQ(of_size(6, 5000, 7), "iir_lines rows_2_down_0_columns_2");
    EXPECT_EQ(of_size(6, 5000, 8), "iir_raster rows_2_down_0_columns_2");
    // A single causal pass keeps no band.
    EXPECT_EQ(of_size(1, 5000, 1), "iir_raster rows_1_down_0_columns_1");
}

// Sizes around those of tiles, bands, parts and strips; every way in which sections and starts differ; alone,
// shared by threads, and in place.
TEST(Raster, EverySizeIsWithinTheBoundAloneSharedAndInPlace) {
    for (const int id : {1, 3, 4, 5, 6}) {
        for (const Border border : all_borders) {
            for (const auto& [w, h] :
                 {std::pair{16, 64}, {31, 65}, {33, 79}, {129, 145}, {513, 130}, {1030, 81}, {545, 177}}) {
                FilterDesc desc{.shape = {.h = h, .w = w},
                                .filter = {.id = id},
                                .border = border,
                                .start = border == Border::clamp ? Start::steady : Start::truncated};
                const auto x = random_plane(count_of(desc.shape), 11);
                const auto expected = run_reference(desc, x);
                for (const Precision precision : all_precisions) {
                    desc.precision = precision;
                    const auto one = run_cpu(desc, x, 1);
                    ASSERT_TRUE(one);
                    const auto bound = FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error;
                    ASSERT_TRUE(bound);
                    EXPECT_LE(max_abs_difference(*one, expected), *bound) << describe(desc);
                    // From 65536 samples on several threads take part.
                    if (w * h < 1 << 16) continue;
                    for (const int threads : {2, 3, 8})
                        EXPECT_EQ(*one, *run_cpu(desc, x, threads)) << describe(desc);
                    if (storage_type(precision) == ElementType::f64) continue;
                    std::vector<float> plane(x.begin(), x.end());
                    ASSERT_TRUE(FilterPlan::make(*Device::cpu(8), desc)
                                    ->run({plane.data(), ElementType::f32, desc.shape},
                                          {plane.data(), ElementType::f32, desc.shape}));
                    EXPECT_TRUE(std::ranges::equal(plane, *one)) << describe(desc) << " in place";
                }
            }
        }
    }
}

// Starts that need much of a line, in images tall enough that bands go down all the same, with memories short
// enough that it happens at a few hundred rows.
TEST(Raster, ASteadyPeriodicStartGoesDownWithTheRows) {
    for (const FilterSpec& filter : {FilterSpec{1, {{"alpha", 0.3}}}, FilterSpec{2, {{"a", 0.25}}},
                                     FilterSpec{5, {{"alpha", 0.3}}}, FilterSpec{6, {{"sigma", 0.6}}}}) {
        for (const Border border : {Border::mirror, Border::wrap}) {
            FilterDesc desc{
                .shape = {.h = 301, .w = 260}, .filter = filter, .border = border, .start = Start::steady};
            const auto noise = random_plane(count_of(desc.shape), 17);
            const auto expected = run_reference(desc, noise);
            for (const Precision precision : all_precisions) {
                desc.precision = precision;
                EXPECT_THAT(kernel_of(desc), HasSubstr("_down_1_")) << describe(desc);
                auto x = noise;
                const auto one = *run_cpu(desc, x, 1);
                EXPECT_LE(max_abs_difference(one, expected),
                          *FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error)
                    << describe(desc);
                for (const int threads : {2, 3}) EXPECT_EQ(one, *run_cpu(desc, x, threads)) << describe(desc);
                // A NaN is before every sample of its row, and so of every column.
                x[150 * 260 + 100] = std::numeric_limits<double>::quiet_NaN();
                const auto lost = *run_cpu(desc, x, 2);
                EXPECT_TRUE(std::ranges::all_of(lost, [](double v) { return std::isnan(v); }))
                    << describe(desc);
            }
        }
    }
}

// Fewer planes than threads would take one by one.
TEST(Raster, PlanesOfOneCallHaveTheirOwnBitsWhoeverTakesThem) {
    for (const int id : {1, 4, 5, 6}) {
        for (const Border border : {Border::mirror, Border::wrap}) {
            for (const auto& [w, h] : {std::pair{260, 150}, {20, 2000}, {5000, 7}, {5000, 14}, {700, 17}}) {
                FilterDesc desc{.shape = {.c = 3, .h = h, .w = w}, .filter = {.id = id}, .border = border};
                const auto x = random_plane(count_of(desc.shape), 23);
                const auto one = run_cpu(desc, x, 1);
                ASSERT_TRUE(one);
                for (const int threads : {2, 3, 8})
                    EXPECT_EQ(*one, *run_cpu(desc, x, threads)) << describe(desc) << " " << threads;
                desc.shape.c = 1;
                const std::int64_t size = count_of(desc.shape);
                const std::vector<double> last(x.begin() + 2 * size, x.end());
                EXPECT_TRUE(std::ranges::equal(*run_cpu(desc, last, 1), std::span(*one).subspan(2 * size)))
                    << describe(desc);
            }
        }
    }
}

TEST(Raster, LongAndThinImagesOfEveryKindOfPass) {
    for (const int id : {1, 4, 5, 6}) {
        for (const Border border : {Border::mirror, Border::wrap}) {
            for (const auto& [w, h] : {std::pair{100'000, 1},
                                       {1, 100'000},
                                       {70'001, 3},
                                       {3, 70'001},
                                       {9'000, 20},
                                       {20, 9'000},
                                       {5'000, 33}}) {
                FilterDesc desc{.shape = {.h = h, .w = w}, .filter = {.id = id}, .border = border};
                const auto x = random_plane(count_of(desc.shape), 8);
                const auto expected = run_reference(desc, x);
                for (const Precision precision : all_precisions) {
                    desc.precision = precision;
                    const auto y = run_cpu(desc, x, 2);
                    ASSERT_TRUE(y);
                    EXPECT_LE(max_abs_difference(*y, expected),
                              *FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error)
                        << describe(desc);
                    EXPECT_EQ(*y, *run_cpu(desc, x, 1)) << describe(desc);
                }
            }
        }
    }
}

// Many planes, each on a thread of its own, give what each gives alone.
TEST(Raster, ManyPlanesAreFilteredEachOnItsOwn) {
    for (const int id : {4, 5, 6}) {
        const FilterDesc all{.shape = {.n = 3, .c = 7, .h = 70, .w = 90}, .filter = {.id = id}};
        const FilterDesc single{.shape = {.h = 70, .w = 90}, .filter = {.id = id}};
        const auto x = random_plane(count_of(all.shape), 12);
        const auto y = *run_cpu(all, x, 2);
        // Twenty-one are enough for two threads, one each; eight threads share all of them at once.
        EXPECT_EQ(y, *run_cpu(all, x, 8));
        for (std::size_t p = 0; p < 21; ++p) {
            const auto at = static_cast<std::ptrdiff_t>(p * 70 * 90);
            const std::vector<double> plane(x.begin() + at, x.begin() + at + 70 * 90);
            EXPECT_TRUE(
                std::ranges::equal(*run_cpu(single, plane, 1), std::span(y).subspan(p * 70 * 90, 70 * 90)));
        }
    }
}

// A caller whose progress function computes with oneTBB, or with another plan, is not waited for by itself.
TEST(Raster, ProgressMayRunPlansOfItsOwn) {
    const FilterDesc desc{.shape = {.h = 1000, .w = 1024}, .filter = {.id = 1}};
    const auto x = random_plane(count_of(desc.shape), 13);
    const std::vector<float> in(x.begin(), x.end());
    std::vector<float> out(in.size());
    const auto expected = *run_cpu(desc, x, 1);
    const auto plan = FilterPlan::make(*Device::cpu(2), desc);
    int calls = 0;
    const RunControl control{.progress = [&](double) {
        if (++calls % 16 == 0) {
            EXPECT_EQ(*run_cpu(desc, x, 2), expected);
        }
    }};
    // Progress is reported by the caller's thread alone, which on a busy machine may get only a little of a
    // run's work.
    for (int runs = 0; runs < 100 && calls < 32; ++runs) {
        std::ranges::fill(out, 0.0F);
        ASSERT_TRUE(plan->run({in.data(), ElementType::f32, desc.shape},
                              {out.data(), ElementType::f32, desc.shape}, control));
        EXPECT_TRUE(std::ranges::equal(out, expected));
    }
    EXPECT_GE(calls, 32);
}

// Large enough for non-temporal stores: with rows that are aligned for them and rows that are not, and with
// an output whose offset in a page makes 4K aliasing and one whose offset does not.
template <class S>
void expect_the_same_bits_wherever_it_lies(const FilterDesc& desc) {
    SCOPED_TRACE(describe(desc));
    const std::int64_t w = desc.shape.w;
    const std::int64_t h = desc.shape.h;
    const auto element = storage_type(desc.precision);
    const auto noise = random_plane(w * h, 3);
    const ArrayAtOffset<S> x(w * h, 0);
    std::transform(noise.begin(), noise.end(), x.data(), [](double v) { return static_cast<S>(v); });
    const auto run = [&](std::int64_t stride, std::size_t behind) {
        const ArrayAtOffset<S> y(h * stride, behind);
        EXPECT_TRUE(FilterPlan::make(*Device::cpu(2), desc)
                        ->run({x.data(), element, desc.shape}, {y.data(), element, desc.shape, stride}));
        std::vector<S> dense;
        for (std::int64_t r = 0; r < h; ++r)
            dense.insert(dense.end(), y.data() + r * stride, y.data() + r * stride + w);
        return dense;
    };
    const auto through = run(w, 64);
    EXPECT_EQ(through, run(w, 0));
    EXPECT_EQ(through, run(w, 2048));
    EXPECT_EQ(through, run(w + 8, 2048));
    EXPECT_EQ(through, run(w + 1, 2048));
    EXPECT_EQ(through, run(w, 2048 + sizeof(S)));
}

TEST(Raster, NonTemporalStoresAnd4kAliasingDoNotChangeTheBits) {
    for (const int id : {1, 4, 5, 6}) {
        const Shape shape{.h = 1030, .w = 2048};
        expect_the_same_bits_wherever_it_lies<float>({.shape = shape, .filter = {.id = id}});
        expect_the_same_bits_wherever_it_lies<float>(
            {.shape = shape, .filter = {.id = id}, .precision = Precision::mixed});
        expect_the_same_bits_wherever_it_lies<double>(
            {.shape = shape, .filter = {.id = id}, .precision = Precision::f64});
    }
    // Rows that are no multiple of 4 KiB apart: bands of filter 1 then have 16 rows with AVX-512.
    expect_the_same_bits_wherever_it_lies<float>({.shape = {.h = 1030, .w = 2080}, .filter = {.id = 1}});
}

TEST(Raster, IsCancelledOnAnyNumberOfThreadsInEveryPart) {
    for (const int id : {4, 5, 6}) {
        const FilterDesc desc{.shape = {.c = 2, .h = 3000, .w = 1024}, .filter = {.id = id}};
        std::vector<float> x(static_cast<std::size_t>(count_of(desc.shape)), 0.5F);
        for (const int threads : {1, 2}) {
            // In the first plane's bands, in its columns if it has such a part, in the second plane.
            for (const double when : {0.1, 0.4, 0.7}) {
                const auto plan = *FilterPlan::make(*Device::cpu(threads), desc);
                std::stop_source stop;
                double last = 0.0;
                double asked = 1.0;  // the caller may hear late how far the other thread is
                const auto cancelled = plan.run({x.data(), ElementType::f32, desc.shape},
                                                {x.data(), ElementType::f32, desc.shape},
                                                {.stop = stop.get_token(), .progress = [&](double f) {
                                                     EXPECT_GE(f, last);
                                                     last = f;
                                                     if (f <= when) return;
                                                     asked = std::min(asked, f);
                                                     stop.request_stop();
                                                 }});
                // A caller that gets no processor hears of it when the other thread is done with nearly all.
                if (cancelled && threads > 1 && asked > 0.9) continue;
                ASSERT_FALSE(cancelled);
                EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
                EXPECT_LT(last, asked + 0.2);
            }
        }
    }
}

// Plans run from several threads of a caller at once, each with threads of its own.
TEST(Raster, RunsNestedInACallersThreads) {
    const FilterDesc desc{.shape = {.h = 300, .w = 700}, .filter = {.id = 6}};
    const auto x = random_plane(count_of(desc.shape), 5);
    const auto expected = *run_cpu(desc, x, 1);
    std::vector<std::jthread> callers;
    for (int t = 0; t < 6; ++t) {
        callers.emplace_back([&] {
            for (int i = 0; i < 5; ++i) EXPECT_EQ(*run_cpu(desc, x, 2), expected);
        });
    }
}

// The choice of an instruction set is made once in a process, so these are processes of their own.
#if defined(IIR2D_HAVE_HIGHWAY)
TEST(RasterDeathTest, AnUnknownTargetIsRefusedByName) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("IIR2D_CPU_TARGET", "MMX", 1);
            const auto plan = FilterPlan::make(*Device::cpu(1), {.filter = {.id = 1}});
            std::fprintf(stderr, "%s", plan ? "accepted" : plan.error().message.c_str());
            std::exit(plan ? 0 : 3);
        },
        ::testing::ExitedWithCode(3), HasSubstr("IIR2D_CPU_TARGET is \"MMX\""));
}

// Of every bit of every filter's results on sizes that leave parts of vectors, bands and tiles.
std::string make_checksum() {
    std::uint64_t sum = 14695981039346656037U;
    const auto add = [&](const FilterDesc& desc, const std::vector<double>& x) {
        const std::vector<double> y = *run_cpu(desc, x, 1);
        for (const double v : y) sum = (sum ^ std::bit_cast<std::uint64_t>(v)) * 1099511628211U;
    };
    for (const auto& [w, h] : {std::pair{163, 77}, {7, 90}, {4100, 3}, {34, 8}, {65, 41}, {1, 1}}) {
        FilterDesc desc{.shape = {.h = h, .w = w}, .border_const = 0.25};
        const auto x = random_plane(count_of(desc.shape), 23);
        for (int id = 1; id <= std::ssize(filter_table()); ++id) {
            desc.filter = {.id = id};
            for (const Border border : all_borders) {
                desc.border = border;
                for (const Start start : all_starts) {
                    desc.start = start;
                    for (const Precision precision : all_precisions) {
                        desc.precision = precision;
                        add(desc, x);
                    }
                }
            }
        }
    }
    return "sum " + std::to_string(sum);
}

const std::string& checksum() {
    static const std::string made = make_checksum();
    return made;
}

TEST(RasterDeathTest, BitsAreTheSameOnEveryInstructionSet) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    // The parent's sum is asked for after the child has gone its own way.
    const auto is_ours = ::testing::Truly([](const std::string& printed) {
        return printed.find("not here") != std::string::npos || printed.find(checksum()) != std::string::npos;
    });
    for (const char* target : {"SSE4", "AVX2", "AVX3", "NEON"}) {
        EXPECT_EXIT(
            {
                setenv("IIR2D_CPU_TARGET", target, 1);
                const bool here = FilterPlan::make(*Device::cpu(1), {.filter = {.id = 1}}).has_value();
                std::fprintf(stderr, "%s", here ? checksum().c_str() : "not here");
                std::exit(0);
            },
            ::testing::ExitedWithCode(0), is_ours)
            << target;
    }
}
#endif

}  // namespace
