// SPDX-License-Identifier: MIT
// Data sets: quotas, the same bytes for any number of jobs and after a kill, disagreements.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "core/synth/canonical.h"
#include "core/synth/data_set_files.h"
#include "core/synth/export_jax.h"
#include "core/synth/shards.h"
#include "tests/core/synth/data_set_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST_F(DataSet, IsTheSameForAnyNumberOfJobsAndAfterAKill) {
    const auto whole = generate_it(options("whole"));
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->kernels, 30U);
    EXPECT_EQ(whole->pairs, 30U);
    const auto files = contents(m_folder / "whole");
    EXPECT_EQ(files.size(), 13U);  // four shards of two files, run, manifest, two of statistics, sums
    GenerateOptions other = options("jobs");
    other.jobs = 2;
    ASSERT_TRUE(generate_it(other));
    EXPECT_EQ(contents(other.folder), files);
    // As a kill leaves it: two whole shards, the rejected of a third.
    GenerateOptions resumed = options("resumed");
    ASSERT_TRUE(generate_it(resumed));
    for (const char* gone : {"shards/00002.jsonl.zst", "shards/00003.jsonl.zst",
                             "shards/00003.rejected.jsonl.zst", "manifest.json", "stats.json"})
        fs::remove(resumed.folder / gone);
    EXPECT_EQ(generate_it(resumed).error().kind, workbench::ErrorKind::bad_argument);
    resumed.resume = true;
    const auto again = generate_it(resumed);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->kernels, 30U);
    EXPECT_EQ(again->found_kernels, 16U) << "two whole shards";
    EXPECT_EQ(again->found_pairs, 16U);
    EXPECT_FALSE(again->was_complete);
    EXPECT_EQ(again->rejected, whole->rejected);
    EXPECT_EQ(contents(resumed.folder), files);
    // Killed before the first shard, with run.json alone.
    for (const auto& entry : fs::directory_iterator(resumed.folder)) {
        if (entry.path().filename() != "run.json") fs::remove_all(entry.path());
    }
    ASSERT_TRUE(generate_it(resumed));
    EXPECT_EQ(contents(resumed.folder), files);
    // Complete: there is nothing to do; another seed is refused.
    const auto complete = generate_it(resumed);
    ASSERT_TRUE(complete) << complete.error().message;
    EXPECT_TRUE(complete->was_complete);
    EXPECT_EQ(complete->found_kernels, 30U);
    EXPECT_EQ(complete->found_pairs, 30U);
    resumed.seed = 6;
    EXPECT_NE(generate_it(resumed).error().message.find("run_seed: 5, not 6"), std::string::npos);
    std::ofstream(resumed.folder / "run.json") << "{";
    const auto damaged = generate_it(resumed);
    EXPECT_EQ(damaged.error().kind, workbench::ErrorKind::bad_input);
    EXPECT_NE(damaged.error().message.find("run.json is damaged"), std::string::npos);
}

TEST_F(DataSet, KeepsWhichDefaultTargetsWereNotThere) {
    GenerateOptions wanted = options("left_out");
    wanted.unavailable = {"llvm-x86_64-O2: no Clang is installed"};
    ASSERT_TRUE(generate_it(wanted));
    const auto files = contents(wanted.folder);
    EXPECT_THAT(files.at("manifest.json"), HasSubstr("no Clang is installed"));
    const auto run = read_run(wanted.folder);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->unavailable, wanted.unavailable);
    // A run that goes on keeps them, whatever is there by then.
    for (const char* gone : {"shards/00003.jsonl.zst", "manifest.json"}) fs::remove(wanted.folder / gone);
    wanted.resume = true;
    wanted.unavailable = {};
    const auto resumed = generate_it(wanted);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(contents(wanted.folder), files);
}

TEST_F(DataSet, IsNotResumedWhereAShardIsNotItsOwn) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    GenerateOptions wanted = options("set");
    ASSERT_TRUE(generate_data_set(wanted, make));
    wanted.resume = true;
    const auto refused = [&] {
        const auto made = generate_data_set(wanted, make);
        if (made) return std::string("nothing");
        EXPECT_EQ(made.error().kind, workbench::ErrorKind::bad_input);
        return made.error().message;
    };
    const fs::path first = wanted.folder / "shards/00000.jsonl.zst";
    const fs::path second = wanted.folder / "shards/00001.jsonl.zst";
    const auto write = [](const fs::path& file, const std::string& bytes) {
        std::ofstream(file, std::ios::binary) << bytes;
    };
    const std::string of_first = *workbench::read_file(first), of_second = *workbench::read_file(second);
    write(first, of_second);
    write(second, of_first);
    EXPECT_THAT(refused(), EndsWith("00001.jsonl.zst has a record that does not come after the one before"));
    write(second, of_second);
    write(first, of_first);
    EXPECT_EQ(refused(), "nothing");
    auto lines = *read_lines(first);
    auto record = nlohmann::json::parse(lines.back());
    record["index"] = record["index"].get<int>() + 1;
    lines.back() = record.dump();
    write(first, *compressed_lines(lines));
    EXPECT_THAT(refused(), EndsWith("00000.jsonl.zst has a record that is not the kernel of its index"));
}

// Takes every `every`-th kernel alone.
class Broken : public InterpreterToolchain {
  public:
    explicit Broken(int every) : m_every(every) {}
    Result<std::vector<KernelText>> compile(const Target& target,
                                            const std::vector<KernelSource>& sources) override {
        auto made = InterpreterToolchain::compile(target, sources);
        for (KernelText& one : *made) {
            if (++m_asked % m_every != 0) one = {"", "no builtins\nin two lines", false};
        }
        return made;
    }

  private:
    int m_every;
    int m_asked = 0;
};

TEST_F(DataSet, StopsWhereACompilerTakesNothing) {
    GenerateOptions wanted = options("broken");
    wanted.count = 4;
    const auto with = [&](int every) {
        return generate_data_set(
            wanted, [=]() -> Result<std::unique_ptr<Toolchain>> { return std::make_unique<Broken>(every); });
    };
    const auto broken = with(1 << 30);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().kind, workbench::ErrorKind::device_failure);
    EXPECT_EQ(broken.error().message, "100 kernels in a row could not be compiled, the last by " +
                                          wanted.judge.targets[0].name + ": no builtins");
    wanted.folder = m_folder / "half broken";
    const auto half = with(60);
    ASSERT_TRUE(half) << half.error().message;
    EXPECT_GT(half->rejected.at("compiler_error"), 100U);
}

TEST_F(DataSet, IsTheSameAfterKillsAtRandomMoments) {
    GenerateOptions whole = options("whole");
    whole.count = 200;
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(generate_data_set(whole, make));
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    const auto files = contents(whole.folder);
    GenerateOptions killed = whole;
    killed.folder = m_folder / "killed";
    killed.resume = true;
    std::mt19937 random(7);
    for (int k = 0; k < 8; ++k) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            // The first does not end by itself, however fast it is.
            const MakeToolchain waits = []() -> Result<std::unique_ptr<Toolchain>> {
                return std::make_unique<InterpreterToolchain>(1);
            };
            static_cast<void>(generate_data_set(killed, k == 0 ? waits : make));
            ::_exit(0);
        }
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % static_cast<unsigned>(took.count())));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(k > 0 || WIFSIGNALED(status)) << "it was not killed";
    }
    const auto made = generate_data_set(killed, make);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->kernels, 200U);
    EXPECT_TRUE(contents(killed.folder) == files);
}

TEST_F(DataSet, IsMadeByOneAtATime) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    GenerateOptions wanted = options("set");
    wanted.resume = true;
    const auto during = [&](const GenerateProgress&) {
        const auto second = generate_data_set(wanted, make);
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().kind, workbench::ErrorKind::unwritable_output);
        EXPECT_NE(second.error().message.find("another process"), std::string::npos)
            << second.error().message;
    };
    const auto made = generate_data_set(wanted, make, during);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(generate_data_set(wanted, make)) << "it was given up";
}

// Of a folder whose name is no UTF-8, too.
TEST_F(DataSet, RequestsToPythonNameFilesBesideThem) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    ASSERT_TRUE(generate_data_set(options("set"), make));
    std::size_t asked = 0;
    const RunPython python = [&](const fs::path& requests, const fs::path& answers) -> Result<std::string> {
        std::ifstream lines(requests);
        std::ofstream out(answers);
        for (std::string line; std::getline(lines, line); ++asked) {
            const fs::path file = nlohmann::json::parse(line)["file"].get<std::string>();
            EXPECT_FALSE(file.has_parent_path()) << file;
            EXPECT_TRUE(fs::exists(requests.parent_path() / file)) << file;
            out << R"({"error": "not lowered"})" << '\n';
        }
        return std::string();
    };
    const auto made = export_jax({.folder = m_folder / "set", .out = m_folder / "jax\xff"}, python);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_GT(asked, 0U);
    EXPECT_EQ(made->failures.size(), asked);
}

TEST_F(DataSet, AKernelThatEndsPythonIsOneFailure) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    ASSERT_TRUE(generate_data_set(options("set"), make));
    // Ends in the middle of the answer for the third kernel.
    std::string deadly;
    int runs = 0, asked = 0;
    const RunPython python = [&](const fs::path& requests, const fs::path& answers) -> Result<std::string> {
        ++runs;
        std::ifstream lines(requests);
        std::ofstream out(answers);
        for (std::string line; std::getline(lines, line);) {
            const auto file = nlohmann::json::parse(line)["file"].get<std::string>();
            if (asked++ == 2) {
                deadly = file.substr(0, file.size() - 3);  // the id
                out << R"({"error": "not)";
                return "crashed: no memory";
            }
            out << R"({"error": "not lowered"})" << '\n';
        }
        return std::string();
    };
    const auto made = export_jax({.folder = m_folder / "set", .out = m_folder / "jax"}, python);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(runs, 2);
    ASSERT_EQ(made->failures.size(), static_cast<std::size_t>(asked));
    ASSERT_GT(asked, 3);
    for (std::size_t k = 0; k < made->failures.size(); ++k)
        EXPECT_THAT(
            made->failures[k],
            EndsWith(k == 2 ? deadly + ": it ended Python, which crashed: no memory" : ": not lowered"));
    EXPECT_EQ(made->kernels, 0U);
    EXPECT_TRUE(fs::is_empty(m_folder / "jax"));
}

TEST_F(DataSet, APythonThatEndsAtEveryKernelEndsTheExport) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<InterpreterToolchain>();
    };
    ASSERT_TRUE(generate_data_set(options("set"), make));
    int runs = 0;
    const RunPython python = [&](const fs::path&, const fs::path& answers) -> Result<std::string> {
        ++runs;
        std::ofstream{answers};
        return "crashed: no such instruction";
    };
    const auto made = export_jax({.folder = m_folder / "set", .out = m_folder / "jax"}, python);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, workbench::ErrorKind::device_failure);
    EXPECT_THAT(made.error().message, EndsWith("lowered nothing: the last crashed: no such instruction"));
    EXPECT_EQ(runs, 10);
    EXPECT_FALSE(fs::exists(m_folder / "jax"));
}

TEST_F(DataSet, ItsRecordsAreWhatTheirSourcesSay) {
    ASSERT_TRUE(generate_it(options("set")));
    std::map<std::string, int> categories_found;
    std::set<std::string> ids;
    for (int shard = 0; shard < 4; ++shard) {
        const auto lines =
            read_lines(m_folder / "set" / "shards" / ("0000" + std::to_string(shard) + ".jsonl.zst"));
        ASSERT_TRUE(lines) << lines.error().message;
        for (const std::string& line : *lines) {
            const auto record = nlohmann::json::parse(line);
            const auto tree = parse(record["source"]["cuda"].get<std::string>());
            ASSERT_TRUE(tree) << tree.error().message;
            EXPECT_EQ(canonical_hash(*tree), record["canonical"].get<std::string>());
            EXPECT_EQ(skeleton_hash(*tree), record["skeleton"].get<std::string>());
            EXPECT_EQ(print_cpp(*tree), record["source"]["cpp"].get<std::string>());
            EXPECT_EQ(split_of(skeleton_hash(*tree)), record["split"].get<std::string>());
            EXPECT_EQ(record["ir"][0]["sha256"],
                      workbench::sha256_hex(record["ir"][0]["text"].get<std::string>()));
            EXPECT_EQ(record["verification"].size(), 1U);
            EXPECT_EQ(record["schema"], "synth-1");
            EXPECT_TRUE(ids.insert(record["id"]).second);
            ++categories_found[record["category"]];
        }
    }
    EXPECT_EQ(categories_found.size(), 14U);
    EXPECT_EQ(categories_found["arithmetic"], 3);  // 30 of 14: two each, and one more for the first two
    EXPECT_EQ(categories_found["math"], 3);
    EXPECT_EQ(categories_found["pool"], 2);
    // A byte of a shard that is changed is seen.
    const fs::path shard = m_folder / "set" / "shards" / "00001.jsonl.zst";
    std::string bytes = *workbench::read_file(shard);
    std::ofstream(shard, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    EXPECT_FALSE(read_lines(shard));
}

TEST_F(DataSet, RejectsWhatDisagreesAndKeepsTheSource) {
    HostCompiler::wrong = 5;
    const auto made = generate_it(options("wrong"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->rejected.at("mismatch"), 1U);
    EXPECT_EQ(made->kernels, 30U);
    const auto lines = read_lines(m_folder / "wrong" / "shards" / "00000.rejected.jsonl.zst");
    ASSERT_TRUE(lines);
    bool found = false;
    for (const std::string& line : *lines) {
        const auto one = nlohmann::json::parse(line);
        if (one["reason"] != "mismatch") continue;
        found = true;
        EXPECT_NE(one["detail"].get<std::string>().find("V2 llvm-host-test: set 0"), std::string::npos);
        EXPECT_TRUE(parse(one["source"].get<std::string>()));
    }
    EXPECT_TRUE(found);
}

// Its process dies at the first text that is run or assembled.
class DiesOnce : public InterpreterToolchain {
  public:
    Result<std::vector<std::string>> run(const Target& target, std::vector<Execution>& runs) override {
        auto made = InterpreterToolchain::run(target, runs);
        if (std::exchange(m_has_died, true)) return made;
        runs[0].has_died = true;
        made->front() = "the process crashed";
        return made;
    }
    Result<std::vector<Assembly>> assemble(const Target&,
                                           const std::vector<const std::string*>& texts) override {
        std::vector<Assembly> made(texts.size());
        if (!std::exchange(m_has_died, true)) made[0] = {.error = "the assembler crashed", .has_died = true};
        return made;
    }

  private:
    bool m_has_died = false;
};

TEST_F(DataSet, AProcessThatDiesWhenATextIsTriedIsNoMismatch) {
    for (const std::string level : {"V1", "V2"}) {
        GenerateOptions wanted = options(level);
        wanted.judge.levels = {level};
        if (level == "V1") wanted.judge.targets = {target_named("ptx-nvrtc:sm_90")};
        const auto made = generate_data_set(
            wanted, []() -> Result<std::unique_ptr<Toolchain>> { return std::make_unique<DiesOnce>(); });
        ASSERT_TRUE(made) << made.error().message;
        EXPECT_EQ(made->rejected.count("mismatch"), 0U) << level;
        EXPECT_EQ(made->rejected.at("compiler_died"), 1U) << level;
        const auto lines = read_lines(wanted.folder / "shards" / "00000.rejected.jsonl.zst");
        ASSERT_TRUE(lines) << lines.error().message;
        EXPECT_THAT(*lines,
                    Contains(AllOf(HasSubstr("compiler_died"),
                                   HasSubstr(level + " " + wanted.judge.targets[0].name + ": the "))));
    }
}

// Gives none of the outputs.
class Idle : public InterpreterToolchain {
  public:
    Result<std::vector<std::string>> run(const Target&, std::vector<Execution>& runs) override {
        return std::vector<std::string>(runs.size());
    }
};

TEST_F(DataSet, KeepsWhatDisagreesWhereItStopsForThat) {
    GenerateOptions wanted = options("stopped");
    const auto generate_idly = [&] {
        return generate_data_set(
            wanted, []() -> Result<std::unique_ptr<Toolchain>> { return std::make_unique<Idle>(); });
    };
    for (const bool again : {false, true}) {
        wanted.resume = again;
        const auto made = generate_idly();
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().kind, workbench::ErrorKind::check_failed);
        const auto lines = read_lines(wanted.folder / "shards" / "00000.rejected.jsonl.zst");
        ASSERT_TRUE(lines) << lines.error().message;
        const auto mismatches = std::ranges::count_if(*lines, [](const std::string& line) {
            return nlohmann::json::parse(line)["reason"] == "mismatch";
        });
        EXPECT_GE(mismatches, workbench::synth::most_mismatches);
        EXPECT_FALSE(fs::exists(wanted.folder / "manifest.json"));
    }
}

TEST(Quotas, AreEqualOrByWeight) {
    GenerateOptions options{.count = 100};
    EXPECT_EQ(quotas_of(options).at(Category::arithmetic), 8U);
    EXPECT_EQ(quotas_of(options).at(Category::pool), 7U);
    options.categories = {Category::math, Category::iir};
    options.weights = {{Category::math, 3}, {Category::iir, 1}};
    EXPECT_EQ(quotas_of(options).at(Category::math), 75U);
    EXPECT_EQ(quotas_of(options).at(Category::iir), 25U);
}

}  // namespace
