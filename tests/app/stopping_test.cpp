// SPDX-License-Identifier: MIT
// The first Ctrl+C or SIGTERM ends a command, whatever it waits for.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/app/cli_folder.h"

namespace {

namespace fs = std::filesystem;
using app_test::expect_failure;
using app_test::has_open;
using app_test::iir2d;
using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

class Stopping : public app_test::CliFolder, public ::testing::WithParamInterface<int> {
  protected:
    // The command is stopped once it has the file open.
    void stopped_in(const std::vector<std::string>& arguments, const std::string& file) const {
        SCOPED_TRACE(::testing::PrintToString(arguments));
        expect_failure(iir2d(arguments, {.interrupt_when = [&](int child) { return has_open(child, file); },
                                         .signal = GetParam()}),
                       130);
    }
};
INSTANTIATE_TEST_SUITE_P(Signals, Stopping, ::testing::Values(SIGINT, SIGTERM));

TEST_P(Stopping, WhileAnEndlessFileIsHashed) {
    // As good as endless: hours of zeros.
    const std::string large = write_text("large.tif", "II*");
    ASSERT_EQ(truncate(large.c_str(), off_t{1} << 42), 0);
    stopped_in({"batch", write_recipe("r.json"), large, "--out-dir", path("out")}, large);
    EXPECT_TRUE(fs::is_empty(path("out")));
}

TEST_P(Stopping, WhileAnotherProcessChangesTheRelease) {
    ASSERT_EQ(iir2d({"release", "new", "r", "--dir", path("releases"), "--stage", "dev", "--commit",
                     std::string(40, 'a')})
                  .code,
              0);
    const std::string lock = path("releases/r/.lock");
    const int held = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    ASSERT_EQ(flock(held, LOCK_EX), 0);
    const std::string before = text_of("releases/r/log.jsonl");
    stopped_in({"release", "waive", "r", "--dir", path("releases"), "--scope", "C.comparison", "--risk", "x",
                "--owner", "y", "--expires", "2099-01-01"},
               lock);
    EXPECT_EQ(text_of("releases/r/log.jsonl"), before);
    close(held);
}

TEST_P(Stopping, WhileAnotherProcessWritesTheHistory) {
    const std::string record = path("rec");
    ASSERT_EQ(iir2d({"bench", "--sizes", "16x16", "--filter-ids", "1", "--precisions", "f32", "--iters", "2",
                     "--warmup", "0", "--record", record})
                  .code,
              0);
    const std::string file = path("h.sqlite");
    ASSERT_EQ(iir2d({"history", "add", record, "--db", file}).code, 0);
    // As SQLite locks: bytes from 2^30 on.
    const int held = open(file.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    ASSERT_EQ(fcntl(held, F_SETLK, &lock), 0);
    stopped_in({"history", "add", record, "--db", file}, file);
    close(held);
}

TEST_P(Stopping, WhileNobodyReadsTheOutput) {
    int ends[2] = {};
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const std::string block(4096, 'x');
    while (write(ends[1], block.data(), block.size()) > 0) {
    }
    ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);  // full, and it waits for its reader
    // The record is complete by then, or the command was stopped before its first case.
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"devices"},
          {"bench", "--sizes", "16x16", "--filter-ids", "1", "--iters", "2", "--warmup", "0", "--record",
           path("rec")}}) {
        SCOPED_TRACE(command[0]);
        const auto outcome = iir2d(command, {.interrupt_after = std::chrono::milliseconds(300),
                                             .signal = GetParam(),
                                             .stdout_descriptor = ends[1]});
        EXPECT_EQ(outcome.code, 130) << outcome.err;
        EXPECT_EQ(app_test::error_lines(outcome.err).size(), 1U) << outcome.err;
    }
    close(ends[0]);
    close(ends[1]);
}

TEST_P(Stopping, LeavesNoTemporaryFile) {
    // A recipe that takes seconds on any machine, on an image that is read at once.
    const std::string image = write_image("a.pgm", 1024, 1024);
    std::string operations;
    for (int i = 0; i < 2000; ++i)
        operations +=
            std::string(i > 0 ? "," : "") + R"({"type": "filter", "filter": 6, "precision": "f64"})";
    const std::string recipe =
        write_text("r.json", R"({"schema_version": 1, "operations": [)" + operations + "]}");
    expect_failure(iir2d({"run", recipe, image, path("o.png")},
                         {.interrupt_after = std::chrono::milliseconds(200), .signal = GetParam()}),
                   130);
    EXPECT_THAT(names(), Not(Contains(StartsWith(".iir2d-"))));
    EXPECT_FALSE(fs::exists(path("o.png")));
}

}  // namespace
