// SPDX-License-Identifier: MIT
// The lines themselves. That they give the same bytes is tested with the program, in tests/app.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

std::string line(const Recipe& recipe, const std::string& device = "auto") {
    return command_line(recipe, "in.png", "out.png", "my.json", device);
}

TEST(RecipeCommandLine, OneFilterWithOnlyWhatDiffers) {
    EXPECT_EQ(line({.operations = {filter(1)}}), "iir2d filter in.png out.png --filter 1");
    EXPECT_EQ(line({.operations = {filter(1, {{"alpha", 0.85}})}}), "iir2d filter in.png out.png --filter 1");
    EXPECT_EQ(
        line({.keep_alpha = true,
              .operations = {{.what = FilterOperation{.filter_id = 4,
                                                      .parameters = {{"a1", -0.5}, {"second_b0", 0.1}},
                                                      .border = iir2d::Border::constant,
                                                      .border_const = -0.25,
                                                      .precision = iir2d::Precision::mixed,
                                                      .start = iir2d::Start::steady,
                                                      .normalise_gain = true}}}},
             "cuda:1"),
        "iir2d filter in.png out.png --filter 4 --border constant --border-const=-0.25 --precision mixed "
        "--param a1=-0.5 --param second_b0=0.1 --start steady --normalise-gain --keep-alpha --device cuda:1");
}

TEST(RecipeCommandLine, OnePoolWithOnlyWhatDiffers) {
    EXPECT_EQ(line({.keep_alpha = true, .operations = {pool(iir2d::PoolOp::max, {2, 3})}}, "cpu"),
              "iir2d pool in.png out.png --op max --window 2x3 --device cpu");
    EXPECT_EQ(line({.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::avg,
                                                          .window = {4, 4},
                                                          .stride = iir2d::Extent{2, 1},
                                                          .padding = {1, 2},
                                                          .dilation = {3, 1},
                                                          .ceil_mode = true,
                                                          .count_include_pad = true,
                                                          .divisor_override = -7}}}}),
              "iir2d pool in.png out.png --op avg --window 4x4 --stride 2x1 --padding 1x2 --dilation 3x1 "
              "--ceil-mode --count-include-pad --divisor=-7");
    EXPECT_EQ(line({.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::lp, .p = 0.1}}}}),
              "iir2d pool in.png out.png --op lp --window 2x2 --p 0.1");
}

TEST(RecipeCommandLine, OtherwiseTheRecipeFile) {
    EXPECT_EQ(line({.operations = {filter(1), filter(2)}}, "cpu"),
              "iir2d run my.json in.png out.png --device cpu");
    EXPECT_EQ(line({}, ""), "iir2d run my.json in.png out.png");
    Recipe one_on{.operations = {filter(1), filter(2)}};
    one_on.operations[0].enabled = false;
    EXPECT_EQ(line(one_on), "iir2d filter in.png out.png --filter 2");
}

TEST(RecipeCommandLine, AShellReadsBackEveryArgument) {
    for (const std::string name : {"a b.png", "it's.png", "$(touch x)`y`.png", "\"q\".png", "-x.png",
                                   "a\nb.png", "*?[].png", "ü.png", "~.png", "a;b&c|d.png", ""}) {
        const std::string text = command_line({.operations = {filter(1)}}, name, "o.png", "r.json", "auto");
        const std::string expected = name.starts_with('-') ? "./" + name : name;
        // The shell's own reading of the third word, between brackets.
        const std::string script = "set -- " + text + "; printf '[%s]' \"$3\"";
        FILE* shell = popen(("sh -c " +
                             [&] {
                                 std::string quoted = "'";
                                 for (const char c : script)
                                     quoted += c == '\'' ? "'\\''" : std::string(1, c);
                                 return quoted + "'";
                             }())
                                .c_str(),
                            "r");
        ASSERT_NE(shell, nullptr);
        std::array<char, 256> buffer{};
        const std::size_t count = fread(buffer.data(), 1, buffer.size(), shell);
        EXPECT_EQ(pclose(shell), 0);
        EXPECT_EQ(std::string(buffer.data(), count), "[" + expected + "]") << text;
    }
}

}  // namespace
}  // namespace workbench
