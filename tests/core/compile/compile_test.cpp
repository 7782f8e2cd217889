// SPDX-License-Identifier: MIT
// The compiler process from outside: batches, what is stored of a kernel, crashes, limits, running what was
// made.
#include "core/compile/compiler.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "core/compile/run_ptx.h"

namespace workbench::compile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* ptx_target = "ptx-nvrtc:sm_90";

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
    std::vector<T> made(bytes.size() / sizeof(T));
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}

// Kernels with what numbers of a program depend on: helpers, tables, depots, loops, calls.
std::vector<Source> cuda_sources(int count) {
    std::vector<Source> made;
    for (int k = 0; k < count; ++k) {
        const std::string n = std::to_string(k);
        std::string text;
        switch (k % 4) {
            case 0:
                text = "__device__ __noinline__ float turn" + n +
                       "(float a, int d) { return d <= 0 ? a : turn" + n +
                       "(a * 1.5f, d - 1) + sinf(a); }\nextern \"C\" __global__ void kernel" + n +
                       "(const float* x, float* y, int n, int m) {\n    int i = blockIdx.x * blockDim.x + "
                       "threadIdx.x;\n"
                       "    if (i < n) y[i] = turn" +
                       n + "(x[i], 3);\n}\n";
                break;
            case 1:
                text = "extern \"C\" __global__ void kernel" + n +
                       "(const float* x, float* y, int n, int m) {\n    __shared__ float tile[64];\n    int "
                       "i = blockIdx.x * 64 + "
                       "threadIdx.x;\n    tile[threadIdx.x] = i < n ? x[i] : 0.0f;\n    __syncthreads();\n"
                       "    if (i < n) y[i] = tile[63 - threadIdx.x] + " +
                       n + ".0f;\n}\n";
                break;
            case 2:
                text = "extern \"C\" __global__ void kernel" + n +
                       "(const float* x, float* y, int n, int m) {\n    int i = blockIdx.x * blockDim.x + "
                       "threadIdx.x;\n"
                       "    float kept[16];\n    for (int j = 0; j < 16; ++j) kept[j] = x[(i + j * 7) % n];\n"
                       "    if (i < n) y[i] = kept[i & 15] * " +
                       n + ".0f;\n}\n";
                break;
            default:
                text = "extern \"C\" __global__ void kernel" + n +
                       "(const float* x, float* y, int n, int m) {\n    int i = blockIdx.x * blockDim.x + "
                       "threadIdx.x;\n"
                       "    if (i < n) y[i] = (float)cos((double)x[i]);\n}\n";
        }
        made.push_back({.text = text, .name = "kernel" + n + ".cu", .kernels = {"kernel" + n}});
    }
    return made;
}

// Helpers of one name in every source, as printed host sources have them.
std::vector<Source> host_sources(int count) {
    std::vector<Source> made;
    for (int k = 0; k < count; ++k) {
        const std::string n = std::to_string(k);
        made.push_back({.text = "#include <math.h>\nstruct pair { float a, b; };\nstatic float least(float "
                                "a, float b) { return a < b ? a : b; }\n"
                                "static const float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};\n"
                                "static pair both(const pair& p) { return {p.b, p.a}; }\n"
                                "extern \"C\" void kernel" +
                                n +
                                "(const float* x, float* y, float s, int n, int m) {\n"
                                "    for (int i = 0; i < n; ++i) {\n        pair p = both({x[i], s});\n"
                                "        y[i] = least(sinf(p.b) * table[i & 3], p.a) + " +
                                n + ".0f;\n    }\n}\n",
                        .name = "kernel" + n + ".cpp",
                        .kernels = {"kernel" + n}});
    }
    return made;
}

class Compile : public ::testing::Test {
  protected:
    // Whether there is what makes the target; the test is left out where there is not.
    bool has(const std::string& target) {
        const auto targets = compiler.targets();
        for (const TargetState& one : targets.value()) {
            if (one.target == target) return one.is_available;
        }
        return false;
    }
    std::vector<Compiled> compile(const std::string& target, const std::vector<Source>& sources) {
        auto made = compiler.compile(target, sources);
        EXPECT_TRUE(made) << made.error().message;
        return made ? *std::move(made) : std::vector<Compiled>(sources.size());
    }
    void expect_same_alone(const std::string& target, const std::vector<Source>& sources) {
        const auto together = compile(target, sources);
        for (std::size_t k = 0; k < sources.size(); ++k) {
            const auto alone = compile(target, {sources[k]});
            ASSERT_EQ(together[k].kernels.size(), 1U) << together[k].message;
            ASSERT_EQ(alone[0].kernels.size(), 1U) << alone[0].message;
            EXPECT_EQ(together[k].kernels[0].text, alone[0].kernels[0].text) << target << ", source " << k;
        }
    }
    Compiler compiler;
};

#define IIR2D_NEEDS(target) \
    if (!has(target)) GTEST_SKIP() << target << " is not available here"

TEST_F(Compile, EveryTargetSaysWhatItIsOrWhyItIsNot) {
    const auto targets = compiler.targets();
    ASSERT_TRUE(targets);
    ASSERT_EQ(targets->size(), all_targets().size());
    for (const TargetState& one : *targets)
        EXPECT_NE(one.version.empty() || !one.is_available, one.reason.empty()) << one.target;
}

TEST_F(Compile, PtxOfAKernelIsTheSameAloneAndInABatch) {
    IIR2D_NEEDS(ptx_target);
    expect_same_alone(ptx_target, cuda_sources(10));
    const std::string text = compile(ptx_target, cuda_sources(8))[4].kernels[0].text;
    EXPECT_THAT(text, HasSubstr("$L__BB0_"));
    EXPECT_THAT(text, HasSubstr("__local_depot0"));
    EXPECT_THAT(text, HasSubstr(".func  (.param .b32 func_retval0) _Z5turn4fi"));
    EXPECT_THAT(text, Not(HasSubstr("//")));
    EXPECT_THAT(text, Not(HasSubstr("kernel5")));
}

TEST_F(Compile, HostIrOfAKernelIsTheSameAloneAndInABatch) {
    IIR2D_NEEDS("llvm-host-o2");
    for (const char* target : {"llvm-host-o0", "llvm-host-o2"}) {
        expect_same_alone(target, host_sources(12));
        const std::string text = compile(target, host_sources(12))[11].kernels[0].text;
        EXPECT_THAT(text, HasSubstr("define dso_local void @kernel11("));
        EXPECT_THAT(text, Not(HasSubstr("source_filename")));
        EXPECT_THAT(text, Not(HasSubstr("llvm.ident")));
        EXPECT_THAT(text, Not(HasSubstr("iir2d_k11")));
        EXPECT_THAT(text, Not(HasSubstr("kernel10")));
    }
}

TEST_F(Compile, DeviceIrByClangIsTheSameAloneAndInABatch) {
    IIR2D_NEEDS("llvm-nvptx");
    expect_same_alone("ptx-clang:sm_80", cuda_sources(4));
    expect_same_alone("llvm-nvptx", cuda_sources(4));
}

TEST_F(Compile, WithLinesTheTextIsTheSameAndLinesAreTheSources) {
    IIR2D_NEEDS("llvm-nvptx");
    CompileOptions with_lines;
    with_lines.with_lines = true;
    for (const char* target : {ptx_target, "llvm-host-o0", "llvm-host-o2", "llvm-nvptx", "ptx-clang:sm_80"}) {
        const std::vector<Source> sources = takes_cuda(target) ? cuda_sources(3) : host_sources(3);
        const auto made = compiler.compile(target, sources, with_lines);
        ASSERT_TRUE(made) << made.error().message;
        const auto without = compile(target, sources);
        for (std::size_t k = 0; k < sources.size(); ++k) {
            const KernelText& text = (*made)[k].kernels.at(0);
            EXPECT_EQ(text.text, without[k].kernels.at(0).text) << target;
            EXPECT_GT(text.lines.size(), 4U) << target;
            const auto lines = [](const std::string& of) { return std::ranges::count(of, '\n'); };
            for (const auto& [line, source] : text.lines) {
                EXPECT_LE(line, lines(text.text)) << target;
                EXPECT_LE(source, lines(sources[k].text)) << target;
                EXPECT_GT(source, 0) << target;
            }
            EXPECT_TRUE(without[k].kernels[0].lines.empty());
        }
    }
}

TEST_F(Compile, ASourceThatDoesNotCompileStandsAlone) {
    IIR2D_NEEDS(ptx_target);
    auto sources = cuda_sources(5);
    const auto sound = compile(ptx_target, sources);
    sources[2].text = "extern \"C\" __global__ void kernel2(float* y) {\n    y[0] = nowhere;\n}\n";
    const auto made = compile(ptx_target, sources);
    EXPECT_EQ(made[2].end, Compiled::End::compiler_error);
    EXPECT_THAT(made[2].message, HasSubstr("kernel2.cu(2): error"));
    for (const std::size_t k : {0U, 1U, 3U, 4U}) {
        ASSERT_EQ(made[k].kernels.size(), 1U) << made[k].message;
        EXPECT_EQ(made[k].kernels[0].text, sound[k].kernels[0].text);
    }
}

TEST_F(Compile, ASourceThatEndsTheCompilerStandsAlone) {
    IIR2D_NEEDS("llvm-host-o0");
    auto sources = host_sources(4);
    const auto sound = compile("llvm-host-o0", sources);
    // Nested deeper than Clang's stack is.
    sources[1].text = "extern \"C\" void kernel1(int* y) { y[0] = " + std::string(300'000, '~') + "1; }\n";
    const auto made = compile("llvm-host-o0", sources);
    EXPECT_EQ(made[1].end, Compiled::End::compiler_died) << made[1].message.substr(0, 200);
    EXPECT_THAT(made[1].message, HasSubstr("the compiler crashed"));
    for (const std::size_t k : {0U, 2U, 3U}) {
        ASSERT_EQ(made[k].kernels.size(), 1U) << made[k].message;
        EXPECT_EQ(made[k].kernels[0].text, sound[k].kernels[0].text);
    }
}

TEST_F(Compile, ATimeLimitEndsTheProcessAndTheNextQuestionStartsAnother) {
    IIR2D_NEEDS(ptx_target);
    CompileOptions options;
    options.patience = std::chrono::milliseconds(1);
    const int before = compiler.process_id().value();
    const auto sources = cuda_sources(1);
    const auto late = compiler.compile(ptx_target, sources, options);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::device_failure);
    EXPECT_FALSE(compiler.process_id());
    EXPECT_TRUE(compiler.was_late());
    EXPECT_EQ(compile(ptx_target, sources)[0].end, Compiled::End::made);
    EXPECT_NE(compiler.process_id().value(), before);
}

TEST_F(Compile, AProcessThatWasKilledIsNoFaultOfTheSource) {
    IIR2D_NEEDS(ptx_target);
    const auto sources = cuda_sources(1);
    ASSERT_EQ(compile(ptx_target, sources)[0].end, Compiled::End::made);
    ::kill(compiler.process_id().value(), SIGKILL);
    const auto made = compile(ptx_target, sources);
    EXPECT_EQ(made[0].end, Compiled::End::made) << made[0].message;
    IIR2D_NEEDS("cubin:sm_90");
    ::kill(compiler.process_id().value(), SIGKILL);
    const auto cubin = compiler.assemble(made[0].kernels.at(0).text, 90);
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(cubin->end, Compiled::End::made) << cubin->message;
}

TEST_F(Compile, ADeadlineIsForAllThatIsAsked) {
    IIR2D_NEEDS(ptx_target);
    const auto sources = cuda_sources(1);
    compiler.set_deadline(std::chrono::steady_clock::now());
    const auto late = compiler.compile(ptx_target, sources);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::device_failure);
    EXPECT_TRUE(compiler.was_late());
    compiler.set_deadline(std::chrono::steady_clock::now() + std::chrono::minutes(10));
    EXPECT_EQ(compile(ptx_target, sources)[0].end, Compiled::End::made);
}

TEST_F(Compile, CancellingWhileItCompilesEndsTheProcess) {
    IIR2D_NEEDS(ptx_target);
    const auto sources = cuda_sources(48);  // for hundreds of milliseconds
    std::stop_source stop;
    const std::jthread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    const auto made = compiler.compile(ptx_target, sources, {}, stop.get_token());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::cancelled);
    EXPECT_FALSE(compiler.process_id());
    EXPECT_FALSE(compiler.was_late());
}

TEST_F(Compile, ClangsErrorsAreOfTheSourcesFileAndLine) {
    IIR2D_NEEDS("llvm-host-o0");
    auto sources = host_sources(2);
    sources[1].text = "extern \"C\" void kernel1(int* y) {\n    y[0] = nowhere;\n}\n";
    EXPECT_THAT(compile("llvm-host-o0", sources)[1].message, HasSubstr("kernel1.cpp:2:12: error"));
}

TEST_F(Compile, CancellingEndsTheProcess) {
    std::stop_source stop;
    stop.request_stop();
    const auto made = compiler.targets(stop.get_token());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::cancelled);
    EXPECT_FALSE(compiler.process_id());
}

TEST_F(Compile, ATargetThatIsNotThereIsRefused) {
    const auto sources = cuda_sources(1);
    const auto made = compiler.compile("ptx-nvrtc:sm_12", sources);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::device_failure);
    EXPECT_THAT(made.error().message, HasSubstr("ptx-nvrtc:sm_12"));
}

TEST_F(Compile, StoredPtxAssemblesAndAFaultyTextDoesNot) {
    IIR2D_NEEDS("cubin:sm_90");
    for (const Compiled& one : compile(ptx_target, cuda_sources(4))) {
        const auto cubin = compiler.assemble(one.kernels.at(0).text, 90);
        ASSERT_TRUE(cubin) << cubin.error().message;
        EXPECT_EQ(cubin->end, Compiled::End::made) << cubin->message;
    }
    // An add that fails is followed by a complete that succeeds: each return code counts.
    const auto faulty = compiler.assemble(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { nothing; }\n", 90);
    ASSERT_TRUE(faulty);
    EXPECT_EQ(faulty->end, Compiled::End::compiler_error);
}

std::vector<Argument> arguments_for(const std::vector<float>& x) {
    return {{.bytes = bytes_of(x), .is_array = true},
            {.bytes = bytes_of(std::vector<float>(x.size())), .is_array = true, .is_output = true},
            {.bytes = bytes_of(std::vector<std::int32_t>{static_cast<std::int32_t>(x.size())})},
            {.bytes = bytes_of(std::vector<std::int32_t>{1})}};
}

TEST_F(Compile, StoredPtxRuns) {
    IIR2D_NEEDS(ptx_target);
    std::vector<float> x(200);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k) / 16.0F;
    const auto made = compile(ptx_target, cuda_sources(3));
    const auto module = ptx::Module::parse(made[2].kernels.at(0).text);
    ASSERT_TRUE(module) << module.error().message;
    const auto result =
        run_ptx(*module, {.kernel = "kernel2", .grid = {4, 1, 1}, .block = {64, 1, 1}}, arguments_for(x));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->outcome.findings_total, 0U);
    const auto y = values_of<float>(result->outputs.at(0));
    for (std::size_t k = 0; k < x.size(); ++k) ASSERT_EQ(y[k], x[(k + (k & 15U) * 7) % x.size()] * 2.0F) << k;
    EXPECT_FALSE(run_ptx(*module, {.kernel = "kernel2"}, {}));
}

TEST_F(Compile, StoredHostIrRuns) {
    IIR2D_NEEDS("llvm-host-o2");
    const float s = 0.75F;
    const std::vector<float> x{0.0F, -1.5F, 3.0F, std::numeric_limits<float>::infinity(), 1e-40F};
    std::vector<HostRun> runs;
    for (const char* target : {"llvm-host-o0", "llvm-host-o2"}) {
        auto arguments = arguments_for(x);
        arguments.insert(arguments.begin() + 2, Argument{.bytes = bytes_of(std::vector<float>{s})});
        runs.push_back({.text = compile(target, host_sources(4))[3].kernels.at(0).text,
                        .kernel = "kernel3",
                        .sets = {arguments, arguments}});
    }
    const auto results = compiler.run_host(runs);
    ASSERT_TRUE(results) << results.error().message;
    for (const HostResult& result : *results) {
        ASSERT_EQ(result.error, "");
        ASSERT_EQ(result.outputs.size(), 2U);
        const auto y = values_of<float>(result.outputs[1].at(0));
        const float table[] = {1.0F, 2.0F, 4.0F, 8.0F};
        for (std::size_t k = 0; k < x.size(); ++k) {
            const float a = std::sin(x[k]) * table[k & 3U];
            const float expected = (a < s ? a : s) + 3.0F;
            EXPECT_TRUE(y[k] == expected || (std::isnan(y[k]) && std::isnan(expected)))
                << k << ": " << y[k] << ", " << expected;
        }
    }
}

TEST_F(Compile, HostIrThatCrashesOrWritesBeyondIsOneResult) {
    IIR2D_NEEDS("llvm-host-o0");
    const auto arguments = [](std::size_t bytes) {
        return std::vector<std::vector<Argument>>{
            {{.bytes = std::vector<std::byte>(bytes), .is_array = true, .is_output = true}}};
    };
    const auto ir = [](const std::string& body) {
        return "define void @k(ptr %p) {\n" + body + "\n  ret void\n}\n";
    };
    std::string callers;  // the names of what calls each of them
    for (int k = 0; k < 9; ++k)
        callers += "define void @iir2d_call_" + std::to_string(k) + "() {\n  ret void\n}\n";
    const std::vector<HostRun> runs{
        {.text = ir("  store i32 7, ptr %p"), .kernel = "k", .sets = arguments(4)},
        {.text = ir("  store i32 7, ptr null"), .kernel = "k", .sets = arguments(4)},
        {.text = ir("  store i64 7, ptr %p"), .kernel = "k", .sets = arguments(4)},
        {.text = ir("  %r = call i32 @getpid()") + "declare i32 @getpid()\n",
         .kernel = "k",
         .sets = arguments(4)},
        {.text = "no IR", .kernel = "k", .sets = arguments(4)},
        {.text = ir("  call void asm sideeffect \"nop\", \"\"()"), .kernel = "k", .sets = arguments(4)},
        {.text = "module asm \"nop\"\n" + ir(""), .kernel = "k", .sets = arguments(4)},
        {.text = ir("  call void inttoptr (i64 4096 to ptr)()"), .kernel = "k", .sets = arguments(4)},
        {.text = ir("") + callers, .kernel = "k", .sets = arguments(4)},
    };
    const auto results = compiler.run_host(runs);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ((*results)[0].error, "");
    EXPECT_EQ(values_of<int>((*results)[0].outputs.at(0).at(0)), std::vector<int>{7});
    EXPECT_TRUE((*results)[1].has_died);
    EXPECT_THAT((*results)[2].error, HasSubstr("beyond argument 0"));
    EXPECT_THAT((*results)[3].error, HasSubstr("getpid"));
    EXPECT_FALSE((*results)[4].error.empty());
    for (const std::size_t k : {5U, 6U, 7U}) {
        EXPECT_FALSE((*results)[k].has_died);
        EXPECT_THAT((*results)[k].error, HasSubstr("which it may not"));
    }
    EXPECT_THAT((*results)[8].error, HasSubstr("the name of its caller"));
}

// What is compiled together has names of its own, and an error of its own.
TEST_F(Compile, HostIrThatIsRunTogetherStaysApart) {
    IIR2D_NEEDS("llvm-host-o0");
    const auto run = [](const std::string& before, const std::string& body) {
        return HostRun{.text = before + "define void @k(ptr %p) {\n" + body + "  ret void\n}\n",
                       .kernel = "k",
                       .sets = {{{.bytes = std::vector<std::byte>(4), .is_array = true, .is_output = true}}}};
    };
    const std::string call = "  %r = call i32 @h()\n  store i32 %r, ptr %p\n";
    const std::vector<HostRun> runs{
        run("define i32 @h() {\n  ret i32 7\n}\n", call),
        // It needs a function of the compiler's library, which it may not call.
        run("",
            "  %a = load i32, ptr %p\n  %b = sitofp i32 %a to fp128\n  %c = fadd fp128 %b, %b\n"
            "  %d = fptosi fp128 %c to i32\n  store i32 %d, ptr %p\n"),
        run("define i32 @h() {\n  ret i32 9\n}\n", call),
        run("@h = global i32 11\n", "  %r = load i32, ptr @h\n  store i32 %r, ptr %p\n"),
    };
    const auto results = compiler.run_host(runs);
    ASSERT_TRUE(results) << results.error().message;
    const auto value = [&](std::size_t k) {
        const HostResult& result = (*results)[k];
        return result.error.empty() ? std::to_string(values_of<int>(result.outputs.at(0).at(0)).at(0))
                                    : result.error;
    };
    EXPECT_EQ(value(0), "7");
    EXPECT_THAT(value(1), HasSubstr("Failed to materialize"));
    EXPECT_FALSE((*results)[1].has_died);
    EXPECT_EQ(value(2), "9");
    EXPECT_EQ(value(3), "11");
}

}  // namespace
}  // namespace workbench::compile
