// SPDX-License-Identifier: MIT
// Cutting a kernel out of a program's PTX, and what goes over the wire.
#include "core/compile/ptx_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "core/compile/extract.h"
#include "core/compile/wire.h"

namespace workbench::compile {
namespace {

constexpr const char* program = R"(//
// Generated
.version 8.8
.target sm_90
.address_size 64

.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
// _ZZ1aE1t has been demoted
.global .align 1 .b8 $str[3] = {104, 105, 0};
.global .align 1 .b8 $str$1[3] = {106, 107, 0};
.const .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

.func (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	.local .align 4 .b8 	__local_depot0[16];
	mov.u64 	%SPL, __local_depot0; // a comment
$L__BB0_1:
	.loc	1 3 5
	bra.uni 	$L__BB0_1;

	ret;
$L__func_end0:
}
	// .globl	a
.visible .entry a(.param .u64 a_param_0)
{
	ret; /* two
lines */ ret;
}
.visible .entry b(
	.param .u64 b_param_0
)
.maxntid 64, 1, 1
{
	.local .align 4 .b8 	__local_depot2[4];
	.loc	1 10 1
	ld.const.u32 	%r1, [table];
	mov.u64 	%rd1, $str$1;
	.loc	2 11 1
	mov.u32 	%r2, %r3;
	{ // callseq 4, 0
	call.uni (retval0), helper, (param0);
	} // callseq 4
$L__BB2_7:
	bra 	$L__BB2_7;
}
	.file	1 "/home/me/kernel.cu"
	.file	2 "/home/me/other.h"
	.section .debug_str { .b8 1 }
)";

TEST(PtxText, AKernelHasWhatItNamesAndNumbersFromZero) {
    const auto parsed = PtxProgram::parse(program);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->kernels(), (std::vector<std::string>{"a", "b"}));
    const auto a = parsed->cut("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(a->text,
              ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry a(.param .u64 "
              "a_param_0)\n{\n\tret;  ret;\n}\n");
    const auto b = parsed->cut("b", "kernel.cu");
    ASSERT_TRUE(b);
    EXPECT_EQ(
        b->text,
        ".version 8.8\n.target sm_90\n.address_size 64\n.global .align 1 .b8 $str$0[3] = {106, 107, 0};\n"
        ".const .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
        ".func (.param .b32 func_retval0) helper(\n\t.param .b32 helper_param_0\n)\n{\n"
        "\t.local .align 4 .b8 \t__local_depot0[16];\n\tmov.u64 \t%SPL, __local_depot0;\n$L__BB0_1:\n"
        "\tbra.uni \t$L__BB0_1;\n\tret;\n}\n"
        ".visible .entry b(\n\t.param .u64 b_param_0\n)\n.maxntid 64, 1, 1\n{\n"
        "\t.local .align 4 .b8 \t__local_depot1[4];\n\tld.const.u32 \t%r1, [table];\n\tmov.u64 \t%rd1, "
        "$str$0;\n"
        "\tmov.u32 \t%r2, %r3;\n\t{\n\tcall.uni (retval0), helper, (param0);\n\t}\n$L__BB1_7:\n\tbra "
        "\t$L__BB1_7;\n}\n");
    EXPECT_EQ(b->lines, (std::vector<std::pair<int, int>>{{13, 3}, {14, 3}, {22, 10}, {23, 10}}));
    EXPECT_FALSE(parsed->cut("helper"));
}

Result<PtxCut> cut_of(const std::string& text, const std::string& kernel, const std::string& file = {}) {
    const auto parsed = PtxProgram::parse(text);
    if (!parsed) return std::unexpected(parsed.error());
    return parsed->cut(kernel, file);
}

TEST(PtxText, OpcodesAndDirectivesAreNoNames) {
    const std::string user =
        ".visible .entry user(\n\t.param .u64 user_param_0\n)\n{\n\t.reg .b32 %r<4>;\n\t.shared .align 4 "
        ".b8 own[4];\nstart:\n\tadd.s32 %r1, %r2, min;\n\t@!%p1 mul.lo.s32 %r1, %r1, 2;\n\t{\n\t.param "
        ".b32 param0;\n\tst.param.b32 [param0], %r1;\n\tcall.uni helper, (param0);\n\t}\n\tbra "
        "start;\n\tmov.b64 {%r1, %r2}, own;\n\tret;\n}\n";
    const std::string needed = ".func helper(.param .b32 a)\n{\n\tret;\n}\n.global .u32 min;\n";
    std::string others;
    for (const char* name : {"add", "mul", "ret", "bra", "st", "call", "shared", "b32", "lo", "param0",
                             "start", "own", "mov", "user_param_0"})
        others += std::string(".visible .entry ") + name + "()\n{\n\tret;\n}\n";
    const auto cut = cut_of(needed + others + user, "user");
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->text, needed + user);
    const std::string table =
        ".global .u64 table[2] = {add, generic(mul)};\n.visible .entry k()\n{\n\tmov.u64 %rd1, table;\n}\n";
    const auto both = cut_of(others + ".visible .entry generic()\n{\n}\n" + table, "k");
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_THAT(both->text, ::testing::HasSubstr(".entry add("));
    EXPECT_THAT(both->text, ::testing::HasSubstr(".entry mul("));
    EXPECT_EQ(both->text.find(".entry generic("), std::string::npos);
    EXPECT_EQ(both->text.find(".entry ret("), std::string::npos);
}

TEST(PtxText, NamesThatAreLinkedStayAndNumbersGoRoundThem) {
    for (const std::string name : {"prototype_2", "__unnamed_3", "$str$1", "__local_depot1", "$L__BB4"}) {
        const std::string text = ".visible .global .u32 prototype_0;\n.visible .entry " + name +
                                 "()\n{\n\tmov.u64 %rd1, prototype_0;\nprototype_7 : .callprototype ()_ "
                                 "();\n\tcall %rd1, (), prototype_7;\n}\n";
        const auto cut = cut_of(text, name);
        ASSERT_TRUE(cut) << cut.error().message;
        EXPECT_THAT(cut->text, ::testing::HasSubstr(".entry " + name + "("));
        EXPECT_THAT(cut->text, ::testing::HasSubstr("prototype_1 : .callprototype")) << cut->text;
        EXPECT_THAT(cut->text, ::testing::HasSubstr("mov.u64 %rd1, prototype_0;"));
    }
}

TEST(PtxText, ATextIsTheSameAloneAndAsTheSecond) {
    const auto program_with = [](const std::string& table) {
        return ".global .align 1 .b8 " + table + "[2] = {104, 0};\n.visible .entry k()\n{\n\tmov.u64 %rd1, " +
               table + ";\n}\n";
    };
    for (const std::string name : {"$str", "_$_str"}) {
        const auto alone = cut_of(program_with(name), "k");
        const auto second = cut_of(program_with(name + (name == "$str" ? "$1" : "_$_1")), "k");
        ASSERT_TRUE(alone && second);
        EXPECT_EQ(alone->text, second->text);
    }
}

TEST(PtxText, ABodyWithATableOfItsOwnEndsAtItsBrace) {
    const std::string first = ".visible .entry a()\n{\n\t.global .u32 x[2] = {1, 2};\n\tret;\n}\n";
    const auto cut = cut_of(first + ".visible .entry b()\n{\n\tret;\n}\n", "a");
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->text, first);
}

TEST(PtxText, LinesAreOfTheFileItselfNotOfOneThatEndsSo) {
    const std::string body = ".visible .entry k()\n{\n\t.loc\t1 5 1\n\tret;\n}\n";
    const std::string own = ".file 1 \"k.cu\"\n";
    const std::string other = ".file 2 \"/tmp/k.cu\"\n";
    const std::string third = ".file 1 \"/home/k.cu\"\n";
    EXPECT_EQ(cut_of(body + own + other, "k", "k.cu")->lines.size(), 1U);
    EXPECT_EQ(cut_of(body + third, "k", "k.cu")->lines.size(), 1U);
    EXPECT_TRUE(cut_of(body + third + other, "k", "k.cu")->lines.empty());
}

TEST(PtxText, ATextThatDoesNotEndIsAnError) {
    const std::string whole = program;
    for (const char* end : {"{\n\tret; /* two", "$str[3] = {104", "callseq 4, 0\n"}) {
        const std::size_t at = whole.find(end);
        ASSERT_NE(at, std::string::npos);
        EXPECT_FALSE(PtxProgram::parse(whole.substr(0, at + 2))) << end;
    }
    EXPECT_TRUE(PtxProgram::parse(""));
    EXPECT_TRUE(PtxProgram::parse(std::string(1 << 20, '{')).error().kind == ErrorKind::bad_input);
}

TEST(PtxText, TheFirstErrorOfALogHasFileAndLine) {
    EXPECT_EQ(first_error("a.cu(15): error: what it is\n  more\n", "a.cu"), "a.cu:15: what it is");
    EXPECT_EQ(first_error("b (1).cu(3): warning: w\nb (1).cu(4): catastrophic error: no file\n", "b"),
              "b (1).cu:4: no file");
    EXPECT_EQ(first_error("c.cpp:7:2: error: unknown\n", "c.cpp"), "c.cpp:7:2: unknown");
    EXPECT_EQ(first_error("c.cu:7:2: fatal error: 'x.h' file not found\n", "c.cu"),
              "c.cu:7:2: 'x.h' file not found");
    EXPECT_EQ(
        first_error("a.cu(1): warning #1444-D: #warning directive: error: nothing\na.cu(3): error: what\n",
                    "a.cu"),
        "a.cu:3: what");
    EXPECT_EQ(first_error("", "d.cu"), "d.cu: does not compile");
}

TEST(Wire, PiecesComeBack) {
    Parcel parcel;
    const std::string text("a\0b\xff", 4);
    const Parcel::Place first = parcel.put(text),
                        second = parcel.put(std::as_bytes(std::span(text).first(2)));
    const std::string message = framed("{}", parcel.bytes());
    std::array<char, length_bytes> head{};
    std::copy_n(message.begin(), length_bytes, head.begin());
    EXPECT_EQ(length_of(head), message.size() - length_bytes);
    const std::string body = message.substr(length_bytes);
    const auto taken = unframed(body);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->json, "{}");
    EXPECT_EQ(piece_of(taken->bytes, first), text);
    EXPECT_EQ(piece_of(taken->bytes, second), text.substr(0, 2));
    // What a damaged process may send.
    EXPECT_FALSE(unframed(body.substr(0, length_bytes + 1)));
    EXPECT_FALSE(unframed(body.substr(0, length_bytes - 1)));
    EXPECT_FALSE(piece_of(taken->bytes, {5, 2}));
    EXPECT_FALSE(piece_of(taken->bytes, {7, 0}));
    EXPECT_FALSE(piece_of(taken->bytes, {1, ~std::uint64_t{0}}));
}

TEST(Wire, BytesAsText) {
    const std::string text = "light w";
    EXPECT_EQ(to_base64(std::as_bytes(std::span(text))), "bGlnaHQgdw==");
    EXPECT_EQ(to_base64(std::as_bytes(std::span(text).first(6))), "bGlnaHQg");
    EXPECT_EQ(to_base64({}), "");
}

}  // namespace
}  // namespace workbench::compile
