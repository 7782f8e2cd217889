// SPDX-License-Identifier: MIT
// Kernels of one line, interpreted.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/synth/builder.h"
#include "core/synth/canonical.h"
#include "core/synth/expect.h"
#include "core/synth/generate.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace synth_test {

using namespace workbench::synth;  // NOLINT: what is tested

inline Tree read(const std::string& source) {
    auto made = parse(source);
    EXPECT_TRUE(made) << made.error().message << "\n" << source;
    return made ? *std::move(made) : Tree{};
}

// A kernel of float arrays x and out, and a body.
inline Tree kernel(const std::string& body, const std::string& type = "float") {
    return read(
        "// x[n], out[n]\nextern \"C\" __global__ void k(const " + type + "* x, " + type +
        "* out, int n, int m) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\n" +
        body + "\n}\n");
}

inline Argument numbers(Type type, const std::vector<double>& values) {
    Argument made{.type = type};
    for (const double value : values) made.slots.push_back(bits_of(type, value));
    return made;
}

// Bits of the ends of a type, and of what has no number in C++.
inline std::vector<std::uint64_t> special_bits(Type type) {
    const auto of_floats = [&](auto zero) {
        using Limits = std::numeric_limits<decltype(zero)>;
        std::vector<std::uint64_t> made;
        for (const auto value : {zero, Limits::denorm_min(), Limits::min(), decltype(zero){0.1F},
                                 decltype(zero){16777216.0F}, Limits::max(), Limits::infinity()}) {
            made.push_back(bits_of(type, value));
            made.push_back(bits_of(type, -value));
        }
        return made;
    };
    switch (type) {
        case Type::f32: {
            auto made = of_floats(0.0F);
            made.insert(made.end(), {0x7fc00000U, 0xffc00000U, 0x7fffffffU, 0x7f800001U});
            return made;
        }
        case Type::f64: {
            auto made = of_floats(0.0);
            made.insert(made.end(), {0x7ff8000000000000U, 0xfff8000000000000U, 0x7ff0000000000001U});
            return made;
        }
        case Type::boolean:
            return {0, 1};
        case Type::i32:
        case Type::u32:
            return {0, 1, 5, 0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU};
        default:
            return {0,
                    1,
                    0x7fffffffU,
                    0x80000000U,
                    0xffffffffU,
                    0x7fffffffffffffffU,
                    0x8000000000000000U,
                    0xffffffffffffffffU};
    }
}

// A kernel whose threads write such literals of a type, each one and its minus.
inline Candidate kernel_of_literals(Type type) {
    Builder b;
    const Id out = b.parameter("out", type, SymbolKind::output, {1, 1, 0});
    b.parameter("n", Type::i32, SymbolKind::n);
    b.parameter("m", Type::i32, SymbolKind::m);
    const Id i = b.add_symbol("i", Type::i32, SymbolKind::index);
    std::vector<Id> values;
    for (const std::uint64_t bits : special_bits(type)) {
        const Id literal = b.literal_bits(type, bits);
        values.push_back(literal);
        // The minus of a signed one may not fit.
        if (is_float(type)) values.push_back(b.minus(literal));
    }
    Id value = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) {
        const Id turn =
            b.binary(Op::rem, b.symbol(i), b.literal(Type::i32, static_cast<double>(values.size())));
        value =
            b.select(b.binary(Op::eq, turn, b.literal(Type::i32, static_cast<double>(k))), values[k], value);
    }
    b.store(out, b.symbol(i), value);
    Candidate made{.category = Category::arithmetic, .tree = b.take()};
    made.canonical = canonical_hash(made.tree);
    made.tree.kernel.name = "literals_of_" + std::string(info(type).name);
    return made;
}

struct Ran {
    Interpreted how;
    std::vector<double> out;
    std::vector<double> bounds;
};
// Runs kernel(): what is in `out` afterwards.
inline Ran run(const Tree& tree, const std::vector<double>& x, const std::vector<double>& bounds = {}) {
    const Type type = tree.symbols[tree.kernel.parameters[0]].type;
    std::vector<Argument> arguments{numbers(type, x), numbers(type, std::vector<double>(x.size(), 0)),
                                    numbers(Type::i32, {static_cast<double>(x.size())}),
                                    numbers(Type::i32, {1})};
    arguments[0].extra = bounds;
    Ran made{interpret(tree, arguments), {}, arguments[1].extra};
    for (std::size_t k = 0; k < x.size(); ++k) made.out.push_back(arguments[1].number(k));
    return made;
}

}  // namespace synth_test
