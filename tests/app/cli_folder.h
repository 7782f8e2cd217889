// SPDX-License-Identifier: MIT
// A folder for one test of the command line, with small files in it.
#pragma once

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/app/run_program.h"

namespace app_test {

inline Outcome iir2d(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
    return run_program(IIR2D_CLI, arguments, options);
}

class CliFolder : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "iir2d_cli_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = std::filesystem::canonical(name);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string path(const std::string& name) const { return (folder / name).string(); }

    std::string write_text(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }
    std::string text_of(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    // Grey, 8 bits a sample, with a gradient.
    std::string write_image(const std::string& name, int width, int height) const {
        std::string text = "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
        for (int i = 0; i < width * height; ++i) text += static_cast<char>(i * 37 % 251);
        return write_text(name, text);
    }
    // One filter, in this precision.
    std::string write_recipe(const std::string& name, const std::string& precision = "f32") const {
        return write_text(name, R"({"schema_version": 1, "operations": [{"type": "filter", "filter": 1, )"
                                R"("precision": ")" +
                                    precision + "\"}]}");
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            all.push_back(entry.path().filename().string());
        return all;
    }

    std::filesystem::path folder;
};

inline void expect_failure(const Outcome& outcome, int code, const std::string& words = "") {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(error_lines(outcome.err), ::testing::ElementsAre(::testing::HasSubstr(words))) << outcome.err;
}

}  // namespace app_test
