// SPDX-License-Identifier: MIT
// Data sets: quotas, the same bytes for any number of jobs and after a kill, disagreements. Kernels are
// compiled by the host's compiler and run; the stored text is their source.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "core/support/files.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/shards.h"
#include "tests/core/synth/synth_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests
namespace fs = std::filesystem;
using workbench::Result;

class HostCompiler : public Toolchain {
  public:
    explicit HostCompiler(fs::path folder) : m_folder(std::move(folder)) { fs::create_directories(m_folder); }

    Result<std::vector<KernelText>> compile(const Target&,
                                            const std::vector<KernelSource>& sources) override {
        std::vector<KernelText> made;
        std::vector<std::string> texts;
        for (const KernelSource& source : sources) {
            made.push_back({source.text, "", false});
            texts.push_back(source.text);
        }
        const std::string joined = join_sources(texts);
        // Runs of one seed ask for the same batches.
        static std::map<std::string, void*> libraries;
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        void*& library = libraries[joined];
        if (!library) {
            const std::string base = (m_folder / std::to_string(libraries.size())).string();
            std::ofstream(base + ".cpp") << joined;
            const std::string command = std::string(IIR2D_HOST_COMPILER) +
                                        " -w -O0 -ffp-contract=off -fPIC -shared -o " + base + ".so " + base +
                                        ".cpp";
            EXPECT_EQ(std::system(command.c_str()), 0);
            library = dlopen((base + ".so").c_str(), RTLD_NOW);
        }
        m_library = library;
        return made;
    }

    Result<std::vector<std::string>> run(const Target&, std::vector<Execution>& runs) override {
        for (Execution& one : runs) {
            const void* const kernel = dlsym(m_library, one.tree->kernel.name.c_str());
            EXPECT_NE(kernel, nullptr);
            for (auto& set : one.sets) call(kernel, *one.tree, set);
            if (wrong && ++asked == wrong) flip(*one.tree, one.sets[0]);
        }
        return std::vector<std::string>(runs.size());
    }

    static inline std::atomic<int> wrong = 0, asked = 0;  // the run whose result is changed; 0: none

  private:
    static void flip(const Tree& tree, std::vector<Argument>& set) {
        for (std::size_t k = 0; k < set.size(); ++k) {
            const SymbolKind kind = tree.symbols[tree.kernel.parameters[k]].kind;
            if (kind == SymbolKind::output || kind == SymbolKind::inout) set[k].slots[0] ^= 1;
        }
    }
    // Kernels of pointers and whole numbers alone are called by their registers.
    static void call(const void* kernel, const Tree& tree, std::vector<Argument>& set) {
        std::vector<std::vector<std::byte>> memory;
        std::vector<std::uint64_t> words;
        for (std::size_t k = 0; k < set.size(); ++k) {
            memory.push_back(bytes_of(set[k]));
            const bool is_pointer = is_array_parameter(tree.symbols[tree.kernel.parameters[k]].kind);
            words.push_back(is_pointer ? reinterpret_cast<std::uint64_t>(memory.back().data())
                                       : set[k].slots[0]);
        }
        words.resize(8, 0);
        std::uint64_t floats[8] = {};
        std::size_t next = 0;
        std::vector<std::uint64_t> whole;
        for (std::size_t k = 0; k < set.size(); ++k) {
            if (!is_array_parameter(tree.symbols[tree.kernel.parameters[k]].kind) && is_float(set[k].type))
                floats[next++] = words[k];
            else
                whole.push_back(words[k]);
        }
        whole.resize(8, 0);
        double f[8];
        std::memcpy(f, floats, sizeof f);
        using Word = std::uint64_t;
        using Call = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, double, double, double, double);
        reinterpret_cast<Call>(const_cast<void*>(kernel))(whole[0], whole[1], whole[2], whole[3], whole[4],
                                                          whole[5], whole[6], whole[7], f[0], f[1], f[2],
                                                          f[3]);
        for (std::size_t k = 0; k < set.size(); ++k) take_bytes(set[k], memory[k].data());
    }

    fs::path m_folder;
    void* m_library = nullptr;
};

class DataSet : public testing::Test {
  protected:
    void SetUp() override {
        m_folder = fs::path(testing::TempDir()) / ("synth-set-" + std::to_string(::getpid()));
        fs::remove_all(m_folder);
        HostCompiler::wrong = HostCompiler::asked = 0;
    }
    void TearDown() override { fs::remove_all(m_folder); }

    GenerateOptions options(const std::string& name) const {
        GenerateOptions made{.folder = m_folder / name, .count = 30, .seed = 5, .shard = 8};
        made.judge.targets = {target_named("llvm-host-test")};
        return made;
    }
    Result<GenerateProgress> generate_it(const GenerateOptions& options) {
        return generate_data_set(options, [this]() -> Result<std::unique_ptr<Toolchain>> {
            return std::make_unique<HostCompiler>(m_folder / ("tools" + std::to_string(++m_made)));
        });
    }
    static std::map<std::string, std::string> contents(const fs::path& folder) {
        std::map<std::string, std::string> made;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file())
                made[fs::relative(entry.path(), folder).string()] = *workbench::read_file(entry.path());
        }
        return made;
    }

    fs::path m_folder;
    int m_made = 0;
};

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
    EXPECT_EQ(again->rejected, whole->rejected);
    EXPECT_EQ(contents(resumed.folder), files);
    // Complete: there is nothing to do; another seed is refused.
    EXPECT_TRUE(generate_it(resumed));
    resumed.seed = 6;
    EXPECT_NE(generate_it(resumed).error().message.find("run_seed: 5, not 6"), std::string::npos);
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
            EXPECT_EQ(canonical_hash(*tree), record["canonical"]);
            EXPECT_EQ(skeleton_hash(*tree), record["skeleton"]);
            EXPECT_EQ(print_cpp(*tree), record["source"]["cpp"]);
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
