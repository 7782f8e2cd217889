// SPDX-License-Identifier: MIT
// Pipes and devices where a file is wanted: said at once, never waited for.
#include <sys/stat.h>

#include "tests/app/cli_folder.h"

namespace {

using app_test::expect_failure;
using app_test::iir2d;
using ::testing::Contains;
using ::testing::Not;

class NotRegular : public app_test::CliFolder {};

TEST_F(NotRegular, InputsArePipesAndDevices) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::string image = write_image("a.pgm", 8, 8);
    const std::string recipe = write_recipe("r.json");
    const std::vector<std::vector<std::string>> commands = {
        {"run", pipe, image, path("o.png")},
        {"filter", pipe, path("o.png"), "--filter", "1"},
        {"batch", pipe, image, "--out-dir", path("out")},
        {"batch", recipe, pipe, "--out-dir", path("out")},
        {"batch", recipe, "/dev/zero", "--out-dir", path("out")},
        {"batch", recipe, image, "/dev/zero", "--out-dir", path("out")},
        {"info", pipe},
        {"compare", image, pipe},
        {"pool", image, path("o.png"), "--op", "avg", "--window", "2", "--backward", pipe, "--grad-out",
         path("g.tif")},
        {"bench", "--sizes", "8x8", "--recipe", pipe},
        {"bench", "--image", "/dev/zero"},
        {"bench", "--protocol", pipe},
        {"bench", "--sizes", "8x8", "--record", path("rec"), "--sign", pipe},
        {"verify", pipe},
        {"verify", recipe, "--signer", pipe},
        {"verify", recipe, "--signer", "/dev/zero"},
        {"compare-records", pipe, pipe},
        {"key", "show", pipe},
        {"history", "add", pipe, "--db", path("h.sqlite")},
        {"reproduce", pipe, "--record", path("rec")},
    };
    for (const auto& command : commands) {
        SCOPED_TRACE(::testing::PrintToString(command));
        expect_failure(iir2d(command), 3);
    }
    EXPECT_THAT(names(), Not(Contains("rec")));
    expect_failure(iir2d({"run", pipe, image, path("o.png")}), 3, "it is a pipe, not a regular file");
    expect_failure(iir2d({"run", "/dev/zero", image, path("o.png")}), 3,
                   "it is a device, not a regular file");
    // What a shell writes for <(command).
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    expect_failure(iir2d({"run", "/dev/fd/" + std::to_string(ends[0]), image, path("o.png")}), 3,
                   "it is a pipe, not a regular file");
    close(ends[0]);
    close(ends[1]);
}

TEST_F(NotRegular, APipeAsOutputThatNobodyReads) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    expect_failure(iir2d({"bench", "--sizes", "8x8", "--filter-ids", "1", "--iters", "1", "--warmup", "0",
                          "--out-json", pipe}),
                   6, "it is a pipe that no program reads from");
}

}  // namespace
