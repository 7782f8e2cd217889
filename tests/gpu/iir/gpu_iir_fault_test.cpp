// SPDX-License-Identifier: MIT
// Faults planted in the IIR kernels, each of which the executor and the parity bound must catch. The faulty
// kernels are the product's body with one thing wrong.
#include <gtest/gtest.h>

#include "kernels/iir/border.h"
#include "kernels/iir/gpu_axis.h"
#include "kernels/iir/gpu_tiles.h"
#include "tests/gpu/executor/block_runner.h"
#include "tests/gpu/iir/gpu_iir_testing.h"
#include "tests/sanitized.h"

namespace {

using namespace gpu_iir_test;
using gpu_test::ExecutorOptions;
using gpu_test::LaunchShape;
using iir::GpuAxis;
using iir::GpuFault;

// The f32 kernels of first order with a fault in them; anything else as it is in the product.
template <GpuFault fault>
void run_faulty(std::string_view name, const LaunchShape& shape, const void* parameters,
                const ExecutorOptions& options) {
    if (name == "iir_rows_f32_order1_x1") {
        gpu_test::run_kernel<GpuAxis, iir::gpu_run_axis<float, float, 1, 1, true, false, fault>, 512>(
            shape, parameters, options);
    } else if (name == "iir_columns_f32_order1_x1") {
        gpu_test::run_kernel<GpuAxis, iir::gpu_run_axis<float, float, 1, 1, false, false, fault>, 512>(
            shape, parameters, options);
    } else {
        run_product_kernel(name, shape, parameters, options);
    }
}

// Likewise the adjoint's, of whole columns and rows.
template <GpuFault fault>
void run_faulty_adjoint(std::string_view name, const LaunchShape& shape, const void* parameters,
                        const ExecutorOptions& options) {
    if (name == "iir_rows_adjoint_f32_order1_x1") {
        gpu_test::run_kernel<GpuAxis, iir::gpu_run_axis<float, float, 1, 1, true, true, fault>, 512>(
            shape, parameters, options);
    } else if (name == "iir_columns_adjoint_f32_order1_x1") {
        gpu_test::run_kernel<GpuAxis, iir::gpu_run_axis<float, float, 1, 1, false, true, fault>, 512>(
            shape, parameters, options);
    } else {
        run_product_kernel(name, shape, parameters, options);
    }
}

// The worst difference of the adjoint from the reference's, relative to its largest value.
double worst_adjoint(const FilterDesc& desc, const RunKernel& kernel) {
    const auto dy = random_plane(count_of(desc.shape), 3);
    std::vector<double> expected(dy.size());
    EXPECT_TRUE(reference::filter_adjoint(desc, dy, expected));
    double largest = 1.0;
    for (const double v : expected) largest = std::max(largest, std::abs(v));
    double result = 0.0;
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
        const auto dx =
            run_gpu(desc, dy, {.seed = seed, .in_place = true, .adjoint = true, .kernel = kernel}).y;
        const double difference = max_abs_difference(dx, expected) / largest;
        if (!(difference <= result)) result = difference;
    }
    return result;
}

// The worst difference from the reference over a few seeds.
double worst(const FilterDesc& desc, const RunKernel& kernel, bool in_place = false) {
    const auto x = random_plane(count_of(desc.shape), 3);
    const auto expected = run_reference(desc, x);
    double result = 0.0;
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
        const auto y = run_gpu(desc, x, {.seed = seed, .in_place = in_place, .kernel = kernel}).y;
        const double difference = max_abs_difference(y, expected);
        if (!(difference <= result)) result = difference;
    }
    return result;
}

// alpha 0.99 in lines of 300 samples: exact carries.
const FilterDesc carried{.shape = {.h = 300, .w = 300},
                         .filter = {.id = 1, .parameters = {{"alpha", 0.99}}},
                         .border = Border::wrap};
// The same in tiles.
const FilterDesc tiled{.shape = {.h = 300, .w = 300},
                       .filter = {.id = 1, .parameters = {{"alpha", 0.99}}},
                       .border = Border::mirror};
// Long lines: warm-ups, whose samples the warp before overwrites when a filter runs in place.
const FilterDesc warmed{.shape = {.h = 8, .w = 9000}, .filter = {.id = 1}, .border = Border::wrap};

bool caught(double difference) {
    return !(difference <= 1e-5);
}

TEST(GpuFault, WithoutAFaultNothingIsCaught) {
    EXPECT_FALSE(caught(worst(carried, run_faulty<GpuFault::none>)));
    EXPECT_FALSE(caught(worst(warmed, run_faulty<GpuFault::none>, true)));
}

TEST(GpuFault, AMissingBarrierBeforeTheCarriesIsCaught) {
    EXPECT_TRUE(caught(worst(carried, run_faulty<GpuFault::no_barrier>)));
}

TEST(GpuFault, AMissingBarrierInPlaceIsCaught) {
    EXPECT_TRUE(caught(worst(warmed, run_faulty<GpuFault::no_barrier>, true)));
}

TEST(GpuFault, ACarryThatIsOffByOneIsCaught) {
    EXPECT_TRUE(caught(worst(carried, run_faulty<GpuFault::carry_off_by_one>)));
}

// Runs kernels with other parameters than the plan's.
template <class Parameters, class Change>
RunKernel changed(std::string_view begins, Change change) {
    return [=](std::string_view name, const LaunchShape& shape, const void* parameters,
               const ExecutorOptions& options) {
        if (!name.starts_with(begins)) return run_product_kernel(name, shape, parameters, options);
        Parameters own = *static_cast<const Parameters*>(parameters);
        change(own);
        run_product_kernel(name, shape, &own, options);
    };
}

template <bool Carries>
void run_tile_without_barriers(std::string_view name, const LaunchShape& shape, const void* parameters,
                               const ExecutorOptions& options) {
    if (name != (Carries ? "iir_tile_carries_f32_order1_x1" : "iir_tiles_f32_order1_x1"))
        return run_product_kernel(name, shape, parameters, options);
    gpu_test::run_kernel<iir::GpuTiles, iir::gpu_run_tile<float, float, 1, 1, Carries, GpuFault::no_barrier>,
                         96>(shape, parameters, options);
}

TEST(GpuFault, OfTilesIsCaught) {
    EXPECT_FALSE(caught(worst(tiled, run_product_kernel)));
    EXPECT_TRUE(caught(worst(tiled, run_tile_without_barriers<true>)));
    EXPECT_TRUE(caught(worst(tiled, run_tile_without_barriers<false>)));
    const auto wrong_carries = [](auto change) {
        return changed<iir::GpuCarries>("iir_add_carries", change);
    };
    for (const bool columns : {false, true}) {
        EXPECT_TRUE(caught(worst(tiled, wrong_carries([=](iir::GpuCarries& job) {
                                     if ((job.columns != 0) == columns) job.over_tile[0] *= 0.99;
                                 }))));
        EXPECT_TRUE(caught(worst(tiled, wrong_carries([=](iir::GpuCarries& job) {
                                     if ((job.columns != 0) == columns)
                                         job.grid.tiles_x = job.grid.tiles_y = 1;  // adds nothing
                                 }))));
    }
    EXPECT_TRUE(caught(worst(tiled, wrong_carries([](iir::GpuCarries& job) { job.output[0] = 0.0; }))));
    EXPECT_TRUE(
        caught(worst(tiled, wrong_carries([](iir::GpuCarries& job) { job.over_samples[5][0] *= 0.99; }))));
    const auto wrong_tiles = [](auto change) { return changed<iir::GpuTiles>("iir_tile", change); };
    EXPECT_TRUE(caught(worst(tiled, wrong_tiles([](iir::GpuTiles& job) { job.rows.before[0] = 1; }))));
    EXPECT_TRUE(caught(worst(tiled, wrong_tiles([](iir::GpuTiles& job) { job.columns.before[0] = 1; }))));
}

TEST(GpuFault, OfTheAdjointIsCaught) {
    for (const FilterDesc& desc : {carried, warmed}) {
        EXPECT_FALSE(caught(worst_adjoint(desc, run_faulty_adjoint<GpuFault::none>))) << describe(desc);
        EXPECT_TRUE(caught(worst_adjoint(desc, run_faulty_adjoint<GpuFault::no_barrier>))) << describe(desc);
        EXPECT_TRUE(caught(worst_adjoint(desc, run_faulty_adjoint<GpuFault::no_end>))) << describe(desc);
    }
    EXPECT_TRUE(caught(worst_adjoint(carried, run_faulty_adjoint<GpuFault::carry_off_by_one>)));
}

// Run with another border than it should, in each direction. Filter 3 reads enough before its first
// sample for any two to differ.
TEST(GpuFault, AWrongBorderIsCaught) {
    for (const Border right : all_borders) {
        for (const Border wrong : all_borders) {
            const FilterDesc desc{
                .shape = {.h = 40, .w = 50}, .filter = {.id = 3}, .border = right, .border_const = 0.25};
            const RunKernel kernel = [wrong](std::string_view name, const LaunchShape& shape,
                                             const void* parameters, const ExecutorOptions& options) {
                GpuAxis axis = *static_cast<const GpuAxis*>(parameters);
                axis.border = static_cast<int>(wrong);
                for (std::int64_t i = 0; i < 4; ++i) {
                    axis.before[i] = iir::border_index(-1 - i, axis.length, wrong);
                }
                run_product_kernel(name, shape, &axis, options);
            };
            EXPECT_EQ(caught(worst(desc, kernel)), right != wrong) << describe(desc);
        }
    }
}

// A hidden dependence between blocks: a kernel that reads what another block has written already, or has not.
TEST(GpuFault, ADependenceBetweenBlocksShowsInAnotherOrder) {
    struct Sum {
        double* values;
        std::int64_t blocks;
    };
    constexpr auto body = [](const Sum& sum, const iir2d::gpu::Block& block) {
        const std::int64_t i = block.index();
        sum.values[i] += i > 0 ? sum.values[i - 1] : 0.0;
    };
    const auto run = [&](std::uint64_t seed) {
        std::vector<double> values(64, 1.0);
        const Sum sum{values.data(), 64};
        gpu_test::run_kernel<Sum, body, 32>({{64, 1, 1}, {32, 1, 1}, 0}, &sum, {.seed = seed});
        return values;
    };
    EXPECT_EQ(run(0), run(0));
    EXPECT_EQ(run(5), run(5));
    EXPECT_NE(run(0), run(5));
}

struct Nothing {};

TEST(GpuFault, AWarpThatLeavesBeforeABarrierIsCaught) {
    constexpr auto body = [](const Nothing&, const iir2d::gpu::Block& block) {
        if (block.warp() != 1) block.barrier();
    };
    const Nothing nothing;
    EXPECT_THROW(
        (gpu_test::run_kernel<Nothing, body, 128>({{1, 1, 1}, {128, 1, 1}, 0}, &nothing, {.seed = 1})),
        std::runtime_error);
}

#if !IIR2D_ADDRESS_SANITIZED  // which ends the program at the write itself
TEST(GpuFault, AWriteBeyondSharedMemoryIsCaught) {
    constexpr auto body = [](const Nothing&, const iir2d::gpu::Block& block) { block.shared()[64] = 1; };
    const Nothing nothing;
    EXPECT_THROW((gpu_test::run_kernel<Nothing, body, 32>({{1, 1, 1}, {32, 1, 1}, 64}, &nothing, {})),
                 std::runtime_error);
}
#endif

TEST(GpuFault, SharedMemoryStartsPoisoned) {
    struct Seen {
        float* value;
    };
    constexpr auto body = [](const Seen& seen, const iir2d::gpu::Block& block) {
        *seen.value = *reinterpret_cast<const float*>(block.shared());
    };
    float value = 0.0F;
    const Seen seen{&value};
    gpu_test::run_kernel<Seen, body, 32>({{1, 1, 1}, {32, 1, 1}, 64}, &seen, {});
    EXPECT_TRUE(std::isnan(value));
}

TEST(GpuFault, LaunchesThatAGpuRefusesAreRefused) {
    constexpr auto body = [](const Nothing&, const iir2d::gpu::Block&) {};
    const Nothing nothing;
    const LaunchShape shapes[] = {{{1, 2, 1}, {32, 1, 1}, 0},
                                  {{0, 1, 1}, {32, 1, 1}, 0},
                                  {{1, 1, 1}, {33, 1, 1}, 0},
                                  {{1, 1, 1}, {160, 1, 1}, 0},
                                  {{1, 1, 1}, {32, 1, 1}, 48 * 1024 + 1}};
    for (const LaunchShape& shape : shapes) {
        EXPECT_THROW((gpu_test::run_kernel<Nothing, body, 128>(shape, &nothing, {})), std::runtime_error);
    }
}

}  // namespace
