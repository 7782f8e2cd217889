// SPDX-License-Identifier: MIT
// The IIR kernels, run by the executor, against the reference over the whole contract.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/gpu/iir/gpu_iir_testing.h"

namespace {

using namespace gpu_iir_test;

double contract_bound(Precision precision) {
    return precision == Precision::f32 ? 1e-5 : precision == Precision::mixed ? 1e-6 : 1e-12;
}

struct Count {
    int cases = 0;
    ~Count() { std::printf("%d cases of the parity matrix\n", cases); }
};

using Size = std::pair<std::int64_t, std::int64_t>;  // width, height

class GpuParity : public ::testing::TestWithParam<std::tuple<int, Size>> {};

// Several seeds: the bits may not depend on the order of blocks and warps.
TEST_P(GpuParity, EveryBorderPrecisionStartAndSeedIsWithinTheBound) {
    static Count count;
    const auto [id, size] = GetParam();
    const auto [width, height] = size;
    const auto x = random_plane(width * height, static_cast<unsigned>(id));
    const bool small = width * height < 10000;
    for (const auto [border, start] : all_modes) {
        FilterDesc desc{.shape = {.h = height, .w = width},
                        .filter = {.id = id},
                        .border = border,
                        .border_const = 0.25,
                        .start = start};
        const auto expected = run_reference(desc, x);
        for (const Precision precision : all_precisions) {
            desc.precision = precision;
            const auto first = run_gpu(desc, x, {.seed = 1});
            EXPECT_LE(max_abs_difference(first.y, expected), contract_bound(precision)) << describe(desc);
            ++count.cases;
            for (const std::uint64_t seed : {std::uint64_t{2}, std::uint64_t{3}}) {
                if (!small && seed == 3) continue;
                const auto again = run_gpu(desc, x, {.seed = seed, .in_place = seed == 2});
                EXPECT_TRUE(same_bits(first.y, again.y)) << describe(desc) << " seed " << seed;
                ++count.cases;
            }
        }
    }
}

std::string parity_name(const ::testing::TestParamInfo<std::tuple<int, Size>>& info) {
    const auto [id, size] = info.param;
    return "filter_" + std::to_string(id) + "_" + std::to_string(size.first) + "x" +
           std::to_string(size.second);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuParity,
                         ::testing::Combine(::testing::Range(1, static_cast<int>(filter_table().size()) + 1),
                                            ::testing::Values(Size{1, 1}, Size{7, 1}, Size{1, 7}, Size{2, 2},
                                                              Size{5, 3}, Size{16, 32}, Size{33, 65},
                                                              Size{65, 33}, Size{257, 129}, Size{127, 300},
                                                              Size{700, 20}, Size{20, 1100})),
                         parity_name);

}  // namespace
