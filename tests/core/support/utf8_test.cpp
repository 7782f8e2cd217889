// SPDX-License-Identifier: MIT
#include "core/support/utf8.h"

#include <gtest/gtest.h>

#include <string>

#include "core/support/text.h"

namespace {

using namespace workbench;
using namespace std::string_literals;

TEST(Utf8, KnowsTheLengthOfWellFormedCharacters) {
    EXPECT_EQ(utf8_character_length("a"), 1U);
    EXPECT_EQ(utf8_character_length("\0"s), 1U);
    EXPECT_EQ(utf8_character_length("\xc3\xa4x"), 2U);
    EXPECT_EQ(utf8_character_length("\xe2\x82\xac"), 3U);
    EXPECT_EQ(utf8_character_length("\xf0\x9f\x98\x80"), 4U);
    EXPECT_EQ(utf8_character_length("\xed\x9f\xbf"), 3U) << "the last one before the surrogates";
    EXPECT_EQ(utf8_character_length("\xf4\x8f\xbf\xbf"), 4U) << "U+10FFFF";
}

TEST(Utf8, RefusesWhatIsNotWellFormed) {
    for (const char* text :
         {"", "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3\x28", "\xe0\x9f\xbf", "\xed\xa0\x80",
          "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf0\x9f\x98"}) {
        EXPECT_EQ(utf8_character_length(text), 0U) << std::string(text);
        EXPECT_EQ(is_utf8(text), *text == '\0') << std::string(text);
    }
}

TEST(Utf8, KnowsWhatATerminalObeys) {
    for (const char* control : {"\x1b", "\n", "\x7f", "\xc2\x80", "\xc2\x9f", "\xe2\x80\xa8", "\xe2\x80\xae",
                                "\xe2\x81\xa6", "\xe2\x81\xa9"})
        EXPECT_TRUE(is_utf8_control(control)) << std::string(control);
    for (const char* shown :
         {"a", " ", "\xc2\xa0", "\xc3\xa4", "\xe2\x82\xac", "\xe2\x80\xa7", "\xf0\x9f\x98\x80"})
        EXPECT_FALSE(is_utf8_control(shown)) << std::string(shown);
}

TEST(PrintableUtf8, ReplacesBytesAndDropsControls) {
    EXPECT_EQ(printable_utf8("a\xff\xc3\xa4"), "a\xEF\xBF\xBD\xc3\xa4");
    EXPECT_EQ(printable_utf8("a\x1b[2Jb\tc\n\xc2\x9bx\xe2\x80\xaey"), "a[2Jb\tc\nxy");
    EXPECT_EQ(printable_utf8("a\0b"s), "ab");
    EXPECT_EQ(one_line("a\tb\nc\r"), "a b c");
}

}  // namespace
