// SPDX-License-Identifier: MIT
#include "core/duel/revision.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/support/files.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A repository whose build is a text file with the library's name: what is tested is what is done around it.
class RevisionTest : public ::testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(m_source);
        ::setenv("IIR2D_CACHE_DIR", (m_folder / "cache").c_str(), 1);
        run("git init -q . && git config user.name T && git config user.email t@example.org");
        commit("first");
        commit("second");
    }
    void TearDown() override { ::unsetenv("IIR2D_CACHE_DIR"); }
    void run(const std::string& command) const {
        ASSERT_EQ(std::system(("cd '" + m_source.string() + "' && " + command).c_str()), 0) << command;
    }
    void commit(const std::string& text) const {
        std::ofstream(m_source / "CMakeLists.txt")
            << "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
               "file(WRITE ${CMAKE_BINARY_DIR}/kernels/libiir2d.so \""
            << text << "\")\n";
        run("git add -A && git commit -q -m " + text);
    }
    testing::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path();
    fs::path m_source = m_folder / "source";
};

TEST_F(RevisionTest, IsBuiltOnceAndKeptByItsCommit) {
    const auto built = build_revision(m_source, "HEAD~1");
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(*read_file(*built), "first");
    std::ofstream(*built) << "kept";
    EXPECT_EQ(*read_file(*build_revision(m_source, "HEAD~1")), "kept");
    EXPECT_EQ(*read_file(*build_revision(m_source, "HEAD")), "second");
    run("test $(git worktree list | wc -l) = 1");
}

TEST_F(RevisionTest, SaysThatThereIsNoSuchRevision) {
    const auto none = build_revision(m_source, "--no-such-thing");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(none.error().message, HasSubstr("git knows no such revision"));
}

TEST_F(RevisionTest, NamesTheLogOfABuildThatFails) {
    std::ofstream(m_source / "CMakeLists.txt") << "message(FATAL_ERROR broken)\n";
    run("git add -A && git commit -q -m broken");
    const auto broken = build_revision(m_source, "HEAD");
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(broken.error().message, HasSubstr("cannot be built: see"));
    run("test $(git worktree list | wc -l) = 1");
}

}  // namespace
}  // namespace workbench
