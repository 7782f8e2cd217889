// SPDX-License-Identifier: MIT
// A record that someone altered with care: the files that are made from its JSON are made anew and the sums
// are right, so that nothing but its own sense can tell.
#include "core/record/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/record/command_line.h"
#include "core/record/derived.h"
#include "core/record/record.h"
#include "core/support/files.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

json json_of(const Record& record) {
    return json::parse(record_to_json(record));
}

std::string problems_of_directory(const json& record) {
    const testing::TemporaryFolder folder;
    const std::string text = testing::sealed(record);
    testing::write_text(folder.path() / "record.json", text);
    if (const auto read = record_from_json(text)) {
        for (const auto& [name, content] : derived_files(text, *read))
            testing::write_text(folder.path() / name, content);
    }
    testing::refresh_sums(folder.path());
    return testing::problems_of(folder.path());
}

using Changes = std::vector<std::pair<const char*, json>>;

std::string altered(const Changes& changes, json record = json_of(testing::sample_record())) {
    for (const auto& [place, value] : changes) record[json::json_pointer(place)] = value;
    return problems_of_directory(record);
}

TEST(Consistency, AcceptsWhatWasNotAltered) {
    EXPECT_EQ(altered({}), "");
    EXPECT_EQ(altered({}, json_of(testing::sample_gpu_record())), "");
}

TEST(Consistency, HoldsTheCommandLineToTheMatrix) {
    const std::string good = testing::sample_record().command_line;
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string line = good;
        line.replace(line.find(from), from.size(), to);
        return altered({{"/command_line", line}});
    };
    const auto refused = HasSubstr("record.json: its command_line is not the one that measures its matrix\n");
    EXPECT_EQ(with("iir2d", "iir2d"), "");
    EXPECT_THAT(with("--iters 3", "--iters 4"), refused);
    EXPECT_THAT(with("--filter-ids 1", "--filter-ids 2"), refused);
    EXPECT_THAT(with("--threads 2", "--threads 1"), refused);
    EXPECT_THAT(with("1024x512", "512x1024"), refused);
    EXPECT_THAT(with("iir2d", "rm -rf / ; iir2d"), refused);
    EXPECT_THAT(altered({{"/command_line", good + " --cold"}}), refused);
    EXPECT_THAT(altered({{"/command_line", ""}}), refused);
    // The other side of the two.
    EXPECT_THAT(altered({{"/matrix/warmup", 9}}), refused);
    EXPECT_THAT(altered({{"/matrix/seed", 7}}), refused);
    EXPECT_THAT(altered({{"/matrix/cache", "cold"}}), refused);
    EXPECT_THAT(altered({{"/matrix/device", "auto"}}), refused);
}

Record recipe_record(const std::string& recipe_path) {
    Record record = testing::sample_record();
    BenchmarkMatrix& m = record.run.matrix;
    m.recipe = Recipe{.name = "Soft --recipe recipe.json",
                      .operations = {{.what = FilterOperation{.filter_id = 6}}}};
    const auto cases = cases_of(m, 1);
    record.run.results.push_back(record.run.results.front());
    record.run.results.back().what = cases.back();
    // Its traffic is what its operations move, which is not checked.
    record.run.case_total = 4;
    record.command_line = bench_command_line(m, "", recipe_path);
    return record;
}

TEST(Consistency, LeavesTheRecipesFileOpen) {
    for (const char* path : {"recipe.json", "a b's.json", "", "--recipe", "'", "x' y 'z"}) {
        EXPECT_EQ(problems_of_directory(json_of(recipe_record(path))), "") << path;
    }
    const BenchmarkMatrix m = recipe_record("").run.matrix;
    const std::string good = bench_command_line(m, "", "X");
    EXPECT_TRUE(is_bench_command_line(good, m));
    for (const char* instead : {"", "X --cold", "'X' --cold 'Y'", "'X", "X;rm", "$(rm)", "'X'\\'Y'"}) {
        std::string line = good;
        line.replace(line.find(" X ") + 1, 1, instead);
        EXPECT_FALSE(is_bench_command_line(line, m)) << instead;
    }
}

TEST(Consistency, HoldsTheImageInTheCommandLineToTheMatrix) {
    json record = json_of(testing::sample_record());
    record["matrix"]["image"] = {{"value",
                                  {{"path", "photos/my cat.png"},
                                   {"format", "png"},
                                   {"width", 1024},
                                   {"height", 512},
                                   {"channels", 1},
                                   {"type", "f32"},
                                   {"pixel_sha256", std::string(64, 'a')}}}};
    std::string line = record["command_line"];
    const std::string sizes = "--sizes 1024x512";
    line.replace(line.find(sizes), sizes.size(), "--image 'photos/my cat.png'");
    EXPECT_EQ(altered({{"/command_line", line}}, record), "");
    EXPECT_THAT(altered({{"/command_line", line}, {"/matrix/image/value/path", "photos/dog.png"}}, record),
                HasSubstr("its command_line is not the one that measures its matrix"));
}

TEST(Consistency, HoldsTheFingerprintToVersionAndCommit) {
    const auto refused = HasSubstr("which is not of its version and commit");
    EXPECT_THAT(altered({{"/environment/commit/value", std::string(40, '9')}}), refused);
    EXPECT_THAT(altered({{"/environment/commit", {{"value", nullptr}, {"reason", "x"}}}}), refused);
    EXPECT_THAT(altered({{"/environment/dirty/value", true}}), refused);
    EXPECT_THAT(altered({{"/environment/version", "1.1.1"}, {"/program/version", "1.1.1"}}), refused);
    EXPECT_THAT(altered({{"/environment/build_fingerprint", "iir2d 1.1.0"}}),
                AllOf(refused, HasSubstr("its build_fingerprint is \"iir2d 1.1.0\"")));
    EXPECT_THAT(altered({{"/program/version", "1.1.1"}}),
                HasSubstr("program.version: must be \"1.1.0\", not \"1.1.1\""));
    EXPECT_EQ(altered({{"/environment/commit", {{"value", nullptr}, {"reason", "x"}}},
                       {"/environment/dirty", {{"value", nullptr}, {"reason", "x"}}},
                       {"/environment/build_fingerprint", "iir2d 1.1.0, commit unknown, GNU 12.2.0"}}),
              "")
        << "built from sources without their history";
    EXPECT_EQ(
        altered({{"/environment/dirty/value", true},
                 {"/environment/build_fingerprint",
                  "iir2d 1.1.0, commit 0123456789abcdef0123456789abcdef01234567 with local changes, GNU"}}),
        "");
}

TEST(Consistency, TheFingerprintOfThisBuildIsOfThatForm) {
    Record record = testing::sample_record();
    record.environment = capture_environment(2);
    EXPECT_EQ(problems_of_directory(json_of(record)), "");
}

TEST(Consistency, HoldsThreadsToEachOther) {
    EXPECT_THAT(altered({{"/environment/threads", 1}}),
                HasSubstr("its device has 2 threads but its environment has 1"));
    EXPECT_THAT(altered({{"/device/threads", 1}}),
                HasSubstr("its device has 1 thread but its environment has 2"));
    EXPECT_THAT(altered({{"/device/threads", 64}, {"/environment/threads", 64}}),
                HasSubstr("its device has 64 threads where its matrix allows 2"));
    EXPECT_EQ(altered({{"/device/threads", 1}, {"/environment/threads", 1}}), "")
        << "a machine may have fewer than it is asked for";
}

TEST(Consistency, HoldsTheLabelToTheKey) {
    EXPECT_THAT(
        altered({{"/cases/0/label", "F8 mirror f64 1024x512"}}),
        HasSubstr("its label is \"F8 mirror f64 1024x512\", which is not that of its key, \"F1 mirror f32 "
                  "1024x512\""));
    json recipe = json_of(recipe_record("r.json"));
    EXPECT_THAT(altered({{"/cases/3/label", "Sharp 1024x512"}}, recipe),
                HasSubstr("its label is \"Sharp 1024x512\""));
    EXPECT_THAT(altered({{"/cases/3/label", "Recipe 1024x512"}}, recipe), HasSubstr("its label is"));
    recipe["matrix"]["recipe"]["value"]["name"] = recipe["cases"][3]["operation"]["recipe"]["name"] = "";
    EXPECT_EQ(altered({{"/cases/3/label", "Recipe 1024x512"}}, recipe), "");
}

TEST(Consistency, HoldsACasesTimeToTheRuns) {
    EXPECT_THAT(altered({{"/cases/0/started_utc", "2025-03-09T17:04:59Z"}}),
                HasSubstr("it was started at 2025-03-09T17:04:59Z, before the run at 2025-03-09T17:05:00Z"));
    EXPECT_THAT(
        altered({{"/cases/2/started_utc", "2025-03-09T17:05:05Z"}}),
        HasSubstr(
            "it was started at 2025-03-09T17:05:05Z, after the end of the run at 2025-03-09T17:05:04Z"));
    EXPECT_THAT(altered({{"/finished_utc", "2025-03-09T17:05:02Z"}}), HasSubstr("after the end of the run"));
    EXPECT_THAT(altered({{"/started_utc", "2025-03-09T17:05:02Z"}}), HasSubstr("before the run"));
    EXPECT_EQ(altered({{"/cases/0/started_utc", "2025-03-09T17:05:00Z"},
                       {"/cases/2/started_utc", "2025-03-09T17:05:04Z"}}),
              "");
}

// What a small file asks for must not take what a large one would: each of these named a product of two
// lists, or a copy of the recipe for each case, and took gigabytes or minutes.
TEST(Consistency, DoesNotWriteOutWhatAHostileMatrixAsksFor) {
    json record = json_of(recipe_record("r.json"));
    record["matrix"]["recipe"]["value"]["name"] = std::string(500'000, 'n');
    record["matrix"]["filter_ids"] = json::array();
    record["matrix"]["pools"] = json::array();
    record["matrix"]["sizes"] = json::array();
    for (int i = 1; i <= 20'000; ++i) record["matrix"]["sizes"].push_back({{"width", i}, {"height", 1}});
    EXPECT_THAT(verify_record_text(testing::sealed(record)).problems,
                Contains(HasSubstr("its matrix gives 20000 cases")));

    record = json_of(testing::sample_record());
    record["matrix"]["pool_elements"] = json::array();
    const json pool = record["matrix"]["pools"][0];
    for (int i = 1; i <= 20'000; ++i) {
        record["matrix"]["pools"].push_back(pool);
        record["matrix"]["pools"].back()["window"]["w"] = i;
        record["matrix"]["sizes"].push_back({{"width", i}, {"height", 1}});
    }
    EXPECT_THAT(verify_record_text(testing::sealed(record)).problems,
                Contains(HasSubstr("its command_line is not the one")));
}

}  // namespace
}  // namespace workbench
