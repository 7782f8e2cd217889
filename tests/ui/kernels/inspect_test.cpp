// SPDX-License-Identifier: MIT
// What core/inspect finds out of sources and of mismatches, with the compilers that are there.
#include <gmock/gmock.h>

#include <QTemporaryDir>
#include <chrono>
#include <filesystem>

#include "core/compile/extract.h"
#include "core/inspect/extracted.h"
#include "core/inspect/generate_report.h"
#include "core/inspect/language.h"
#include "core/inspect/mismatch.h"
#include "core/inspect/source_kernels.h"
#include "core/support/files.h"
#include "core/synth/canonical.h"
#include "core/synth/parse.h"
#include "tests/ui/kernels/planted.h"

namespace workbench {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* target = "ptx-nvrtc:sm_90";

class Inspected : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto chosen = inspect::choose_targets({target}, {});
        if (!chosen) GTEST_SKIP() << chosen.error().message;
        targets = chosen->targets;
        auto made = inspect::make_toolchain();
        ASSERT_TRUE(made);
        toolchain = *std::move(made);
    }

    QTemporaryDir folder;
    std::vector<synth::Target> targets;
    std::unique_ptr<synth::Toolchain> toolchain;
};

TEST_F(Inspected, FindsTheElementsAndTheStatementOfAMismatch) {
    const std::filesystem::path set = folder.filePath(QStringLiteral("set")).toStdString();
    std::string kernel;
    const auto progress = testing::makeFaultySet(set, target, kernel);
    ASSERT_TRUE(progress) << progress.error().message;
    ASSERT_TRUE(progress->rejected.contains("mismatch")) << kernel;
    const auto view = inspect::view_data_set(set);
    ASSERT_TRUE(view) << view.error().message;
    ASSERT_THAT(view->mismatches, SizeIs(1));
    const std::uint64_t index = view->mismatches[0].index;

    testing::FaultyCompiler faulty(std::move(toolchain), &kernel);
    const auto found = inspect::look_into_mismatch(set, index, faulty);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->kernel, kernel);
    EXPECT_EQ(found->target, target);
    EXPECT_GT(found->total, 0U);
    ASSERT_FALSE(found->elements.empty());
    const inspect::MismatchElement& one = found->elements[0];
    EXPECT_NE(one.expected, one.got);
    EXPECT_GT(one.ulp, 1);
    EXPECT_THAT(one.inputs, HasSubstr(" = "));
    EXPECT_GT(found->statement_line, 0) << found->statement_note << "\n" << found->source;
    EXPECT_THAT(found->statement, HasSubstr("=")) << found->source;
    EXPECT_THAT(found->statement_note, HasSubstr("store what each statement computes"));

    // By compilers without the fault the stored text still is what it is, and its statements are not looked
    // at.
    auto real = inspect::make_toolchain();
    ASSERT_TRUE(real);
    const auto again = inspect::look_into_mismatch(set, index, **real);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->total, found->total);
    EXPECT_EQ(again->statement_line, 0);
    EXPECT_THAT(again->statement_note, HasSubstr("another text than the stored one"));
    const auto none = inspect::look_into_mismatch(set, index + 1000, **real);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_argument);
}

TEST_F(Inspected, VerifiesASourceThatIsInsideTheLanguage) {
    const std::string source = R"(
__global__ void other(float* x) { x[threadIdx.x] = 0.0f; }
extern "C" __global__ void saxpy(const float* x, const float* b, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a * x[i] + b[i];
}
)";
    const auto made = inspect::check_language(source, "saxpy", targets, *toolchain);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->is_inside) << made->outside;
    EXPECT_EQ(made->rejected, "");
    EXPECT_EQ(made->backward_kernel, "saxpy_backward") << made->no_backward;
    EXPECT_THAT(made->backward_source, HasSubstr("adj_"));
    EXPECT_EQ(made->texts.size(), 2U) << "forward and backward";
    EXPECT_THAT(made->levels, Contains(Field(&inspect::RecordLevel::level, "V3")));
    ASSERT_FALSE(made->runs.empty());
    ASSERT_EQ(made->runs[0].arguments.size(), 5U) << "x, b, y, a, n";
    EXPECT_TRUE(made->runs[0].arguments[0].starts_with("in:f32:"));
    EXPECT_TRUE(made->runs[0].arguments[2].starts_with("out:f32:"));
    EXPECT_EQ(made->runs[0].arguments[4], "i32:200");
    EXPECT_FALSE(made->backward_runs.empty());

    const auto outside = inspect::check_language(source, "other", targets, *toolchain);
    ASSERT_TRUE(outside);
    EXPECT_FALSE(outside->is_inside);
    EXPECT_THAT(outside->outside, HasSubstr("2"));
    EXPECT_TRUE(outside->texts.empty());
}

TEST_F(Inspected, WhatIsLateIsTheFaultOfTheSource) {
    const compile::ExtractRequest request{
        .text =
            "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n) return;\n    y[i] = x[i] * 2.0f;\n}\n",
        .file = "late.cu",
        .kernel = "twice"};
    compile::Compiler compiler;
    auto extracted = compile::extract(compiler, request);
    ASSERT_TRUE(extracted) << extracted.error().message;
    EXPECT_LE(extracted->deadline, std::chrono::steady_clock::now() + compile::patience_of_extract);
    const auto inside = inspect::look_inside(*extracted, request, true, {});
    ASSERT_TRUE(inside) << inside.error().message;
    EXPECT_TRUE(inside->is_inside) << inside->reason;
    extracted->deadline = std::chrono::steady_clock::now();
    const auto late = inspect::look_inside(*extracted, request, true, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(late.error().message, StartsWith("late.cu: compiling and running it took more than 60 s"));
}

// A quarter of a million of such steps a block take half a minute and more.
TEST_F(Inspected, InterpretingEndsAtTheLimit) {
    const std::string source = R"(
extern "C" __global__ void slow(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int j = 0; j < 500; ++j) {
        for (int k = 0; k < 500; ++k) {
            s += sinf(x[i]) * cosf(x[i]) + expf(x[i]) * sinf(x[i] * 2.0f) + cosf(x[i] * x[i]) + sinf(x[i] + 1.0f);
        }
    }
    y[i] = s;
}
)";
    using namespace std::chrono_literals;
    const auto begun = TimeLimit::Clock::now();
    const auto late =
        inspect::check_language(source, "slow", targets, *toolchain, {.deadline = begun + 100ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::bad_input);
    std::stop_source asked;
    asked.request_stop();
    const auto stopped =
        inspect::check_language(source, "slow", targets, *toolchain, {.stop = asked.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
    const auto runs = inspect::verified_runs(source, "slow", false, asked.get_token());
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().kind, ErrorKind::cancelled);
    EXPECT_LT(TimeLimit::Clock::now() - begun, 10s);
}

TEST_F(Inspected, LooksForIncludesOfATextWithoutAFileInNoFolder) {
    ASSERT_TRUE(
        write_file_atomically(folder.filePath(QStringLiteral("near.h")).toStdString(), "#define AMOUNT 3\n"));
    inspect::SourceRequest request{
        .text = "#include \"near.h\"\n__global__ void f(int* x) { x[0] = AMOUNT; }\n", .target = target};
    compile::Compiler compiler;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path().toStdString());
    const auto typed = inspect::compile_source(compiler, request);
    std::filesystem::current_path(before);
    ASSERT_FALSE(typed);
    EXPECT_EQ(typed.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(typed.error().message, HasSubstr("near.h"));
    request.file = folder.filePath(QStringLiteral("kernel.cu")).toStdString();
    const auto opened = inspect::compile_source(compiler, request);
    EXPECT_TRUE(opened) << opened.error().message;
}

// Without a limit such a launch is taken for one with no end: data sets have none.
TEST(InspectedPtx, RunningEndsAtTheLimit) {
    using namespace std::chrono_literals;
    const auto tree = synth::parse(
        "extern \"C\" __global__ void k(float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n    y[i] = 1.0f;\n}\n");
    ASSERT_TRUE(tree) << tree.error().message;
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 y, .param .u32 n)\n{\n$again:\n    bra $again;\n}\n";
    const std::string canonical = synth::canonical_hash(*tree);
    std::vector<synth::Execution> runs{
        {.tree = &*tree, .text = &text, .sets = {synth::draw_inputs(*tree, canonical, 0, 0)}}};
    const auto run = [&](const TimeLimit& limit) -> Result<std::vector<std::string>> {
        const auto toolchain = inspect::make_toolchain(limit);
        return toolchain ? (*toolchain)->run(synth::target_named(target), runs)
                         : std::unexpected(toolchain.error());
    };
    const auto begun = TimeLimit::Clock::now();
    const auto late = run({.deadline = begun + 100ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::bad_input);
    std::stop_source asked;
    asked.request_stop();
    const auto stopped = run({asked.get_token(), begun + 1h});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
    EXPECT_LT(TimeLimit::Clock::now() - begun, 5s);
    const auto endless = run({});
    ASSERT_TRUE(endless);
    EXPECT_THAT((*endless)[0], HasSubstr("no end"));
}

TEST(InspectedOnTheHost, ATextThatEndsTheProcessIsNoMismatch) {
    const auto chosen = inspect::choose_targets({"llvm-host-o0"}, {});
    if (!chosen) GTEST_SKIP() << chosen.error().message;
    auto tree = synth::parse(
        "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n    y[i] = x[i];\n}\n");
    ASSERT_TRUE(tree) << tree.error().message;
    synth::Judged asked;
    asked.candidate.canonical = synth::canonical_hash(*tree);
    asked.candidate.tree = *std::move(tree);
    asked.texts.push_back({.text = "define void @k(ptr %x, ptr %y, i32 %n) {\n"
                                   "  store i32 7, ptr null\n  ret void\n}\n"});
    std::vector<synth::Judged> batch;
    batch.push_back(std::move(asked));
    const auto toolchain = inspect::make_toolchain();
    ASSERT_TRUE(toolchain);
    const auto judged = synth::judge(std::move(batch), {.targets = chosen->targets}, **toolchain);
    ASSERT_TRUE(judged) << judged.error().message;
    EXPECT_EQ(judged->front().reason, "compiler_died");
    EXPECT_THAT(judged->front().detail, StartsWith("V2 llvm-host-o0: the process crashed"));
}

TEST(GenerateReport, LeavesOutWhatAResumedRunFound) {
    inspect::GenerateReport report(100);
    EXPECT_EQ(report.state({.kernels = 40, .pairs = 120}).text, "40 kernels, 0 rejected");
    const auto state = report.state({.kernels = 50, .pairs = 150, .rejected = {{"undecided", 3}}});
    EXPECT_EQ(state.fraction, 0.5);
    EXPECT_THAT(state.text, HasSubstr("50 kernels, 3 rejected, "));
    EXPECT_THAT(state.text, HasSubstr(" pairs/s, "));
    EXPECT_GT(state.pairs_per_second, 0);
}

}  // namespace
}  // namespace workbench
