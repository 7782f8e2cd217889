// SPDX-License-Identifier: MIT
// Which outputs non-temporal stores are chosen for.
#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/iir/cpu.h"
#include "kernels/iir/cpu_plane.h"
#include "kernels/iir/cpu_rows.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// Whether a filter takes non-temporal stores for a square plane of floats and a last-level cache of that
// size.
bool takes_non_temporal(int filter, std::int64_t side, std::int64_t last_level_bytes) {
    const FilterDesc desc{.shape = {.h = side, .w = side}, .filter = {.id = filter}};
    const auto job = iir::make_cpu_job(desc, *make_filter(desc.filter), 1);
    return iir::worth_non_temporal<float>(iir::swept_passes<float>(job.horizontal),
                                          iir::swept_passes<float>(job.vertical), job.downward,
                                          {.l1d_ways = 8, .last_level_bytes = last_level_bytes}, side * side);
}

TEST(CpuStores, StayInALargeCacheWhereColumnsReadThemAgain) {
    // Filters 5 and 6 have passes of columns left when rows are stored; filter 1 has none.
    for (const std::int64_t cache : {0 * mebibyte, 32 * mebibyte, 480 * mebibyte}) {
        SCOPED_TRACE(cache);
        EXPECT_TRUE(takes_non_temporal(1, 2048, cache));
        EXPECT_EQ(takes_non_temporal(5, 2048, cache), cache < 480 * mebibyte);
        EXPECT_EQ(takes_non_temporal(6, 2048, cache), cache < 480 * mebibyte);
        EXPECT_TRUE(takes_non_temporal(5, 4096, cache));
        EXPECT_TRUE(takes_non_temporal(6, 4096, cache));
        EXPECT_FALSE(takes_non_temporal(1, 1024, cache));
        EXPECT_FALSE(takes_non_temporal(5, 1024, cache));
    }
}

}  // namespace
