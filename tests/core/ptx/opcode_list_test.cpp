// SPDX-License-Identifier: MIT
// The list of opcodes, and those of it that reach memory: loads, stores and atomics of every kind.
#include <algorithm>
#include <bit>
#include <fstream>
#include <set>

#include "tests/core/ptx/opcode_expectation.h"
#include "tests/core/ptx/ptx_testing.h"
#include "tests/core/ptx/rounding.h"

namespace ptx_test {
namespace {

constexpr std::uint64_t pattern[2] = {0x8182f3e4d5c6b7a8ULL, 0x1122334455667788ULL};

unsigned bytes_named(const std::string& type) {
    if (type.ends_with("x2")) return 4;
    return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("0123456789")))) / 8;
}
std::string space_of(const std::vector<std::string>& pieces) {
    for (const char* const space : {"param", "const", "global", "shared", "local"}) {
        if (has_piece(pieces, space)) return space;
    }
    return "generic";
}
// The value of an element of the pattern as a register of 64 bits gets it.
std::uint64_t element(unsigned index, const std::string& type) {
    const unsigned bytes = bytes_named(type);
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const unsigned char*>(pattern) + index * bytes, bytes);
    if (type[0] == 's' && bytes < 8 && ((value >> (8 * bytes - 1)) & 1U) != 0)
        value |= ~std::uint64_t{0} << (8 * bytes);
    return value;
}

// Runs a kernel of one thread on the pattern and 64 bytes of output, returned as words of 64 bits; nothing on
// a finding.
std::vector<std::uint64_t> results(const std::string& opcode, const std::string& body,
                                   const std::string& before = "", const std::string& declared = "") {
    const std::string text = std::string(head) + before +
                             ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 "
                             "pp[16])\n{\n.reg .b64 %d<16>;\n.reg .b64 %v<8>;\n.reg .pred %q;\n" +
                             declared + "ld.param.u64 %d0, [pin];\nld.param.u64 %d1, [pout];\n" + body +
                             "ret;\n}\n";
    auto module = Module::parse(text);
    EXPECT_TRUE(module) << opcode << ": " << (module ? "" : module.error().message);
    if (!module) return {};
    Memory memory;
    std::array<std::uint64_t, 4> parameters{memory.allocate(16), memory.allocate(64), pattern[0], pattern[1]};
    std::memcpy(memory.bytes(parameters[0], 16).data(), pattern, 16);
    memory.mark_written(parameters[0], 16);
    memory.mark_written(parameters[1], 64);
    const auto outcome =
        run(*module, {.kernel = "k", .parameters = std::as_bytes(std::span(parameters))}, memory);
    EXPECT_TRUE(outcome) << opcode << ": " << (outcome ? "" : outcome.error().message);
    if (!outcome) return {};
    EXPECT_EQ(outcome->findings_total, 0U)
        << opcode << ": " << (outcome->findings.empty() ? "" : outcome->findings[0].message);
    std::vector<std::uint64_t> words(8);
    std::memcpy(words.data(), memory.bytes(parameters[1], 64).data(), 64);
    return words;
}

const std::string fill = "mov.b64 %d2, 0x8182f3e4d5c6b7a8;\nmov.b64 %d3, 0x1122334455667788;\n";

TEST(OpcodeList, IsTheResource) {
    std::ifstream file(std::string(IIR2D_SOURCE_DIR) + "/resources/ptx/opcodes.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    EXPECT_EQ(lines, executed_opcodes()) << "write it anew: iir2d ptx opcodes > resources/ptx/opcodes.txt";
}

TEST(OpcodeList, HasATestForEachLine) {
    // Those without an expectation are memory's, below, or have a test by name in execution_test.cpp.
    const std::set<std::string> elsewhere{"bar",        "barrier", "bra",   "brx",  "call",     "ret",
                                          "exit",       "trap",    "shfl",  "vote", "match",    "redux",
                                          "activemask", "membar",  "fence", "cvta", "isspacep", "nanosleep"};
    const std::set<std::string> memory{"ld", "st", "atom", "red"};
    for (const std::string& opcode : executed_opcodes()) {
        const std::string base = pieces_of(opcode)[0];
        EXPECT_TRUE(expectation_of(opcode) || elsewhere.contains(base) || memory.contains(base)) << opcode;
    }
}

TEST(OpcodeList, LoadsAndStores) {
    std::size_t checked = 0;
    for (const std::string& opcode : executed_opcodes()) {
        const auto p = pieces_of(opcode);
        if (p[0] != "ld" && p[0] != "st") continue;
        ++checked;
        const bool loads = p[0] == "ld";
        const std::string space = space_of(p), type = p.back();
        const unsigned count = has_piece(p, "v2") ? 2 : has_piece(p, "v4") ? 4 : 1, bytes = bytes_named(type);
        std::string registers;
        for (unsigned k = 0; k < count; ++k) registers += (k == 0 ? "" : ", ") + ("%v" + std::to_string(k));
        if (count > 1) registers = "{" + registers + "}";
        std::string body, before, declared, address = "m";
        if (space == "const")
            before =
                ".const .align 16 .b8 m[16] = {0xa8, 0xb7, 0xc6, 0xd5, 0xe4, 0xf3, 0x82, 0x81, 0x88, 0x77, "
                "0x66, 0x55, 0x44, 0x33, 0x22, 0x11};\n";
        if (space == "shared" || space == "local") declared = "." + space + " .align 16 .b8 m[16];\n";
        if (space == "param" && loads) address = "pp";
        if (space == "param" && !loads) declared = ".param .align 16 .b8 m[16];\n";
        if (space == "global" || space == "generic") address = loads ? "%d0" : "%d1";
        if (loads) {
            if (space == "shared" || space == "local")
                body = fill + "st." + space + ".v2.b64 [m], {%d2, %d3};\n";
            body += opcode + " " + registers + ", [" + address + "];\n";
            for (unsigned k = 0; k < count; ++k)
                body += "st.global.u64 [%d1+" + std::to_string(8 * k) + "], %v" + std::to_string(k) + ";\n";
            const auto words = results(opcode, body, before, declared);
            ASSERT_EQ(words.size(), 8U);
            for (unsigned k = 0; k < count; ++k) EXPECT_EQ(words[k], element(k, type)) << opcode;
            continue;
        }
        for (unsigned k = 0; k < count; ++k)
            body += "mov.b64 %v" + std::to_string(k) + ", " +
                    std::to_string(static_cast<std::int64_t>(element(k, type))) + ";\n";
        if (space == "shared" || space == "local" || space == "param")
            body += "mov.b64 %d4, 0;\nst." + space + ".v2.b64 [m], {%d4, %d4};\n";
        body += opcode + " [" + address + "], " + registers + ";\n";
        if (address == "m")
            body += "ld." + space + ".v2.b64 {%d2, %d3}, [m];\nst.global.v2.b64 [%d1], {%d2, %d3};\n";
        const auto words = results(opcode, body, before, declared);
        ASSERT_EQ(words.size(), 8U);
        std::uint64_t wanted[2] = {0, 0};
        std::memcpy(wanted, pattern, count * bytes);
        EXPECT_EQ(words[0], wanted[0]) << opcode;
        EXPECT_EQ(words[1], wanted[1]) << opcode;
    }
    EXPECT_GT(checked, 500U);
}

TEST(OpcodeList, Atomics) {
    std::size_t checked = 0;
    for (const std::string& opcode : executed_opcodes()) {
        const auto p = pieces_of(opcode);
        if (p[0] != "atom" && p[0] != "red") continue;
        ++checked;
        const std::string type = p.back(), space = space_of(p);
        const unsigned bytes = bytes_named(type), bits = 8 * bytes;
        std::string op;
        for (const char* const name :
             {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
            if (has_piece(p, name)) op = name;
        }
        const bool is_float = type[0] == 'f' || type.starts_with("bf");
        // 1.5 and 2.25 as the type has them.
        const auto number = [&](double value) -> std::uint64_t {
            if (type == "f64") return std::bit_cast<std::uint64_t>(value);
            const Layout layout = type == "f32"              ? f32_layout
                                  : type.starts_with("bf16") ? bf16_layout
                                                             : f16_layout;
            const std::uint64_t one = rounded(static_cast<Quad>(value), 0, layout, Mode::rn);
            return type.ends_with("x2") ? one | (one << 16U) : one;
        };
        const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        for (const bool second : {false, true}) {
            // -3 and 5, or what makes inc and dec turn round.
            const std::uint64_t held = is_float                     ? number(1.5)
                                       : op == "inc" || op == "dec" ? (second        ? 5U
                                                                       : op == "inc" ? 9U
                                                                                     : 0U)
                                       : second                     ? 5U
                                                                    : all - 2;
            const std::uint64_t b = is_float                     ? number(2.25)
                                    : op == "inc" || op == "dec" ? 7U
                                    : op == "cas"                ? (second ? held : 6U)
                                    : second                     ? all - 2
                                                                 : 5U;
            const std::uint64_t c = 0x35;
            const auto less = [&](std::uint64_t x, std::uint64_t y) {
                return type[0] == 's' ? static_cast<std::int64_t>(x << (64 - bits)) <
                                            static_cast<std::int64_t>(y << (64 - bits))
                                      : x < y;
            };
            std::uint64_t wanted = 0;
            if (op == "add") wanted = is_float ? number(3.75) : (held + b) & all;
            if (op == "min") wanted = less(b, held) ? b : held;
            if (op == "max") wanted = less(held, b) ? b : held;
            if (op == "and") wanted = held & b;
            if (op == "or") wanted = held | b;
            if (op == "xor") wanted = held ^ b;
            if (op == "exch") wanted = b;
            if (op == "cas") wanted = held == b ? c : held;
            if (op == "inc") wanted = held >= b ? 0 : held + 1;
            if (op == "dec") wanted = held == 0 || held > b ? b : held - 1;
            const std::string w = std::to_string(bits),
                              declared = ".reg .b" + w + " %x<4>;\n" +
                                         (space == "shared" ? ".shared .align 8 .b8 m[8];\n" : "");
            const std::string where = space == "shared" ? "m" : "%d1",
                              store_space = space == "shared" ? "shared" : "global";
            std::string body = "mov.b" + w + " %x0, " + std::to_string(held) + ";\nmov.b" + w + " %x1, " +
                               std::to_string(b) + ";\nmov.b" + w + " %x2, " + std::to_string(c) +
                               ";\nmov.b" + w + " %x3, 0;\nst." + store_space + ".b" + w + " [" + where +
                               "], %x0;\n";
            body += opcode + (p[0] == "atom" ? " %x3, [" : " [") + where + "], %x1" +
                    (op == "cas" ? ", %x2" : "") + ";\n";
            body += "ld." + store_space + ".b" + w + " %x0, [" + where + "];\nst.global.b" + w +
                    " [%d1+8], %x0;\nst.global.b" + w + " [%d1+16], %x3;\n";
            const auto words = results(opcode, body, "", declared);
            ASSERT_EQ(words.size(), 8U);
            EXPECT_EQ(words[1], wanted) << opcode;
            EXPECT_EQ(words[2], p[0] == "atom" ? held : 0) << opcode;
        }
    }
    EXPECT_GT(checked, 100U);
}

TEST(OpcodeList, FencesBarriersAndControlAreRead) {
    for (const std::string& opcode : executed_opcodes()) {
        const auto p = pieces_of(opcode);
        if (p[0] == "membar" || p[0] == "fence") {
            EXPECT_EQ(results(opcode, opcode + ";\n").size(), 8U);
        }
        if (p[0] == "nanosleep") {
            EXPECT_EQ(results(opcode, opcode + " 100;\n").size(), 8U);
        }
        if (p[0] == "bar" || p[0] == "barrier") {
            std::string operands = " 0, 32";
            if (has_piece(p, "warp")) operands = " -1";
            if (has_piece(p, "red"))
                operands = std::string(p.back() == "u32" ? " %x" : " %q") + ", 0, 32, %q";
            if (has_piece(p, "arrive")) continue;  // execution_test.cpp: it is of two warps
            const Ran ran = run_words(kernel(1, ".reg .pred %q;\n.reg .b32 %x;\nsetp.eq.u32 %q, %r1, %r1;\n" +
                                                    opcode + operands + ";\nret;"),
                                      {zeros(1)});
            EXPECT_EQ(ran.outcome.findings_total, 0U) << opcode;
        }
    }
}

TEST(OpcodeList, SpacesAreToldApart) {
    for (const std::string space : {"shared", "local", "const", "param"}) {
        const std::string before = space == "const" ? ".const .u64 m = 5;\n" : "";
        const std::string declared = space == "shared" || space == "local" ? "." + space + " .u64 m;\n" : "";
        const std::string name = space == "param" ? "pp" : "m";
        const auto words = results(
            space,
            "mov.u64 %d4, " + name + ";\ncvta." + space + ".u64 %d5, %d4;\nisspacep." + space +
                " %q, %d5;\nselp.u64 %v0, 1, 0, %q;\nisspacep.global %q, %d5;\nselp.u64 %v1, 1, 0, %q;\n"
                "cvta.to." +
                space + ".u64 %d6, %d5;\nsub.u64 %v2, %d6, %d4;\nisspacep." + space +
                " %q, %d1;\nselp.u64 %v3, 1, 0, %q;\n"
                "st.global.v2.u64 [%d1], {%v0, %v1};\nst.global.v2.u64 [%d1+16], {%v2, %v3};\n",
            before, declared);
        ASSERT_EQ(words.size(), 8U);
        EXPECT_EQ(words[0], 1U) << space;
        EXPECT_EQ(words[1], 0U) << space;
        EXPECT_EQ(words[2], 0U) << space;
        EXPECT_EQ(words[3], 0U) << space;
    }
}

}  // namespace
}  // namespace ptx_test
