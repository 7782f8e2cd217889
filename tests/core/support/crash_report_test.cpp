// SPDX-License-Identifier: MIT
// Crashes of processes of their own, and what is read of them afterwards.
#include "core/support/crash_report.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>

#include "core/support/event_log.h"
#include "tests/sanitized.h"

#ifdef __linux__
#include <sys/wait.h>
#include <unistd.h>

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class CrashReport : public ::testing::Test {
  protected:
    void SetUp() override {
        if (sanitized) GTEST_SKIP() << "sanitizers keep their own handlers";
        fs::remove_all(folder.parent_path());
    }
    void TearDown() override { fs::remove_all(folder.parent_path()); }

    // Returns the signal that a process which does this ended by.
    int end_of(const std::function<void()>& act) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(2);  // what std::terminate would say
            for (int i = 1; i <= 60; ++i) event_log::add("line " + std::to_string(i) + "\nof the log");
            if (!report_crashes({folder, "A program\nversion: 1.2.3"})) ::_exit(3);
            act();
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) all.push_back(entry.path());
        return all;
    }
    std::string text() const {
        const auto all = files();
        if (all.size() != 1) return std::to_string(all.size()) + " reports";
        std::ifstream file(all.front());
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder =
        fs::path(::testing::TempDir()) / ("crash-reports-" + std::to_string(::getpid())) / "state" / "log";
};

volatile int zero = 0;

int use_the_stack(int depth) {
    volatile char block[4096] = {};
    block[0] = char(depth);
    return depth == -1 ? 0 : use_the_stack(depth + 1) + block[0];
}

TEST_F(CrashReport, EachSignalIsReportedAndEndsTheProgramAsItWould) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
        EXPECT_EQ(end_of([&] { ::raise(signal); }), signal);
        EXPECT_THAT(text(), HasSubstr("signal: " + std::to_string(signal) + " SIG"));
        fs::remove_all(folder);
    }
    EXPECT_EQ(end_of([] {}), 0);
    EXPECT_FALSE(fs::exists(folder)) << "no crash, nothing written";
}

TEST_F(CrashReport, SaysWhatIsAskedOfIt) {
    ASSERT_EQ(end_of([] { *reinterpret_cast<volatile int*>(std::uintptr_t{16}) = 1; }), SIGSEGV);
    const std::string report = text();
    EXPECT_TRUE(
        std::regex_match(files().at(0).filename().string(), std::regex("crash-20[0-9]{6}T[0-9]{6}Z\\.txt")));
    EXPECT_THAT(report, ::testing::StartsWith("A program\nversion: 1.2.3\ntime: 20"));
    EXPECT_THAT(report, HasSubstr("signal: 11 SIGSEGV, at address 0x10\n"));
    EXPECT_THAT(report, HasSubstr("thread: the first\n"));
    EXPECT_THAT(report, HasSubstr(" line 11 of the log\n"));
    EXPECT_THAT(report, HasSubstr(" line 60 of the log\n"));
    EXPECT_THAT(report, Not(HasSubstr(" line 10 of the log\n"))) << "the last 50";
    EXPECT_TRUE(std::regex_search(report, std::regex("  0x[0-9a-f]+  core_support_test \\+ 0x[0-9a-f]+\n")));
    EXPECT_TRUE(std::regex_search(report, std::regex("  0x[0-9a-f]+ to 0x[0-9a-f]+  libc\\.so\\.6\n")));
    EXPECT_EQ(fs::status(files().at(0)).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CrashReport, TerminateSaysWhatWasThrown) {
    EXPECT_EQ(end_of([] { std::thread([] { throw std::runtime_error("no such thing"); }).join(); }), SIGABRT);
    EXPECT_THAT(text(), HasSubstr("thread: another than the first\n"));
    EXPECT_THAT(text(), HasSubstr("runtime_error: no such thing\n"));
}

TEST_F(CrashReport, AnOverflownStackIsReportedToo) {
    EXPECT_EQ(end_of([] { zero = use_the_stack(zero); }), SIGSEGV);
    EXPECT_THAT(text(), HasSubstr("signal: 11 SIGSEGV, at address"));
}

TEST_F(CrashReport, TwoThreadsAtOnceWriteOneReport) {
    EXPECT_EQ(end_of([] {
                  std::thread other([] { std::abort(); });
                  std::abort();
                  other.join();
              }),
              SIGABRT);
    EXPECT_THAT(text(), HasSubstr("Modules:\n"));
}

TEST_F(CrashReport, WhereNothingCanBeWrittenTheProgramEndsAsItWould) {
    fs::create_directories(folder.parent_path());
    std::ofstream(folder) << "a file, not a folder";
    EXPECT_EQ(end_of([] { std::abort(); }), SIGABRT);
    EXPECT_FALSE(report_crashes({"relative", "x"}));
    EXPECT_FALSE(report_crashes({"/" + std::string(500, 'x'), "x"}));
}

TEST_F(CrashReport, IsClaimedOnce) {
    EXPECT_TRUE(claim_crash_reports(folder).empty());
    for (int i = 0; i < 2; ++i) ASSERT_EQ(end_of([] { std::abort(); }), SIGABRT);
    std::ofstream(folder / "crash.log") << "another's";
    for (int i = 0; i < 12; ++i)
        std::ofstream(folder / ("crash-20200101T0000" + std::to_string(10 + i) + "Z-shown.txt")) << "old";
    const auto claimed = claim_crash_reports(folder);
    ASSERT_EQ(claimed.size(), 2);
    EXPECT_TRUE(fs::exists(claimed[0]));
    EXPECT_THAT(claimed[0].filename().string(), ::testing::EndsWith("-shown.txt"));
    EXPECT_TRUE(claim_crash_reports(folder).empty());
    EXPECT_EQ(files().size(), 11) << "ten that were shown, and the stranger's";
    EXPECT_TRUE(fs::exists(folder / "crash-20200101T000021Z-shown.txt"));
    EXPECT_FALSE(fs::exists(folder / "crash-20200101T000010Z-shown.txt"));
}

TEST(EventLog, CutsLongLinesBetweenCharacters) {
    event_log::add(std::string(226, 'x') + "äöü");
    const std::string last = event_log::lines().back();
    EXPECT_LE(last.size(), std::size_t(event_log::most_bytes));
    EXPECT_TRUE(last.ends_with('x') || last.ends_with("ä")) << last;
}

}  // namespace
}  // namespace workbench
#endif
