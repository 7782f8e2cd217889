// SPDX-License-Identifier: MIT
#include "core/support/strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace workbench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr JsonLimits small{.bytes = 10'000, .values = 20, .depth = 4};

std::string refusal(const std::string& text, const JsonLimits& limits = record_json_limits) {
    const auto parsed = parse_json_strictly(text, limits);
    if (parsed) return "accepted";
    EXPECT_EQ(parsed.error().kind, ErrorKind::bad_input);
    return parsed.error().message;
}

std::string repeated(const std::string& item, std::size_t bytes) {
    std::string text = "[" + item;
    while (text.size() < bytes) text += "," + item;
    return text + "]";
}

TEST(StrictJson, GivesTheValueOfTheLibrary) {
    for (const std::string text :
         {"null", "[]", "{}", "[[],{},[{}]]", "-0.0", "18446744073709551615", "-9223372036854775808", "1e-7",
          "\"\\u00e9\\n\"",
          " { \"b\" : [ 1 , 2.5 , true , false , null , \"x\" ] , \"a\" : { \"c\" : [ ] } } "}) {
        const auto parsed = parse_json_strictly(text, record_json_limits);
        ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
        EXPECT_EQ(*parsed, json::parse(text));
        EXPECT_EQ(parsed->type(), json::parse(text).type());
        EXPECT_EQ(parsed->dump(), json::parse(text).dump());
    }
}

TEST(StrictJson, RefusesARepeatedKey) {
    EXPECT_EQ(refusal(R"({"a": 1, "a": 2})"), "has the key \"a\" twice in one object: keep one of them");
    EXPECT_THAT(refusal(R"([{"b": {"c": 1, "d": {"c": 1}, "c": 3}}])"), HasSubstr("key \"c\" twice"));
    EXPECT_EQ(refusal(R"([{"a": 1}, {"a": {"a": 2}}])"), "accepted");
}

TEST(StrictJson, RefusesWhatIsNotJson) {
    EXPECT_EQ(refusal("{\n  \"a\": 01\n}"), "is not valid JSON: look at line 2, column 9");
    for (const std::string text : {"", " ", "{} x", "[NaN]", "[Infinity]", "[1,]", "{\"a\":1,}", "[01]",
                                   "['a']", "[\"a\nb\"]", "// c\n1", "[", "{\"a\"", "tru", "\"\\ud800\""}) {
        EXPECT_THAT(refusal(text), HasSubstr("is not valid JSON: look at line ")) << text;
    }
    EXPECT_EQ(refusal("[1e999]"), "has a number that is too large for any value");
    EXPECT_THAT(refusal("\"\xc3\x28\""), HasSubstr("is not UTF-8 text: look at line 1, column 2"));
    EXPECT_THAT(refusal(std::string("{}\0{\"evil\": 1}", 14)), HasSubstr("line 1, column 3"))
        << "the library takes a null byte for the end";
}

TEST(StrictJson, RefusesMoreThanItsLimits) {
    EXPECT_EQ(refusal("[[[[1]]]]", small), "accepted");
    EXPECT_EQ(refusal("[[[[[1]]]]]", small), "is nested more than 4 deep");
    EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("is nested more than 32 deep"));
    EXPECT_EQ(refusal(repeated("1", 38), small), "accepted") << "an array and 19 numbers";
    EXPECT_EQ(refusal(repeated("1", 40), small), "has more than 20 values, which is the most that is read");
    EXPECT_EQ(refusal(repeated("{}", 100), small), "has more than 20 values, which is the most that is read");
    EXPECT_EQ(refusal("\"" + std::string(10'000, 'x') + "\"", small),
              "has 10002 bytes, and at most 10000 are read");
}

TEST(StrictJson, MessagesAreShortAndOneLine) {
    const std::string key = "\"\\u001b[2J\\n\xc2\x9b" + std::string(9000, 'k') + "\"";
    const std::string message = refusal("{" + key + ":1," + key + ":2}");
    EXPECT_LT(message.size(), 200U);
    EXPECT_EQ(message.find_first_of("\x1b\n"), std::string::npos);
    EXPECT_EQ(message.find("\xc2\x9b"), std::string::npos);
}

// Once 4 MB of these took minutes: a time that grew with the square of the number of children. The bound is
// on the time of this process alone and far above the second that it takes.
TEST(StrictJson, ReadsManyChildrenInTheTimeOfTheirText) {
    constexpr std::size_t size = std::size_t{4} << 20;
    std::string keys = "{\"0\":[]";
    for (int i = 1; keys.size() < size; ++i) keys += ",\"" + std::to_string(i) + "\":[]";
    keys += "}";
    for (const std::string& text :
         {repeated("{}", size), repeated("[]", size), repeated("[{}]", size), keys}) {
        const std::clock_t start = std::clock();
        EXPECT_EQ(refusal(text), "accepted");
        EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 30.0) << text.substr(0, 20);
    }
}

TEST(Shown, IsShort) {
    EXPECT_EQ(shown(json(R"(a"b)")), R"("a\"b")");
    EXPECT_EQ(shown(json::array({1, 2})), "[1,2]");
    EXPECT_LE(shown(json(std::string(1000, 'x'))).size(), 63U);
    EXPECT_EQ(shown(json(1000, 1)), "[...]");
    EXPECT_EQ(shown(std::string("\x7f\xc2\x85")), "\"\\x7f\\u0085\"");
}

}  // namespace
}  // namespace workbench
