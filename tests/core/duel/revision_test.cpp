// SPDX-License-Identifier: MIT
#include "core/duel/revision.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/support/files.h"
#include "tests/core/duel/duel_testing.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Whether a process runs with that as its arguments.
bool runs_with(const std::string& arguments) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "cmdline");
        std::string text;
        std::getline(file, text);  // throws nothing where the process has just ended
        std::ranges::replace(text, '\0', ' ');
        if (text == arguments + ' ') return true;
    }
    return false;
}

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
    // A commit whose build waits, in a session of its own; returns the process's arguments.
    std::string commit_that_waits() const {
        const std::string seconds = std::to_string(1'000'000 + ::getpid());
        std::ofstream(m_source / "CMakeLists.txt")
            << "execute_process(COMMAND setsid --wait sleep " << seconds << ")\n";
        run("git add -A && git commit -q -m waits");
        return "sleep " + seconds;
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

// make would start a compiler for every file.
TEST_F(RevisionTest, IsBuiltByAsManyJobsAsThereAreProcessors) {
    std::ofstream(m_source / "CMakeLists.txt")
        << "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
           "file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels)\n"
           "add_custom_target(jobs ALL COMMAND sh -c \"echo $MAKEFLAGS > "
           "${CMAKE_BINARY_DIR}/kernels/libiir2d.so\" "
           "VERBATIM)\n";
    run("git add -A && git commit -q -m jobs");
    ::setenv("CMAKE_GENERATOR", "Unix Makefiles", 1);
    ::unsetenv("CMAKE_BUILD_PARALLEL_LEVEL");
    const auto built = build_revision(m_source, "HEAD");
    ::unsetenv("CMAKE_GENERATOR");
    ASSERT_TRUE(built) << built.error().message;
    const std::string jobs = "-j" + std::to_string(std::thread::hardware_concurrency());
    if (jobs != "-j1") {
        EXPECT_THAT(*read_file(*built), HasSubstr(jobs));
    }
}

TEST_F(RevisionTest, SaysThatASourceIsNoFolder) {
    const auto none = build_revision(m_folder / "nowhere", "HEAD");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(none.error().message, HasSubstr("is not a folder: name a git repository"));
}

TEST_F(RevisionTest, EndsWithAllThatItStartedWhenItIsCancelled) {
    const std::string waits = commit_that_waits();
    std::stop_source stop;
    const std::jthread canceller([&] {
        EXPECT_TRUE(comes_true([&] { return runs_with(waits); }));
        stop.request_stop();
    });
    const auto cancelled = build_revision(m_source, "HEAD", {.stop = stop.get_token(), .progress = {}});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().kind, ErrorKind::cancelled);
    EXPECT_FALSE(runs_with(waits));
    run("test $(git worktree list | wc -l) = 1");
}

// What is killed cannot remove its folder: the next build does.
TEST_F(RevisionTest, LeavesNoProcessBehindWhenItIsKilled) {
    const std::string waits = commit_that_waits();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(build_revision(m_source, "HEAD") ? 0 : 1);
    EXPECT_TRUE(comes_true([&] { return runs_with(waits); }));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(comes_true([&] { return !runs_with(waits); }));
    run("test $(git worktree list | wc -l) = 2");
    const auto built = build_revision(m_source, "HEAD~1");
    ASSERT_TRUE(built) << built.error().message;
    run("test $(git worktree list | wc -l) = 1");
    for (const auto& entry : fs::directory_iterator(m_folder / "cache" / "duel"))
        EXPECT_EQ(entry.path().filename().string().find('-'), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace workbench
