// SPDX-License-Identifier: MIT
// The trees: read, printed, and their adjoints proved.
#include <bit>
#include <fstream>
#include <iterator>

#include "core/synth/canonical.h"
#include "core/synth/expect.h"
#include "core/synth/maker.h"
#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;        // NOLINT: the helpers of these tests
using namespace workbench::synth;  // NOLINT: the language

TEST(Kernels, AreReadBackFromTheirSources) {
    ASSERT_FALSE(kernels().empty());
    for (const Kernel& kernel : kernels()) {
        const auto tree = parse(kernel.source);
        ASSERT_TRUE(tree) << kernel.name << ": " << tree.error().message << "\n" << kernel.source;
        EXPECT_EQ(tree->kernel.name, kernel.name);
        const auto again = parse(print_cuda(*tree));
        ASSERT_TRUE(again) << kernel.name << ": " << again.error().message;
        EXPECT_TRUE(*again == *tree) << kernel.source;
        const Backward backward = adjoint_of(*tree);
        if (kernel.no_backward.empty()) {
            EXPECT_EQ(backward.reason, "") << kernel.name;
        }
        bool is_exact = true;
        for (const Expr& e : tree->exprs) is_exact = is_exact && workbench::synth::is_exact(e.op);
        EXPECT_NE(is_exact, kernel.is_bounded) << kernel.name;
    }
}

TEST(Kernels, AnUnknownOneIsNamed) {
    const auto none = find_kernel("none");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(none.error().message, testing::HasSubstr("heat_step"));
}

TEST(Kernels, ArePrintedInTheSourceTree) {
    const std::string path = std::string(IIR2D_SOURCE_DIR) + "/core/solve/kernels.gen.cpp";
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), print_kernels())
        << "make the target solve_kernels";
}

// Along tangents in [-1, 1]; f64 alone.
struct DotProducts {
    double forward = 0;   // adj_out . J u
    double backward = 0;  // J^T adj_out . u
    double scale = 0;
    std::string error;
};

DotProducts dot_products(const Tree& tree, const Tree& backward) {
    DotProducts made;
    const std::string canonical = canonical_hash(tree);
    std::vector<Argument> inputs = draw_inputs(tree, canonical, 0, 0);
    // From 0.25 to 0.75, where every kernel has a derivative.
    for (Argument& one : inputs) {
        if (one.type != Type::f64) continue;
        for (std::size_t k = 0; k < one.slots.size(); ++k)
            one.slots[k] = bits_of(Type::f64, 0.5 + one.number(k) / 16);
    }
    Draw draw(23);
    const auto numbers = [&](std::size_t count) {
        std::vector<double> all(count);
        for (double& one : all) one = static_cast<double>(draw.next() >> 11) * 0x1p-52 - 1;
        return all;
    };
    std::map<std::string, std::vector<double>> direction, adjoint;
    const auto symbol = [&](std::size_t p) -> const Symbol& {
        return tree.symbols[tree.kernel.parameters[p]];
    };
    std::vector<Argument> along = inputs;
    for (std::size_t p = 0; p < inputs.size(); ++p) {
        const Symbol& s = symbol(p);
        if (s.type != Type::f64) continue;
        const bool is_given = s.kind == SymbolKind::input || s.kind == SymbolKind::scalar;
        (is_given ? direction : adjoint)[s.name] = numbers(inputs[p].slots.size());
        if (is_given) along[p].extra = direction[s.name];
    }
    made.error = interpret(tree, along, {.mode = Mode::tangents}).error;
    for (std::size_t p = 0; p < along.size(); ++p) {
        const auto found = adjoint.find(symbol(p).name);
        if (found == adjoint.end()) continue;
        for (std::size_t k = 0; k < along[p].slots.size(); ++k) {
            made.forward += found->second[k] * along[p].extra[k];
            made.scale += std::abs(found->second[k] * along[p].extra[k]);
        }
    }
    std::vector<Argument> back;
    for (const Id id : backward.kernel.parameters) {
        const Symbol& s = backward.symbols[id];
        Argument argument{.type = s.type};
        std::size_t p = 0;
        while (p < inputs.size() && symbol(p).name != s.name) ++p;
        if (p < inputs.size()) {
            argument = inputs[p];
        } else if (s.kind == SymbolKind::input) {
            for (const double v : adjoint[s.name.substr(4)]) argument.slots.push_back(bits_of(Type::f64, v));
        } else {
            argument.slots.assign(direction[s.name.substr(4)].size(), 0);
        }
        back.push_back(std::move(argument));
    }
    if (made.error.empty()) made.error = interpret(backward, back, {.mode = Mode::values}).error;
    for (std::size_t p = 0; p < back.size(); ++p) {
        const std::string& name = backward.symbols[backward.kernel.parameters[p]].name;
        if (!name.starts_with("adj_") || !direction.contains(name.substr(4))) continue;
        const auto& u = direction[name.substr(4)];
        for (std::size_t k = 0; k < u.size(); ++k) made.backward += back[p].number(k) * u[k];
    }
    return made;
}

TEST(Kernels, AdjointsAreTheTransposesOfTheDerivatives) {
    int proved = 0;
    for (const Kernel& kernel : kernels()) {
        if (!kernel.no_backward.empty()) continue;
        const Tree& tree = tree_of(kernel.name);
        const DotProducts made = dot_products(tree, tree_of(kernel.name + "_backward"));
        ASSERT_EQ(made.error, "") << kernel.name << "\n" << print_cuda(tree);
        EXPECT_GT(made.scale, 0) << kernel.name;
        EXPECT_LE(std::abs(made.forward - made.backward), 1e-10 * made.scale) << kernel.name;
        ++proved;
    }
    EXPECT_GE(proved, 6);
    // The test sees an adjoint of another kernel.
    const DotProducts wrong =
        dot_products(tree_of("poisson1d_jacobi"), tree_of("poisson1d_residual_backward"));
    EXPECT_GT(std::abs(wrong.forward - wrong.backward), 1e-3 * wrong.scale);
}

// On the inputs that data sets are judged with, zeros, infinities and NaN among them: as V2 asks.
TEST(Kernels, InterpretedOnDrawnInputsAreInBounds) {
    for (const Kernel& kernel : kernels()) {
        for (const bool is_backward : {false, true}) {
            if (is_backward && !kernel.no_backward.empty()) continue;
            const Tree& tree = tree_of(kernel.name + (is_backward ? "_backward" : ""));
            const std::string error = expect(tree, canonical_hash(tree)).error;
            // Quotients of drawn numbers may have no bound, which is no fault.
            EXPECT_TRUE(error.empty() || error == "undecided") << kernel.name << ": " << error;
        }
    }
}

}  // namespace
