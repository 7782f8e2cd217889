// SPDX-License-Identifier: MIT
// The third line of --version.
#include "core/support/package.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace workbench {
namespace {

namespace fs = std::filesystem;

class PackageLine : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "iir2d_package_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
        setenv("IIR2D_RESOURCE_DIR", name.c_str(), 1);
    }
    void TearDown() override {
        unsetenv("IIR2D_RESOURCE_DIR");
        fs::remove_all(folder);
    }
    std::string with(const std::string& text) const {
        std::ofstream(folder / "package.txt", std::ios::binary) << text;
        return package_line("1.2.0");
    }
    fs::path folder;
};

TEST_F(PackageLine, WithoutAFileIsNone) {
    EXPECT_EQ(package_line("1.2.0"), "package: none 1.2.0");
}

TEST_F(PackageLine, IsWhatTheFileSays) {
    for (const std::string kind : {"deb", "appimage", "portable", "nsis", "zip", "none"}) {
        EXPECT_EQ(with(kind + " 1.2.0-git20260305.abcdef0.dirty\n"),
                  "package: " + kind + " 1.2.0-git20260305.abcdef0.dirty");
    }
    EXPECT_EQ(with("deb 1.2.0"), "package: deb 1.2.0");
}

TEST_F(PackageLine, TakesNothingElse) {
    for (const std::string text : {"", "\n", "deb", "deb ", "rpm 1.2.0", "deb 1.2.0\nmore", "deb 1.2.0 more",
                                   "deb \033[1m", " deb 1.2.0", "DEB 1.2.0"}) {
        EXPECT_EQ(with(text), "package: none 1.2.0") << text;
    }
    EXPECT_EQ(with("deb " + std::string(101, '1')), "package: none 1.2.0");
    EXPECT_EQ(with("deb " + std::string(5000, '1')), "package: none 1.2.0");
}

}  // namespace
}  // namespace workbench
