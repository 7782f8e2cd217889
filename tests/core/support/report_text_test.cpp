// SPDX-License-Identifier: MIT
// The words and figures of reports and messages: counts, lists, Markdown.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"

namespace {

using namespace workbench;

TEST(Counted, SaysOneWithoutAnS) {
    EXPECT_EQ(counted(0, "test"), "0 tests");
    EXPECT_EQ(counted(1, "test"), "1 test");
    EXPECT_EQ(counted(2, "test"), "2 tests");
    EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
    EXPECT_EQ(counted(3, "entry", "entries"), "3 entries");
    EXPECT_EQ(counted(UINT64_MAX, "byte"), "18446744073709551615 bytes");
}

TEST(Mebibytes, AreRoundedUp) {
    EXPECT_EQ(mebibytes(0), "0 MiB");
    EXPECT_EQ(mebibytes(1), "1 MiB");
    EXPECT_EQ(mebibytes(1U << 20U), "1 MiB");
    EXPECT_EQ(mebibytes((1U << 20U) + 1), "2 MiB");
}

TEST(Listed, JoinsTheLastByAWord) {
    EXPECT_EQ(listed({}, "or"), "");
    EXPECT_EQ(listed({"a"}, "or"), "a");
    EXPECT_EQ(listed({"a", "b"}, "or"), "a or b");
    EXPECT_EQ(listed({"a", "b", "c"}, "and"), "a, b and c");
}

TEST(Joined, TakesATextOfEachItem) {
    EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, "; "), "a; b");
    EXPECT_EQ(joined(std::vector<int>{1, 2, 3}, ", ", [](int i) { return std::to_string(i); }), "1, 2, 3");
    EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
}

TEST(AndMore, CountsTheOthers) {
    EXPECT_EQ(and_more(0), "");
    EXPECT_EQ(and_more(1), "");
    EXPECT_EQ(and_more(4), " (and 3 more)");
}

TEST(Markdown, EscapesWhatWouldBeStructureAndKeepsALine) {
    EXPECT_EQ(markdown_escaped("a|b*c_d`e<f>[g]\\"), "a\\|b\\*c\\_d\\`e\\<f\\>\\[g\\]\\\\");
    EXPECT_EQ(markdown_escaped("two\nlines\r"), "two lines ");
    EXPECT_EQ(markdown_escaped("\x1b[2J\xff"), "\\[2J\xef\xbf\xbd") << "no control characters, UTF-8 alone";
    EXPECT_EQ(markdown_row({"a", "b"}), "| a | b |\n");
}

TEST(Markdown, FencesCodeByMoreBackticksThanItHas) {
    EXPECT_EQ(markdown_code_block("x"), "```\nx\n```\n");
    EXPECT_EQ(markdown_code_block("a ```` b"), "`````\na ```` b\n`````\n");
}

TEST(BriefNumber, HasFourDigits) {
    EXPECT_EQ(brief_number(0), "0");
    EXPECT_EQ(brief_number(1), "1.000");
    EXPECT_EQ(brief_number(-12.3456), "-12.35");
    EXPECT_EQ(brief_number(123456), "123456");
    EXPECT_EQ(brief_number(0.001), "0.001000");
    EXPECT_EQ(brief_number(1e6), "1.00e+06");
    EXPECT_EQ(brief_number(2.5e-7), "2.50e-07");
}

}  // namespace
