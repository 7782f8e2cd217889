// SPDX-License-Identifier: MIT
// Several batches into one folder at the same time.
#include "tests/app/cli_folder.h"

namespace {

using app_test::iir2d;
using ::testing::HasSubstr;

class SharedFolder : public app_test::CliFolder {};

TEST_F(SharedFolder, BatchesKeepEachOthersEntries) {
    const std::string recipe = write_recipe("r.json");
    constexpr int batches = 4;
    constexpr int images = 5;
    std::string together;
    std::vector<std::string> all = {"batch", recipe, "--out-dir", path("out"), "--resume"};
    for (int b = 0; b < batches; ++b) {
        together += "\"$0\" batch " + recipe + " --out-dir " + path("out");
        for (int i = 0; i < images; ++i) {
            all.push_back(write_image(std::to_string(b) + "-" + std::to_string(i) + ".pgm", 16, 16));
            together += " " + all.back();
        }
        together += " & ";
    }
    EXPECT_EQ(app_test::run_program("/bin/sh", {"-c", together + "wait", IIR2D_CLI}).err, "");
    EXPECT_THAT(iir2d(all).out, HasSubstr("0 written, 20 already done, 0 failed"));
}

}  // namespace
