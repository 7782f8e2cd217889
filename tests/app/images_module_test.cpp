// SPDX-License-Identifier: MIT
// The programs without what reads images, with a wrong one, and with files that crash it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/app/run_program.h"

namespace {

namespace fs = std::filesystem;
using app_test::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const fs::path samples = fs::path(IIR2D_SOURCE_DIR) / "resources/samples";

class ImagesModule : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_images_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
        fs::create_directory(folder / "modules");
    }
    void TearDown() override { fs::remove_all(folder); }

    Outcome iir2d(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) const {
        return app_test::run_program(IIR2D_CLI, arguments, {.environment = environment});
    }
    // With modules from a folder of the test's.
    Outcome with_modules(const std::vector<std::string>& arguments) const {
        return iir2d(arguments, {"IIR2D_MODULE_DIR=" + (folder / "modules").string()});
    }
    static std::string bytes_of(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void write(const fs::path& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    fs::path folder;
};

void expect_one_line(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_THAT(app_test::error_lines(outcome.err), SizeIs(1)) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("libiir2d-images.so"), HasSubstr("iir2d-tools")));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST_F(ImagesModule, MissingOrWrongIsOneLine) {
    const std::string image = (samples / "rocket.jpg").string();
    const fs::path module = folder / "modules/libiir2d-images.so";
    for (const char* mode : {"IIR2D_IMAGES_IN_PROCESS=0", "IIR2D_IMAGES_IN_PROCESS=1"}) {
        SCOPED_TRACE(mode);
        const auto info = [&] {
            return iir2d({"info", image}, {"IIR2D_MODULE_DIR=" + (folder / "modules").string(), mode});
        };
        fs::remove(module);
        expect_one_line(info());
        write(module, "");
        expect_one_line(info());
        write(module, "not a library");
        expect_one_line(info());
        // A library, but not ours: one of another project, and one of another build.
        fs::copy_file(IIR2D_OTHER_LIBRARY, module, fs::copy_options::overwrite_existing);
        expect_one_line(info());
        fs::copy_file(IIR2D_OTHER_MODULE, module, fs::copy_options::overwrite_existing);
        const Outcome other = info();
        expect_one_line(other);
        EXPECT_THAT(other.err, HasSubstr("is of another build"));
    }
}

TEST_F(ImagesModule, CommandsWithoutImagesDoNotNeedIt) {
    const std::string record = (folder / "record").string();
    const std::string key = (folder / "key.pem").string();
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"--version"},
             {"--help"},
             {"devices"},
             {"bench", "--sizes", "32x32", "--filter-ids", "1", "--precisions", "f32", "--device", "cpu",
              "--warmup", "0", "--iters", "1", "--record", record},
             {"verify", record},
             {"key", "new", key}}) {
        const Outcome outcome = with_modules(command);
        EXPECT_EQ(outcome.code, 0) << command.front() << ": " << outcome.err;
    }
}

TEST_F(ImagesModule, InProcessGivesTheSameBytes) {
    for (const char* name : {"a.png", "a.tif", "a.exr", "a.jpg", "a.webp", "a.dpx"}) {
        SCOPED_TRACE(name);
        std::string bytes[2];
        for (const bool in_process : {false, true}) {
            const std::string mode = in_process ? "IIR2D_IMAGES_IN_PROCESS=1" : "IIR2D_IMAGES_IN_PROCESS=0";
            const Outcome outcome = iir2d({"filter", (samples / "rocket.jpg").string(),
                                           (folder / name).string(), "--filter", "1", "--device", "cpu"},
                                          {mode});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            bytes[in_process ? 1 : 0] = bytes_of(folder / name);
        }
        EXPECT_FALSE(bytes[0].empty());
        EXPECT_TRUE(bytes[0] == bytes[1]);
    }
}

// bad.jpg crashes its decoder.
TEST_F(ImagesModule, ABatchGoesOnBehindACrash) {
    const fs::path in = folder / "in";
    fs::create_directory(in);
    std::string bad = bytes_of(samples / "rocket.jpg");
    bad.replace(174, 4, 4, '\xff');
    write(in / "b_bad.jpg", bad);
    fs::copy_file(samples / "rocket.jpg", in / "a_good.jpg");
    fs::copy_file(samples / "rocket.jpg", in / "c_good.jpg");
    const fs::path recipe = fs::path(IIR2D_SOURCE_DIR) / "resources/presets/half-size.json";
    const Outcome outcome =
        iir2d({"batch", recipe.string(), (in / "a_good.jpg").string(), (in / "b_bad.jpg").string(),
               (in / "c_good.jpg").string(), "--out-dir", (folder / "out").string()});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("b_bad.jpg"), HasSubstr("the JPEG decoder crashed")));
    int written = 0;
    for (const auto& entry : fs::directory_iterator(folder / "out"))
        written += entry.path().filename().string().find("good") != std::string::npos ? 1 : 0;
    EXPECT_EQ(written, 2);
}

}  // namespace
