// SPDX-License-Identifier: MIT
// A reader of standard output that goes away: files are written all the same.
#include <fcntl.h>
#include <unistd.h>

#include "tests/app/cli_folder.h"

namespace {

using app_test::expect_failure;
using app_test::iir2d;
using app_test::RunOptions;

class ClosedPipe : public app_test::CliFolder {
  protected:
    // Standard output is a pipe that nobody reads any more.
    app_test::Outcome unread(const std::vector<std::string>& arguments) const {
        int ends[2] = {};
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        close(ends[0]);
        auto outcome = iir2d(arguments, {.stdout_descriptor = ends[1]});
        close(ends[1]);
        return outcome;
    }
};

TEST_F(ClosedPipe, ABenchmarkKeepsItsRecord) {
    for (const bool json : {false, true}) {
        const std::string name = json ? "json" : "table";
        std::vector<std::string> bench = {
            "bench",    "--sizes", "16x16",    "--filter-ids", "1",         "--iters",          "2",
            "--warmup", "0",       "--record", path(name),     "--out-csv", path(name + ".csv")};
        if (json) bench.emplace_back("--json");
        expect_failure(unread(bench), 6, "standard output could not be written: Broken pipe");
        EXPECT_EQ(iir2d({"verify", path(name)}).code, 0);
        EXPECT_TRUE(std::filesystem::exists(path(name + ".csv")));
    }
}

TEST_F(ClosedPipe, EveryFileIsThereWhoeverReadsTheText) {
    expect_failure(unread({"key", "new", path("k")}), 6, "standard output");
    EXPECT_TRUE(std::filesystem::exists(path("k.pub")));
    ASSERT_EQ(iir2d({"bench", "--sizes", "16x16", "--filter-ids", "1", "--precisions", "f32", "--iters", "9",
                     "--warmup", "0", "--record", path("rec")})
                  .code,
              0);
    unread({"compare-records", path("rec"), path("rec"), "--out-md", path("c.md")});
    EXPECT_TRUE(std::filesystem::exists(path("c.md")));
    unread({"reproduce", path("rec"), "--record", path("again")});
    EXPECT_EQ(iir2d({"verify", path("again")}).code, 0);
    unread({"history", "add", path("rec"), path("again"), "--db", path("h.sqlite")});
    EXPECT_THAT(iir2d({"history", "check", "--db", path("h.sqlite")}).out,
                ::testing::HasSubstr("accepted 2 records"));
    const std::string image = write_image("a.pgm", 8, 8);
    unread({"batch", write_recipe("r.json"), image, "--out-dir", path("out")});
    EXPECT_TRUE(std::filesystem::exists(path("out/a.pgm")));
}

TEST_F(ClosedPipe, StandardErrorToo) {
    // A note goes there before the work begins.
    const std::string image = write_image("a.pgm", 8, 8);
    const std::string command = "( \"$0\" pool " + image + " " + path("o.png") +
                                " --op max --window 2 --divisor 3 2>&1; echo $? > " + path("code") +
                                " ) | true";
    const auto shell = app_test::run_program("/bin/sh", {"-c", command, IIR2D_CLI});
    EXPECT_EQ(shell.code, 0);
    EXPECT_TRUE(std::filesystem::exists(path("o.png"))) << text_of("code");
}

}  // namespace
