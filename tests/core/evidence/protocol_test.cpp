// SPDX-License-Identifier: MIT
#include "core/evidence/protocol.h"

#include <gmock/gmock.h>

#include "core/record/record.h"
#include "core/support/escaped.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string good =
    R"({"schema": "iir2d-workbench/protocol", "schema_version": 1, "name": "nightly",
        "sizes": [{"width": 64, "height": 48}], "filter_ids": [1, 4], "border_modes": ["mirror"],
        "precisions": ["f32"], "warmup": 2,
        "until": {"precision": 0.02, "least": 10, "most": 200, "most_seconds": 5}, "cache": "cold",
        "most_disturbed": 0.25, "seed": 7})";

std::string with(const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
}

TEST(Protocol, HasTheStandardMatrixAndASmokeTest) {
    const auto standard = matrix_of_protocol("standard");
    ASSERT_TRUE(standard);
    EXPECT_EQ(expand(*standard)->size(), 3U * 8 * 2);
    EXPECT_EQ(standard->warmup, 10);
    EXPECT_EQ(standard->iterations, 50);
    EXPECT_EQ(standard->protocol, "standard");
    EXPECT_FALSE(standard->stopping);
    EXPECT_EQ(expand(*matrix_of_protocol("smoke"))->size(), 3U);
    EXPECT_EQ(bench_command_line(*standard, "", ""), "iir2d bench --protocol standard --device auto");
}

TEST(Protocol, IsReadFromAFile) {
    const testing::TemporaryFolder folder;
    testing::write_text(folder.path() / "p.json", good);
    const auto m = matrix_of_protocol((folder.path() / "p.json").string());
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(m->protocol, "nightly");
    EXPECT_THAT(m->filter_ids, ElementsAre(1, 4));
    EXPECT_EQ(m->stopping, (StoppingRule{0.02, 10, 200, 5}));
    EXPECT_EQ(m->iterations, 200);
    EXPECT_TRUE(m->cold_cache);
    EXPECT_EQ(m->most_disturbed, 0.25);
    EXPECT_EQ(m->seed, 7U);
    EXPECT_THAT(
        bench_command_line(*m, "", ""),
        HasSubstr(
            " --until 0.02 --min-iters 10 --max-iters 200 --max-seconds 5 --cold --most-disturbed 0.25"));
}

TEST(Protocol, IsRefusedWhenItIsNone) {
    const std::pair<std::string, std::string> changes[] = {
        {"\"warmup\": 2", "\"warmup\": -1"},
        {"\"warmup\": 2", "\"warmup\": \"2\""},
        {"\"warmup\": 2,", ""},
        {"\"warmup\": 2", "\"warmup\": 2, \"iterations\": 5"},
        {"\"warmup\": 2", "\"warmup\": 2, \"itterations\": 5"},
        {"\"warmup\": 2", "\"warmup\": 2.5"},
        {"\"width\": 64", "\"width\": 64.5"},
        {"\"width\": 64", "\"width\": 18446744073709551615"},
        {"[1, 4]", "[1, 4294967300]"},
        {"[1, 4]", "[1, 4.5]"},
        {"\"least\": 10", "\"least\": 10.5"},
        {"\"seed\": 7", "\"seed\": -7"},
        {"\"seed\": 7", "\"seed\": 7.5"},
        {"\"seed\": 7", "\"seed\": 1e300"},
        {"\"schema_version\": 1", "\"schema_version\": -1e308"},
        {"\"schema_version\": 1", "\"schema_version\": 1.0"},
        {"0.02", "2"},
        {"\"least\": 10", "\"least\": 1"},
        {"[1, 4]", "[1, 9]"},
        {"[\"mirror\"]", "[\"round\"]"},
        {"[\"f32\"]", "[\"f8\"]"},
        {"\"width\": 64", "\"width\": 0"},
        {"nightly", "standard"},
        {"nightly", ""},
        {"\"cold\"", "\"hot\""},
        {"0.25", "1.5"},
        {"\"schema_version\": 1", "\"schema_version\": 2"},
        {"iir2d-workbench/protocol", "other"}};
    for (const auto& [from, to] : changes) {
        const auto refused = matrix_from_protocol_json(with(from, to));
        ASSERT_FALSE(refused) << to;
        EXPECT_EQ(refused.error().kind, ErrorKind::bad_input) << to;
        EXPECT_THAT(refused.error().message, HasSubstr("the protocol ")) << to;
    }
    EXPECT_EQ(matrix_from_protocol_json(with("\"seed\": 7", "\"seed\": 18446744073709551615"))->seed,
              18446744073709551615U);
    EXPECT_FALSE(matrix_from_protocol_json("[]"));
    EXPECT_FALSE(matrix_from_protocol_json(std::string(100'000, '[')));
    EXPECT_EQ(matrix_of_protocol("nowhere.json").error().kind, ErrorKind::bad_argument);
}

TEST(Protocol, AnErrorIsOneLineThatATerminalShows) {
    const std::string hostile = R"(\u001b[2J\naccepted\u007f\u009b\u202e)";
    for (const std::string& text :
         {with("nightly", hostile), with("\"seed\"", "\"" + hostile + "\""), with("mirror", hostile),
          with("f32", hostile), with("cold", hostile), with("nightly", "\x1b\n"), with("nightly", "\xff"),
          with("\"seed\": 7", "\"" + hostile + "\": 7, \"" + hostile + "\": 7")}) {
        const auto refused = matrix_from_protocol_json(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(escaped(refused.error().message, 2000), refused.error().message)
            << "nothing is left to escape";
        EXPECT_THAT(refused.error().message, HasSubstr("the protocol "));
    }
    std::string many = "[{}";
    while (many.size() < 900'000) many += ",{}";
    EXPECT_THAT(matrix_from_protocol_json(many + "]").error().message,
                HasSubstr("has more than 200000 values"));
}

}  // namespace
}  // namespace workbench
