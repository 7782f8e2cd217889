// SPDX-License-Identifier: MIT
#include "core/support/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using namespace workbench;

TEST(Hex, WritesAndReadsBytes) {
    const std::array<unsigned char, 4> bytes{0x00, 0x0f, 0xa5, 0xff};
    EXPECT_EQ(to_hex(bytes), "000fa5ff");
    std::array<unsigned char, 4> read{};
    EXPECT_TRUE(from_hex("000fa5ff", read));
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(to_hex({}), "");
    EXPECT_TRUE(from_hex("", {}));
}

TEST(Hex, RefusesWhatIsNotAsManyLowerCaseDigits) {
    std::array<unsigned char, 2> bytes{1, 2};
    for (const char* text :
         {"", "0", "000", "00000", "00fF", "00FF", "0x00", "00 0", "+000", "00g0", "000\xff"})
        EXPECT_FALSE(from_hex(text, bytes)) << text;
    EXPECT_EQ(bytes, (std::array<unsigned char, 2>{1, 2})) << "unchanged";
}

TEST(Hex, WritesNumbersWithZerosInFront) {
    EXPECT_EQ(to_hex(0x1bU, 2), "1b");
    EXPECT_EQ(to_hex(0x1bU, 4), "001b");
    EXPECT_EQ(to_hex(0x202eU, 4), "202e");
    EXPECT_EQ(to_hex(0xffffffffU, 8), "ffffffff");
}

TEST(Hex, KnowsDigitsAndHashes) {
    EXPECT_TRUE(is_hex(""));
    EXPECT_TRUE(is_hex("0123456789abcdef"));
    EXPECT_FALSE(is_hex("0123456789ABCDEF"));
    EXPECT_FALSE(is_hex(std::string_view("0\0", 2)));
    EXPECT_TRUE(is_sha256(std::string(64, 'a')));
    EXPECT_FALSE(is_sha256(std::string(63, 'a')));
    EXPECT_FALSE(is_sha256(std::string(65, 'a')));
    EXPECT_FALSE(is_sha256(std::string(64, 'g')));
}

}  // namespace
