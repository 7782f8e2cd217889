// SPDX-License-Identifier: MIT
// iir2d synth generate, verify, stats, show, diff and export, with the compilers that are here.
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "core/synth/shards.h"
#include "tests/app/cli_folder.h"

namespace app_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

class SynthSet : public CliFolder {
  protected:
    void SetUp() override {
        CliFolder::SetUp();
        int there = 0;
        for (const Json& one : Json::parse(iir2d({"synth", "targets", "--json"}).out)) {
            const std::string target = one["target"];
            there += (target == "ptx-nvrtc:sm_90" || target.starts_with("llvm-host-o")) && one["available"];
        }
        if (there < 3) GTEST_SKIP() << "NVRTC or LLVM is not available here";
    }
    Outcome generate(const std::string& name, const std::string& count, const Words& more = {}) const {
        Words words{"synth", "generate", "--out", path(name), "--count", count};
        words.insert(words.end(), more.begin(), more.end());
        return iir2d(words);
    }
    // The data set of 28 records that is kept, where the same compilers make it. IIR2D_UPDATE_GOLDEN=1 writes
    // it anew.
    void compare_with_golden(const std::string& name) const {
        const fs::path golden = fs::path(IIR2D_SOURCE_DIR) / "tests/app/golden_set";
        if (std::getenv("IIR2D_UPDATE_GOLDEN") != nullptr) {
            fs::remove_all(golden);
            fs::copy(path(name), golden, fs::copy_options::recursive);
        }
        const auto text = [&](const std::string& file) {
            std::ifstream in(golden / file, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(in), {});
        };
        const Json kept = Json::parse(text("run.json")), made = Json::parse(text_of(name + "/run.json"));
        EXPECT_EQ(kept["generator"], made["generator"]);
        if (kept["compilers"] != made["compilers"]) return;
        EXPECT_EQ(kept, made);
        for (const char* shard : {"shards/00000.jsonl.zst", "shards/00000.rejected.jsonl.zst"}) {
            EXPECT_TRUE(*workbench::synth::read_lines(golden / shard) ==
                        *workbench::synth::read_lines(path(name) + "/" + shard))
                << "records differ from those of tests/app/golden_set";
        }
        EXPECT_EQ(text("stats.json"), text_of(name + "/stats.json"));
    }
    // Python source of each kernel but those of atomics and blocks, under its name.
    void expect_python_of(const Outcome& exported, const std::string& name) const {
        EXPECT_EQ(exported.code, 0) << exported.err;
        EXPECT_THAT(exported.out, HasSubstr("left out: 2, atomic"));
        EXPECT_THAT(exported.out, HasSubstr("left out: 2, block"));
        int files = 0;
        for (const auto& entry : fs::directory_iterator(path(name))) {
            EXPECT_EQ(entry.path().extension(), ".py");
            EXPECT_THAT(text_of(name + "/" + entry.path().filename().string()), HasSubstr("n, m):\n"));
            ++files;
        }
        EXPECT_GE(files, 20);
        EXPECT_THAT(exported.out, ::testing::StartsWith(std::to_string(files) + " kernels;"));
    }
    std::map<std::string, std::string> contents(const std::string& name) const {
        std::map<std::string, std::string> made;
        for (const auto& entry : fs::recursive_directory_iterator(path(name))) {
            if (entry.is_regular_file()) {
                std::ifstream in(entry.path(), std::ios::binary);
                made[fs::relative(entry.path(), path(name)).string()] = {std::istreambuf_iterator<char>(in),
                                                                         {}};
            }
        }
        return made;
    }
};

TEST_F(SynthSet, IsMadeVerifiedShownAndExported) {
    const auto made = generate("one", "28", {"--jobs", "1", "--backward", "--json"});
    ASSERT_EQ(made.code, 0) << made.err;
    const Json figures = Json::parse(made.out);
    EXPECT_EQ(figures["kernels"], 28);
    EXPECT_GT(figures["pairs"], 28 * 3);
    compare_with_golden("one");
    ASSERT_EQ(generate("two", "28", {"--jobs", "2", "--backward"}).code, 0);
    EXPECT_TRUE(contents("one") == contents("two"));
    // Complete: nothing to do. Other arguments are named.
    EXPECT_EQ(generate("one", "28", {"--backward", "--resume"}).code, 0);
    expect_failure(generate("one", "28", {"--backward", "--resume", "--seed", "2"}), 2, "run_seed: 1, not 2");
    expect_failure(generate("one", "28", {"--backward"}), 2, "is not empty");
    // Also where kernels were rejected that disagree, and nothing is made a second.
    const std::string rejected = path("two/shards/00000.rejected.jsonl.zst"),
                      kept = text_of("two/shards/00000.rejected.jsonl.zst");
    const std::string mismatch =
        R"({"index": 0, "category": "math", "reason": "mismatch", "detail": "", "source": ""})";
    std::ofstream(rejected, std::ios::binary) << *workbench::synth::compressed_lines({mismatch});
    const auto resumed = generate("two", "28", {"--backward", "--resume", "--json"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(Json::parse(resumed.out)["rejected"]["mismatch"], 1);
    EXPECT_EQ(Json::parse(resumed.out)["kernels"], 28);
    EXPECT_EQ(Json::parse(resumed.out)["kernels_per_second"], 0.0);
    EXPECT_EQ(Json::parse(resumed.out)["pairs_per_second"], 0.0);
    std::ofstream(rejected, std::ios::binary) << kept;

    const auto verified = iir2d({"synth", "verify", path("one"), "--mutants", "17", "--json"});
    EXPECT_EQ(verified.code, 0) << verified.out;
    const Json report = Json::parse(verified.out);
    EXPECT_EQ(report["records"], 28);
    EXPECT_EQ(report["checked"]["V0"], figures["pairs"]);
    EXPECT_EQ(report["checked"]["V2"].get<int>() + report["checked"]["V3"].get<int>(), figures["pairs"]);
    EXPECT_TRUE(report["failures"].empty());
    EXPECT_EQ(report["mutants"]["made"], 17);
    EXPECT_EQ(report["mutants"]["passed"], 0);
    EXPECT_LE(report["mutants"]["equivalent"], 4);
    expect_failure(iir2d({"synth", "verify", path("none")}), 3, "is not a data set");
    expect_failure(iir2d({"synth", "verify", path("one"), "--levels", "V7"}), 2, "V7");
    expect_failure(iir2d({"synth", "verify", path("one"), "--levels", "V0"},
                         {.environment = {"IIR2D_CUDA_LIBRARIES=/nowhere"}}),
                   4, "V0 of ptx-nvrtc:sm_90");

    const auto stats = iir2d({"synth", "stats", path("one"), "--json", "--out-md", path("stats.md")});
    ASSERT_EQ(stats.code, 0) << stats.err;
    EXPECT_EQ(Json::parse(stats.out), Json::parse(text_of("one/stats.json")));
    EXPECT_EQ(text_of("stats.md"), text_of("one/stats.md"));
    expect_failure(iir2d({"synth", "stats", path("none")}), 3, "is not a data set");

    auto lines = *workbench::synth::read_lines(path("one/shards/00000.jsonl.zst"));
    const Json record = Json::parse(lines[0]);
    const std::string id = record["id"];
    const Words show{"synth", "show", path("one"), "--id", id};
    const auto with = [](Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return iir2d(words);
    };
    const Json shown = Json::parse(with(show, {"--target", "llvm-host-o0", "--json"}).out);
    EXPECT_EQ(shown["source"], record["source"]);
    ASSERT_EQ(shown["ir"].size(), 1U);
    EXPECT_EQ(shown["ir"][0]["target"], "llvm-host-o0");
    EXPECT_THAT(with(show, {"--backward"}).out, HasSubstr("_backward("));
    const Json data = Json::parse(with(show, {"--data", "--json"}).out);
    EXPECT_GE(data.size(), 2U);
    for (const char* key : {"set", "inputs", "outputs"}) EXPECT_TRUE(data[0].contains(key)) << key;
    EXPECT_EQ(data[0]["outputs"][0]["values"].size(), data[0]["outputs"][0]["bounds"].size());
    expect_failure(with(show, {"--target", "cubin:sm_90"}), 2, "llvm-host-o0");
    expect_failure(iir2d({"synth", "show", path("one"), "--id", "x"}), 2, "no record with the id");

    const auto difference =
        iir2d({"synth", "diff", path("one"), "--id", id, "--between", "llvm-host-o0,llvm-host-o2"});
    EXPECT_THAT(difference.out, HasSubstr("--- llvm-host-o0\n+++ llvm-host-o2\n@@ -"));
    EXPECT_THAT(difference.out, HasSubstr("| alloca | "));
    const auto same = iir2d({"synth", "diff", path("one"), path("two"), "--json"});
    EXPECT_EQ(Json::parse(same.out)["records"], (Json{{"first", 28}, {"second", 28}, {"common", 28}}));

    const Words exported{"synth", "export", path("one"), "--out"};
    EXPECT_EQ(with(exported, {path("pairs.jsonl"), "--as", "pairs", "--target", "ptx-nvrtc:sm_90"}).code, 0);
    const std::string pairs = text_of("pairs.jsonl");
    const Json pair = Json::parse(pairs.substr(0, pairs.find('\n')));
    EXPECT_EQ(pair.size(), 6U);
    EXPECT_EQ(pair["source"], record["source"]["cuda"]);
    EXPECT_EQ(with(exported, {path("jax"), "--as", "seed-jax"}).code, 0);
    for (const char* key : {"function_name", "source", "ir_code", "dialect", "signature", "input_info",
                            "category", "operation", "complexity"})
        EXPECT_TRUE(Json::parse(text_of("jax/" + id + ".json")).contains(key)) << key;
    EXPECT_EQ(with(exported, {path("warp"), "--as", "seed-warp", "--category", "math"}).code, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(path("warp")), {}), 2);
    expect_python_of(with(exported, {path("py"), "--as", "jax"}), "py");
    expect_failure(with(exported, {path("y"), "--as", "pairs", "--lower"}), 2, "--lower");
    expect_failure(with(exported, {path("y"), "--as", "jax", "--target", "llvm-host-o0"}), 2, "--target");
    const auto lowered = [&](const std::string& python) {
        return iir2d({"synth", "export", path("one"), "--out", path("y"), "--as", "jax", "--lower"},
                     {.environment = {"IIR2D_PYTHON=" + python}});
    };
    expect_failure(lowered("/nowhere/python"), 4, "/nowhere/python");
    expect_failure(lowered("false"), 4, "has failed: it ended by itself with exit code 1");
    EXPECT_FALSE(fs::exists(path("y")));
    expect_failure(with(exported, {path("y"), "--as", "pairs", "--target", "x"}), 2,
                   "it has ptx-nvrtc:sm_90");

    // One changed instruction, with sums that fit.
    Json changed = record;
    std::string text = changed["ir"][0]["text"];
    const std::size_t at = text.find("mov.u32");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 7, "mov.b32");
    changed["ir"][0]["text"] = text;
    lines[0] = changed.dump();
    std::ofstream(path("one/shards/00000.jsonl.zst"), std::ios::binary)
        << *workbench::synth::compressed_lines(lines);
    const auto found = iir2d({"synth", "verify", path("one"), "--sample", "28"});
    EXPECT_EQ(found.code, 5);
    EXPECT_THAT(found.out, HasSubstr(id + ": V0: ptx-nvrtc:sm_90: line "));
    EXPECT_THAT(found.out, HasSubstr("shards/00000.jsonl.zst: files: its SHA-256"));
}

TEST_F(SynthSet, WhatIsWrongHasItsExitCode) {
    for (const char* count : {"0", "-5", "1.5", "many", "99999999999999999999999"})
        expect_failure(generate("a", count), 2, "--count");
    expect_failure(generate("a", "9", {"--seed", "-1"}), 2, "--seed");
    expect_failure(generate("a", "9", {"--jobs", "0"}), 2, "--jobs");
    expect_failure(iir2d({"synth", "verify", path("a"), "--mutants", "-1"}), 2, "--mutants");
    expect_failure(iir2d({"synth", "verify", path("a"), "--sample", "-1"}), 2, "--sample");
    expect_failure(generate("a", "9", {"--categories", "math,arithmatic"}), 2, "arithmatic");
    expect_failure(generate("a", "9", {"--weights", "math=2,block"}), 2, "--weights");
    expect_failure(generate("a", "9", {"--weights", "math=-1"}), 2, "--weights");
    expect_failure(generate("a", "9", {"--weights", "math=1", "--balanced"}), 2, "--balanced");
    expect_failure(generate("a", "9", {"--levels", "V9"}), 2, "V9");
    expect_failure(generate("a", "9", {"--targets", "ptx"}), 2, "there is no target ptx");
    expect_failure(
        iir2d({"synth", "generate", "--out", path("a"), "--count", "9", "--targets", "ptx-nvrtc:sm_90"},
              {.environment = {"IIR2D_CUDA_LIBRARIES=/nowhere"}}),
        4, "ptx-nvrtc:sm_90");
    EXPECT_FALSE(fs::exists(path("a")));
    // What is left out is said with what the loader says, and stored without paths.
    const auto hidden =
        iir2d({"synth", "generate", "--out", path("h"), "--count", "2", "--categories", "arithmetic"},
              {.environment = {"IIR2D_CUDA_LIBRARIES=" + path("hidden")}});
    ASSERT_EQ(hidden.code, 0) << hidden.err;
    EXPECT_THAT(hidden.err, HasSubstr("left out: ptx-nvrtc:sm_90: NVRTC"));
    EXPECT_THAT(hidden.err, HasSubstr(path("hidden")));
    EXPECT_THAT(text_of("h/manifest.json"), HasSubstr("ptx-nvrtc:sm_90: NVRTC"));
    EXPECT_THAT(text_of("h/manifest.json"), Not(HasSubstr(path("hidden"))));
    expect_failure(generate(fs::path(write_text("file", "")).filename().string() + "/set", "9"), 6,
                   "file/set");
    // Weights and levels are in what the run says of itself.
    const auto made =
        generate("w", "6",
                 {"--weights", "math=2,block=1", "--levels", "V2", "--targets", "llvm-host-o0,llvm-host-o0"});
    ASSERT_EQ(made.code, 0) << made.err;
    const Json run = Json::parse(text_of("w/run.json"));
    EXPECT_EQ(run["targets"], Json::array({"llvm-host-o0"}));  // named twice, kept once
    EXPECT_EQ(run["quotas"]["math"], 4);
    EXPECT_EQ(run["quotas"]["block"], 2);
    EXPECT_EQ(run["levels"], Json::array({"V2"}));
    expect_failure(generate("w", "6", {"--weights", "math=2,block=1", "--levels", "V2", "--resume"}), 2,
                   "targets: [\"llvm-host-o0\"], not [\"ptx-nvrtc:sm_90\"");
    EXPECT_EQ(iir2d({"synth", "verify", path("w")}).code, 0);
    // Interrupted, and gone on with; another one is killed.
    for (const int signal : {SIGINT, SIGTERM}) {
        const auto stopped = iir2d({"synth", "generate", "--out", path("s"), "--count", "5000", "--resume"},
                                   {.interrupt_after = std::chrono::milliseconds(700), .signal = signal});
        EXPECT_EQ(stopped.code, 130) << stopped.err;
        EXPECT_TRUE(fs::exists(path("s/run.json")));
    }
}

#ifdef IIR2D_FAKE_CUDA_DIR
// V4, over the stand-in driver, whose GPU is of capability 9.0 unless a scenario says another.
TEST_F(SynthSet, RunsOnAGpu) {
    const auto made = generate("one", "28", {"--backward", "--targets", "ptx-nvrtc:sm_75,ptx-nvrtc:sm_90"});
    ASSERT_EQ(made.code, 0) << made.err;
    const auto verify = [&](const std::string& scenario, const Words& more) {
        Words words{"synth", "verify", path("one")};
        words.insert(words.end(), more.begin(), more.end());
        return iir2d(words,
                     {.environment = {"LD_LIBRARY_PATH=" IIR2D_FAKE_CUDA_DIR, "FAKE_CUDA=" + scenario}});
    };
    const auto checked = [](const Outcome& outcome) { return Json::parse(outcome.out)["checked"]; };
    const auto both = verify("devices=2", {"--levels", "V3,V4", "--device", "cuda:1", "--json"});
    EXPECT_EQ(both.code, 0) << both.out;
    EXPECT_GT(checked(both)["V4"], 56);
    EXPECT_EQ(checked(both)["V4"], checked(both)["V3"]);
    // An older GPU takes the older target alone.
    const auto older = verify("capability=80", {"--levels", "V4", "--json"});
    EXPECT_EQ(older.code, 0) << older.out;
    EXPECT_EQ(2 * checked(older)["V4"].get<int>(), checked(both)["V4"].get<int>());
    EXPECT_THAT(older.err, HasSubstr("left out: V4 of ptx-nvrtc:sm_90"));
    expect_failure(verify("capability=70", {"--levels", "V4"}), 4, "");
    expect_failure(verify("devices=0", {"--levels", "V4"}), 4, "GPU");
    expect_failure(verify("devices=1", {"--device", "cpu"}), 2, "--device");
    // A launch that fails is a fault.
    const auto failing = verify("launch=3", {"--levels", "V4"});
    EXPECT_EQ(failing.code, 5);
    EXPECT_THAT(failing.out, HasSubstr(": V4: ptx-nvrtc:sm_75"));
    EXPECT_THAT(failing.out, HasSubstr("cuLaunchKernel"));
    EXPECT_THAT(failing.out, Not(HasSubstr("without optimisation")));
    // A text that gives something else says whether it does so without the driver's optimiser too.
    const auto folded = verify("folds_nan=1", {"--levels", "V4"});
    EXPECT_EQ(folded.code, 5);
    EXPECT_THAT(folded.out,
                HasSubstr("; compiled by the driver without optimisation it gives what is expected"));
    const auto always = verify("folds_nan=2", {"--levels", "V4"});
    EXPECT_EQ(always.code, 5);
    EXPECT_THAT(always.out, HasSubstr("; also when the driver compiles it without optimisation\n"));
    EXPECT_THAT(always.out, Not(HasSubstr("it gives what is expected")));
}
#endif

}  // namespace
}  // namespace app_test
