// SPDX-License-Identifier: MIT
// Every opcode that computes, on values at the edges of its types, against opcode_expectation.h.
#include <bit>
#include <random>

#include "tests/core/ptx/opcode_expectation.h"
#include "tests/core/ptx/ptx_testing.h"
#include "tests/core/ptx/rounding.h"

namespace ptx_test {
namespace {

constexpr unsigned threads = 128;

Layout layout_named(const std::string& type) {
    return type == "f64"              ? f64_layout
           : type == "f32"            ? f32_layout
           : type.starts_with("bf16") ? bf16_layout
                                      : f16_layout;
}

// Patterns of a float: zeros, ones, subnormals, the greatest, infinities, NaN, halves of integers, any bits.
std::uint64_t some_float(std::mt19937_64& random, const Layout& layout) {
    const unsigned width = static_cast<unsigned>(layout.fraction + layout.exponent) + 1;
    const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t sign = random() % 2 << (width - 1);
    const std::uint64_t bias = (std::uint64_t{1} << (layout.exponent - 1)) - 1;
    const std::uint64_t infinity = ((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction;
    const std::uint64_t fraction = random() & ((std::uint64_t{1} << layout.fraction) - 1);
    switch (random() % 10) {
        case 0:
            return sign;
        case 1:
            return sign | (bias << layout.fraction);
        case 2:
            return sign | fraction >> (random() % static_cast<unsigned>(layout.fraction));  // subnormal
        case 3:
            return sign | (infinity - 1 - random() % 4);
        case 4:
            return sign | (random() % 4 == 0 ? infinity | 1 | fraction : infinity);
        case 5:  // of whole numbers and their halves
            return sign |
                   ((bias + random() % static_cast<unsigned>(std::min(layout.fraction + 2, 30)))
                    << layout.fraction) |
                   (fraction &
                    ~((std::uint64_t{1} << (random() % static_cast<unsigned>(layout.fraction))) - 1));
        case 6:
        case 7:
            return sign | ((bias - 3 + random() % 7) << layout.fraction) | fraction;
        default:
            return random() & all;
    }
}

std::uint64_t some_value(std::mt19937_64& random, unsigned width, const std::string& floats) {
    if (width == 1) return random() % 2;
    const bool pair = floats.ends_with("x2");
    if (pair && width == 32) {
        const Layout layout = layout_named(floats);
        return some_float(random, layout) | (some_float(random, layout) << 16U);
    }
    if (!floats.empty() &&
        width == static_cast<unsigned>(layout_named(floats).fraction + layout_named(floats).exponent) + 1)
        return some_float(random, layout_named(floats));
    const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    switch (random() % 6) {
        case 0:
            return random() % 3;
        case 1:
            return (all - random() % 3) & all;
        case 2:
            return ((std::uint64_t{1} << (width - 1)) - 1 + random() % 3) & all;
        case 3:
            return random() % 70;
        default:
            return random() & all;
    }
}

std::string reg(unsigned width, unsigned number) {
    const char* const prefix = width == 1 ? "%q" : width == 16 ? "%h" : width == 32 ? "%w" : "%d";
    return prefix + std::to_string(number);
}

std::string text_for(const std::string& opcode, const Expectation& expected) {
    std::string text = std::string(head) +
                       ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .pred %q<8>;\n.reg "
                       ".b16 %h<8>;\n.reg .b32 %w<8>;\n.reg .b64 %d<8>;\n"
                       ".reg .b64 %a<8>;\n.reg .b32 %t;\nld.param.u64 %a0, [pin];\nld.param.u64 %a1, "
                       "[pout];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %a2, %t, 32;\nadd.s64 %a3, %a0, %a2;\n"
                       "mul.wide.u32 %a2, %t, 8;\nadd.s64 %a4, %a1, %a2;\n";
    std::string operands = reg(expected.destination, 7);
    for (unsigned k = 0; k < expected.sources.size(); ++k) {
        const unsigned width = expected.sources[k];
        const std::string from = "[%a3+" + std::to_string(8 * k) + "]";
        if (width == 1)
            text += "ld.global.u32 %w6, " + from + ";\nsetp.ne.u32 " + reg(1, k) + ", %w6, 0;\n";
        else
            text += "ld.global.b" + std::to_string(width) + " " + reg(width, k) + ", " + from + ";\n";
        operands += ", " + reg(width, k);
    }
    if (!expected.immediate.empty()) operands += ", " + expected.immediate;
    text += opcode + " " + operands + ";\n";
    if (expected.destination == 1)
        text += "selp.b64 %d7, 1, 0, %q7;\n";
    else if (expected.destination < 64)
        text += "cvt.u64.u" + std::to_string(expected.destination) + " %d7, " + reg(expected.destination, 7) +
                ";\n";
    return text + "st.global.b64 [%a4], %d7;\nret;\n}\n";
}

bool agree(std::uint64_t got, std::uint64_t wanted, const std::string& type) {
    if (got == wanted) return true;
    if (type.empty()) return false;
    const Layout layout = layout_named(type);
    if (!type.ends_with("x2")) return is_nan(got, layout) && is_nan(wanted, layout);
    const auto half = [&](unsigned at) {
        const std::uint64_t g = (got >> at) & 0xffffU, w = (wanted >> at) & 0xffffU;
        return g == w || (is_nan(g, layout) && is_nan(w, layout));
    };
    return half(0) && half(16);
}

TEST(Opcodes, GiveWhatIsExpectedOfThem) {
    std::mt19937_64 random(20);
    std::size_t checked = 0;
    int shown = 0;
    for (const std::string& opcode : executed_opcodes()) {
        const auto expected = expectation_of(opcode);
        if (!expected) continue;
        ++checked;
        auto module = Module::parse(text_for(opcode, *expected));
        ASSERT_TRUE(module) << opcode << ": " << (module ? "" : module.error().message);
        Memory memory;
        const std::uint64_t in = memory.allocate(threads * 32), out = memory.allocate(threads * 8);
        std::vector<Sources> sources(threads);
        const std::string base = pieces_of(opcode)[0];
        const bool divides = base == "rem" || (base == "div" && expected->result_float.empty());
        for (Sources& lane : sources) {
            for (unsigned k = 0; k < expected->sources.size(); ++k)
                lane[k] = some_value(random, expected->sources[k], expected->floats);
            if (divides) lane[1] |= 1U;
        }
        std::memcpy(memory.bytes(in, threads * 32).data(), sources.data(), threads * 32);
        memory.mark_written(in, threads * 32);
        const std::array<std::uint64_t, 2> parameters{in, out};
        const auto outcome =
            run(*module,
                {.kernel = "k", .block = {threads, 1, 1}, .parameters = std::as_bytes(std::span(parameters))},
                memory);
        ASSERT_TRUE(outcome) << opcode;
        EXPECT_EQ(outcome->findings_total, 0U)
            << opcode << ": " << (outcome->findings.empty() ? "" : outcome->findings[0].message);
        std::vector<std::uint64_t> got(threads);
        std::memcpy(got.data(), memory.bytes(out, threads * 8).data(), threads * 8);
        for (unsigned t = 0; t < threads; ++t) {
            const std::uint64_t wanted = expected->value(sources[t]);
            if (agree(got[t], wanted, expected->result_float)) continue;
            ADD_FAILURE() << opcode << std::hex << " of " << sources[t][0] << ", " << sources[t][1] << ", "
                          << sources[t][2] << ", " << sources[t][3] << " gives " << got[t] << ", not "
                          << wanted;
            if (++shown > 40) return;
            break;
        }
    }
    RecordProperty("opcodes", static_cast<int>(checked));
    EXPECT_GT(checked, 2000U);
}

// Every half and every bfloat to f32 and back, in all directions of rounding.
TEST(Opcodes, ConvertEveryHalf) {
    for (const std::string type : {"f16", "bf16"}) {
        const Layout layout = layout_named(type);
        for (const std::string& body : {std::string("cvt.f32." + type + " %f1, %h1;\nmov.b32 %r2, %f1;\n"),
                                        std::string("cvt.f32." + type + " %f1, %h1;\ncvt.rz." + type +
                                                    ".f32 %h2, %f1;\ncvt.u32.u16 %r2, %h2;\n")}) {
            const bool back = body.find("rz") != std::string::npos;
            const std::string text = kernel(
                1, "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 1024, %r1;\ncvt.u16.u32 %h1, %r4;\n" + body +
                       "mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd7, %rd1, %rd6;\nst.global.u32 [%rd7], "
                       "%r2;\nret;");
            const Ran ran = run_words(text, {zeros(65536)}, {.blocks = 64, .threads = 1024});
            ASSERT_EQ(ran.outcome.findings_total, 0U);
            int wrong = 0;
            for (std::uint32_t bits = 0; bits < 65536; ++bits) {
                const std::uint32_t got = ran.words[0][bits];
                if (is_nan(bits, layout)) {
                    wrong += is_nan(got, back ? layout : f32_layout) ? 0 : 1;
                    continue;
                }
                std::uint64_t wanted = bits;
                if (!back) {
                    const bool negative = bits >= 0x8000;
                    wanted = is_infinite(bits, layout) ? (negative ? 0xff800000U : 0x7f800000U)
                             : (bits & 0x7fffU) == 0
                                 ? (negative ? 0x80000000U : 0U)
                                 : rounded(value_of(bits, layout), 0, f32_layout, Mode::rn);
                }
                wrong += got == wanted ? 0 : 1;
            }
            EXPECT_EQ(wrong, 0) << type << (back ? " and back" : "");
        }
    }
}

TEST(Opcodes, CarriesGoFromOneToTheNext) {
    // 96 bits: (2^96 - 1) + 1, and 0 - 1, and a product of 64 bits from parts of 32.
    const Ran ran = run_words(kernel(1,
                                     "mov.u32 %r3, 0xffffffff;\nadd.cc.u32 %r4, %r3, 1;\naddc.cc.u32 %r5, "
                                     "%r3, 0;\naddc.u32 %r6, 7, 0;\n"
                                     "sub.cc.u32 %r7, 0, 1;\nsubc.cc.u32 %r8, 0, 0;\nsubc.u32 %r9, 7, 0;\n"
                                     "mov.u32 %r10, 0x80000001;\nmad.lo.cc.u32 %r11, %r10, %r10, "
                                     "%r3;\nmadc.hi.u32 %r12, %r10, %r10, 0;\n"
                                     "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\nst.global.v4.u32 "
                                     "[%rd1+16], {%r8, %r9, %r11, %r12};\nret;"),
                              {zeros(8)}, {.threads = 1});
    ASSERT_EQ(ran.outcome.findings_total, 0U);
    const std::uint64_t product = std::uint64_t{0x80000001} * 0x80000001 + 0xffffffffU;
    EXPECT_EQ(ran.words[0], (std::vector<std::uint32_t>{0, 0, 8, 0xffffffff, 0xffffffff, 6,
                                                        static_cast<std::uint32_t>(product),
                                                        static_cast<std::uint32_t>(product >> 32U)}));
}

TEST(Opcodes, PartsArePackedAndTakenApart) {
    const Ran ran = run_words(
        kernel(1,
               "mov.u32 %r3, 0x03020100;\nmov.u32 %r4, 0x07060504;\nmov.b64 %rd5, {%r3, %r4};\nmov.b64 {%r5, "
               "%r6}, %rd5;\nmov.b32 {%h1, %h2}, %r5;\nmov.b32 %r7, {%h2, %h1};\n"
               "mov.b64 {%h3, %h4, %h5, %h6}, %rd5;\nmov.b64 %rd6, {%h6, %h5, %h4, %h3};\nmov.b64 {_, %r8}, "
               "%rd6;\nst.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};\nret;"),
        {zeros(4)}, {.threads = 1});
    EXPECT_EQ(ran.words[0], (std::vector<std::uint32_t>{0x03020100, 0x07060504, 0x01000302, 0x01000302}));
}

TEST(Opcodes, TheSecondPredicateIsTheOpposite) {
    const Ran ran =
        run_words(kernel(1,
                         "setp.lt.u32 %p3, %r1, 20;\nsetp.lt.and.u32 %p1|%p2, %r1, 5, %p3;\nselp.u32 %r2, 1, "
                         "0, %p1;\nselp.u32 %r3, 2, 0, %p2;\nadd.u32 %r2, %r2, %r3;\n"
                         "add.s64 %rd5, %rd1, %rd0;\nst.global.u32 [%rd5], %r2;\nret;"),
                  {zeros(32)});
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.words[0][t], t < 5 ? 1U : t < 20 ? 2U : 0U);
}

TEST(Opcodes, ThePredicatesOfAPairAreOfItsHalves) {
    // (t, 20) below (10, t): the low halves in threads 0 to 9, the high ones from 21 on.
    const Ran ran = run_words(
        kernel(1,
               "cvt.rn.f16.u32 %h1, %r1;\nmov.u16 %h2, 0x4d00;\nmov.u16 %h3, 0x4900;\nmov.b32 %r3, {%h1, "
               "%h2};\nmov.b32 %r4, {%h3, %h1};\nsetp.lt.f16x2 %p1|%p2, %r3, %r4;\nselp.u32 %r5, 1, 0, "
               "%p1;\nselp.u32 %r6, 2, 0, %p2;\nadd.u32 %r5, %r5, %r6;\nadd.s64 %rd5, %rd1, "
               "%rd0;\nst.global.u32 [%rd5], %r5;\nret;"),
        {zeros(32)});
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.words[0][t], t < 10 ? 1U : t > 20 ? 2U : 0U) << t;
}

}  // namespace
}  // namespace ptx_test
