// SPDX-License-Identifier: MIT
// iir2d synth targets and extract: exit codes and JSON.
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/app/cli_folder.h"

namespace app_test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* two_kernels = R"(#include "scale.h"
extern "C" __global__ void first(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
__global__ void second(float* y) {
    y[threadIdx.x] = AMOUNT;
}
)";

class SynthCli : public CliFolder {
  protected:
    void SetUp() override {
        CliFolder::SetUp();
        write_text("scale.h", "__device__ inline float scale(float a) { return a * 2.0f; }\n");
        file = write_text("two.cu", two_kernels);
        for (const Json& one : Json::parse(iir2d({"synth", "targets", "--json"}).out)) {
            if (one["target"] != "ptx-nvrtc:sm_90") continue;
            has_nvrtc = one["available"];
            if (has_nvrtc) nvrtc = one["path"].get<std::string>();
        }
    }
    std::vector<std::string> extract(const std::vector<std::string>& more) const {
        std::vector<std::string> made{"synth", "extract", file, "-D", "AMOUNT=3.0f"};
        made.insert(made.end(), more.begin(), more.end());
        return made;
    }
    std::string file;
    bool has_nvrtc = false;
    std::filesystem::path nvrtc;
};

#define IIR2D_NEEDS_NVRTC \
    if (!has_nvrtc) GTEST_SKIP() << "NVRTC is not available here"

// NVRTC finds its second part by the loader's path alone, where a fetched toolkit does not lie.
TEST_F(SynthCli, OpensThePartOfNvrtcThatLiesBesideIt) {
    IIR2D_NEEDS_NVRTC;
    const std::filesystem::path toolkit = folder / "toolkit";
    std::filesystem::create_directory(toolkit);
    for (const auto& one : std::filesystem::directory_iterator(nvrtc.parent_path())) {
        if (one.path().filename().string().starts_with("libnvrtc"))
            std::filesystem::create_symlink(one.path(), toolkit / one.path().filename());
    }
    const auto outcome = iir2d(extract({"--kernel", "first"}),
                               {.environment = {"IIR2D_CUDA_LIBRARIES=" + toolkit.string(), "LD_DEBUG=files",
                                                "LD_DEBUG_OUTPUT=" + path("loaded")}});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::string loaded;
    for (const std::string& name : names()) {
        if (name.starts_with("loaded")) loaded += text_of(name);
    }
    EXPECT_THAT(loaded, HasSubstr((toolkit / "libnvrtc-builtins.so.").string()));
}

TEST_F(SynthCli, TargetsSayWhatIsThereAndWhyNot) {
    for (const char* where : {"", "IIR2D_CUDA_LIBRARIES=/nowhere", "IIR2D_WORKER_DIR=/nowhere"}) {
        RunOptions options;
        if (*where != '\0') options.environment.emplace_back(where);
        const auto outcome = iir2d({"synth", "targets", "--json"}, options);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Json targets = Json::parse(outcome.out);
        ASSERT_EQ(targets.size(), 22U);
        for (const Json& one : targets) {
            EXPECT_EQ(one.size(), 5U);
            EXPECT_NE(one["available"].get<bool>(), one["reason"].is_string()) << one.dump();
            EXPECT_EQ(one["available"].get<bool>(), one["version"].is_string()) << one.dump();
            const bool by_nvidia = one["target"].get<std::string>().find("llvm") != 0 &&
                                   one["target"].get<std::string>().find("ptx-clang") != 0;
            const bool is_hidden =
                *where != '\0' && (by_nvidia || std::string(where).find("WORKER") != std::string::npos);
            EXPECT_FALSE(is_hidden && one["available"].get<bool>()) << one.dump();
        }
    }
}

TEST_F(SynthCli, WithoutACompilerExtractIsFour) {
    expect_failure(iir2d(extract({"--kernel", "first"}), {.environment = {"IIR2D_CUDA_LIBRARIES=/nowhere"}}),
                   4, "ptx-nvrtc:sm_90");
    expect_failure(iir2d(extract({"--kernel", "first", "--targets", "cubin:sm_90"}),
                         {.environment = {"IIR2D_CUDA_LIBRARIES=/nowhere"}}),
                   4, "cubin:sm_90");
    expect_failure(iir2d(extract({"--kernel", "first"}), {.environment = {"IIR2D_WORKER_DIR=/nowhere"}}), 4,
                   "iir2d-compiler");
}

TEST_F(SynthCli, AKernelOfTheLanguageIsRunAndHasABackwardOne) {
    IIR2D_NEEDS_NVRTC;
    const std::string head =
        "__global__ void wave(const float* x, float* out, float s, int n, int m) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
    const std::string source = head + "    if (i >= n) return;\n    out[i] = x[i] * s + sinf(x[i]);\n}\n";
    const auto of = [&](const std::string& text, const std::vector<std::string>& more) {
        std::vector<std::string> words{"synth", "extract", write_text("wave.cu", text), "--kernel", "wave"};
        words.insert(words.end(), more.begin(), more.end());
        return iir2d(words);
    };
    const auto outcome = of(source, {"--backward", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["inside"], true);
    EXPECT_TRUE(json["reason"].is_null());
    EXPECT_THAT(json["source"]["cpp"].get<std::string>(), HasSubstr("void wave("));
    EXPECT_EQ(json["backward"]["wrt"], Json::array({"x", "s"}));
    std::set<std::string> levels;
    for (const Json& one : json["verification"])
        levels.insert(one["level"].get<std::string>() + " " + one["target"].get<std::string>() + " " +
                      one["direction"].get<std::string>());
    EXPECT_TRUE(levels.contains("V3 ptx-nvrtc:sm_90 forward"));
    EXPECT_TRUE(levels.contains("V3 ptx-nvrtc:sm_90 backward"));
    EXPECT_EQ(levels.contains("V2 llvm-host-o2 forward"), levels.contains("V2 llvm-host-o0 backward"));
    EXPECT_EQ(json["ir"].size(), levels.size());
    EXPECT_THAT(of(source, {}).out, HasSubstr("it is inside the language"));

    const std::string other = head + "    if (i >= n) return;\n    out[i] = __sinf(x[i]);\n}\n";
    const auto outside = of(other, {"--json"});
    ASSERT_EQ(outside.code, 0) << outside.err;
    EXPECT_EQ(Json::parse(outside.out)["inside"], false);
    EXPECT_THAT(Json::parse(outside.out)["reason"].get<std::string>(), HasSubstr("line 4"));
    expect_failure(of(other, {"--backward"}), 2, "line 4");
    // What reads beyond its array is inside, and told.
    EXPECT_THAT(of(head + "    if (i >= n) return;\n    out[i] = x[i + n * m];\n}\n", {}).out,
                HasSubstr("it cannot be verified: "));
}

TEST_F(SynthCli, ExtractsEachKernelWithLines) {
    IIR2D_NEEDS_NVRTC;
    const auto outcome = iir2d(extract({"--kernel", "first", "--lines", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    for (const char* key :
         {"kernel", "params", "inside", "reason", "source", "ir", "backward", "verification", "lines"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["kernel"], "first");
    EXPECT_EQ(json["params"].size(), 3U);
    EXPECT_EQ(json["source"]["cuda"], two_kernels);
    const std::string text = json["ir"][0]["text"];
    EXPECT_THAT(text, HasSubstr(".visible .entry first("));
    EXPECT_EQ(text.find("second"), std::string::npos);
    EXPECT_EQ(json["ir"][0]["bytes"], text.size());
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    ASSERT_TRUE(json["lines"]["ptx-nvrtc:sm_90"].is_array()) << outcome.err;
    bool is_found = false;
    for (const Json& pair : json["lines"]["ptx-nvrtc:sm_90"]) {
        const std::size_t line = pair[0];
        ASSERT_LE(line, lines.size());
        if (lines[line - 1].find("%tid.x") != std::string::npos) {
            EXPECT_EQ(pair[1], 3);
            is_found = true;
        }
    }
    EXPECT_TRUE(is_found);

    const auto second = iir2d(extract({"--kernel", "second", "--out", path("out.txt")}));
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_THAT(text_of("out.txt"), HasSubstr(".visible .entry _Z6secondPf("));
    EXPECT_THAT(text_of("out.txt"), HasSubstr("1077936128"));  // 3.0f
}

TEST_F(SynthCli, WhatIsWrongHasItsExitCode) {
    IIR2D_NEEDS_NVRTC;
    expect_failure(iir2d(extract({"--kernel", "third"})), 2, "first, second(float*)");
    expect_failure(iir2d({"synth", "extract", file, "--kernel", "first"}), 3,
                   "two.cu:7: identifier \"AMOUNT\" is undefined");
    expect_failure(iir2d(extract({"--kernel", "first", "--targets", "ptx-nvrtc:sm_1"})), 2, "ptx-nvrtc:sm_1");
    expect_failure(iir2d(extract({"--kernel", "first", "--targets", "llvm-host-o0"})), 2, "llvm-host-o0");
    expect_failure(iir2d({"synth", "extract", path("none.cu"), "--kernel", "k"}), 3, "none.cu");
}

TEST_F(SynthCli, KernelsAreNamedAsTheyAreWritten) {
    IIR2D_NEEDS_NVRTC;
    const std::string source =
        write_text("named.cu",
                   "template <class T> __global__ void scale(T* x) { x[0] *= 2; }\n"
                   "template __global__ void scale<float>(float*);\n"
                   "namespace n { template <class T> __global__ void half(T* x) { x[0] /= 2; }\n"
                   "template __global__ void half<double>(double*); }\n"
                   "extern \"C\" __global__ void add(float* x) { x[0] += 1.0f; }\n"
                   "extern \"C\" __global__ void prototype_2(float* x) { x[0] += x[1]; }\n"
                   "namespace n { __global__ void add(int* x) { x[0] += 1; } }\n");
    const auto extracted = [&](const std::string& kernel) {
        const auto outcome = iir2d({"synth", "extract", source, "--kernel", kernel, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.code == 0 ? Json::parse(outcome.out) : Json{{"kernel", ""}};
    };
    // Not as the type "signed char" of mangled names.
    const std::string letters = write_text("letters.cu",
                                           "extern \"C\" __global__ void a(float* x) { x[0] = 1.0f; }\n"
                                           "extern \"C\" __global__ void b(float* x, int n, int m) {\n"
                                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                           "    if (i >= n) return;\n    x[i] = 2.0f;\n}\n");
    expect_failure(iir2d({"synth", "extract", letters, "--kernel", "c"}), 2, "there are a, b");
    const auto b = iir2d({"synth", "extract", letters, "--kernel", "b", "--json"});
    ASSERT_EQ(b.code, 0) << b.err;
    EXPECT_EQ(Json::parse(b.out)["inside"], true) << b.out;
    for (const char* name : {"scale", "scale<float>", "scale<float>(float*)", "void scale<float>(float*)"})
        EXPECT_EQ(extracted(name)["kernel"], "_Z5scaleIfEvPT_") << name;
    for (const char* name : {"half", "n::half", "n::half<double>", "half<double>"})
        EXPECT_EQ(extracted(name)["kernel"], "_ZN1n4halfIdEEvPT_") << name;
    EXPECT_EQ(extracted("n::add")["kernel"], "_ZN1n3addEPi");
    EXPECT_EQ(extracted("add")["kernel"], "add");
    const std::string text = extracted("prototype_2")["ir"][0]["text"];
    EXPECT_THAT(text, HasSubstr(".visible .entry prototype_2("));
    EXPECT_EQ(text.find(".entry add("), std::string::npos);
}

TEST_F(SynthCli, ShowsTheKernelsOfSolversCompiledAndRun) {
    IIR2D_NEEDS_NVRTC;
    const auto shown =
        iir2d({"synth", "show", "--kernel", "solve/rosenbrock", "--target", "ptx-nvrtc:sm_90", "--json"});
    ASSERT_EQ(shown.code, 0) << shown.err;
    const Json record = Json::parse(shown.out);
    EXPECT_EQ(record["id"], "solve/rosenbrock");
    EXPECT_NE(record["source"]["cuda"].get<std::string>().find("void rosenbrock("), std::string::npos);
    ASSERT_EQ(record["ir"].size(), 1U);
    EXPECT_NE(record["ir"][0]["text"].get<std::string>().find(".visible .entry rosenbrock("),
              std::string::npos);
    ASSERT_EQ(record["verification"].size(), 2U);
    for (const Json& one : record["verification"]) EXPECT_EQ(one["level"], "V3");
    const auto backward =
        iir2d({"synth", "show", "--kernel", "solve/rosenbrock", "--target", "ptx-nvrtc:sm_90", "--backward"});
    ASSERT_EQ(backward.code, 0) << backward.err;
    EXPECT_NE(backward.out.find("void rosenbrock_backward("), std::string::npos);
    expect_failure(iir2d({"synth", "show", "--kernel", "solve/thomas", "--backward"}), 2,
                   "it reads what it writes");
    expect_failure(iir2d({"synth", "show", "--kernel", "solve/nothing"}), 2, "there are chunk_dot, ");
    expect_failure(iir2d({"synth", "show", "--kernel", "thomas"}), 2, "--kernel is solve/NAME");
    expect_failure(iir2d({"synth", "show", "DIR", "--kernel", "solve/thomas"}), 2, "or --kernel solve/NAME");
}

// In place of a Python with JAX stand shell scripts.
TEST_F(SynthCli, AKernelThatEndsPythonIsDroppedAndWhatPythonSaidIsTold) {
    const auto lowered = [&](const std::string& script) {
        const std::string python = write_text("python", "#!/bin/sh\n" + script);
        std::filesystem::permissions(python, std::filesystem::perms::owner_all);
        const std::string set = std::string(IIR2D_SOURCE_DIR) + "/tests/app/golden_set";
        return iir2d({"synth", "export", set, "--out", path("jax"), "--as", "jax", "--lower"},
                     {.environment = {"IIR2D_PYTHON=" + python}});
    };
    expect_failure(lowered("echo first >&2\necho 'XLA is broken' >&2\necho >&2\nexit 3\n"), 4,
                   "has failed: it ended by itself with exit code 3: XLA is broken");
    EXPECT_FALSE(std::filesystem::exists(path("jax")));
    // Answers for two kernels, and crashes at the third.
    const auto outcome = lowered(
        R"(awk 'NR == 3 { exit 1 } { print "{\"error\": \"not lowered\"}" }' "$2" > "$3" && exit 0
echo 'no memory' >&2
kill -SEGV $$
)");
    expect_failure(outcome, 5, "another result in JAX");
    int all = 0, crashed = 0;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        const bool is_crash = line.find(": it ended Python, which crashed (signal 11, ") != std::string::npos;
        if (!is_crash && line.find(": not lowered") == std::string::npos) continue;
        EXPECT_EQ(is_crash, ++all % 3 == 0) << line;
        EXPECT_TRUE(!is_crash || line.ends_with(": no memory")) << line;
        if (is_crash) ++crashed;
    }
    EXPECT_GE(crashed, 6);
    EXPECT_TRUE(std::filesystem::is_empty(path("jax")));
}

TEST_F(SynthCli, IncludesAreOfTheSourcesFolderNotOfTheWorkingDirectory) {
    IIR2D_NEEDS_NVRTC;
    const std::string other = path("caf\xe9");  // no UTF-8
    std::filesystem::create_directory(other);
    std::filesystem::copy(path("two.cu"), other + "/two.cu");
    std::filesystem::copy(path("scale.h"), other + "/scale.h");
    write_text("scale.h", "#error of the working directory\n");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(path(""));
    const auto outcome =
        iir2d({"synth", "extract", other + "/two.cu", "-D", "AMOUNT=3.0f", "--kernel", "first"});
    std::filesystem::current_path(before);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(SynthCli, HostileSourcesAreErrorsInBoundedTime) {
    IIR2D_NEEDS_NVRTC;
    const auto expect_bad = [&](const std::string& text) {
        const auto begin = std::chrono::steady_clock::now();
        const auto outcome = iir2d({"synth", "extract", write_text("hostile.cu", text), "--kernel", "k"});
        expect_failure(outcome, 3, "hostile.cu");
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(70));
    };
    expect_bad(
        "template <int N> struct A { typedef typename A<N + 1>::t t; };\n__global__ void k(float* x) { "
        "A<0>::t y; x[0] = y; }\n");
    expect_bad("#include \"/dev/zero\"\n");
    expect_bad("#include \"/dev/stdin\"\n");
    expect_bad("#include \"hostile.cu\"\n");
    expect_bad(std::string("\0\xff\xfe binary \x1b[2J", 16));
    expect_bad("extern \"C\" __global__ void k(float* y) { y[0] = " + std::string(100'000, '(') + "1;}\n");
    std::filesystem::resize_file(path("hostile.cu"), std::uintmax_t{1} << 30);
    expect_failure(iir2d({"synth", "extract", path("hostile.cu"), "--kernel", "k"}), 3, "hostile.cu");
}

}  // namespace
}  // namespace app_test
