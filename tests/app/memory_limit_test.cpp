// SPDX-License-Identifier: MIT
// Memory that is not there: said before the work, with both numbers; and never an abort.
#include "tests/app/cli_folder.h"

namespace {

namespace fs = std::filesystem;
using app_test::expect_failure;
using app_test::iir2d;
using app_test::RunOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;

class MemoryLimit : public app_test::CliFolder {
  protected:
    static RunOptions limited(int mebibytes) {
        return {.environment = {"IIR2D_MEMORY_LIMIT=" + std::to_string(std::int64_t{mebibytes} << 20)}};
    }
};

// 4 MiB of samples; three quarters of a limit are used, and 16 MiB are for rows in transit.
TEST_F(MemoryLimit, CountsInputWorkAndOutput) {
    const std::string image = write_image("a.pgm", 1024, 1024);
    expect_failure(iir2d({"filter", image, path("o.png"), "--filter", "1"}, limited(4)), 3,
                   "is 1024 x 1024 pixels and needs 4 MiB of memory; 3 MiB can be used");
    expect_failure(iir2d({"filter", image, path("o.png"), "--filter", "1"}, limited(28)), 6,
                   "o.png\" could not be written: the input and what is computed of it need 24 MiB of "
                   "memory; 21 MiB can be used");
    expect_failure(
        iir2d({"filter", image, path("o.png"), "--filter", "1", "--precision", "f64"}, limited(36)), 6,
        "need 28 MiB of memory; 27 MiB can be used");
    expect_failure(
        iir2d({"pool", image, path("o.tif"), "--op", "max", "--window", "1", "--indices", path("i.tif")},
              limited(52)),
        6, "need 40 MiB of memory; 39 MiB can be used");
    EXPECT_THAT(names(), ::testing::ElementsAre("a.pgm"));
    EXPECT_EQ(iir2d({"filter", image, path("o.png"), "--filter", "1"}, limited(32)).code, 0);
    EXPECT_EQ(
        iir2d({"filter", image, path("p.png"), "--filter", "1", "--precision", "f64"}, limited(40)).code, 0);
    EXPECT_EQ(
        iir2d({"pool", image, path("o.tif"), "--op", "max", "--window", "1", "--indices", path("i.tif")},
              limited(56))
            .code,
        0);
}

TEST_F(MemoryLimit, AnOutputThatNoMachineHolds) {
    const std::string image = write_image("a.pgm", 8, 8);
    for (const char* op : {"adaptive-max", "adaptive-avg"}) {
        expect_failure(iir2d({"pool", image, path("o.tif"), "--op", op, "--output", "700000x700000"}), 6,
                       "of memory");
    }
    expect_failure(iir2d({"pool", image, path("o.tif"), "--op", "adaptive-max", "--output", "70000x70000",
                          "--indices", path("i.tif")},
                         limited(1000)),
                   6, "need 93477 MiB of memory; 750 MiB can be used");
    EXPECT_THAT(names(), ::testing::ElementsAre("a.pgm"));
}

TEST_F(MemoryLimit, ABatchWorksOnAsManyAtOnceAsThereIsRoomFor) {
    std::vector<std::string> batch = {"batch", write_recipe("r.json"), "--out-dir", path("out"), "--jobs",
                                      "8"};
    for (int i = 0; i < 6; ++i) batch.push_back(write_image("a" + std::to_string(i) + ".pgm", 1024, 1024));
    batch.push_back(write_image("large.pgm", 3000, 3000));
    const auto outcome = iir2d(batch, limited(32));
    expect_failure(outcome, 3, "1 of 7 images failed; the first: ");
    EXPECT_THAT(outcome.out, HasSubstr("6 written, 0 already done, 1 failed"));
}

// Limits of the address space, from what it takes to start the program to enough for all the work. An
// exception that nobody catches is an abort.
TEST_F(MemoryLimit, NeverAnAbort) {
    const auto limited_to = [](int mebibytes, const std::string& words) {
        return app_test::run_program(
            "/bin/sh",
            {"-c", "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec \"$0\" " + words, IIR2D_CLI});
    };
    int least = 50;
    while (least < 4000 && limited_to(least, "--version").code != 0) least += 50;
    ASSERT_LT(least, 4000);
    std::string batch = "batch " + write_recipe("r.json", "f64") + " --jobs 16 --out-dir " + path("out");
    for (int i = 0; i < 16; ++i) batch += " " + write_image("a" + std::to_string(i) + ".pgm", 1000, 1000);
    for (int more = 10; more <= 310; more += 50) {
        SCOPED_TRACE(least + more);
        const auto outcome = limited_to(least + more, batch);
        EXPECT_NE(outcome.code, 128 + SIGABRT) << outcome.err;
        EXPECT_THAT(outcome.code, ::testing::AnyOf(0, 3, 4, 6)) << outcome.err;
        EXPECT_EQ(app_test::error_lines(outcome.err).size(), outcome.code == 0 ? 0U : 1U) << outcome.err;
        EXPECT_THAT(outcome.err, ::testing::Not(::testing::HasSubstr("was not ready after")))
            << "a library of the image worker waits for threads that there is no memory for";
    }
}

}  // namespace
