// SPDX-License-Identifier: MIT
// Planes beside pages that are not there, at widths and heights around those of tiles and bands: the bits are
// those on ordinary memory, and nothing beside a plane is read or written.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "tests/kernels/guarded_memory.h"

#if defined(__unix__)

namespace {

using kernels_testing::Beside;
using kernels_testing::GuardedMemory;

template <class T>
void expect_within(const IIR2D_Params& params) {
    const auto count = static_cast<std::size_t>(params.width) * static_cast<std::size_t>(params.height);
    std::mt19937 generator(7);
    std::uniform_real_distribution<T> value(T(-0.3), T(1));
    std::vector<T> x(count);
    for (T& v : x) v = value(generator);
    std::vector<T> y(count);
    ASSERT_EQ(iir2d_forward_cpu(x.data(), y.data(), &params), IIR2D_STATUS_OK);
    for (const Beside beside : {Beside::page_before, Beside::page_behind}) {
        const GuardedMemory<T> from(x, beside);
        const GuardedMemory<T> to(count, beside);
        ASSERT_EQ(iir2d_forward_cpu(from.data(), to.data(), &params), IIR2D_STATUS_OK);
        ASSERT_TRUE(to.has_bits_of(y)) << params.width << "x" << params.height << " filter "
                                       << params.filter_id << " precision " << params.precision;
        ASSERT_TRUE(from.has_bits_of(x));
    }
}

TEST(FilterRunPages, NothingBesideAPlaneIsTouched) {
    const int sizes_around_tiles[][2] = {{1, 1},    {3, 5},    {16, 16},  {31, 17}, {32, 16},
                                         {33, 16},  {47, 33},  {64, 15},  {65, 40}, {96, 7},
                                         {127, 31}, {130, 24}, {256, 19}, {515, 37}};
    for (const auto& [width, height] : sizes_around_tiles) {
        for (int id = 1; id <= 8; ++id) {
            for (const int precision : {0, 1, 2}) {
                const IIR2D_Params params{width, height, id, 1, 0.0F, precision};
                precision == 2 ? expect_within<double>(params) : expect_within<float>(params);
                if (HasFatalFailure()) return;
            }
        }
    }
}

}  // namespace

#endif
