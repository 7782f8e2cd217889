// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>

#include "core/recipe/recipe.h"
#include "core/support/escaped.h"
#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string with_operation(const std::string& operation) {
    return R"({"schema_version": 1, "operations": [)" + operation + "]}";
}

Recipe full_recipe() {
    Recipe recipe{.name = "Grün \"quoted\" \\ \n 日本", .keep_alpha = true};
    recipe.operations.push_back(
        {.enabled = false,
         .what = FilterOperation{
             .filter_id = 4,
             .parameters = {{"second_b0", 0.1}, {"a1", -1.0 / 3.0}, {"b0", 5e-324}, {"b1", -0.0}},
             .border = iir2d::Border::constant,
             .border_const = 0.1 + 0.2,
             .precision = iir2d::Precision::f64,
             .start = iir2d::Start::steady,
             .normalise_gain = true}});
    recipe.operations.push_back(filter(6, {{"sigma", std::nextafter(3.0, 4.0)}, {"compat_1_0", 1.0}}));
    recipe.operations.push_back({.what = PoolOperation{.op = iir2d::PoolOp::avg,
                                                       .window = {3, 5},
                                                       .stride = iir2d::Extent{2, 7},
                                                       .padding = {1, 2},
                                                       .dilation = {4, 1},
                                                       .ceil_mode = true,
                                                       .p = 1.5,
                                                       .count_include_pad = true,
                                                       .divisor_override = -9}});
    return recipe;
}

TEST(RecipeJson, RoundTripsEveryFieldExactly) {
    const Recipe recipe = full_recipe();
    const auto back = recipe_from_json(to_json(recipe));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, recipe);
    EXPECT_EQ(to_json(*back), to_json(recipe));
    const auto& parameters = std::get<FilterOperation>(back->operations[0].what).parameters;
    EXPECT_TRUE(std::signbit(parameters.at("b1")));
}

TEST(RecipeJson, RoundTripsTheDefaultsOfEveryFilterAndPool) {
    for (const auto& row : iir2d::filter_table()) {
        Recipe recipe{.operations = {filter(row.id)}};
        for (const auto& p : row.parameters) {
            std::get<FilterOperation>(recipe.operations[0].what).parameters[std::string(p.name)] =
                p.default_value;
        }
        const auto back = recipe_from_json(to_json(recipe));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(*back, recipe);
    }
    for (const auto op : {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp}) {
        const Recipe recipe{.operations = {pool(op, {2, 3})}};
        const auto back = recipe_from_json(to_json(recipe));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(*back, recipe);
    }
}

TEST(RecipeJson, KeysStandInOneOrder) {
    const std::string text = to_json({.name = "n", .operations = {filter(1, {{"alpha", 0.9}})}});
    EXPECT_EQ(text, R"({
  "schema_version": 1,
  "name": "n",
  "keep_alpha": false,
  "operations": [
    {
      "type": "filter",
      "enabled": true,
      "filter": 1,
      "key": "ema",
      "parameters": {
        "alpha": 0.9
      },
      "border": "mirror",
      "border_const": 0.0,
      "precision": "f32",
      "start": "truncated",
      "normalise_gain": false
    }
  ]
}
)");
}

struct DecimalComma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(RecipeJson, NumbersAreWrittenAndReadAlikeInEveryLocale) {
    const Recipe recipe = full_recipe();
    const std::string text = to_json(recipe);
    const auto check = [&] {
        EXPECT_EQ(to_json(recipe), text);
        const auto back = recipe_from_json(text);
        EXPECT_TRUE(back && *back == recipe);
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
    check();
    std::locale::global(before);
    // C's own locale, where one with a decimal comma is installed.
    const std::string c_before = std::setlocale(LC_NUMERIC, nullptr);
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        if (std::setlocale(LC_NUMERIC, name)) check();
    }
    std::setlocale(LC_NUMERIC, c_before.c_str());
}

TEST(RecipeJson, AbsentKeysMeanTheDefaults) {
    const auto recipe = recipe_from_json(
        with_operation(R"({"type": "filter", "filter": "deriche"}, {"type": "pool", "op": "max"})"));
    ASSERT_TRUE(recipe) << recipe.error().message;
    EXPECT_EQ(recipe->operations, (std::vector<Operation>{filter(6), pool(iir2d::PoolOp::max, {2, 2})}));
    EXPECT_EQ(recipe->name, "");
    EXPECT_FALSE(recipe->keep_alpha);
}

TEST(RecipeJson, AnEmptyListOfOperationsIsARecipe) {
    const auto recipe = recipe_from_json(R"({"schema_version": 1, "operations": []})");
    ASSERT_TRUE(recipe) << recipe.error().message;
    EXPECT_EQ(*recipe, Recipe{});
}

struct Refusal {
    std::string text;
    ErrorKind kind;
    std::vector<std::string> words;  // that the sentence must hold
};

class RecipeJsonRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(RecipeJsonRefuses, InOneSentenceThatNamesTheThing) {
    const auto recipe = recipe_from_json(GetParam().text);
    ASSERT_FALSE(recipe);
    const std::string& message = recipe.error().message;
    EXPECT_EQ(recipe.error().kind, GetParam().kind) << message;
    for (const std::string& word : GetParam().words) EXPECT_THAT(message, HasSubstr(word));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_THAT(message, Not(HasSubstr("json.exception")));
    EXPECT_LT(message.size(), 500U);
}

constexpr auto input = ErrorKind::bad_input;
constexpr auto argument = ErrorKind::bad_argument;

INSTANTIATE_TEST_SUITE_P(
    NotJson, RecipeJsonRefuses,
    testing::Values(Refusal{"", input, {"not valid JSON", "line 1, column 1"}},
                    Refusal{"{", input, {"not valid JSON"}}, Refusal{"{}x", input, {"not valid JSON"}},
                    Refusal{"{\n  \"name\": NaN}", input, {"line 2, column 11"}},
                    Refusal{R"({"name": 'x'})", input, {"not valid JSON"}},
                    Refusal{"{\"name\": \"\xff\"}", input, {"UTF-8", "column 11"}},
                    Refusal{"\xff\xfe{\0}", input, {"UTF-8"}},
                    Refusal{"{\"name\": \"\xed\xa0\x80\"}", input, {"UTF-8"}},
                    Refusal{"{\"name\": \"\xc0\x80\"}", input, {"UTF-8"}},
                    Refusal{"{\"name\": \"\xe2\x82", input, {"UTF-8"}},
                    Refusal{R"({"name": 1e999})", input, {"number", "too large"}},
                    Refusal{
                        R"({"schema_version": 1, "name": "a", "name": "b"})", input, {"\"name\"", "twice"}},
                    Refusal{std::string(100000, '['), input, {"nested"}},
                    Refusal{R"({"operations": )" + std::string(100, '['), input, {"nested more than 16"}},
                    Refusal{"\"" + std::string(2 << 20, 'x') + "\"", input, {"2097154 bytes", "1048576"}}));

INSTANTIATE_TEST_SUITE_P(
    NotARecipe, RecipeJsonRefuses,
    testing::Values(
        Refusal{"[]", argument, {"must be an object"}}, Refusal{"null", argument, {"must be an object"}},
        Refusal{"{}", argument, {"lacks", "schema_version"}},
        Refusal{R"({"schema_version": 999, "surprise": 1})", argument, {"999", "newer version"}},
        Refusal{R"({"schema_version": 0, "operations": []})", argument, {"\"schema_version\": 0"}},
        Refusal{R"({"schema_version": "1", "operations": []})", argument, {"\"schema_version\": \"1\""}},
        Refusal{R"({"schema_version": 1.0, "operations": []})", argument, {"\"schema_version\": 1.0"}},
        Refusal{R"({"schema_version": 1})", argument, {"lacks", "operations"}},
        Refusal{R"({"schema_version": 1, "operations": {}})", argument, {"\"operations\"", "array"}},
        Refusal{
            R"({"schema_version": 1, "surprise": 1})", argument, {"unknown key \"surprise\"", "keep_alpha"}},
        Refusal{R"({"schema_version": 1, "operations": [], "name": 3})", argument, {"\"name\": 3", "string"}},
        Refusal{R"({"schema_version": 1, "operations": [], "keep_alpha": 1})",
                argument,
                {"\"keep_alpha\": 1", "true or false"}}));

INSTANTIATE_TEST_SUITE_P(
    Operations, RecipeJsonRefuses,
    testing::Values(
        Refusal{with_operation("7"), argument, {"operation 1", "7"}},
        Refusal{with_operation("{}"), argument, {"operation 1", "lacks", "\"type\""}},
        Refusal{with_operation(R"({"type": "blur"})"), argument, {"\"blur\"", "\"filter\" or \"pool\""}},
        Refusal{with_operation(R"({"type": 1})"), argument, {"\"type\": 1"}},
        Refusal{with_operation(R"({"type": "filter"})"), argument, {"lacks", "\"filter\""}},
        Refusal{
            with_operation(R"({"type": "filter", "filter": 0})"), argument, {"\"filter\": 0", "6 deriche"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 99})"), argument, {"\"filter\": 99"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1.5})"), argument, {"\"filter\": 1.5"}},
        Refusal{with_operation(R"({"type": "filter", "filter": "gauss"})"), argument, {"\"gauss\""}},
        Refusal{with_operation(R"({"type": "filter", "filter": 18446744073709551615})"),
                argument,
                {"18446744073709551615"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "key": "deriche"})"),
                argument,
                {"\"key\": \"deriche\"", "\"ema\""}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "boarder": "wrap"})"),
                argument,
                {"operation 1", "unknown key \"boarder\"", "border"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "window": [2, 2]})"),
                argument,
                {"unknown key \"window\""}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "border": "round"})"),
                argument,
                {"\"border\": \"round\"", "mirror"}},
        Refusal{
            with_operation(R"({"type": "filter", "filter": 1, "border": 1})"), argument, {"\"border\": 1"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "precision": "f16"})"), argument, {"f16"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "start": "soon"})"), argument, {"soon"}},
        Refusal{
            with_operation(R"({"type": "filter", "filter": 1, "enabled": "yes"})"), argument, {"\"yes\""}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "border_const": null})"),
                argument,
                {"\"border_const\": null", "number"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "border_const": 1e300})"),
                argument,
                {"border_const 1e+300", "out of range"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "parameters": [1]})"),
                argument,
                {"\"parameters\": [1]"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "parameters": {"alpha": "0.9"}})"),
                argument,
                {"\"alpha\": \"0.9\""}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "parameters": {"sigma": 2}})"),
                argument,
                {"operation 1 (EMA)", "sigma", "alpha"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 1, "parameters": {"alpha": 1.5}})"),
                argument,
                {"alpha 1.5", "0.999"}},
        Refusal{with_operation(R"({"type": "filter", "filter": 3, "parameters": {"a1": 1.99, "a2": 0.5}})"),
                argument,
                {"unstable", "1.99"}},
        // What is off must be right too: it can be switched on.
        Refusal{with_operation(
                    R"({"type": "filter", "enabled": false, "filter": 1, "parameters": {"alpha": -1}})"),
                argument,
                {"alpha -1"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max"}, {"type": "pool"})"),
                argument,
                {"operation 2", "lacks", "\"op\""}},
        Refusal{with_operation(R"({"type": "pool", "op": "median"})"), argument, {"\"median\"", "lp"}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "adaptive-max"})"), argument, {"lacks", "\"output\""}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "adaptive-max", "output": [0, 3]})"), argument, {"0x3"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max", "window": 2})"), argument, {"\"window\": 2"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max", "window": [2]})"), argument, {"[2]"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max", "window": [2, 2.5]})"),
                argument,
                {"\"window\": 2.5", "whole number"}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "max", "window": [0, 2]})"), argument, {"window 0x2"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max", "window": [18446744073709551615, 1]})"),
                argument,
                {"18446744073709551615"}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "max", "stride": [0, 1]})"), argument, {"stride 0x1"}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "max", "padding": [2, 0]})"), argument, {"padding 2x0"}},
        Refusal{with_operation(R"({"type": "pool", "op": "max", "dilation": [1, -1]})"),
                argument,
                {"dilation 1x-1"}},
        Refusal{with_operation(R"({"type": "pool", "op": "lp", "p": 0})"), argument, {"p 0"}},
        Refusal{
            with_operation(R"({"type": "pool", "op": "lp", "padding": [1, 1]})"), argument, {"padding 1x1"}},
        Refusal{with_operation(R"({"type": "pool", "op": "avg", "divisor_override": 0})"),
                argument,
                {"divisor_override 0"}},
        Refusal{with_operation(R"({"type": "pool", "op": "avg", "divisor_override": 1.5})"),
                argument,
                {"\"divisor_override\": 1.5"}},
        Refusal{with_operation(R"({"type": "pool", "op": "avg", "filter": 1})"),
                argument,
                {"unknown key \"filter\""}},
        Refusal{with_operation(R"({"type": "pool", "op": ")" + std::string(5000, 'x') + "\"}"),
                argument,
                {"xxx"}}));

TEST(RecipeJson, AnyDamageIsAnErrorOrARecipeNeverACrash) {
    const std::string good = to_json(full_recipe());
    for (std::size_t length = 0; length < good.size(); ++length) {
        const auto cut = recipe_from_json(good.substr(0, length));
        EXPECT_TRUE(!cut || length + 1 >= good.size());
    }
    for (std::uint64_t i = 0; i < 4000; ++i) {
        std::string text = good;
        for (std::uint64_t k = 0; k < 1 + i % 3; ++k) {
            const std::uint64_t bits = splitmix64(i, k);
            text[bits % text.size()] = static_cast<char>(bits >> 32);
        }
        if (const auto recipe = recipe_from_json(text)) {
            EXPECT_TRUE(validate(*recipe, {.w = 0}));
            EXPECT_EQ(recipe_from_json(to_json(*recipe)), *recipe);
        } else {
            EXPECT_FALSE(recipe.error().message.empty());
        }
    }
}

TEST(RecipeJson, AnErrorIsOneLineThatATerminalShows) {
    const std::string hostile = R"(\u001b[2J\naccepted\u007f\u009b\u202e)";
    const std::string texts[] = {
        "{\"" + hostile + "\": 1}",
        R"({"schema_version": 1, "name": 1, ")" + hostile + "\": 1}",
        with_operation("{\"type\": \"" + hostile + "\"}"),
        with_operation("{\"" + hostile + "\": 1}"),
        with_operation(R"({"type": "filter", "filter": ")" + hostile + "\"}"),
        with_operation(R"({"type": "filter", "filter": 1, "border": ")" + hostile + "\"}"),
        with_operation(R"({"type": "filter", "filter": 1, "parameters": {")" + hostile + "\": 2}}"),
        with_operation(R"({"type": "filter", "filter": 1, "parameters": {")" + hostile + "\": \"x\"}}"),
        with_operation(R"({"type": "pool", "op": ")" + hostile + "\"}"),
        "{\"\x1b\n\xff\": 1}",
        "{\"" + hostile + "\": 1, \"" + hostile + "\": 2}"};
    for (const std::string& text : texts) {
        const auto refused = recipe_from_json(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(escaped(refused.error().message, 2000), refused.error().message)
            << "nothing is left to escape";
        EXPECT_LT(refused.error().message.size(), 1100U);
    }
}

// Once a megabyte of these took 14 s.
TEST(RecipeJson, AMegabyteOfNothingIsRefusedForItsNumber) {
    std::string text = R"({"schema_version": 1, "operations": [{})";
    while (text.size() < 1'000'000) text += ",{}";
    const auto refused = recipe_from_json(text + "]}");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the recipe has more than 200000 values, which is the most that is read");
    EXPECT_THAT(recipe_from_json(std::string(std::size_t{1} << 21, ' ')).error().message,
                HasSubstr("has 2097152 bytes, and at most 1048576 are read"));
}

class RecipeFile : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "recipe_test_XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        m_folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }
    std::filesystem::path path(const std::string& name) const { return m_folder / name; }

  private:
    std::filesystem::path m_folder;
};

TEST_F(RecipeFile, IsSavedAndLoaded) {
    ASSERT_TRUE(save_recipe(full_recipe(), path("r.json")));
    const auto back = load_recipe(path("r.json"));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, full_recipe());
}

TEST_F(RecipeFile, AnErrorNamesTheFile) {
    std::ofstream(path("bad.json")) << "{";
    const auto bad = load_recipe(path("bad.json"));
    ASSERT_FALSE(bad);
    EXPECT_THAT(bad.error().message, AllOf(HasSubstr("bad.json"), HasSubstr("not valid JSON")));
    EXPECT_EQ(bad.error().kind, ErrorKind::bad_input);

    const auto missing = load_recipe(path("missing.json"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(missing.error().message, HasSubstr("missing.json"));

    EXPECT_FALSE(load_recipe(path("")));  // a folder
    const auto unwritable = save_recipe({}, path("no/such/folder.json"));
    ASSERT_FALSE(unwritable);
    EXPECT_EQ(unwritable.error().kind, ErrorKind::unwritable_output);
}

TEST_F(RecipeFile, AHugeFileIsRefusedUnread) {
    std::ofstream(path("huge.json")).put('{');
    std::filesystem::resize_file(path("huge.json"), std::uintmax_t{1} << 33);
    const auto huge = load_recipe(path("huge.json"));
    ASSERT_FALSE(huge);
    EXPECT_EQ(huge.error().kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace workbench
