// SPDX-License-Identifier: MIT
// What calls, blocks and texts may cost, and that calls hold what they are given.
#include <ctime>

#include "tests/core/ptx/ptx_testing.h"

namespace ptx_test {
namespace {

const std::string keep = "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r2;\nret;";

std::string message_of(const std::string& text) {
    const auto module = Module::parse(text);
    return module ? std::string() : module.error().message;
}

// Of the processor's time: another program's work does not count.
double seconds_since(std::clock_t began) {
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
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
    const std::clock_t began = std::clock();
    const std::string local = kernel(1, ".local .b8 l[262144];\nst.local.b8 [l], %h1;\nret;");
    EXPECT_TRUE(run_words(local, {zeros(32)}, {.blocks = 1'000'000}).found(FindingKind::no_end));
    EXPECT_LT(seconds_since(began), 20);
    EXPECT_FALSE(run_words(local, {zeros(32)}, {.blocks = 3}).found(FindingKind::no_end));
}

TEST(Limits, TextsAreReadInTimeThatGrowsWithThem) {
    const std::clock_t began = std::clock();
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

TEST(Limits, SharedVariablesCountWhereTheyAreNamed) {
    const std::string before =
        ".shared .b8 big[49153];\n.shared .b32 small;\n.func f() { .reg .b32 %t; mov.b32 "
        "%t, big; ret; }\n";
    const auto shared_of = [&](const std::string& body) {
        const auto module = Module::parse(kernel(1, body + "ret;", before));
        return module ? module->entry("k")->shared_bytes : 0xffffffffU;
    };
    EXPECT_EQ(shared_of(""), 0U);
    EXPECT_EQ(shared_of("st.shared.u32 [small], %r1;\n"), 4U);
    EXPECT_EQ(shared_of("mov.u32 %r3, small;\ncall f;\n"), 49157U);
    const Ran without = run_words(
        kernel(1, "mov.u32 %r3, small;\nmov.u32 %r2, %total_smem_size;\n" + keep, before), {zeros(32)});
    EXPECT_EQ(without.outcome.findings_total, 0U);
    EXPECT_EQ(without.words.at(0)[0], 4U);
    EXPECT_TRUE(run_words(kernel(1, "call f;\nret;", before), {zeros(32)}).found(FindingKind::shared_limit));
}

// The first warp arrives, the second one waits.
std::string arriving(const std::string& first, const std::string& second) {
    return ".shared .align 4 .b8 s[8];\nsetp.lt.u32 %p1, %r1, 32;\nand.b32 %r3, %r1, 31;\nsetp.ne.u32 %p2, "
           "%r3, 0;\n@%p1 bra F;\n" +
           second + "\nret;\nF:\n" + first + "\nret;";
}

TEST(Races, ArrivingIsNoWaiting) {
    const std::string store = "@!%p2 st.shared.u32 [s], %r3;\n";
    const std::string load = "@!%p2 ld.shared.u32 %r4, [s];\n";
    const std::string arrive = "bar.arrive 1, 64;\n";
    const std::string wait = "bar.sync 1, 64;\n";
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        const Shape shape{.threads = 64, .seed = seed};
        const auto found = [&](const std::string& first, const std::string& second) {
            return run_words(kernel(1, arriving(first, second)), {zeros(64)}, shape).outcome.findings_total;
        };
        // What is stored before arriving is there for those that wait.
        EXPECT_EQ(found(store + arrive, wait + load), 0U) << seed;
        // What is stored after it is not,
        EXPECT_NE(found(store + arrive + store, wait + load), 0U) << seed;
        // and whoever arrived has waited for nobody.
        EXPECT_NE(found(arrive + store, store + wait), 0U) << seed;
    }
}

TEST(Races, LanesThatTookNoPartAreNotHeldToIt) {
    // Lanes 0 and 1 change a word and meet lane 2 under a mask; lane 3 is nowhere near.
    const std::string body =
        ".shared .align 4 .b8 s[4];\nsetp.lt.u32 %p1, %r1, 3;\nsetp.lt.u32 %p2, %r1, 2;\nsetp.eq.u32 %p3, "
        "%r1, "
        "2;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 st.shared.u32 [s], %r4;\nbar.warp.sync "
        "-1;\n@!%p1 "
        "bra E;\n@%p2 red.shared.add.u32 [s], 1;\n";
    const std::string read = "@%p3 ld.shared.u32 %r2, [s];\nE: ret;";
    EXPECT_EQ(run_words(kernel(1, body + "bar.warp.sync 7;\n" + read), {zeros(32)}).outcome.findings_total,
              0U);
    EXPECT_TRUE(run_words(kernel(1, body + read), {zeros(32)}).found(FindingKind::race));
}

TEST(Lop3, HasItsOperandsInTheirOrder) {
    // Each table has an answer of its own: a, b, c and (a and b) or (not a and c) among them.
    const std::uint32_t a = 0xf0f0a5c3U, b = 0xccccb178U, c = 0xaaaa1e96U;
    for (const auto& [table, expected] :
         std::vector<std::pair<std::string, std::uint32_t>>{{"0xF0", a},
                                                            {"0xCC", b},
                                                            {"0xAA", c},
                                                            {"0xE2", (b & a) | (c & ~b)},
                                                            {"0xCA", (a & b) | (~a & c)}}) {
        const Ran ran = run_words(kernel(1, "lop3.b32 %r2, " + std::to_string(a) + ", " + std::to_string(b) +
                                                ", " + std::to_string(c) + ", " + table + ";\n" + keep),
                                  {zeros(32)});
        EXPECT_EQ(ran.words.at(0)[9], expected) << table;
    }
}

TEST(Lines, DoNotEndStatements) {
    const Ran ran = run_words(
        kernel(1, ".loc 1 7 3, function_name $L + 4, inlined_at 1 2 3 mov.u32 %r2, 5; .loc 1 8 1 " + keep),
        {zeros(32)});
    EXPECT_EQ(ran.words.at(0)[0], 5U);
    const auto module =
        Module::parse(".version 8.6 .target sm_90, debug .address_size 64 .entry k() { ret; }");
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_NE(module->entry("k"), nullptr);
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
