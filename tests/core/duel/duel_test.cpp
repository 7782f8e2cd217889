// SPDX-License-Identifier: MIT
// Duels with real processes. What a verdict is worth is tested on made data (paired_ratio_test.cpp); here a
// machine under test may be as noisy as it likes.
#include "core/duel/duel.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/core/duel/duel_testing.h"

namespace workbench {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Processes of the worker program whose parent is `parent`, or that lost theirs.
std::vector<int> workers_of(int parent) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        int id = 0;
        std::string name, state;
        int its_parent = 0;
        if (stat >> id >> name >> state >> its_parent && name == "(iir2d-worker)" && state != "Z" &&
            (its_parent == parent))
            found.push_back(id);
    }
    return found;
}

// A process that has ended and that nobody has collected does not run.
bool runs(int process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string id, name, state;
    return stat >> id >> name >> state && state != "Z" && state != "X";
}

// Of this process alone: another build's tests may run beside it.
std::filesystem::path own_file(const std::string& name) {
    return std::filesystem::path(::testing::TempDir()) /
           ("iir2d_duel-" + std::to_string(::getpid()) + "-" + name);
}

DuelCase only_case(const DuelSettings& settings, const std::string& base, const std::string& now) {
    const auto duel = run_duel(settings, library(base), library(now));
    if (!duel) {
        ADD_FAILURE() << duel.error().message;
        return {};
    }
    EXPECT_EQ(duel->cases.size(), 1U);
    return duel->cases.empty() ? DuelCase{} : duel->cases.front();
}

TEST(Duel, MeasuresPairsInMirroredOrderWithControlAndCopy) {
    DuelSettings settings = quick_settings();
    std::size_t told = 0;
    const auto duel = run_duel(settings, library(IIR2D_REAL_LIBRARY), library(planted("plain")), {},
                               {.on_progress =
                                    [&](const DuelProgress& p) {
                                        ++told;
                                        EXPECT_EQ(p.key, "filter:1 border:mirror precision:f32 size:96x80");
                                    },
                                .on_case = {}});
    ASSERT_TRUE(duel) << duel.error().message;
    EXPECT_GT(told, 0U);
    EXPECT_EQ(duel->now.version, "1.0.0");
    EXPECT_EQ(duel->now.fingerprint, "planted");
    EXPECT_THAT(duel->base.fingerprint, StartsWith("iir2d 1."));
    const DuelCase& c = duel->cases.at(0);
    ASSERT_TRUE(c.outputs);
    EXPECT_TRUE(c.outputs->equal_bits);
    EXPECT_NE(c.verdict, DuelVerdict::undecided);
    EXPECT_NE(c.verdict, DuelVerdict::failed) << c.reason;
    ASSERT_GE(c.launches.size(), 2U);
    EXPECT_GE(c.pairs(), 4U);
    for (const DuelLaunch& launch : c.launches) {
        EXPECT_EQ(launch.alignment % 64, 0);
        EXPECT_EQ(launch.processors.size(), 1U);
        ASSERT_EQ(launch.rounds.size() % 2, 0U);
        for (std::size_t i = 0; i < launch.rounds.size(); i += 2) {
            const std::string& first = launch.rounds[i].order;
            EXPECT_EQ(first.size(), 4U);
            EXPECT_EQ(launch.rounds[i + 1].order, std::string(first.rbegin(), first.rend()));
            for (const double ms : launch.rounds[i].ms) EXPECT_GT(ms, 0);
        }
    }
    EXPECT_THAT(workers_of(::getpid()), IsEmpty());
}

TEST(Duel, GivesALaunchAsMuchTimeAsItsStartTook) {
    DuelSettings s;                                     // 8 launches, 20 s, 6,400 pairs
    EXPECT_EQ(duel_blocks_of_launch(s, 1, 0), 20);      // 40 ms
    EXPECT_EQ(duel_blocks_of_launch(s, 1, 90), 45);     // 90 ms
    EXPECT_EQ(duel_blocks_of_launch(s, 1, 500), 50);    // no more
    EXPECT_EQ(duel_blocks_of_launch(s, 20, 100), 2);    // no less
    EXPECT_EQ(duel_blocks_of_launch(s, 100, 4000), 6);  // half of a launch's 2.5 s
    EXPECT_EQ(duel_blocks_of_launch(s, 1e-9, 1e300), 50);
    s.rule.most_pairs = 400;
    EXPECT_EQ(duel_blocks_of_launch(s, 1, 90), 12);  // a quarter of a launch's 50 pairs
    s.rule.most_pairs = 16;
    EXPECT_EQ(duel_blocks_of_launch(s, 1, 90), 2);
}

TEST(Duel, TakesTheMedianOfShortCallsOfSeveralThreads) {
    if (iir2d::Device::cpu(2)->threads() < 2) GTEST_SKIP() << "one processor: calls have one thread";
    DuelSettings settings = quick_settings();
    settings.matrix.sizes = {{16, 16}};
    const std::string base = planted("plain");
    const DuelCase one = only_case(settings, base, base);
    EXPECT_EQ(one.calls_per_sample, 1);
    settings.matrix.threads = 2;
    // As small as they are, planes are filtered by one thread.
    EXPECT_EQ(only_case(settings, base, base).calls_per_sample, 1);
    // A thread that is kept counts, and one that has computed and ended, of either build.
    const DuelCase uneven = only_case(settings, base, planted("uneven"));
    EXPECT_GT(uneven.calls_per_sample, 8);  // of a few microseconds each
    EXPECT_LE(uneven.calls_per_sample, 64);
    EXPECT_NE(uneven.verdict, DuelVerdict::failed) << uneven.reason;
    // A sample is a call's time, not 64 times it.
    ASSERT_TRUE(median_ms(one, Participant::base));
    ASSERT_TRUE(median_ms(uneven, Participant::base) && median_ms(uneven, Participant::now));
    EXPECT_LT(*median_ms(uneven, Participant::base), 8 * *median_ms(one, Participant::base));
    // The mean would be a quarter of a millisecond longer.
    EXPECT_LT(*median_ms(uneven, Participant::now), *median_ms(uneven, Participant::base) + 0.125);
    settings.matrix.sizes = {{128, 128}};
    EXPECT_GE(only_case(settings, planted("starts"), base).calls_per_sample, 3);
    // Longer than a sample has to be: the fewest calls, or one where none is made untimed before.
    settings.matrix.sizes = {{4096, 4096}};
    EXPECT_THAT(only_case(settings, base, base).calls_per_sample, AnyOf(1, 3));
}

TEST(Duel, BeginsSamplesOnOneProcessorAndLeavesALibraryAll) {
    if (iir2d::Device::cpu(2)->threads() < 2) GTEST_SKIP() << "one processor: calls have one thread";
    const auto file = own_file("places");
    DuelSettings settings = quick_settings();
    settings.matrix.sizes = {{64, 64}};
    settings.matrix.threads = 2;
    settings.launches = 8;
    settings.rule.seed = 2;
    settings.rule.most_pairs = 64;
    ::setenv("IIR2D_PLANTED_PLACES", file.c_str(), 1);
    const DuelCase c = only_case(settings, planted("plain"), planted("places"));
    ::unsetenv("IIR2D_PLANTED_PLACES");
    ASSERT_NE(c.verdict, DuelVerdict::failed) << c.reason;
    std::vector<int> processes;  // in the order of their launches
    std::map<int, std::map<int, int>> places;
    std::ifstream list(file);
    for (int process = 0, processor = 0, count = 0, own = 0; list >> process >> processor >> count >> own;) {
        EXPECT_EQ(count, 2);
        EXPECT_EQ(own, 1) << "its code is in the pages of its file";
        if (places[process].empty()) processes.push_back(process);
        ++places[process][processor];
    }
    ASSERT_GE(c.launches.size(), 8U);
    ASSERT_GE(processes.size(), c.launches.size());
    std::set<int> first;
    int calls = 0;
    int elsewhere = 0;
    for (std::size_t i = 0; i < c.launches.size(); ++i) {
        const std::vector<int>& processors = c.launches[i].processors;
        ASSERT_EQ(processors.size(), 2U);
        first.insert(processors.front());
        for (const auto& [processor, times] : places[processes[i]]) {
            calls += times;
            if (processor != processors.front()) elsewhere += times;
        }
    }
    EXPECT_LT(elsewhere, calls / 4);  // where another program took the processor
    EXPECT_EQ(first.size(), 2U);      // drawn, by the same seed in every run
    std::filesystem::remove(file);
}

TEST(Duel, FindsAHalfMoreWorkSlower) {
    DuelSettings settings = quick_settings();
    settings.matrix.sizes = {{256, 256}};
    settings.launches = 4;
    settings.rule.margin = 0.1;
    settings.rule.most_pairs = 2000;
    settings.budget_seconds = 30;
    ::setenv("IIR2D_PLANTED_ROWS", "256", 1);  // all of it a second time
    const DuelCase c = only_case(settings, planted("plain"), planted("slower"));
    ::unsetenv("IIR2D_PLANTED_ROWS");
    EXPECT_EQ(c.verdict, DuelVerdict::slower) << c.reason;
    ASSERT_NE(c.last(), nullptr);
    EXPECT_GT(c.last()->effect.ratio, 1.5);
}

TEST(Duel, NeverTimesWhatIsWrong) {
    const DuelCase c = only_case(quick_settings(), planted("plain"), planted("wrong"));
    EXPECT_EQ(c.verdict, DuelVerdict::wrong);
    EXPECT_THAT(c.reason, HasSubstr("differs from the base's by 1"));
    EXPECT_THAT(c.launches, IsEmpty());
    ASSERT_TRUE(c.outputs);
    EXPECT_FALSE(c.outputs->equal_bits);
    EXPECT_NEAR(c.outputs->max_abs_error, 1, 1e-6);
}

TEST(Duel, GivesTheErrorOfResultsThatAreNear) {
    const DuelCase c = only_case(quick_settings(), planted("plain"), planted("near"));
    EXPECT_NE(c.verdict, DuelVerdict::wrong) << c.reason;
    ASSERT_TRUE(c.outputs);
    EXPECT_FALSE(c.outputs->equal_bits);
    EXPECT_EQ(c.outputs->max_ulp, 1);
    EXPECT_GT(c.outputs->max_abs_error, 0);
    EXPECT_LT(c.outputs->max_abs_error, c.outputs->bound);
}

TEST(Duel, FailsACrashAHangAndARefusalByNameAndGoesOn) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {1, 2};
    settings.longest_call_seconds = 1;
    // A sanitizer turns the crash into an exit.
    const std::vector<std::pair<std::string, ::testing::Matcher<std::string>>> kinds = {
        {"crash", AllOf(ContainsRegex("^new: (crashed .signal 11, segmentation fault.|ended by itself)"),
                        HasSubstr("while it computed"))},
        {"hang", "new: hung: it computed for more than 1 s"},
        {"refuse", "new: the plane is not to the library's taste"}};
    for (const auto& [kind, sentence] : kinds) {
        const auto duel = run_duel(settings, library(planted("plain")), library(planted(kind)));
        ASSERT_TRUE(duel) << duel.error().message;
        ASSERT_EQ(duel->cases.size(), 2U);
        for (const DuelCase& c : duel->cases) {
            EXPECT_EQ(c.verdict, DuelVerdict::failed) << kind;
            EXPECT_THAT(c.reason, sentence);
        }
        EXPECT_THAT(shortcomings(*duel, 0.5), Not(IsEmpty()));
        EXPECT_THAT(workers_of(::getpid()), IsEmpty());
    }
}

// It would in every case.
TEST(Duel, IsRefusedForALibraryThatCrashesOrHangsWhileItIsOpened) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {1, 2};
    settings.longest_call_seconds = 1;
    for (const auto& [kind, sentence] :
         {std::pair("trap", "new: crashed (signal 6, aborted) while it opened its library"),
          std::pair("stall", "new: hung: it opened its library for more than 1 s")}) {
        const auto duel = run_duel(settings, library(planted("plain")), library(planted(kind)));
        ASSERT_FALSE(duel) << kind;
        EXPECT_EQ(duel.error().kind, ErrorKind::bad_input);
        EXPECT_EQ(duel.error().message, sentence);
    }
    EXPECT_THAT(workers_of(::getpid()), IsEmpty());
}

TEST(Duel, EndsALibraryThatChangesItsInput) {
    const DuelCase c = only_case(quick_settings(), planted("plain"), planted("meddle"));
    EXPECT_EQ(c.verdict, DuelVerdict::failed);
    EXPECT_THAT(c.reason, HasSubstr("while it computed"));
}

TEST(Duel, EndsTheProcessesThatALibraryStarted) {
    const auto file = own_file("children");
    ::setenv("IIR2D_PLANTED_CHILD", file.c_str(), 1);
    const DuelCase c = only_case(quick_settings(), planted("plain"), planted("child"));
    ::unsetenv("IIR2D_PLANTED_CHILD");
    EXPECT_NE(c.verdict, DuelVerdict::failed) << c.reason;
    std::vector<int> children;
    std::ifstream list(file);
    for (int child = 0; list >> child;) children.push_back(child);
    EXPECT_THAT(children, Not(IsEmpty()));
    for (const int child : children) EXPECT_TRUE(comes_true([&] { return !runs(child); }));
    std::filesystem::remove(file);
}

TEST(Duel, IsRefusedWhereALibraryIsReplacedMeanwhile) {
    const auto file = own_file("replaced.so");
    const auto other = own_file("other.so");
    const auto put = [&](const std::string& from) {
        std::filesystem::copy_file(from, other, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::rename(other, file);
    };
    // At its end, and between two cases.
    for (const std::vector<int>& filters : {std::vector{1}, std::vector{1, 2}}) {
        DuelSettings settings = quick_settings();
        settings.matrix.filter_ids = filters;
        put(planted("plain"));
        const auto duel =
            run_duel(settings, library(IIR2D_REAL_LIBRARY), library(file.string()), {},
                     {.on_progress = {}, .on_case = [&](const DuelCase&) { put(IIR2D_REAL_LIBRARY); }});
        ASSERT_FALSE(duel);
        EXPECT_EQ(duel.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(duel.error().message,
                    AllOf(StartsWith("new: "), HasSubstr("was changed while it was measured")));
    }
    std::filesystem::remove(file);
}

TEST(Duel, KeepsCompleteCasesWhenAWorkerCannotBeStartedLater) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {1, 2};
    const auto duel = run_duel(settings, library(planted("plain")), library(planted("plain")), {},
                               {.on_progress = {}, .on_case = [](const DuelCase&) {
                                    ::setenv("IIR2D_WORKER_DIR", "/nonexistent", 1);
                                }});
    ::unsetenv("IIR2D_WORKER_DIR");
    ASSERT_TRUE(duel) << duel.error().message;
    ASSERT_EQ(duel->cases.size(), 2U);
    EXPECT_NE(duel->cases[0].verdict, DuelVerdict::failed);
    EXPECT_EQ(duel->cases[1].verdict, DuelVerdict::failed);
    EXPECT_THAT(duel->cases[1].reason, HasSubstr("its worker could not be started"));
}

TEST(Duel, StopsWithinACaseOfQuickCalls) {
    DuelSettings settings = quick_settings();
    settings.matrix.sizes = {{16, 16}};
    settings.rule.least_pairs = settings.rule.most_pairs = most_duel_pairs;
    settings.budget_seconds = 600;
    std::stop_source stop;
    const auto start = std::chrono::steady_clock::now();
    const auto duel =
        run_duel(settings, library(planted("plain")), library(planted("plain")),
                 {.stop = stop.get_token(), .progress = {}},
                 {.on_progress = [&](const DuelProgress&) { stop.request_stop(); }, .on_case = {}});
    ASSERT_FALSE(duel);
    EXPECT_EQ(duel.error().kind, ErrorKind::cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Duel, SaysWhichFunctionAnOldLibraryLacks) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {};
    settings.matrix.pools = {PoolOperation{}};
    const DuelCase c = only_case(settings, IIR2D_REAL_LIBRARY, planted("plain"));
    EXPECT_EQ(c.verdict, DuelVerdict::failed);
    EXPECT_EQ(c.reason, "new: it has no iir2d_pool_forward_cpu; its C interface is 1.0");
}

TEST(Duel, IsRefusedForALibraryThatIsNone) {
    Dl_info libc{};
    ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::getpid), &libc), 0);
    const auto none = run_duel(quick_settings(), library("."), library(libc.dli_fname));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(
        none.error().message,
        "new: it has no iir2d_api_version_major: it is not a libiir2d with the C interface of 1.0 or newer");
}

TEST(Duel, SaysThatItsWorkerIsMissing) {
    ::setenv("IIR2D_WORKER_DIR", "/nonexistent", 1);
    const auto none = run_duel(quick_settings(), library("."), library("."));
    ::unsetenv("IIR2D_WORKER_DIR");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::device_failure);
    EXPECT_THAT(none.error().message, HasSubstr("its worker could not be started"));
}

TEST(Duel, PoolsForwardAndBackward) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {};
    settings.matrix.pools = {PoolOperation{.op = iir2d::PoolOp::max}, PoolOperation{.op = iir2d::PoolOp::lp}};
    settings.matrix.pool_elements = {iir2d::ElementType::f32, iir2d::ElementType::f16};
    settings.matrix.pool_passes = {PoolPass::forward, PoolPass::backward};
    const auto duel = run_duel(settings, library(IIR2D_REAL_LIBRARY), library("."));
    ASSERT_TRUE(duel) << duel.error().message;
    EXPECT_EQ(duel->cases.size(), 8U);
    for (const DuelCase& c : duel->cases) {
        EXPECT_NE(c.verdict, DuelVerdict::failed) << c.what.key << ": " << c.reason;
        ASSERT_TRUE(c.outputs);
        EXPECT_TRUE(c.outputs->equal_bits);
    }
}

TEST(Duel, SaysThatPlanesAreTooLargeForTheMemory) {
    const std::string base = planted("plain");
    DuelSettings settings = quick_settings();
    settings.matrix.sizes = {{16, 16}};
    ::setenv("IIR2D_MEMORY_LIMIT", "40000", 1);
    const DuelCase c = only_case(settings, base, base);
    ::unsetenv("IIR2D_MEMORY_LIMIT");
    EXPECT_EQ(c.verdict, DuelVerdict::failed);
    EXPECT_THAT(c.reason, HasSubstr("of shared memory, and 1 MiB are available"));
}

TEST(Duel, KeepsCompleteCasesWhenItIsCancelled) {
    DuelSettings settings = quick_settings();
    settings.matrix.filter_ids = {1, 2, 3};
    std::stop_source stop;
    const auto duel = run_duel(settings, library(planted("plain")), library(planted("plain")),
                               {.stop = stop.get_token(), .progress = {}},
                               {.on_progress = {}, .on_case = [&](const DuelCase&) { stop.request_stop(); }});
    ASSERT_TRUE(duel) << duel.error().message;
    EXPECT_TRUE(duel->cancelled);
    EXPECT_EQ(duel->cases.size(), 1U);
    EXPECT_EQ(duel->case_total, 3);
    EXPECT_THAT(workers_of(::getpid()), IsEmpty());
}

TEST(Duel, RefusesSettingsThatMeanNothing) {
    const auto refused = [](auto change) {
        DuelSettings settings = quick_settings();
        change(settings);
        const auto duel = run_duel(settings, library("."), library("."));
        return duel ? std::string() : duel.error().message;
    };
    EXPECT_THAT(refused([](DuelSettings& s) { s.rule.margin = 0; }), HasSubstr("margin"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.launches = 1; }), HasSubstr("launches"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.rule.most_pairs = 3; }), HasSubstr("pairs"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.budget_seconds = 0; }), HasSubstr("budget"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.longest_call_seconds = 1e300; }), HasSubstr("longest call"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.longest_call_seconds = std::nan(""); }),
                HasSubstr("longest call"));
    EXPECT_THAT(refused([](DuelSettings& s) { s.matrix.device = "cuda"; }), HasSubstr("CPU"));
}

TEST(Duel, LeavesNoProcessBehindWhenItIsKilled) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    const int child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], 1);
        ::execl(IIR2D_DUEL_ORPHANS, IIR2D_DUEL_ORPHANS, nullptr);
        ::_exit(127);
    }
    char letter = 0;
    ASSERT_EQ(::read(ends[0], &letter, 1), 1);
    std::vector<int> workers;
    EXPECT_TRUE(comes_true([&] { return (workers = workers_of(child)).size() >= 4; }));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const int worker : workers) EXPECT_TRUE(comes_true([&] { return !runs(worker); }));
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace workbench
