// SPDX-License-Identifier: MIT
// What calls, blocks and texts may cost, and that calls hold what they are given.
#include <chrono>

#include "tests/core/ptx/ptx_testing.h"

namespace ptx_test {
namespace {

const std::string keep = "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r2;\nret;";

std::string message_of(const std::string& text) {
    const auto module = Module::parse(text);
    return module ? std::string() : module.error().message;
}

double seconds_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

TEST(Calls, TakeNoPredicatesAndNoOtherWidths) {
    const std::string takes = ".func (.reg .b32 %o) f (.reg .b32 %i) { mov.b32 %o, %i; ret; }\n";
    for (const std::string call : {"call (%p1), f, (%r1);", "call (%r2), f, (%p1);", "call (%r2), f, (%rd1);",
                                   "call (%rd2), f, (%r1);", "call (%r2), f, (%h1);"})
        EXPECT_NE(message_of(kernel(1, call + "\nret;", takes)), "") << call;
    EXPECT_EQ(message_of(kernel(1, "call (%r2), f, (%r1);\nret;", takes)), "");
}

TEST(Calls, GiveValuesTheWidthOfTheirParameter) {
    const std::string upper =
        ".func (.reg .b32 %o) f (.reg .b64 %i) { .reg .b32 %t; mov.b64 {%t, %o}, %i; ret; }\n";
    for (const auto& [value, expected] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"-1", 0xffffffffU}, {"1", 0}, {"0x500000000", 5}, {"1.5", 0x3ff80000U}}) {
        const Ran ran = run_words(kernel(1, "call (%r2), f, (" + value + ");\n" + keep, upper), {zeros(32)});
        EXPECT_EQ(ran.words.at(0)[7], expected) << value;
    }
}

TEST(Calls, BeginWithLocalMemoryThatNobodyWrote) {
    // The second function's variable lies where the first one's was.
    const std::string two =
        ".func f() { .local .b32 l; .reg .b32 %t; mov.b32 %t, 3; st.local.b32 [l], %t; ret; }\n"
        ".func (.reg .b32 %o) g() { .local .b32 l; ld.local.b32 %o, [l]; ret; }\n";
    const Ran ran = run_words(kernel(1, "call f;\ncall (%r2), g;\n" + keep, two), {zeros(32)});
    EXPECT_TRUE(ran.found(FindingKind::uninitialised));
    EXPECT_EQ(ran.words.at(0)[3], 0xffffffffU);
}

TEST(Blocks, BeginWithLocalMemoryThatNobodyWrote) {
    const Ran ran = run_words(kernel(1,
                                     ".local .b32 l;\nmov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, "
                                     "0;\n@%p1 st.local.b32 [l], %r1;\n@!%p1 ld.local.b32 %r2, [l];\nret;"),
                              {zeros(32)}, {.blocks = 2});
    EXPECT_TRUE(ran.found(FindingKind::uninitialised));
}

TEST(Calls, AreJoinedByLanesThatComeLater) {
    // Odd lanes come to the call later; a barrier of the whole warp in it needs all of them.
    const std::string meets = ".func f() { bar.sync 0; ret; }\n";
    const std::string body =
        "mov.u32 %r2, 0;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nadd.u32 %r2, %r2, "
        "1;\nadd.u32 %r2, %r2, 1;\nbra L;\nL: call f;\n" +
        keep;
    for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const Ran ran = run_words(kernel(1, body, meets), {zeros(32)}, {.seed = seed});
        EXPECT_EQ(ran.outcome.findings_total, 0U)
            << (ran.outcome.findings.empty() ? "" : ran.outcome.findings[0].message);
        EXPECT_EQ(ran.words.at(0)[5], 2U);
    }
}

TEST(Limits, MemoryOfALaunchHasAnEnd) {
    // 32 MiB of parameters for each call of a warp.
    const Ran deep = run_words(
        kernel(1, "call f;\nret;", ".func f() { .param .b8 p[1000000]; call f; ret; }\n"), {zeros(32)});
    EXPECT_TRUE(deep.found(FindingKind::out_of_bounds));
    EXPECT_NE(deep.outcome.findings.at(0).message.find("1 GiB"), std::string::npos);
    const Ran wide = run_words(kernel(1, ".local .b8 l[524288];\nst.local.b8 [l], %h1;\nret;"), {zeros(32)},
                               {.threads = 1024});
    EXPECT_TRUE(wide.found(FindingKind::out_of_bounds));
    const Ran one = run_words(kernel(1, ".local .b8 l[524288];\nst.local.b8 [l], %h1;\nret;"), {zeros(32)});
    EXPECT_EQ(one.outcome.findings_total, 0U);
}

TEST(Limits, SettingUpIsPaidFor) {
    const auto began = std::chrono::steady_clock::now();
    const std::string local = kernel(1, ".local .b8 l[262144];\nst.local.b8 [l], %h1;\nret;");
    EXPECT_TRUE(run_words(local, {zeros(32)}, {.blocks = 1'000'000}).found(FindingKind::no_end));
    EXPECT_LT(seconds_since(began), 20);
    EXPECT_FALSE(run_words(local, {zeros(32)}, {.blocks = 3}).found(FindingKind::no_end));
}

TEST(Limits, TextsAreReadInTimeThatGrowsWithThem) {
    const auto began = std::chrono::steady_clock::now();
    std::string text = "T: .branchtargets A";
    for (int k = 0; k < 20000; ++k) text += ", A";
    text += ";\nA:\n";
    for (int k = 0; k < 20000; ++k) text += "brx.idx %r1, T;\n";
    EXPECT_EQ(message_of(kernel(1, text + "ret;")), "");
    text = ".shared .b8 s[65536];\n";
    for (int k = 0; k < 40000; ++k) text += "mov.u32 %r2, s+" + std::to_string(k) + ";\n";
    EXPECT_EQ(message_of(kernel(1, text + "ret;")), "");
    text = "";
    for (int k = 0; k < 150; ++k) text += "{ .reg .b32 %x" + std::to_string(k) + "_<5>;\n";
    for (int k = 0; k < 100000; ++k) text += "add.u32 %r2, %r1, %r3;\n";
    EXPECT_EQ(message_of(kernel(1, text + std::string(150, '}') + "ret;")), "");
    EXPECT_LT(seconds_since(began), 8);
}

TEST(Limits, OffsetsWrapRound) {
    const Ran ran = run_words(kernel(1, "ld.param.u32 %r2, [p1+0x7fffffffffffffff];\nret;"), {zeros(32)});
    EXPECT_TRUE(ran.found(FindingKind::out_of_bounds));
}

TEST(Limits, ModulesThatAreGoneLeaveNoVariables) {
    Memory memory;
    const std::uint64_t address = memory.allocate(128);
    memory.mark_written(address, 128);
    for (std::uint32_t round = 1; round < 40; ++round) {
        const auto module = Module::parse(kernel(1, "ld.global.u32 %r2, [g];\n" + keep,
                                                 ".global .u32 g = " + std::to_string(round) + ";\n"));
        ASSERT_TRUE(module);
        const auto outcome =
            run(*module,
                {.kernel = "k", .block = {32, 1, 1}, .parameters = std::as_bytes(std::span(&address, 1))},
                memory);
        ASSERT_TRUE(outcome);
        std::uint32_t word = 0;
        std::memcpy(&word, memory.bytes(address, 4).data(), 4);
        EXPECT_EQ(word, round);
    }
}

TEST(Floats, AreFlushedBeforeTheyAreSaturated) {
    for (const auto& [opcode, expected] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"mul.ftz.sat.f32", 0}, {"mul.sat.f32", 0x00400000U}, {"mul.ftz.f32", 0}}) {
        const Ran ran = run_words(kernel(1, "mov.f32 %f1, 0f00800000;\n" + opcode +
                                                " %f2, %f1, 0f3F000000;\nmov.b32 %r2, %f2;\n" + keep),
                                  {zeros(32)});
        EXPECT_EQ(ran.words.at(0)[0], expected) << opcode;
    }
}

}  // namespace
}  // namespace ptx_test
