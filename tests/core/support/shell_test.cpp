// SPDX-License-Identifier: MIT
#include "core/support/shell.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace workbench;

TEST(ShellQuoted, LeavesPlainWordsAsTheyAre) {
    for (const char* word : {"a", "--size=1x2", "/tmp/a-b_c.png", "10%", "a,b", "x@y:z+1"}) {
        EXPECT_EQ(shell_quoted(word), word);
        EXPECT_TRUE(is_shell_quoted(word));
    }
}

TEST(ShellQuoted, QuotesTheRest) {
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_quoted("~"), "'~'");
}

TEST(ShellQuoted, IsReadBackUnchangedByAShell) {
    for (const std::string text : {"", " ", "'", "''", "a'b'c", "\"$(id)\"", "`id`", "\\", "\\'", "*", "a\nb",
                                   "#x", "!1", "{a,b}", "\xff\xc3\xa4"}) {
        const std::string command = "printf %s " + shell_quoted(text);
        std::FILE* shell = popen(command.c_str(), "r");
        ASSERT_NE(shell, nullptr);
        std::array<char, 256> read{};
        const std::size_t count = std::fread(read.data(), 1, read.size(), shell);
        EXPECT_EQ(pclose(shell), 0);
        EXPECT_EQ(std::string(read.data(), count), text);
        EXPECT_TRUE(is_shell_quoted(shell_quoted(text))) << text;
    }
}

TEST(ShellQuoted, RecognisesWhatIsNotQuoted) {
    for (const char* word : {"", "a b", "'a", "a'", "'a'b'", "'", "'a' 'b'", "\"a\"", "$(id)", "'it'\\\"s'"})
        EXPECT_FALSE(is_shell_quoted(word)) << word;
}

}  // namespace
