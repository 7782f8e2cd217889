// SPDX-License-Identifier: MIT
// Kernels of one line, interpreted.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
