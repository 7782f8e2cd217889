// SPDX-License-Identifier: MIT
// The one-pass backend of causal filters: which jobs it takes, its tiles, strips and threads.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <stop_token>
#include <thread>
#include <tuple>

#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;
using ::testing::HasSubstr;

bool is_raster(const FilterDesc& desc) {
    return FilterPlan::make(*Device::cpu(1), desc)->kernel().name == "iir_raster";
}

#if defined(IIR2D_HAVE_HIGHWAY)

TEST(Raster, TakesCausalFiltersWhoseStartNeedsNoWholeLine) {
    for (const int id : {1, 2, 3, 4, 7, 8})
        EXPECT_TRUE(is_raster({.shape = {.h = 64, .w = 40}, .filter = {.id = id}})) << id;
    for (const int id : {5, 6})
        EXPECT_FALSE(is_raster({.shape = {.h = 64, .w = 40}, .filter = {.id = id}})) << id;
    const auto steady = [](Border border) {
        return FilterDesc{
            .shape = {.h = 64, .w = 40}, .filter = {.id = 1}, .border = border, .start = Start::steady};
    };
    EXPECT_FALSE(is_raster(steady(Border::mirror)));
    EXPECT_FALSE(is_raster(steady(Border::wrap)));
    EXPECT_TRUE(is_raster(steady(Border::clamp)));
    EXPECT_TRUE(is_raster(steady(Border::constant)));
    for (const auto& [w, h, taken] : {std::tuple{15, 1000, false},
                                      {16, 64, true},
                                      {16, 63, false},
                                      {131072, 64, true},
                                      {131073, 64, false}})
        EXPECT_EQ(is_raster({.shape = {.h = h, .w = w}, .filter = {.id = 1}}), taken) << w << " x " << h;
}

// Sizes around those of tiles, bands and strips; every way in which sections and starts differ; alone, shared
// by threads, and in place.
TEST(Raster, EverySizeIsWithinTheBoundAloneSharedAndInPlace) {
    int taken = 0;
    for (const int id : {1, 3, 4}) {
        for (const Border border : all_borders) {
            for (const Precision precision : all_precisions) {
                for (const auto& [w, h] : {std::pair{16, 64},
                                           {31, 65},
                                           {33, 79},
                                           {129, 145},
                                           {513, 130},
                                           {1030, 81},
                                           {545, 177}}) {
                    const FilterDesc desc{
                        .shape = {.h = h, .w = w},
                        .filter = {.id = id},
                        .border = border,
                        .precision = precision,
                        .start = border == Border::clamp ? Start::steady : Start::truncated};
                    taken += is_raster(desc) ? 1 : 0;
                    const auto x = random_plane(count_of(desc.shape), 11);
                    const auto one = run_cpu(desc, x, 1);
                    ASSERT_TRUE(one);
                    const auto bound = FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error;
                    ASSERT_TRUE(bound);
                    EXPECT_LE(max_abs_difference(*one, run_reference(desc, x)), *bound) << describe(desc);
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
    EXPECT_GE(taken, 3 * 3 * 3 * 7);  // wrap's cascades go another way
}

// Many planes, each on a thread of its own, give what each gives alone.
TEST(Raster, ManyPlanesAreFilteredEachOnItsOwn) {
    const FilterDesc all{.shape = {.n = 3, .c = 7, .h = 70, .w = 90}, .filter = {.id = 4}};
    const FilterDesc single{.shape = {.h = 70, .w = 90}, .filter = {.id = 4}};
    const auto x = random_plane(count_of(all.shape), 12);
    const auto y = *run_cpu(all, x, 2);
    for (std::size_t p = 0; p < 21; ++p) {
        const auto at = static_cast<std::ptrdiff_t>(p * 70 * 90);
        const std::vector<double> plane(x.begin() + at, x.begin() + at + 70 * 90);
        EXPECT_TRUE(
            std::ranges::equal(*run_cpu(single, plane, 1), std::span(y).subspan(p * 70 * 90, 70 * 90)));
    }
}

// A caller whose progress function computes with oneTBB, or with another plan, is not waited for by itself.
TEST(Raster, ProgressMayRunPlansOfItsOwn) {
    const FilterDesc desc{.shape = {.h = 1000, .w = 1024}, .filter = {.id = 1}};
    const auto x = random_plane(count_of(desc.shape), 13);
    const std::vector<float> in(x.begin(), x.end());
    std::vector<float> out(in.size());
    const auto expected = *run_cpu(desc, x, 1);
    int calls = 0;
    const auto done = FilterPlan::make(*Device::cpu(2), desc)
                          ->run({in.data(), ElementType::f32, desc.shape},
                                {out.data(), ElementType::f32, desc.shape}, {}, {.progress = [&](double) {
                                    if (++calls % 16 == 0) {
                                        EXPECT_EQ(*run_cpu(desc, x, 2), expected);
                                    }
                                }});
    ASSERT_TRUE(done);
    EXPECT_GT(calls, 16);
    EXPECT_TRUE(std::ranges::equal(out, expected));
}

// Large enough for stores past the caches, with rows that are aligned for them and rows that are not.
TEST(Raster, StoresPastTheCachesGiveTheSameBits) {
    constexpr std::int64_t w = 2048;
    constexpr std::int64_t h = 1030;
    for (const int id : {1, 4}) {
        const FilterDesc desc{.shape = {.h = h, .w = w}, .filter = {.id = id}};
        const auto noise = random_plane(w * h, 3);
        const std::vector<float> x(noise.begin(), noise.end());
        const auto run = [&](std::int64_t stride, std::size_t offset) {
            std::vector<float> room(static_cast<std::size_t>(h * stride) + offset + 16, -1.0F);
            float* y = room.data() + offset;
            while (offset == 0 && reinterpret_cast<std::uintptr_t>(y) % 64 != 0) ++y;
            const auto done = FilterPlan::make(*Device::cpu(2), desc)
                                  ->run({x.data(), ElementType::f32, desc.shape},
                                        {y, ElementType::f32, desc.shape, stride});
            EXPECT_TRUE(done);
            std::vector<float> dense;
            for (std::int64_t r = 0; r < h; ++r)
                dense.insert(dense.end(), y + r * stride, y + r * stride + w);
            return dense;
        };
        const auto aligned = run(w, 0);
        EXPECT_EQ(aligned, run(w + 8, 0));
        EXPECT_EQ(aligned, run(w + 1, 0));
        EXPECT_EQ(aligned, run(w, 1));
    }
}

TEST(Raster, IsCancelledOnAnyNumberOfThreads) {
    const FilterDesc desc{.shape = {.c = 2, .h = 3000, .w = 1024}, .filter = {.id = 4}};
    std::vector<float> x(static_cast<std::size_t>(count_of(desc.shape)), 0.5F);
    for (const int threads : {1, 2}) {
        const auto plan = *FilterPlan::make(*Device::cpu(threads), desc);
        std::stop_source stop;
        double last = 0.0;
        const auto cancelled =
            plan.run({x.data(), ElementType::f32, desc.shape}, {x.data(), ElementType::f32, desc.shape}, {},
                     {.stop = stop.get_token(), .progress = [&](double f) {
                          EXPECT_GE(f, last);
                          last = f;
                          if (f > 0.1) stop.request_stop();
                      }});
        ASSERT_FALSE(cancelled);
        EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
        EXPECT_LT(last, 0.9);
    }
}

// Plans run from several threads of a caller at once, each with threads of its own.
TEST(Raster, RunsNestedInACallersThreads) {
    const FilterDesc desc{.shape = {.h = 300, .w = 700}, .filter = {.id = 4}};
    const auto x = random_plane(count_of(desc.shape), 5);
    const auto expected = *run_cpu(desc, x, 1);
    std::vector<std::jthread> callers;
    for (int t = 0; t < 6; ++t) {
        callers.emplace_back([&] {
            for (int i = 0; i < 5; ++i) EXPECT_EQ(*run_cpu(desc, x, 2), expected);
        });
    }
}

// The choice is made once in a process, so this is a process of its own.
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
#else

TEST(Raster, IsNotThereWithoutHighway) {
    EXPECT_FALSE(is_raster({.shape = {.h = 64, .w = 64}, .filter = {.id = 1}}));
}

#endif

}  // namespace
