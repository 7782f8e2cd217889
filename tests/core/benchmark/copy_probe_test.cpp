// SPDX-License-Identifier: MIT
#include "core/benchmark/copy_probe.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/benchmark/preemption.h"

namespace workbench {
namespace {

std::vector<std::byte> pattern(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 31 + i / 251) & 0xff);
    return bytes;
}

TEST(CopyProbe, CopiesEveryByteOfAnySizeOnAnyThreads) {
    for (const int threads : {1, 2, 3, 8}) {
        CopyProbe probe(threads);
        for (const std::size_t size : {0, 1, 3, 15, 16, 63, 64, 65, 127, 1000, 4096, 100'003}) {
            const auto from = pattern(size);
            std::vector<std::byte> to(size, std::byte{0xee});
            EXPECT_GE(probe.copy(from, to), 0);
            EXPECT_EQ(from, to) << size << " bytes on " << threads << " threads";
            std::vector<std::byte> plain(size, std::byte{0xee});
            EXPECT_GE(probe.plain_memcpy(from, plain), 0);
            EXPECT_EQ(from, plain) << size << " bytes on " << threads << " threads";
        }
    }
}

TEST(CopyProbe, CopiesToAndFromUnalignedPlaces) {
    CopyProbe probe(2);
    const auto from = pattern(5000);
    for (std::size_t offset = 0; offset < 20; ++offset) {
        std::vector<std::byte> to(5100, std::byte{0xee});
        probe.copy(std::span(from).subspan(offset, 4900), std::span(to).subspan(offset + 3, 4900));
        EXPECT_TRUE(std::equal(to.begin() + static_cast<std::ptrdiff_t>(offset) + 3,
                               to.begin() + static_cast<std::ptrdiff_t>(offset) + 4903,
                               from.begin() + static_cast<std::ptrdiff_t>(offset)));
        EXPECT_EQ(to[offset + 2], std::byte{0xee});
        EXPECT_EQ(to[offset + 4903], std::byte{0xee});
    }
}

TEST(CopyProbe, FillsAnOutputOfAnotherSizeAndNothingBeyond) {
    for (const int threads : {1, 3}) {
        CopyProbe probe(threads);
        const std::vector<std::byte> from(100'000, std::byte{0x11});
        for (const std::size_t size : {1, 64, 25'000, 99'999, 250'000}) {
            std::vector<std::byte> to(size + 64, std::byte{0xee});
            probe.copy(from, std::span(to).first(size));
            for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(to[i], std::byte{0x11}) << i << " of " << size;
            for (std::size_t i = size; i < to.size(); ++i) ASSERT_EQ(to[i], std::byte{0xee}) << i;
        }
    }
}

TEST(CopyProbe, CanBeUsedManyTimes) {
    CopyProbe probe(4);
    const auto from = pattern(4096);
    std::vector<std::byte> to(4096);
    for (int i = 0; i < 500; ++i) probe.copy(from, to);
    EXPECT_EQ(from, to);
}

TEST(Preemption, IsCountedWhereTheSystemCountsIt) {
    const auto before = involuntary_switches(PreemptionScope::process);
    EXPECT_EQ(before.has_value(), !preemption_counter(PreemptionScope::process).empty());
    if (before) {
        EXPECT_GE(*before, 0);
        EXPECT_GE(*involuntary_switches(PreemptionScope::process), *before);
    }
}

}  // namespace
}  // namespace workbench
