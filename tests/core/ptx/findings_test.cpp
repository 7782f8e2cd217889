// SPDX-License-Identifier: MIT
// One text for each finding, and the same with its cause taken away, in which nothing is found.
#include "tests/core/ptx/ptx_testing.h"

namespace ptx_test {
namespace {

struct Case {
    const char* name;
    FindingKind kind;
    std::string bad;
    std::string good;
    Shape shape;
    const char* before = "";
};

const std::string keep_r2 = "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r2;\nret;";
// Through shared memory: each thread writes a word and reads that of another.
std::string exchange(const std::string& between, const std::string& distance) {
    return ".shared .align 4 .b8 s[512];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r3, "
           "%r4;\nst.shared.u32 [%r5], %r1;\n" +
           between + "\nxor.b32 %r6, %r4, " + distance +
           ";\nadd.u32 %r7, %r3, %r6;\nld.shared.u32 %r2, [%r7];\n" + keep_r2;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> made{
        {"out_of_bounds_global",
         FindingKind::out_of_bounds,
         "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5+4], %r1;\nret;",
         "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r1;\nret;",
         {}},
        {"out_of_bounds_shared",
         FindingKind::out_of_bounds,
         ".shared .align 4 .b8 s[8];\nmov.u32 %r2, 1;\nst.shared.u32 [s+8], %r2;\nret;",
         ".shared .align 4 .b8 s[8];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 exit;\nst.shared.u32 [s+4], %r1;\nret;",
         {}},
        {"out_of_bounds_between_shared",
         FindingKind::out_of_bounds,
         ".shared .align 4 .b8 s[8];\n.shared .align 4 .b8 t[8];\nmov.u32 %r2, 1;\nst.shared.u32 [s+12], "
         "%r2;\nret;",
         ".shared .align 4 .b8 s[8];\n.shared .align 4 .b8 t[8];\nmov.u32 %r2, 1;\nst.shared.u32 [t+4], "
         "%r2;\nret;",
         {}},
        {"out_of_bounds_below_shared",
         FindingKind::out_of_bounds,
         ".shared .align 4 .b8 s[8];\nmov.u32 %r2, 1;\nst.shared.u32 [s], %r2;\nmov.u64 %rd4, "
         "-4;\nst.shared.u32 [%rd4], %r2;\nret;",
         ".shared .align 4 .b8 s[8];\nmov.u32 %r2, 1;\nst.shared.u32 [s], %r2;\nmov.u64 %rd4, "
         "4;\nst.shared.u32 [%rd4], %r2;\nret;",
         {}},
        {"out_of_bounds_local",
         FindingKind::out_of_bounds,
         ".local .align 4 .b8 l[8];\nst.local.u32 [l+8], %r1;\nret;",
         ".local .align 4 .b8 l[8];\nst.local.u32 [l+4], %r1;\nret;",
         {}},
        {"out_of_bounds_const",
         FindingKind::out_of_bounds,
         "ld.const.u32 %r2, [c+8];\n" + keep_r2,
         "ld.const.u32 %r2, [c+4];\n" + keep_r2,
         {},
         ".const .align 4 .u32 c[2] = {5, 6};\n"},
        {"out_of_bounds_param",
         FindingKind::out_of_bounds,
         "ld.param.u32 %r2, [p1+8];\n" + keep_r2,
         "ld.param.u32 %r2, [p1+4];\n" + keep_r2,
         {}},
        {"misaligned",
         FindingKind::misaligned,
         "ld.global.u32 %r2, [%rd1+2];\nret;",
         "ld.global.u32 %r2, [%rd1+4];\nret;",
         {}},
        {"uninitialised_shared",
         FindingKind::uninitialised,
         ".shared .align 4 .b8 s[4];\nld.shared.u32 %r2, [s];\nret;",
         ".shared .align 4 .b8 s[4];\nmov.u32 %r2, 7;\nst.shared.u32 [s], %r2;\nbar.warp.sync "
         "-1;\nld.shared.u32 %r2, [s];\nret;",
         {}},
        {"uninitialised_local",
         FindingKind::uninitialised,
         ".local .align 4 .b8 l[4];\nld.local.u32 %r2, [l];\nret;",
         ".local .align 4 .b8 l[4];\nst.local.u32 [l], %r1;\nld.local.u32 %r2, [l];\nret;",
         {}},
        {"race_of_lanes", FindingKind::race, exchange("", "4"), exchange("bar.warp.sync -1;", "4"), {}},
        {"race_of_warps",
         FindingKind::race,
         exchange("bar.warp.sync -1;", "128"),
         exchange("bar.sync 0;", "128"),
         {.threads = 64}},
        {"race_that_a_shuffle_does_not_order",
         FindingKind::race,
         exchange("shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;", "4"),
         exchange("shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;\nbar.warp.sync -1;", "4"),
         {}},
        {"race_of_blocks",
         FindingKind::race,
         "mov.u32 %r2, %ctaid.x;\nst.global.u32 [%rd1], %r2;\nret;",
         "mov.u32 %r2, %ctaid.x;\natom.global.add.u32 %r3, [%rd1], %r2;\nret;",
         {.blocks = 2, .threads = 1}},
        {"race_of_a_read_and_a_write_of_blocks",
         FindingKind::race,
         "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r3, [%rd1];\n@!%p1 "
         "st.global.u32 [%rd1], %r2;\nret;",
         "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r3, [%rd1];\n@!%p1 "
         "st.global.u32 [%rd1+4], %r2;\nret;",
         {.blocks = 2, .threads = 1}},
        {"race_of_one_instruction",
         FindingKind::race,
         "st.global.u32 [%rd1], %r1;\nret;",
         "mov.u32 %r2, 3;\nst.global.u32 [%rd1], %r2;\nret;",
         {}},
        {"race_of_an_atomic_and_a_store",
         FindingKind::race,
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r1;\n@!%p1 red.global.add.u32 [%rd1], "
         "1;\nret;",
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 red.global.add.u32 [%rd1], 5;\n@!%p1 red.global.add.u32 [%rd1], "
         "1;\nret;",
         {}},
        {"race_of_an_atomic_and_a_load",
         FindingKind::race,
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 ld.global.u32 %r2, [%rd1];\n@!%p1 red.global.add.u32 [%rd1], "
         "1;\nret;",
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 ld.relaxed.gpu.global.u32 %r2, [%rd1];\n@!%p1 red.global.add.u32 "
         "[%rd1], 1;\nret;",
         {.threads = 64}},
        {"race_of_a_store_and_an_atomic_load",
         FindingKind::race,
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 st.global.u32 [%rd1], 7;\n@!%p1 ld.relaxed.gpu.global.u32 %r2, "
         "[%rd1];\nret;",
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 st.release.gpu.global.u32 [%rd1], 7;\n@!%p1 "
         "ld.acquire.gpu.global.u32 %r2, [%rd1];\nret;",
         {.threads = 64}},
        {"race_of_blocks_with_an_atomic_load",
         FindingKind::race,
         "mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 ld.relaxed.gpu.global.u32 %r2, "
         "[%rd1];\n@!%p1 st.global.u32 [%rd1], 5;\nret;",
         "mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 ld.relaxed.gpu.global.u32 %r2, "
         "[%rd1];\n@!%p1 st.relaxed.gpu.global.u32 [%rd1], 5;\nret;",
         {.blocks = 3, .threads = 1}},
        {"race_of_blocks_with_an_atomic",
         FindingKind::race,
         "mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 ld.global.u32 %r2, [%rd1];\n@!%p1 "
         "red.global.add.u32 [%rd1], 1;\nret;",
         "mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 ld.relaxed.gpu.global.u32 %r2, "
         "[%rd1];\n@!%p1 red.global.add.u32 [%rd1], 1;\nret;",
         {.blocks = 3, .threads = 1}},
        {"race_of_halves_is_none",
         FindingKind::race,
         "st.global.u32 [%rd1], %r1;\nret;",
         "mul.wide.u32 %rd4, %r1, 2;\nadd.s64 %rd5, %rd1, %rd4;\ncvt.u16.u32 %h1, %r1;\nst.global.u16 "
         "[%rd5], %h1;\nret;",
         {}},
        {"barrier_that_lanes_left",
         FindingKind::barrier,
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 exit;\nbar.sync 0;\nret;",
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\nL: bar.sync 0;\nret;",
         {}},
        {"barrier_that_a_warp_left",
         FindingKind::barrier,
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 0;\nret;",
         "bar.sync 0;\nret;",
         {.threads = 64}},
        {"barrier_under_a_branch",
         FindingKind::barrier,
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\nbar.sync 0;\nret;\nL: bar.sync 0;\nret;",
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nL: bar.sync 0;\nret;",
         {}},
        {"barrier_with_a_wrong_count",
         FindingKind::barrier,
         "bar.sync 0, 48;\nret;",
         "bar.sync 0, 64;\nret;",
         {.threads = 64}},
        {"barrier_with_too_many",
         FindingKind::barrier,
         "bar.sync 0, 128;\nret;",
         "bar.sync 0, 64;\nret;",
         {.threads = 64}},
        {"deadlock",
         FindingKind::deadlock,
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 2, 64;\nret;",
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1, 64;\nret;",
         {.threads = 64}},
        {"deadlock_of_a_warp",
         FindingKind::deadlock,
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\nbar.warp.sync -1;\nret;\nL: shfl.sync.idx.b32 %r2, %r1, 0, "
         "31, -1;\nret;",
         "setp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\nbar.warp.sync -1;\nret;\nL: bar.warp.sync -1;\nret;",
         {}},
        {"bad_mask",
         FindingKind::bad_mask,
         "vote.sync.ballot.b32 %r2, %p1, 1;\nret;",
         "vote.sync.ballot.b32 %r2, %p1, -1;\nret;",
         {}},
        {"bad_mask_of_a_shuffle",
         FindingKind::bad_mask,
         "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra L;\nshfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;\nL: ret;",
         "setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra L;\nshfl.sync.idx.b32 %r2, %r1, 2, 31, 0xffff;\nL: ret;",
         {}},
        {"divide_by_zero",
         FindingKind::divide_by_zero,
         "div.u32 %r2, 5, %r1;\nret;",
         "add.u32 %r3, %r1, 1;\ndiv.u32 %r2, 5, %r3;\nret;",
         {}},
        {"shared_limit",
         FindingKind::shared_limit,
         ".shared .align 4 .b8 s[49156];\nret;",
         ".shared .align 4 .b8 s[49152];\nret;",
         {}},
        {"no_end", FindingKind::no_end, "L: bra L;", "L: ret;", {}},
        {"trap",
         FindingKind::trap,
         "setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;\nret;",
         "setp.eq.u32 %p1, %r1, 32;\n@%p1 trap;\nret;",
         {}},
        {"endless_recursion",
         FindingKind::out_of_bounds,
         "call f;\nret;",
         "call g;\nret;",
         {},
         ".func f() { call f; ret; }\n.func g() { ret; }\n"},
    };
    return made;
}

class Findings : public testing::TestWithParam<std::size_t> {};

TEST_P(Findings, AreThereAndGoWithTheirCause) {
    const Case& one = cases()[GetParam()];
    SCOPED_TRACE(one.name);
    for (const std::uint64_t seed : {0, 1, 7}) {
        Shape shape = one.shape;
        shape.seed = seed;
        const Ran bad = run_words(kernel(1, one.bad, one.before), {zeros(32)}, shape);
        EXPECT_TRUE(bad.found(one.kind)) << "seed " << seed;
        if (!bad.outcome.findings.empty()) {
            const Finding& finding = bad.outcome.findings.front();
            EXPECT_EQ(finding.kernel, "k");
            EXPECT_GT(finding.line, 3U);
            EXPECT_NE(finding.message.find("line " + std::to_string(finding.line)), std::string::npos);
        }
        const Ran good = run_words(kernel(1, one.good, one.before), {zeros(64)}, shape);
        EXPECT_EQ(good.outcome.findings_total, 0U)
            << (good.outcome.findings.empty() ? "" : good.outcome.findings.front().message) << " seed "
            << seed;
    }
}
INSTANTIATE_TEST_SUITE_P(All, Findings, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& one) { return std::string(cases()[one.param].name); });

TEST(FindingsMore, FreshMemoryIsNotRead) {
    const std::string text = kernel(1, "add.s64 %rd5, %rd1, %rd0;\nld.global.u32 %r2, [%rd5];\nret;");
    EXPECT_TRUE(run_words(text, {fresh(32)}).found(FindingKind::uninitialised));
    EXPECT_EQ(run_words(text, {zeros(32)}).outcome.findings_total, 0U);
}

TEST(FindingsMore, AreCountedAndTheFirstHundredKept) {
    const Ran ran = run_words(kernel(1, "div.u32 %r2, 5, 0;\nret;"), {zeros(32)}, {.blocks = 10});
    EXPECT_EQ(ran.outcome.findings_total, 320U);
    EXPECT_EQ(ran.outcome.findings.size(), most_findings);
}

TEST(FindingsMore, WhatEndsALaunchIsKept) {
    const std::string divide = "div.u32 %r2, 5, 0;\n";
    const Ran ran = run_words(kernel(1, divide + divide + divide + divide + "trap;\nret;"), {zeros(32)});
    EXPECT_EQ(ran.outcome.findings_total, 4U * 32 + 1);
    EXPECT_EQ(ran.outcome.findings.size(), most_findings);
    EXPECT_TRUE(ran.found(FindingKind::trap));
}

TEST(FindingsMore, NameTheSourceLineThreadAndAddress) {
    const Ran ran = run_words(
        kernel(1, ".loc 1 77 3\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 st.global.u32 [%rd1+128], %r1;\nret;"),
        {zeros(32)});
    ASSERT_EQ(ran.outcome.findings.size(), 1U);
    const Finding& finding = ran.outcome.findings.front();
    EXPECT_EQ(finding.source_line, 77U);
    EXPECT_EQ(finding.thread, (std::array<std::uint32_t, 3>{5, 0, 0}));
    EXPECT_EQ(finding.space, "global");
    EXPECT_NE(finding.address, 0U);
}

// A parameter of a kernel ends where the next begins.
TEST(FindingsMore, EachParameterHasItsBounds) {
    const auto reads = [](const char* load) {
        return run_words(kernel(2, std::string(load) + "\nret;"), {zeros(1), zeros(1)});
    };
    EXPECT_EQ(reads("ld.param.u32 %r2, [p1+4];").outcome.findings_total, 0U);
    EXPECT_EQ(reads("ld.param.u64 %rd5, [p2];").outcome.findings_total, 0U);
    EXPECT_TRUE(reads("ld.param.u64 %rd5, [p1+8];").found(FindingKind::out_of_bounds));
    EXPECT_TRUE(reads("ld.param.u64 %rd5, [p2+-8];").found(FindingKind::out_of_bounds));
    EXPECT_TRUE(reads("ld.param.v2.u64 {%rd5, %rd6}, [p1];").found(FindingKind::out_of_bounds));
    EXPECT_TRUE(reads("ld.param.u32 %r2, [p2+8];").found(FindingKind::out_of_bounds));
    EXPECT_TRUE(reads("mov.u64 %rd5, p1;\nadd.s64 %rd5, %rd5, %rd0;\nld.param.u32 %r2, [%rd5];")
                    .found(FindingKind::out_of_bounds));
}

// Runs a kernel of one array of 32 words, by 32 threads, without looking for races and who wrote.
Outcome with_bounds_alone(const std::string& body, const std::string& before = "") {
    auto module = Module::parse(kernel(1, body, before));
    EXPECT_TRUE(module) << (module ? "" : module.error().message);
    if (!module) return {};
    Memory memory;
    const std::uint64_t address = memory.allocate(128);
    const auto outcome = run(*module,
                             {.kernel = "k",
                              .block = {32, 1, 1},
                              .parameters = std::as_bytes(std::span(&address, 1)),
                              .checks = Checks::bounds},
                             memory);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    return outcome ? *outcome : Outcome{};
}

TEST(FindingsMore, BoundsLeaveOutRacesAndWriting) {
    EXPECT_EQ(with_bounds_alone("st.global.u32 [%rd1], %r1;\nret;").findings_total, 0U);
}

TEST(FindingsMore, BoundsHaveStoresToWhatIsOnlyRead) {
    const auto expect_found = [](const std::string& body, const std::string& space) {
        const Outcome outcome = with_bounds_alone(body + "ret;", ".const .align 4 .u32 c[64];\n");
        ASSERT_EQ(outcome.findings_total, 32U) << body;
        EXPECT_EQ(outcome.findings[0].kind, FindingKind::out_of_bounds);
        EXPECT_EQ(outcome.findings[0].space, space);
        EXPECT_NE(outcome.findings[0].message.find("only read"), std::string::npos);
    };
    const std::string constants = "mov.u64 %rd4, c;\ncvta.const.u64 %rd5, %rd4;\n";
    const std::string parameter = "mov.u64 %rd4, p1;\ncvta.param.u64 %rd5, %rd4;\n";
    expect_found(constants + "add.s64 %rd5, %rd5, %rd0;\nst.u32 [%rd5], %r1;\n", "const");
    expect_found(constants + "st.u32 [%rd5], %r1;\n", "const");
    expect_found(parameter + "st.u32 [%rd5], %r1;\n", "param");
    expect_found("mov.u64 %rd4, p1;\nst.param.u32 [%rd4], %r1;\n", "param");
    // Half of the lanes, of one instruction.
    const Outcome half = with_bounds_alone(
        constants + "setp.lt.u32 %p1, %r1, 16;\nselp.b64 %rd6, %rd1, %rd5, %p1;\nst.u32 [%rd6], %r1;\nret;",
        ".const .align 4 .u32 c[64];\n");
    EXPECT_EQ(half.findings_total, 16U);
    // What is the threads' own is written.
    EXPECT_EQ(with_bounds_alone(".local .align 4 .b8 l[4];\nmov.u64 %rd4, l;\ncvta.local.u64 %rd5, %rd4;\n"
                                "st.u32 [%rd5], %r1;\nst.local.u32 [l], %r1;\nret;")
                  .findings_total,
              0U);
}

}  // namespace
}  // namespace ptx_test
