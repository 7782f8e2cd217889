// SPDX-License-Identifier: MIT
// The commands that work on records, as a user calls them.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "core/record/record.h"
#include "tests/app/cli_folder.h"
#include "tests/app/run_program.h"

namespace {

namespace fs = std::filesystem;
using app_test::error_lines;
using app_test::iir2d;
using app_test::Outcome;
using app_test::RunOptions;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

class EvidenceCli : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_evidence_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }

    std::string path(const std::string& name) const { return (folder / name).string(); }

    // A small record of filter 1 on the CPU.
    std::string record(const std::string& name, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments = {
            "bench", "--sizes", "64x48", "--filter-ids", "1",        "--device", "cpu", "--warmup",
            "1",     "--iters", "9",     "-q",           "--record", path(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto done = iir2d(arguments);
        EXPECT_EQ(done.code, 0) << done.err;
        return path(name);
    }

    static std::string text_of(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path folder;
};

TEST_F(EvidenceCli, ComparesARecordWithItself) {
    const auto r = record("r");
    // Resampling a handful of samples is too wide for SAME; with a wide margin it is not.
    const auto done = iir2d(
        {"compare-records", r, r, "--margin", "99%", "--out-md", path("c.md"), "--max-regression", "25%"});
    EXPECT_THAT(error_lines(done.err), AnyOf(IsEmpty(), SizeIs(1)));
    EXPECT_THAT(done.out, HasSubstr("filter:1 border:mirror precision:f32 size:64x48"));
    EXPECT_THAT(text_of(path("c.md")), HasSubstr("# Comparison of two benchmark records"));
    const auto json = iir2d({"compare-records", r, r, "--json"});
    const auto parsed = Json::parse(json.out);
    EXPECT_EQ(parsed.at("cases").size(), 2U);
    EXPECT_EQ(parsed.at("base").at("record_id"), parsed.at("new").at("record_id"));
    EXPECT_EQ(parsed.at("cases").at(0).at("cost_ratio"), 1);
}

TEST_F(EvidenceCli, RefusesToCompareUnlikeRecordsUnlessTold) {
    const auto f32 = record("f32", {"--precisions", "f32"});
    const auto f64 = record("f64", {"--precisions", "f64"});
    const auto refused = iir2d({"compare-records", f32, f64});
    EXPECT_EQ(refused.code, 5);
    EXPECT_THAT(error_lines(refused.err), ElementsAre(HasSubstr("unlike in precision or size")));
    EXPECT_THAT(refused.out, IsEmpty());
    const auto told = iir2d({"compare-records", f32, f64, "--allow-unlike", "--max-regression", "10000%"});
    // Nine samples on a busy machine may drift, and then show nothing.
    EXPECT_THAT(error_lines(told.err), AnyOf(IsEmpty(), ElementsAre(HasSubstr("is AMBIGUOUS at"))))
        << told.err;
    EXPECT_EQ(told.code, told.err.empty() ? 0 : 5);
    EXPECT_THAT(told.out, HasSubstr("precisions: base f32, new f64"));
}

TEST_F(EvidenceCli, ListsMissingCasesAndFails) {
    const auto two = record("two");
    const auto one = record("one", {"--precisions", "f32"});
    const auto done = iir2d({"compare-records", two, one, "--max-regression", "10000%"});
    EXPECT_EQ(done.code, 5);
    EXPECT_THAT(done.out, ContainsRegex("precision:mixed size:64x48 +missing in NEW"));
    // A case that drifts is named first.
    EXPECT_THAT(error_lines(done.err),
                ElementsAre(AnyOf(HasSubstr("is missing in the new"), HasSubstr("is AMBIGUOUS at"))));
}

TEST_F(EvidenceCli, SaysWhatIsWrongWithArgumentsOfCompareRecords) {
    const auto r = record("r");
    const std::pair<std::vector<std::string>, int> wrong[] = {
        {{"compare-records", r}, 2},
        {{"compare-records", r, r, "--metric", "speed"}, 2},
        {{"compare-records", r, r, "--margin", "0"}, 2},
        {{"compare-records", r, r, "--max-regression", "x%"}, 2},
        {{"compare-records", r, path("none")}, 3},
        {{"compare-records", r, r, "--out-md", path("no/such/folder.md")}, 6},
    };
    for (const auto& [arguments, code] : wrong) {
        const auto done = iir2d(arguments);
        EXPECT_EQ(done.code, code) << done.err;
        EXPECT_THAT(error_lines(done.err), SizeIs(1));
    }
}

TEST_F(EvidenceCli, SignsARecordAndKnowsWhoDid) {
    const auto made = iir2d({"key", "new", path("me.key")});
    ASSERT_EQ(made.code, 0) << made.err;
    const std::string hex = made.out.substr(0, 64);
    EXPECT_EQ(iir2d({"key", "show", path("me.key")}).out, made.out);
    EXPECT_EQ(iir2d({"key", "show", path("me.key.pub")}).out, made.out);
    EXPECT_EQ(iir2d({"key", "new", path("me.key")}).code, 6);
    EXPECT_EQ(iir2d({"key", "show", path("none")}).code, 3);
    EXPECT_EQ(iir2d({"key"}).code, 2);

    const auto r = record("r", {"--sign", path("me.key")});
    const auto verified = iir2d({"verify", r, "--signer", path("me.key.pub")});
    EXPECT_EQ(verified.code, 0) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("signed by " + hex));
    EXPECT_THAT(verified.out, HasSubstr("record_id "));
    const auto other = iir2d({"verify", r, "--signer", std::string(64, 'a')});
    EXPECT_EQ(other.code, 5);
    EXPECT_THAT(error_lines(other.err), ElementsAre(HasSubstr("it is signed by " + hex + ", not by aaaa")));
    const auto unsigned_record = record("u");
    EXPECT_THAT(iir2d({"verify", unsigned_record}).out, HasSubstr("not signed"));
    EXPECT_EQ(iir2d({"verify", unsigned_record, "--signer", hex}).code, 5);
}

TEST_F(EvidenceCli, SaysWhatALoneRecordDoesNotProtect) {
    const auto r = record("r");
    EXPECT_THAT(iir2d({"verify", r}).out, AllOf(HasSubstr("accepted "), Not(HasSubstr("note  "))));
    const auto lone = iir2d({"verify", r + "/record.json"});
    EXPECT_EQ(lone.code, 0) << lone.err;
    EXPECT_THAT(lone.out, AllOf(HasSubstr("\nnote     a lone record.json is checked against itself"),
                                HasSubstr("\nagrees with itself: "), Not(HasSubstr("accepted "))));
    EXPECT_EQ(iir2d({"verify", r + "/record.json", "--signer", std::string(64, 'a')}).code, 5);
    const auto missing = iir2d({"verify", path("no\nsuch\x1b[2J\xff")});
    EXPECT_EQ(missing.code, 3);
    EXPECT_THAT(missing.err, HasSubstr("no\\nsuch\\x1b[2J\\xff"));
}

// With no hash beside it.
TEST_F(EvidenceCli, FindsAnyChangedCharacterOfALoneRecord) {
    const auto done =
        iir2d({"bench", "--sizes", "64x48", "--filter-ids", "1,4", "--pool-ops", "max,lp", "--device", "cpu",
               "--warmup", "1", "--iters", "9", "-q", "--out-json", path("b.json")});
    ASSERT_EQ(done.code, 0) << done.err;
    const std::string good = text_of(path("b.json"));
    EXPECT_EQ(iir2d({"verify", path("b.json")}).code, 0);
    std::mt19937 random(20'260'101);
    const std::string characters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,:;-+_\"\\/{}[]";
    int refused = 0, still_json = 0;
    for (int i = 0; i < 300; ++i) {
        std::string bad = good;
        std::size_t at = 0;
        do at = random() % good.size();
        while (good[at] == ' ' || good[at] == '\n');
        // Every other change is one of a digit into a digit where there is one: it is JSON still.
        const bool digit = i % 2 == 0 && good[at] >= '0' && good[at] <= '9';
        do bad[at] = characters[random() % (digit ? 10 : characters.size())];
        while (bad[at] == good[at]);
        std::ofstream(path("bad.json"), std::ios::binary | std::ios::trunc) << bad;
        // Verified as the command does it, and every fifth by the command: starting it 300 times takes
        // seconds.
        SCOPED_TRACE("character " + std::to_string(at) + " as '" + bad[at] + "'");
        const auto verified = workbench::verify_record(path("bad.json"));
        ASSERT_TRUE(verified) << verified.error().message;
        EXPECT_THAT(verified->problems, SizeIs(1));
        refused += verified->problems.empty() ? 0 : 1;
        if (i % 10 < 2) {  // of either kind
            const auto told = iir2d({"verify", path("bad.json"), "-q"});
            EXPECT_EQ(told.code, 5) << told.err;
            EXPECT_THAT(error_lines(told.err), Not(IsEmpty()));
        }
        still_json += Json::accept(bad) ? 1 : 0;
    }
    EXPECT_EQ(refused, 300);
    EXPECT_GT(still_json, 100) << "of either kind";
    EXPECT_LT(still_json, 280);
}

TEST_F(EvidenceCli, RefusesAKeyThatOthersMayReadBeforeItMeasures) {
    ASSERT_EQ(iir2d({"key", "new", path("me.key"), "-q"}).code, 0);
    fs::permissions(path("me.key"), fs::perms(0644));
    const auto refused =
        iir2d({"bench", "--sizes", "64x48", "--record", path("r"), "--sign", path("me.key")});
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(error_lines(refused.err), ElementsAre(HasSubstr("may be read by others")));
    EXPECT_FALSE(fs::exists(path("r")));
    EXPECT_EQ(iir2d({"bench", "--sizes", "64x48", "--sign", path("me.key")}).code, 2);
}

TEST_F(EvidenceCli, RemembersRecords) {
    const auto first = record("first");
    const auto second = record("second");
    const auto db = path("h.sqlite");
    const auto added = iir2d({"history", "add", first, second, "--db", db});
    ASSERT_EQ(added.code, 0) << added.err;
    const std::string id = added.out.substr(0, 64);
    EXPECT_THAT(iir2d({"history", "add", first, "--db", db}).out,
                HasSubstr(id + " " + first + " (was there"));
    const auto list = Json::parse(iir2d({"history", "list", "--json", "--db", db}).out);
    EXPECT_EQ(list.at("records").size(), 2U);
    EXPECT_EQ(iir2d({"history", "show", id.substr(0, 12), "--db", db}).out, text_of(first + "/record.json"));
    EXPECT_EQ(iir2d({"history", "show", "xyz", "--db", db}).code, 2);
    EXPECT_TRUE(list.at("records").at(0).at("note").is_null());
    const auto noted = iir2d({"history", "note", id.substr(0, 12), "after the change", "--db", db});
    EXPECT_EQ(noted.code, 0) << noted.err;
    EXPECT_EQ(noted.out, id + " after the change\n");
    EXPECT_THAT(iir2d({"history", "list", "--db", db}).out, HasSubstr("after the change\n"));
    EXPECT_EQ(iir2d({"history", "add", second, "--note", "the second", "-q", "--db", db}).code, 0);
    EXPECT_THAT(iir2d({"history", "list", "--json", "--db", db}).out, HasSubstr("\"note\": \"the second\""));
    EXPECT_EQ(iir2d({"history", "note", id.substr(0, 12), "", "--db", db}).code, 2);
    EXPECT_EQ(iir2d({"history", "note", id.substr(0, 12), "--db", db}).code, 2);
    EXPECT_EQ(iir2d({"history", "note", id.substr(0, 12), "x", "--remove", "--db", db}).code, 2);
    EXPECT_THAT(iir2d({"history", "list", "--db", db}).out, HasSubstr("after the change"));
    EXPECT_EQ(iir2d({"history", "note", id.substr(0, 12), "--remove", "-q", "--db", db}).code, 0);
    EXPECT_THAT(iir2d({"history", "list", "--db", db}).out, Not(HasSubstr("after the change")));
    EXPECT_EQ(iir2d({"history", "note", "0000", "x", "--db", db}).code, 2);
    EXPECT_EQ(iir2d({"history", "note", id.substr(0, 12), "two\nlines", "--db", db}).code, 2);
    EXPECT_EQ(iir2d({"history", "note", id, "x", "--db", path("none")}).code, 3);
    EXPECT_FALSE(fs::exists(path("none")));
    const auto keys = iir2d({"history", "trend", "--db", db});
    const std::string key = keys.out.substr(0, keys.out.find('\n'));
    const auto trend = iir2d({"history", "trend", key, "--metric", "latency", "--db", db});
    EXPECT_EQ(trend.code, 0) << trend.err;
    EXPECT_THAT(trend.out, HasSubstr(id.substr(0, 12)));
    EXPECT_EQ(iir2d({"history", "trend", "no such case", "--db", db}).code, 2);
    EXPECT_EQ(iir2d({"history", "list", "--db", path("none")}).code, 3);
    EXPECT_EQ(iir2d({"history", "add", path("none"), "--db", db}).code, 3);
    EXPECT_EQ(iir2d({"history", "add", first, "--db", path("no/folder/h")}).code, 6);
    EXPECT_EQ(iir2d({"history", "check", "--db", db}).out, "accepted 2 records\n");
    // Where it is when nothing is said.
    const RunOptions settings{.environment = {"IIR2D_CONFIG_DIR=" + path("config")}};
    EXPECT_EQ(iir2d({"history", "add", first, "-q"}, settings).code, 0);
    EXPECT_TRUE(fs::exists(path("config/iir2d-history.sqlite")));
}

TEST_F(EvidenceCli, ReproducesARecord) {
    const auto r = record("r");
    const auto done = iir2d({"reproduce", r, "--record", path("again"), "--max-regression", "10000%"});
    // Whether such short cases are as fast again is for no test to say.
    EXPECT_THAT(done.code, AnyOf(0, 5)) << done.out << done.err;
    EXPECT_THAT(done.out, HasSubstr("2 of 2 cases the same bit for bit"));
    const auto verified = iir2d({"verify", r}).out;
    const auto id = verified.substr(verified.find("record_id ") + 10, 64);
    EXPECT_EQ(Json::parse(text_of(path("again/record.json"))).at("reproduces").at("value"), id);
    EXPECT_EQ(iir2d({"verify", path("again"), "-q"}).code, 0);
    EXPECT_EQ(iir2d({"reproduce", r, "--record", path("again")}).code, 6);
    EXPECT_EQ(iir2d({"reproduce", path("none"), "--record", path("x")}).code, 3);
    EXPECT_EQ(iir2d({"reproduce", r}).code, 2);
}

TEST_F(EvidenceCli, RunsProtocols) {
    const auto file = path("p.json");
    std::ofstream(file) << R"({"schema": "iir2d-workbench/protocol", "schema_version": 1, "name": "tiny",
        "sizes": [{"width": 64, "height": 48}], "filter_ids": [1], "border_modes": ["mirror"], "precisions": ["f32"],
        "warmup": 1, "until": {"precision": 0.5, "least": 7, "most": 40, "most_seconds": 20}})";
    const auto done = iir2d({"bench", "--protocol", file, "--device", "cpu", "-q", "--record", path("r")});
    ASSERT_EQ(done.code, 0) << done.err;
    const auto record = Json::parse(text_of(path("r/record.json")));
    EXPECT_EQ(record.at("matrix").at("protocol").at("value"), "tiny");
    EXPECT_THAT(record.at("cases").at(0).at("timing").at("value").at("stop_reason"),
                AnyOf("precision", "most samples"));
    EXPECT_EQ(iir2d({"verify", path("r"), "-q"}).code, 0);
    EXPECT_EQ(iir2d({"bench", "--protocol", "smoke", "--iters", "3"}).code, 2) << "a protocol says it all";
    for (const std::string option : {"--pool-ops", "--recipe", "--most-disturbed"})
        EXPECT_EQ(iir2d({"bench", "--protocol", "smoke", option, "0.5"}).code, 2) << option;
    for (const std::string option : {"--pool-dtypes", "--pool-passes", "--window", "--output"}) {
        const auto beside_protocol = iir2d({"bench", "--protocol", "smoke", option, "2x2"});
        EXPECT_EQ(beside_protocol.code, 2) << option << " is not passed over in silence";
        const auto without_pooling = iir2d({"parity", option, "2x2"});
        EXPECT_EQ(without_pooling.code, 2) << option;
        EXPECT_THAT(without_pooling.err, HasSubstr("--pool-ops"));
    }
    EXPECT_EQ(iir2d({"bench", "--protocol", "nowhere.json"}).code, 2);
    EXPECT_EQ(iir2d({"bench", "--sizes", "64x48", "--until", "0"}).code, 2);
    EXPECT_EQ(
        iir2d({"bench", "--sizes", "64x48", "--until", "1%", "--min-iters", "9", "--max-iters", "8"}).code,
        2);
}

}  // namespace
