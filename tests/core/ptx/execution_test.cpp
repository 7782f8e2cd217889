// SPDX-License-Identifier: MIT
// Control, calls, memory, collectives and counts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/core/ptx/ptx_testing.h"

namespace ptx_test {
namespace {

const std::string put = "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r2;\nret;";

std::vector<std::uint32_t> words_of(const std::string& body, const Shape& shape = {},
                                    const std::string& before = "") {
    const Ran ran = run_words(kernel(1, body, before), {zeros(std::max(shape.threads, 32U))}, shape);
    EXPECT_EQ(ran.outcome.findings_total, 0U)
        << (ran.outcome.findings.empty() ? "" : ran.outcome.findings.front().message);
    return ran.words.empty() ? std::vector<std::uint32_t>() : ran.words[0];
}

TEST(Execution, DivergedLoopsEndEachOnTheirOwn) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        const auto words = words_of(
            "mov.u32 %r2, 0;\nmov.u32 %r3, %r1;\nL: setp.eq.u32 %p1, %r3, 0;\n@%p1 bra E;\nadd.u32 %r2, %r2, "
            "%r3;\nsub.u32 %r3, %r3, 1;\nbra L;\nE: " +
                put,
            {.seed = seed});
        for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], t * (t + 1) / 2);
    }
}

TEST(Execution, RecursionKeepsEachCallsRegisters) {
    const std::string fib = R"(.func (.param .b32 out) fib (.param .b32 n) {
.reg .b32 %r<8>; .reg .pred %p<2>;
ld.param.u32 %r1, [n];
setp.lt.u32 %p1, %r1, 2;
@%p1 bra BASE;
sub.u32 %r2, %r1, 1;
{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r3, [v]; }
sub.u32 %r2, %r1, 2;
{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r4, [v]; }
add.u32 %r5, %r3, %r4;
st.param.b32 [out], %r5;
ret;
BASE: st.param.b32 [out], %r1;
ret; }
)";
    for (const std::uint64_t seed : {0, 5}) {
        const auto words = words_of(
            "and.b32 %r3, %r1, 7;\n{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 v; call.uni (v), fib, "
            "(a); ld.param.b32 %r2, [v]; }\n" +
                put,
            {.seed = seed}, fib);
        const std::uint32_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13};
        for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], expected[t % 8]) << t;
    }
}

TEST(Execution, RegistersArePassedToo) {
    const auto words = words_of("call (%r2), twice, (%r1);\n" + put, {},
                                ".func (.reg .b32 %o) twice (.reg .b32 %i) { add.u32 %o, %i, %i; ret; }\n");
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], 2 * t);
}

TEST(Execution, IndexedBranches) {
    const auto words = words_of(
        "and.b32 %r3, %r1, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx %r3, T;\nA: mov.u32 %r2, 10;\nbra "
        "E;\nB: mov.u32 %r2, 11;\nbra E;\n"
        "C: mov.u32 %r2, 12;\nbra E;\nD: mov.u32 %r2, 13;\nE: " +
        put);
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], 10 + t % 4);
}

TEST(Execution, LocalMemoryIsEachThreadsOwn) {
    const auto words = words_of(
        ".local .align 8 .b8 depot[16];\n.reg .b64 %SP, %SPL;\nmov.u64 %SPL, depot;\ncvta.local.u64 %SP, "
        "%SPL;\n"
        "st.local.u32 [%SPL+4], %r1;\nst.u32 [%SP], %r1;\nld.u32 %r3, [%SP+4];\nld.local.u32 %r4, "
        "[%SPL];\nadd.u32 %r2, %r3, %r4;\n" +
        put);
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(words[t], 2 * t);
}

TEST(Execution, VariablesHaveTheirFirstValues) {
    const auto words = words_of(
        "mov.u64 %rd3, g;\nld.global.u64 %rd4, [q];\nld.u32 %r3, [%rd4+4];\nld.global.u32 %r4, "
        "[%rd3];\nld.const.u32 %r5, [c+4];\nadd.u32 %r2, %r3, %r4;\nadd.u32 %r2, %r2, %r5;\n" +
            put,
        {},
        ".global .align 4 .b8 g[8] = {1, 0, 0, 0, 2, 1};\n.global .u64 q = generic(g);\n.const .u32 c[2] = "
        "{7, -3};\n");
    EXPECT_EQ(words[3], 258U + 1U - 3U);
}

TEST(Execution, SpecialRegisters) {
    for (const auto& [name, expected] : std::vector<std::pair<std::string, std::uint32_t (*)(std::uint32_t)>>{
             {"%tid.x", [](std::uint32_t t) { return t; }},
             {"%laneid", [](std::uint32_t t) { return t % 32; }},
             {"%warpid", [](std::uint32_t t) { return t / 32; }},
             {"%ntid.x", [](std::uint32_t) { return 64U; }},
             {"%nctaid.x", [](std::uint32_t) { return 1U; }},
             {"%lanemask_eq", [](std::uint32_t t) { return 1U << (t % 32); }},
             {"%lanemask_lt", [](std::uint32_t t) { return (1U << (t % 32)) - 1; }},
             {"%lanemask_le", [](std::uint32_t t) { return 2U * (1U << (t % 32)) - 1; }},
             {"%lanemask_gt", [](std::uint32_t t) { return ~(2U * (1U << (t % 32)) - 1); }},
             {"%lanemask_ge", [](std::uint32_t t) { return ~((1U << (t % 32)) - 1); }},
             {"%dynamic_smem_size", [](std::uint32_t) { return 48U; }}}) {
        const auto words = words_of("mov.u32 %r2, " + name + ";\n" + put, {.threads = 64, .shared = 48});
        for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(words[t], expected(t)) << name;
    }
}

TEST(Execution, ClocksCountInstructions) {
    const auto words = words_of(
        "mov.u32 %r3, %clock;\nmov.u64 %rd7, %clock64;\nmov.u32 %r4, %clock;\nsub.u32 %r2, %r4, %r3;\n" +
        put);
    EXPECT_EQ(words[0], 2U);
}

TEST(Execution, Shuffles) {
    const auto shuffled = [](const std::string& mode, const std::string& b, const std::string& c) {
        return words_of("shfl.sync." + mode + ".b32 %r3|%p1, %r1, " + b + ", " + c +
                        ", -1;\nselp.u32 %r4, 100, 0, %p1;\nadd.u32 %r2, %r3, %r4;\n" + put);
    };
    const auto up = shuffled("up", "3", "0"), down = shuffled("down", "3", "31"),
               bfly = shuffled("bfly", "5", "31"), idx = shuffled("idx", "7", "31"),
               half = shuffled("down", "1", "0x101f");
    for (std::uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(up[t], t >= 3 ? t - 3 + 100 : t);
        EXPECT_EQ(down[t], t + 3 < 32 ? t + 3 + 100 : t);
        EXPECT_EQ(bfly[t], (t ^ 5U) + 100);
        EXPECT_EQ(idx[t], 107U);
        EXPECT_EQ(half[t], t % 16 < 15 ? t + 1 + 100 : t);
    }
}

TEST(Execution, VotesMatchesAndReductions) {
    const std::string odd = "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\n";
    EXPECT_EQ(words_of(odd + "vote.sync.ballot.b32 %r2, %p1, -1;\n" + put)[4], 0xaaaaaaaaU);
    EXPECT_EQ(words_of(odd + "vote.sync.ballot.b32 %r2, !%p1, -1;\n" + put)[4], 0x55555555U);
    const auto voted = [&](const char* mode) {
        return words_of(odd + "vote.sync." + mode + ".pred %p2, %p1, -1;\nselp.u32 %r2, 1, 0, %p2;\n" +
                        put)[0];
    };
    EXPECT_EQ(voted("all"), 0U);
    EXPECT_EQ(voted("any"), 1U);
    EXPECT_EQ(voted("uni"), 0U);
    const auto matched = words_of("and.b32 %r3, %r1, 3;\nmatch.any.sync.b32 %r2, %r3, -1;\n" + put);
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(matched[t], 0x11111111U << (t % 4));
    EXPECT_EQ(words_of("mov.b64 %rd7, 5;\nmatch.all.sync.b64 %r2|%p1, %rd7, -1;\n" + put)[0], 0xffffffffU);
    EXPECT_EQ(words_of("match.all.sync.b32 %r2|%p1, %r1, -1;\n" + put)[0], 0U);
    const auto reduced = [](const std::string& op) {
        return words_of("sub.u32 %r3, %r1, 5;\nredux.sync." + op + " %r2, %r3, -1;\n" + put)[9];
    };
    EXPECT_EQ(reduced("add.s32"), 496U - 160U);
    EXPECT_EQ(reduced("min.s32"), static_cast<std::uint32_t>(-5));
    EXPECT_EQ(reduced("max.s32"), 26U);
    EXPECT_EQ(reduced("min.u32"), 0U);
    EXPECT_EQ(reduced("max.u32"), 0xffffffffU);
    EXPECT_EQ(reduced("or.b32"), 0xffffffffU);
    EXPECT_EQ(reduced("and.b32"), 0U);
    EXPECT_EQ(words_of("setp.lt.u32 %p1, %r1, 7;\nmov.u32 %r2, 0;\n@%p1 activemask.b32 %r2;\n" + put)[3],
              0x7fU);
}

TEST(Execution, BarriersReduceAndCount) {
    const std::string low = "setp.lt.u32 %p1, %r1, 40;\n";
    EXPECT_EQ(words_of(low + "bar.red.popc.u32 %r2, 0, %p1;\n" + put, {.threads = 96})[80], 40U);
    EXPECT_EQ(
        words_of(low + "bar.red.or.pred %p2, 0, %p1;\nselp.u32 %r2, 1, 0, %p2;\n" + put, {.threads = 96})[80],
        1U);
    EXPECT_EQ(
        words_of(low + "bar.red.and.pred %p2, 0, %p1;\nselp.u32 %r2, 1, 0, %p2;\n" + put, {.threads = 96})[0],
        0U);
    EXPECT_EQ(
        words_of(
            "setp.lt.u32 %p1, %r1, 32;\nmov.u32 %r2, 4;\n@%p1 bar.arrive 3, 64;\n@!%p1 bar.sync 3, 64;\n" +
                put,
            {.threads = 64})[0],
        4U);
}

TEST(Execution, ABlockAddsUpThroughSharedMemory) {
    const std::string text =
        ".shared .align 4 .b8 s[1024];\nshl.b32 %r4, %r1, 2;\nmov.u32 %r5, s;\nadd.u32 %r5, %r5, "
        "%r4;\nst.shared.u32 [%r5], %r1;\nbar.sync 0;\n"
        "mov.u32 %r6, 128;\nL: setp.lt.u32 %p1, %r1, %r6;\n@!%p1 bra N;\nshl.b32 %r7, %r6, 2;\nadd.u32 %r8, "
        "%r5, %r7;\nld.shared.u32 %r9, [%r8];\nld.shared.u32 %r10, [%r5];\n"
        "add.u32 %r9, %r9, %r10;\nst.shared.u32 [%r5], %r9;\nN: bar.sync 0;\nshr.u32 %r6, %r6, "
        "1;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra L;\nld.shared.u32 %r2, [s];\n" +
        put;
    for (const std::uint64_t seed : {0, 3})
        EXPECT_EQ(words_of(text, {.threads = 256, .seed = seed})[255], 255U * 128U);
}

TEST(Execution, TheSameSeedGivesTheSameRun) {
    const std::string text = kernel(1,
                                    "atom.global.add.u32 %r3, [%rd1], 1;\nmov.u32 %r4, %ctaid.x;\nmad.lo.u32 "
                                    "%r5, %r4, 32, %r1;\nadd.u32 %r5, %r5, 1;\nmul.wide.u32 %rd6, %r5, "
                                    "4;\nadd.s64 %rd7, %rd1, %rd6;\nst.global.u32 [%rd7], %r3;\nret;");
    const auto with = [&](std::uint64_t seed) {
        return run_words(text, {zeros(1 + 8 * 32)}, {.blocks = 8, .seed = seed}).words[0];
    };
    EXPECT_EQ(with(4), with(4));
    EXPECT_NE(with(4), with(0));
}

TEST(Execution, LaunchesThatNoGpuTakesAreRefused) {
    const auto error_of = [](const std::string& text, Launch launch) {
        auto module = Module::parse(text);
        EXPECT_TRUE(module);
        Memory memory;
        std::uint64_t address = memory.allocate(4);
        if (launch.parameters.empty()) launch.parameters = std::as_bytes(std::span(&address, 1));
        const auto outcome = run(*module, launch, memory);
        return outcome ? std::string() : outcome.error().message;
    };
    const std::string text = kernel(1, "ret;");
    EXPECT_NE(error_of(text, {.kernel = "other"}).find("k"), std::string::npos);
    EXPECT_FALSE(error_of(text, {.kernel = "k", .grid = {0, 1, 1}}).empty());
    EXPECT_FALSE(error_of(text, {.kernel = "k", .block = {1025, 1, 1}}).empty());
    std::string limited = text;
    limited.insert(limited.find(")\n{") + 1, "\n.maxntid 64, 1, 1\n.minnctapersm 1");
    EXPECT_FALSE(error_of(limited, {.kernel = "k", .block = {96, 1, 1}}).empty());
    EXPECT_TRUE(error_of(limited, {.kernel = "k", .block = {64, 1, 1}}).empty());
}

TEST(Counts, ACopyMovesItsSectorsOnce) {
    const std::string copy =
        "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 256, %r1;\nmul.wide.u32 %rd6, %r4, STRIDE;\nadd.s64 "
        "%rd7, %rd1, %rd6;\nld.global.u32 %r2, [%rd7];\nmul.wide.u32 %rd8, %r4, 4;\nadd.s64 %rd9, %rd2, "
        "%rd8;\nst.global.u32 [%rd9], %r2;\nret;";
    const auto counted = [&](const std::string& stride, std::size_t words) {
        std::string body = copy;
        body.replace(body.find("STRIDE"), 6, stride);
        return run_words(kernel(2, body), {rising(words), zeros(1U << 20U)},
                         {.blocks = 4096, .threads = 256, .budget = 1'000'000'000})
            .outcome.counts;
    };
    const Counts dense = counted("4", 1U << 20U);
    EXPECT_EQ(dense.global_loads.sectors, 131072U);
    EXPECT_EQ(dense.global_loads.distinct, 131072U);
    EXPECT_EQ(dense.global_stores.sectors, 131072U);
    EXPECT_EQ(dense.global_loads.requests, 32768U);
    EXPECT_EQ(counted("8", 2U << 20U).global_loads.sectors, 262144U);
    EXPECT_EQ(std::accumulate(dense.by_kind.begin(), dense.by_kind.end(), std::uint64_t{0}),
              dense.lane_instructions);
    EXPECT_EQ(dense.lane_instructions, 32 * dense.warp_instructions);
}

TEST(Counts, BanksOfSharedMemory) {
    const auto wavefronts = [](const std::string& stride, const std::string& type, const std::string& reg) {
        const Ran ran = run_words(kernel(1, ".shared .align 16 .b8 s[8192];\nmul.lo.u32 %r4, %r1, " + stride +
                                                ";\nmov.u32 %r5, s;\nadd.u32 %r5, %r5, %r4;\nst.shared." +
                                                type + " [%r5], " + reg + ";\nret;"),
                                  {zeros(32)});
        return ran.outcome.counts.shared_wavefronts;
    };
    EXPECT_EQ(wavefronts("4", "u32", "%r1"), 1U);
    EXPECT_EQ(wavefronts("128", "u32", "%r1"), 32U);
    EXPECT_EQ(wavefronts("132", "u32", "%r1"), 1U);
    EXPECT_EQ(wavefronts("8", "u32", "%r1"), 2U);
    EXPECT_EQ(wavefronts("8", "u64", "%rd0"), 2U);
    EXPECT_EQ(wavefronts("16", "v4.u32", "{%r1, %r1, %r1, %r1}"), 4U);
}

TEST(Counts, SyncsBranchesAndAtomics) {
    const Counts counts =
        run_words(kernel(1,
                         "setp.lt.u32 %p1, %r1, 5;\n@%p1 bra L;\nadd.u32 %r2, %r1, 1;\nL: bar.warp.sync "
                         "-1;\nbar.sync 0;\nred.global.add.u32 [%rd1], 1;\nret;"),
                  {zeros(1)})
            .outcome.counts;
    EXPECT_EQ(counts.divergent_branches, 1U);
    EXPECT_EQ(counts.warp_syncs, 1U);
    EXPECT_EQ(counts.barriers, 1U);
    EXPECT_EQ(counts.atomics, 32U);
}

}  // namespace
}  // namespace ptx_test
