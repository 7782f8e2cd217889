// SPDX-License-Identifier: MIT
// iir2d duel, as a user calls it.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/app/run_program.h"

namespace {

namespace fs = std::filesystem;
using app_test::error_lines;
using app_test::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;

std::string planted(const std::string& kind) {
    return IIR2D_PLANTED_DIR "/planted_" + kind + ".so";
}

class DuelCli : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_duel_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }
    std::string path(const std::string& name) const { return (folder / name).string(); }

    // A duel of small cases with few pairs.
    static Outcome duel(std::vector<std::string> arguments, const std::string& filters = "1",
                        app_test::RunOptions options = {}) {
        arguments.insert(arguments.begin(), "duel");
        for (const char* more : {"--sizes", "96x80", "--precisions", "f32", "--threads", "1", "--launches",
                                 "2", "--pairs", "4..16", "--margin", "20%", "--filter-ids"})
            arguments.emplace_back(more);
        arguments.push_back(filters);
        options.environment.emplace_back("IIR2D_PLANTED_REAL=" IIR2D_REAL_LIBRARY);
        return app_test::run_program(IIR2D_CLI, arguments, options);
    }

    fs::path folder;
};

TEST_F(DuelCli, WritesARecordThatIsVerifiedAndKept) {
    const auto done = duel({IIR2D_REAL_LIBRARY, ".", "--record", path("rec"), "--out-md", path("duel.md"),
                            "--json", "--max-regression", "1000%"});
    EXPECT_EQ(done.code, 0) << done.err;
    const Json json = Json::parse(done.out);
    EXPECT_EQ(json["schema"], "iir2d-workbench/duel");
    ASSERT_THAT(json["cases"], SizeIs(1));
    EXPECT_TRUE(json["cases"][0]["outputs"]["value"]["equal_bits"]);
    EXPECT_TRUE(fs::exists(path("duel.md")));
    const auto verified = app_test::run_program(IIR2D_CLI, {"verify", path("rec")});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("verdicts follow from the pairs"));
    const auto added =
        app_test::run_program(IIR2D_CLI, {"history", "add", path("rec"), "--db", path("history.sqlite")});
    EXPECT_EQ(added.code, 0) << added.err;
    const auto changes =
        app_test::run_program(IIR2D_CLI, {"history", "changes", "--json", "--db", path("history.sqlite")});
    EXPECT_THAT(Json::parse(changes.out)["duels"], SizeIs(1));
    EXPECT_EQ(duel({".", ".", "--record", path("rec")}).code, 6);
}

TEST_F(DuelCli, FailsOnAWrongResultAndOnACrash) {
    const auto wrong = duel({planted("plain"), planted("wrong")});
    EXPECT_EQ(wrong.code, 5);
    EXPECT_THAT(wrong.out, HasSubstr("WRONG"));
    EXPECT_THAT(error_lines(wrong.err),
                ElementsAre(HasSubstr("is WRONG: the result differs from the base's by 1")));
    const auto crash = duel({planted("plain"), planted("crash")}, "1,2");
    EXPECT_EQ(crash.code, 5);
    EXPECT_THAT(error_lines(crash.err), ElementsAre(HasSubstr("FAILED: new: ")));
    EXPECT_THAT(crash.err, HasSubstr("(and 1 more)"));
}

TEST_F(DuelCli, HidesNoSlowdownInAWideMargin) {
    const auto slower = app_test::run_program(
        IIR2D_CLI,
        {"duel", planted("plain"), planted("slower"), "--sizes", "96x80", "--precisions", "f32", "--threads",
         "1", "--launches", "2", "--pairs", "4..16", "--filter-ids", "1", "--margin", "90%",
         "--max-regression", "10%"},
        {.environment = {"IIR2D_PLANTED_REAL=" IIR2D_REAL_LIBRARY, "IIR2D_PLANTED_ROWS=40"}});
    EXPECT_EQ(slower.code, 5) << slower.out << slower.err;
}

TEST_F(DuelCli, RefusesWhatIsNoLibraryAndNoSetting) {
    EXPECT_EQ(duel({path("nowhere")}).code, 3);
    EXPECT_EQ(duel({folder.string()}).code, 3);
    EXPECT_EQ(duel({}).code, 2);
    EXPECT_EQ(duel({".", ".", "--margin", "0%"}).code, 2);
    EXPECT_EQ(duel({".", ".", "--device", "cuda:0"}).code, 2);
    for (const char* option : {"--config=static", "--tune=off"}) {
        const auto refused = duel({".", ".", option});
        EXPECT_EQ(refused.code, 2) << option;
        EXPECT_THAT(error_lines(refused.err), ElementsAre(HasSubstr("has no effect on a duel")));
    }
    EXPECT_EQ(duel({".", ".", "--sign", path("key")}).code, 2);
    EXPECT_EQ(duel({".", ".", "--budget", "0"}).code, 2);
    for (const char* limit : {"nan", "inf", "-5%", "10001%"})
        EXPECT_EQ(duel({".", ".", "--max-regression=" + std::string(limit)}).code, 2) << limit;
    for (const char* seconds : {"nan", "inf", "1e300", "0", "-1"})
        EXPECT_EQ(duel({".", ".", "--longest-call=" + std::string(seconds)}).code, 2) << seconds;
    EXPECT_EQ(duel({"--rev", "HEAD", "--source", folder.string()}).code, 2);
}

TEST_F(DuelCli, KeepsCompleteCasesWhenItIsInterrupted) {
    const auto stopped = duel({planted("plain"), planted("hang"), "--longest-call", "600"}, "1",
                              {.interrupt_after = std::chrono::milliseconds(500)});
    EXPECT_EQ(stopped.code, 130);
    EXPECT_THAT(error_lines(stopped.err), ElementsAre(HasSubstr("nothing to keep")));
}

}  // namespace
