// SPDX-License-Identifier: MIT
#include "core/support/escaped.h"

#include <gtest/gtest.h>

#include <string>

#include "core/support/text.h"
#include "core/support/utf8.h"

namespace workbench {
namespace {

TEST(Escaped, LeavesTextThatCanBeShown) {
    for (const std::string text : {"", "record.json", "Größe 日本 \\ \"quoted\" 🙂", "a b~"}) {
        EXPECT_EQ(escaped(text), text);
    }
}

TEST(Escaped, WritesWhatATerminalWouldObey) {
    EXPECT_EQ(escaped("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(escaped("\x1b[2J\x7f\x01"), "\\x1b[2J\\x7f\\x01");
    EXPECT_EQ(escaped(std::string(1, '\0')), "\\x00");
    EXPECT_EQ(escaped("\xc2\x9b"), "\\u009b") << "a control sequence by one character";
    EXPECT_EQ(escaped("\xe2\x80\xae"
                      "abc\xe2\x81\xa6\xe2\x80\xa8"),
              "\\u202eabc\\u2066\\u2028");
}

TEST(Escaped, WritesBytesThatAreNotUtf8) {
    EXPECT_EQ(escaped("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(escaped("a\xc3"), "a\\xc3") << "a character cut off";
    EXPECT_EQ(escaped("\xc0\x80"), "\\xc0\\x80") << "an overlong form";
    EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
}

TEST(Escaped, EveryPairOfBytesGivesUtf8WithoutControls) {
    for (int a = 0; a < 256; ++a) {
        for (int b = 0; b < 256; ++b) {
            const std::string line = escaped(std::string{static_cast<char>(a), static_cast<char>(b)});
            for (std::size_t i = 0; i < line.size();) {
                const std::size_t length = utf8_character_length(std::string_view(line).substr(i));
                ASSERT_GT(length, 0U) << a << ' ' << b;
                ASSERT_FALSE(is_utf8_control(std::string_view(line).substr(i, length))) << a << ' ' << b;
                i += length;
            }
            ASSERT_EQ(escaped(line), line) << "twice changes nothing";
        }
    }
}

TEST(Escaped, CutsBetweenCharacters) {
    EXPECT_EQ(escaped("abcdef", 3), "abc...");
    EXPECT_EQ(escaped("abc", 3), "abc");
    EXPECT_EQ(escaped("ab\xc3\xa9", 3), "ab...");
    EXPECT_EQ(escaped("ab\x1b", 4), "ab...");
}

TEST(Quoted, ShowsAPathOnOneLine) {
    EXPECT_EQ(quoted("a\nb\x1b\xff.png"), "\"a\\nb\\x1b\\xff.png\"");
}

}  // namespace
}  // namespace workbench
