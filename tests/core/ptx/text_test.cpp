// SPDX-License-Identifier: MIT
// Texts: what is read of them, what is refused by name, and that hostile ones end with an error that names a
// line.
#include <ctime>
#include <random>

#include "tests/core/ptx/ptx_testing.h"

namespace ptx_test {
namespace {

std::string error_of(const std::string& text) {
    const auto module = Module::parse(text);
    return module ? std::string() : module.error().message;
}

const std::string genuine = kernel(2, R"(.shared .align 4 .b8 s[128];
.local .align 4 .b8 l[8];
{ .reg .b32 %t; mov.b64 {%t, %r2}, %rd1; }
setp.lt.and.u32 %p1|%p2, %r1, 5, !%p3;
@!%p1 bra L;
add.rn.f32 %f1, 0f3F800000, 0fBF800000;
ld.global.v2.f32 {%f2, _}, [%rd1+-8];
L: st.shared.f32 [s+4], %f1;
.loc 1 5 2
ret;)");

TEST(Text, SaysWhatAKernelHas) {
    const auto module =
        Module::parse(kernel(1, ".shared .align 8 .b8 s[24];\n.local .b8 l[12];\nadd.u32 %r2, %r1, 1;\nret;",
                             ".extern .shared .b8 d[];\n"));
    ASSERT_TRUE(module);
    ASSERT_EQ(module->entries().size(), 1U);
    const EntryInfo& entry = module->entries()[0];
    EXPECT_EQ(entry.name, "k");
    EXPECT_EQ(entry.parameter_bytes, 8U);
    EXPECT_EQ(entry.parameters.at(0).type, "u64");
    EXPECT_EQ(entry.predicates, 16U);
    EXPECT_EQ(entry.registers_32, 48U);
    EXPECT_EQ(entry.shared_bytes, 24U);
    EXPECT_EQ(entry.local_bytes, 12U);
    EXPECT_FALSE(entry.dynamic_shared);
    EXPECT_EQ(entry.instructions, 5U);
    EXPECT_EQ(module->version(), "8.6");
    EXPECT_EQ(module->target(), "sm_90");
    EXPECT_EQ(module->opcodes().at("add.u32"), 1U);
}

TEST(Text, RefusesByNameAndLine) {
    for (const std::string opcode :
         {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1}, {%r2}, {%f1, %f2}",
          "cp.async.ca.shared.global [%r1], [%rd1], 16",
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]", "mbarrier.init.shared.b64 [%r1], 5",
          "wgmma.fence.sync.aligned", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}]"}) {
        const auto module = Module::parse(kernel(1, opcode + ";\nret;"));
        ASSERT_TRUE(module) << opcode;
        ASSERT_EQ(module->refused().size(), 1U);
        EXPECT_EQ(module->refused()[0].name, opcode.substr(0, opcode.find(' ')));
        EXPECT_EQ(module->refused()[0].line, 15U);
        Memory memory;
        const std::uint64_t address = memory.allocate(4);
        const auto outcome =
            run(*module, {.kernel = "k", .parameters = std::as_bytes(std::span(&address, 1))}, memory);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().kind, workbench::ErrorKind::bad_input);
        EXPECT_NE(outcome.error().message.find("line 15: " + opcode.substr(0, opcode.find(' '))),
                  std::string::npos);
    }
}

TEST(Text, ErrorsNameTheLine) {
    for (const auto& [body, what] :
         std::vector<std::pair<std::string, std::string>>{{"add.u32 %r2, %r1;", "operands"},
                                                          {"add.u32 %r2, %r1, %rd1;", "does not fit"},
                                                          {"add.u32 %r99, %r1, 1;", "not known"},
                                                          {"bra NOWHERE;", "no label"},
                                                          {"add.f32 %f1, %f2, 1;", "integer"},
                                                          {"mov.u32 %p1, 1;", "does not fit"},
                                                          {"ld.global.u64 %r1, [%rd1];", "does not fit"},
                                                          {"ld.global.u32 %r1, [%h1];", "address"},
                                                          {"add.u32 %r1, %r1, 1", "missing"},
                                                          {"L: L: ret;", "twice"},
                                                          {".reg .b12 %z;", "not executed"},
                                                          {"call nothing;", "no function"},
                                                          {"st.shared.u32 [%rd1, %r1;", ""},
                                                          {"@%r1 ret;", "not a predicate"},
                                                          {"mov.u64 %rd1, {%r1, %r2, %r3};", "parts"},
                                                          {"setp.lo.s32 %p1, %r1, %r2;", ""}}) {
        const std::string message = error_of(kernel(1, body));
        if (what.empty()) continue;
        EXPECT_TRUE(message.starts_with("line 1")) << body << ": " << message;
        EXPECT_NE(message.find(what), std::string::npos) << body << ": " << message;
    }
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of(".version 5.0\n"), "");
    EXPECT_NE(error_of("int main() {}"), "");
}

TEST(Text, HostileOnesEndSoon) {
    const std::clock_t began = std::clock();
    std::string deep = std::string(head) + ".entry k() ";
    deep += std::string(100'000, '{');
    EXPECT_NE(error_of(deep), "");
    EXPECT_NE(error_of(std::string(head) + ".entry k() { .reg .b32 %r<4>; mov.b32 %r1, " +
                       std::string(100'000, '-') + "1; }"),
              "");
    EXPECT_NE(error_of(std::string(head) + ".entry k() { .reg .pred %p<4>; mov.pred %p1, " +
                       std::string(100'000, '!') + "%p2; }"),
              "");
    EXPECT_NE(error_of(std::string(head) + ".entry k() { .reg .b32 %r<4>; mov.b64 " +
                       std::string(100'000, '{') + "; }"),
              "");
    EXPECT_NE(error_of(std::string(head) + ".global .b8 x[99999999999999999999];"), "");
    EXPECT_NE(error_of(std::string(head) + ".global .b8 x[4000000000][4000000000];"), "");
    EXPECT_NE(error_of(std::string(head) + ".shared .b8 x[4000000000];"), "");
    EXPECT_NE(error_of(std::string(head) + "/* "), "");
    EXPECT_NE(error_of(std::string(1'000'000, '\0')), "");
    // Registers that nobody uses take no memory.
    EXPECT_EQ(error_of(kernel(1, ".reg .b64 %big<4000000000>;\nret;")), "");
    EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC) << "of the processor's time";
}

TEST(Text, CutAnywhereItIsAnErrorOrAText) {
    for (std::size_t length = 0; length < genuine.size(); ++length)
        static_cast<void>(error_of(genuine.substr(0, length)));
    EXPECT_EQ(error_of(genuine), "");
}

TEST(Text, ChangedAnywhereItEndsAndRuns) {
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string text = genuine;
        for (int change = 0; change < 3; ++change)
            text[random() % text.size()] = static_cast<char>(random() % 256);
        const auto module = Module::parse(text);
        if (!module || module->entry("k") == nullptr || module->entry("k")->parameter_bytes != 16) continue;
        Memory memory;
        const std::array<std::uint64_t, 2> addresses{memory.allocate(64), memory.allocate(64)};
        static_cast<void>(run(*module,
                              {.kernel = "k",
                               .block = {32, 1, 1},
                               .parameters = std::as_bytes(std::span(addresses)),
                               .budget = 5000},
                              memory));
    }
}

}  // namespace
}  // namespace ptx_test
