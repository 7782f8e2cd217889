// SPDX-License-Identifier: MIT
// Names and texts that would move a terminal's cursor, and names that are not UTF-8.
#include <algorithm>

#include "tests/app/cli_folder.h"

namespace {

namespace fs = std::filesystem;
using app_test::iir2d;
using app_test::Outcome;
using ::testing::HasSubstr;

bool is_harmless(const std::string& text) {
    const bool has_control = std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n') || byte == 0x7F;
    });
    return !has_control && text.find("\xC2\x9B") == std::string::npos;  // U+009B begins sequences, as ESC [
}

class StrangeNames : public app_test::CliFolder {
  protected:
    static Outcome harmless(const std::vector<std::string>& arguments) {
        auto outcome = iir2d(arguments);
        EXPECT_TRUE(is_harmless(outcome.out)) << ::testing::PrintToString(outcome.out);
        EXPECT_TRUE(is_harmless(outcome.err)) << ::testing::PrintToString(outcome.err);
        return outcome;
    }
};

TEST_F(StrangeNames, ReachTheTerminalWithoutControlCharacters) {
    const std::string strange =
        "\x1b[31m\x07\xC2\x9B"
        "5m\r\x7F";
    const std::string image = write_image("a" + strange + ".pgm", 16, 16);
    const std::string recipe = write_recipe("r" + strange + ".json");
    const std::string missing = path("m" + strange + ".pgm");
    EXPECT_EQ(harmless({"info", image}).code, 0);
    EXPECT_EQ(harmless({"info", image, "--json"}).code, 0);
    EXPECT_EQ(harmless({"filter", image, path("o" + strange + ".exr"), "--filter", "1"}).code, 0);
    EXPECT_EQ(harmless({"filter", missing, path("o.png"), "--filter", "1"}).code, 3);
    EXPECT_EQ(harmless({"run", missing, image, path("o.png")}).code, 3);
    EXPECT_EQ(harmless({"batch", recipe, image, missing, "--out-dir", path("out" + strange)}).code, 3);
    EXPECT_EQ(harmless({"batch", recipe, image, image, "--out-dir", path("out")}).code, 2);
    EXPECT_EQ(harmless({"filter", image, image, "--filter", strange}).code, 2);
    EXPECT_EQ(harmless({strange}).code, 2);
    EXPECT_EQ(harmless({"key", "new", path("k" + strange)}).code, 0);
    EXPECT_EQ(harmless({"bench", "--sizes", strange}).code, 2);
    const std::string record = path("rec" + strange);
    EXPECT_EQ(harmless({"bench", "--recipe", recipe, "--image", image, "--iters", "9", "--warmup", "0",
                        "--record", record})
                  .code,
              0);
    EXPECT_EQ(harmless({"verify", record}).code, 0);
    EXPECT_EQ(harmless({"verify", missing}).code, 3);
    EXPECT_EQ(harmless({"history", "add", record, "--db", path("h" + strange)}).code, 0);
    harmless({"compare-records", record, record});
    EXPECT_EQ(harmless({"history", "trend", strange, "--db", path("h" + strange)}).code, 2);
    EXPECT_EQ(harmless({"release", "new", strange, "--stage", "dev", "--commit", "x"}).code, 2);
    EXPECT_EQ(
        harmless({"release", "new", "r", "--dir", path("d" + strange), "--stage", "dev", "--commit", strange})
            .code,
        2);
}

TEST_F(StrangeNames, ThatAreNotUtf8AreRecognisedByResume) {
    const std::string recipe = write_recipe("r.json");
    std::vector<std::string> batch = {"batch", recipe, "--out-dir", path("out"), "--resume"};
    for (const char* name : {"\xff.pgm", "\xfe.pgm", "%FF.pgm", "50%.pgm", "\xC3\xA9.pgm"})
        batch.push_back(write_image(name, 9, 7));
    EXPECT_THAT(iir2d(batch).out, HasSubstr("5 written, 0 already done, 0 failed"));
    EXPECT_THAT(iir2d(batch).out, HasSubstr("0 written, 5 already done, 0 failed"));
}

// A user without HOME has a home all the same; settings and history never go where others can write.
TEST_F(StrangeNames, WithoutHomeTheHistoryIsNotShared) {
    const fs::path shared = fs::temp_directory_path() / "iir2d-workbench";
    const bool was_there = fs::exists(shared);
    const auto outcome = iir2d({"history", "list"}, {.environment = {"HOME=", "XDG_CONFIG_HOME="}});
    EXPECT_EQ(fs::exists(shared), was_there);
    EXPECT_EQ(outcome.err.find(shared.string()), std::string::npos) << outcome.err;
}

}  // namespace
