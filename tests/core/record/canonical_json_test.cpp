// SPDX-License-Identifier: MIT
#include "core/support/canonical_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace workbench {
namespace {

using nlohmann::json;

TEST(CanonicalJson, WritesDoublesAsRfc8785Does) {
    // RFC 8785, appendix B: IEEE 754 bits and their text.
    const std::pair<std::uint64_t, const char*> samples[] = {
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x8000000000000001, "-5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0xffefffffffffffff, "-1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0x41b3de4355555555, "333333333.3333333"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"},
    };
    for (const auto& [bits, text] : samples) {
        EXPECT_EQ(canonical_json(json(std::bit_cast<double>(bits))), text) << std::hex << bits;
    }
}

TEST(CanonicalJson, DoesNotDependOnLayoutOrOrder) {
    const json a = json::parse(R"({"b": [1, 2.50, {"y": null, "x": true}], "a": "é\u0001\"\/"})");
    const json b = json::parse("{\"a\":\"\\u00e9\\u0001\\\"/\",\n\t\"b\":[1,25e-1,{\"x\":true,\"y\":null}]}");
    EXPECT_EQ(canonical_json(a), R"({"a":"é\u0001\"/","b":[1,2.5,{"x":true,"y":null}]})");
    EXPECT_EQ(canonical_json(a), canonical_json(b));
    EXPECT_EQ(canonical_sha256(a), canonical_sha256(b));
}

TEST(CanonicalJson, KeepsLargeWholeNumbersExact) {
    EXPECT_EQ(canonical_json(json(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
    EXPECT_EQ(canonical_json(json(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
}

TEST(CanonicalJson, LeavesOutAMemberOfTheObjectItself) {
    const json a = {{"seal", "x"}, {"b", {{"seal", 1}}}};
    EXPECT_EQ(canonical_sha256_without(a, "seal"), canonical_sha256(json{{"b", {{"seal", 1}}}}));
    EXPECT_EQ(canonical_sha256_without(a, "none"), canonical_sha256(a));
}

TEST(CanonicalJson, FindsWhatIsSpelledInAnotherWay) {
    for (
        const char* good :
        {"", "[]",
         R"({"a": [1, -2, 0, 1.5, 1e-7, 1e+21, 18446744073709551615, -9223372036854775808, -9223372036854776000]})",
         R"([0.30000000000000004, 100000000000000000000, "1.50", "é\"\\\b\f\n\r\t\u0001\u001b/\u000b"])"}) {
        EXPECT_FALSE(first_uncanonical_spelling(good)) << good;
        EXPECT_EQ(canonical_json(json::parse(*good == 0 ? "1" : good)).empty(), false);
    }
    for (const char* bad : {"1.50", "1.0", "-0", "-0.0", "1E-7", "1e-07", "1e7", "0.30000000000000005",
                            "100000000000000000001", "1.00000000000000001", "-9223372036854775809",
                            R"("\u0041")", R"("\u001B")", R"("\/")", R"("\u000a")", R"("\u00e9")"}) {
        EXPECT_EQ(first_uncanonical_spelling("[" + std::string(bad) + "]"), *bad == '"' ? 2U : 1U) << bad;
    }
}

TEST(CanonicalJson, HasTheHashThatOthersGet) {
    // printf '{"a":1}' | sha256sum
    EXPECT_EQ(canonical_sha256(json{{"a", 1.0}}),
              "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862");
}

}  // namespace
}  // namespace workbench
