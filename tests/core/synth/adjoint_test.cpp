// SPDX-License-Identifier: MIT
// Adjoints against tangents and against differences, in f64.
#include <cmath>
#include <map>

#include "core/synth/adjoint.h"
#include "core/synth/maker.h"
#include "tests/core/synth/synth_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests

const Interpretation wide_values{.mode = Mode::values, .wide = true};

bool is_differentiable(const Symbol& s) {
    return is_float(s.type) && (s.kind == SymbolKind::input || s.kind == SymbolKind::scalar);
}

// The kernel with f64 for f32. Those with vectors are computed as f64 by the interpreter alone.
Tree widened(Tree tree) {
    const auto has_components = [](const auto& of) { return info(of.type).components > 1; };
    if (std::any_of(tree.exprs.begin(), tree.exprs.end(), has_components)) return tree;
    const auto widen = [](Type& type) { type = type == Type::f32 ? Type::f64 : type; };
    for (Symbol& s : tree.symbols) widen(s.type);
    for (Function& helper : tree.helpers) widen(helper.result);
    for (Expr& e : tree.exprs) {
        if (e.op == Op::literal && e.type == Type::f32) e.bits = bits_of(Type::f64, literal_value(e));
        widen(e.type);
    }
    return tree;
}

// The inputs of a kernel, its floats as f64.
std::vector<Argument> inputs_of(const Candidate& one) {
    std::vector<Argument> made = draw_inputs(one.tree, one.canonical, 0, 0);
    for (Argument& argument : made) {
        if (element(argument.type) != Type::f32) continue;
        for (std::size_t k = 0; k < argument.slots.size(); ++k)
            argument.slots[k] = bits_of(Type::f64, argument.number(k));
    }
    return made;
}

struct Proof {
    double forward = 0;   // adj_out . J u
    double backward = 0;  // J^T adj_out . u
    double scale = 0;
    double differences = 0;  // the first, by central differences
    bool kinked = false;
    std::string error;
};

Proof prove(const Candidate& one, const Tree& backward) {
    Proof made;
    Draw draw(17);
    const auto number = [&] { return static_cast<double>(draw.next() >> 11) * 0x1p-52 - 1; };
    const Tree& tree = one.tree;
    std::vector<Argument> inputs = inputs_of(one);
    const auto symbol = [&](std::size_t p) -> const Symbol& {
        return tree.symbols[tree.kernel.parameters[p]];
    };
    std::map<std::string, std::vector<double>> direction, adjoint;
    for (std::size_t p = 0; p < inputs.size(); ++p) {
        auto& to = is_differentiable(symbol(p)) ? direction : adjoint;
        if (!is_differentiable(symbol(p)) && !is_written(symbol(p).kind)) continue;
        for (std::size_t k = 0; k < inputs[p].slots.size(); ++k) to[symbol(p).name].push_back(number());
        if (is_written(symbol(p).kind)) std::fill(inputs[p].slots.begin(), inputs[p].slots.end(), 0);
    }
    // Forward, with tangents.
    std::vector<Argument> along = inputs;
    for (std::size_t p = 0; p < along.size(); ++p) {
        if (is_differentiable(symbol(p))) along[p].extra = direction[symbol(p).name];
    }
    made.error = interpret(tree, along, {.mode = Mode::tangents, .wide = true}).error;
    for (std::size_t p = 0; p < along.size(); ++p) {
        if (!is_written(symbol(p).kind)) continue;
        for (std::size_t k = 0; k < along[p].slots.size(); ++k) {
            made.forward += adjoint[symbol(p).name][k] * along[p].extra[k];
            made.scale += std::abs(adjoint[symbol(p).name][k] * along[p].extra[k]);
        }
    }
    // By differences, twice: where they do not agree there is a kink.
    const auto difference = [&](double h) {
        std::vector<Argument> sides[2] = {inputs, inputs};
        double sum = 0;
        for (int side = 0; side < 2; ++side) {
            for (std::size_t p = 0; p < inputs.size(); ++p) {
                if (!is_differentiable(symbol(p))) continue;
                for (std::size_t k = 0; k < inputs[p].slots.size(); ++k)
                    sides[side][p].slots[k] =
                        bits_of(Type::f64,
                                inputs[p].number(k, true) + (side ? h : -h) * direction[symbol(p).name][k]);
            }
            interpret(tree, sides[side], wide_values);
        }
        for (std::size_t p = 0; p < inputs.size(); ++p) {
            if (!is_written(symbol(p).kind)) continue;
            for (std::size_t k = 0; k < inputs[p].slots.size(); ++k)
                sum += adjoint[symbol(p).name][k] *
                       (sides[1][p].number(k, true) - sides[0][p].number(k, true)) / (2 * h);
        }
        return sum;
    };
    made.differences = difference(1e-6);
    made.kinked = std::abs(made.differences - difference(3e-6)) > 1e-6 * (made.scale + 1);
    // Backward.
    std::vector<Argument> back;
    for (const Id id : backward.kernel.parameters) {
        const Symbol& s = backward.symbols[id];
        Argument argument{.type = s.type};
        const auto given = std::find_if(tree.kernel.parameters.begin(), tree.kernel.parameters.end(),
                                        [&](Id k) { return tree.symbols[k].name == s.name; });
        if (given != tree.kernel.parameters.end() && !is_written(tree.symbols[*given].kind)) {
            argument = inputs[static_cast<std::size_t>(given - tree.kernel.parameters.begin())];
        } else if (s.kind == SymbolKind::input) {
            for (const double v : adjoint[s.name.substr(4)]) argument.slots.push_back(bits_of(Type::f64, v));
        } else {
            argument.slots.assign(direction[s.name.substr(4)].size(), 0);
        }
        back.push_back(std::move(argument));
    }
    if (made.error.empty()) made.error = interpret(backward, back, wide_values).error;
    for (std::size_t p = 0; p < back.size(); ++p) {
        const Symbol& s = backward.symbols[backward.kernel.parameters[p]];
        if (!is_written(s.kind)) continue;
        const auto& along_it = direction[s.name.substr(4)];
        for (std::size_t k = 0; k < along_it.size(); ++k)
            made.backward += back[p].number(k, true) * along_it[k];
    }
    return made;
}

TEST(Adjoint, IsTheTransposeOfTheDerivative) {
    std::map<std::string, int> reasons;
    std::map<Category, int> made;
    int compared = 0, drawn = 0, infinite = 0;
    for (int k = 0; k < 350; ++k) {
        Candidate one = generate(static_cast<Category>(k % categories), 31, static_cast<std::uint64_t>(k));
        one.tree = widened(std::move(one.tree));
        const Backward backward = adjoint_of(one.tree);
        ++drawn;
        if (!backward.reason.empty()) {
            ++reasons[backward.reason];
            continue;
        }
        ++made[one.category];
        const Proof proof = prove(one, backward.tree);
        ASSERT_EQ(proof.error, "") << print_cuda(one.tree) << print_cuda(backward.tree);
        if (!std::isfinite(proof.scale + proof.backward)) {
            ++infinite;  // at a kink: the length of a vector that is zero
            continue;
        }
        ASSERT_NEAR(proof.forward, proof.backward, 1e-10 * (proof.scale + 1e-2))
            << name_of(one.category) << "\n"
            << print_cuda(one.tree) << print_cuda(backward.tree);
        if (proof.kinked) continue;
        ++compared;
        ASSERT_NEAR(proof.differences, proof.backward, 1e-5 * (proof.scale + 1))
            << name_of(one.category) << "\n"
            << print_cuda(one.tree) << print_cuda(backward.tree);
    }
    int all = 0;
    for (const auto& [category, count] : made) all += count;
    EXPECT_GE(all, drawn * 6 / 10);
    EXPECT_GE(compared, drawn * 4 / 10);
    EXPECT_LE(infinite, 5);
    EXPECT_EQ(reasons["block"], 25);
    EXPECT_GT(reasons["integer"], 0);
    EXPECT_EQ(made.size(), 13U);
    RecordProperty("made", all);
}

TEST(Adjoint, IsReadBackFromItsSource) {
    for (int k = 0; k < 280; ++k) {
        const Candidate one =
            generate(static_cast<Category>(k % categories), 32, static_cast<std::uint64_t>(k));
        const Backward backward = adjoint_of(one.tree);
        if (!backward.reason.empty()) continue;
        const auto read = parse(print_cuda(backward.tree));
        ASSERT_TRUE(read) << read.error().message << print_cuda(backward.tree);
        ASSERT_TRUE(*read == backward.tree) << print_cuda(backward.tree) << print_cuda(*read);
    }
}

// Arguments by name, of a launch of `n` threads; a tape begins as it is.
std::vector<Argument> arguments_of(const Tree& tree, std::uint64_t n, std::uint64_t m) {
    std::vector<Argument> made;
    for (const Id id : tree.kernel.parameters) {
        const Symbol& s = tree.symbols[id];
        Argument argument{.type = s.type};
        if (s.kind == SymbolKind::n || s.kind == SymbolKind::m) {
            argument.slots.push_back(s.kind == SymbolKind::n ? n : m);
        } else {
            Draw draw(s.name.size() * 1000 + s.name[0]);
            const std::uint64_t count = is_array_parameter(s.kind) ? s.extent.count(n, m) : 1;
            const auto slots = count * static_cast<std::uint64_t>(info(s.type).components);
            for (std::uint64_t k = 0; k < slots; ++k) {
                const double number = is_written(s.kind) ? 0 : draw.between(1, 64) / 16.0 - 2;
                argument.slots.push_back(bits_of(element(s.type), is_float(s.type) ? number : 1));
            }
        }
        made.push_back(std::move(argument));
    }
    return made;
}

std::map<std::string, std::vector<std::uint64_t>> written_by(const Tree& tree,
                                                             std::vector<Argument> arguments,
                                                             std::string& error) {
    error = interpret(tree, arguments, {.mode = Mode::values}).error;
    std::map<std::string, std::vector<std::uint64_t>> made;
    for (std::size_t p = 0; p < arguments.size(); ++p) {
        const Symbol& s = tree.symbols[tree.kernel.parameters[p]];
        if (is_written(s.kind) && s.name != "tape") made[s.name] = arguments[p].slots;
    }
    return made;
}

TEST(Adjoint, OnATapeGivesTheSameBits) {
    std::map<Category, int> taped;
    for (int k = 0; k < 420; ++k) {
        const Candidate one =
            generate(static_cast<Category>(k % categories), 33, static_cast<std::uint64_t>(k));
        const Backward in_arrays = adjoint_of(one.tree), on_tape = adjoint_of(one.tree, LoopValues::on_tape);
        ASSERT_EQ(in_arrays.reason, on_tape.reason);
        if (!in_arrays.reason.empty()) continue;
        const auto tape = std::ranges::find(on_tape.tree.symbols, "tape", &Symbol::name);
        if (tape == on_tape.tree.symbols.end()) {
            EXPECT_TRUE(in_arrays.tree == on_tape.tree) << print_cuda(on_tape.tree);
            continue;
        }
        ++taped[one.category];
        EXPECT_EQ(tape->type, Type::f64);
        std::string error, other_error;
        const auto wanted = written_by(in_arrays.tree, arguments_of(in_arrays.tree, 70, 11), error);
        const auto made = written_by(on_tape.tree, arguments_of(on_tape.tree, 70, 11), other_error);
        ASSERT_EQ(other_error, error) << print_cuda(on_tape.tree);
        EXPECT_EQ(made, wanted) << print_cuda(on_tape.tree);
        const auto read = parse(print_cuda(on_tape.tree));
        ASSERT_TRUE(read) << read.error().message << print_cuda(on_tape.tree);
        EXPECT_TRUE(*read == on_tape.tree) << print_cuda(on_tape.tree);
    }
    for (const Category category : {Category::array, Category::iir, Category::nested_loop})
        EXPECT_GT(taped[category], 5) << name_of(category);
}

// A line may have more samples than a local array has entries.
TEST(Adjoint, OnATapeTakesAnyM) {
    const Tree forward = read(
        "// x[n * m], out[n]\nextern \"C\" __global__ void k(const double* x, double* out, int n, int m) {\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\ndouble total = 1.0;\n"
        "for (int j = m - 1; j >= 0; --j) {\nfor (int k = 0; k < j + 1; ++k) {\n"
        "if (k == j) total *= x[i * m + j];\n}\n}\nout[i] = total;\n}\n");
    constexpr std::uint64_t n = 3, m = 100;
    std::string error;
    const Tree in_arrays = adjoint_of(forward).tree;
    written_by(in_arrays, arguments_of(in_arrays, n, m), error);
    EXPECT_NE(error, "") << "local arrays have 256 entries";
    const Tree on_tape = adjoint_of(forward, LoopValues::on_tape).tree;
    auto arguments = arguments_of(on_tape, n, m);
    // x is 1 but for one element of each line; adj_out is 1.
    for (std::size_t p = 0; p < 2; ++p) std::ranges::fill(arguments[p].slots, bits_of(Type::f64, 1));
    for (std::size_t line = 0; line < n; ++line) arguments[0].slots[line * m + 90] = bits_of(Type::f64, 4);
    const auto made = written_by(on_tape, arguments, error);
    ASSERT_EQ(error, "") << print_cuda(on_tape);
    for (std::size_t k = 0; k < n * m; ++k)
        EXPECT_EQ(made.at("adj_x")[k], bits_of(Type::f64, k % m == 90 ? 1 : 4)) << k;
}

TEST(Adjoint, AddsToWhatOthersReadToo) {
    const Tree tree = kernel("out[i] = x[i] * x[(i + 1) % n];");
    const std::string source = print_cuda(adjoint_of(tree).tree);
    EXPECT_NE(source.find("atomicAdd(&adj_x[(i + 1) % n]"), std::string::npos) << source;
    EXPECT_NE(source.find("atomicAdd(&adj_x[i]"), std::string::npos) << source;
    const std::string own = print_cuda(adjoint_of(kernel("out[i] = x[i] * x[i];")).tree);
    EXPECT_EQ(own.find("atomicAdd"), std::string::npos) << own;
    EXPECT_EQ(adjoint_of(kernel("out[i] = x[i];", "int")).reason, "integer");
}

// An index that the condition alone keeps in bounds.
TEST(Adjoint, OfALoadStaysBehindItsCondition) {
    const Tree tree = kernel("out[i] = i > 0 ? x[i - 1] * x[i] : x[i];");
    const Backward backward = adjoint_of(tree);
    ASSERT_EQ(backward.reason, "");
    const auto wanted = expect(backward.tree, std::string(64, '7'));
    EXPECT_EQ(wanted.error, "") << print_cuda(backward.tree);
    EXPECT_TRUE(*parse(print_cuda(backward.tree)) == backward.tree);
    // i alone needs no branch.
    EXPECT_EQ(print_cuda(adjoint_of(kernel("out[i] = x[i] > 0.0f ? x[i] : 2.0f;")).tree).find(" else "),
              std::string::npos);
}

// The condition alone keeps what is inside of an index from fault: a load, a divisor.
TEST(Adjoint, OfALoadStaysBehindItsConditionForWhatItsIndexHolds) {
    const auto kernel_with = [](const std::string& value) {
        return read(
            "// x[n], k[n], out[n]\nextern \"C\" __global__ void f(const float* x, const int* k, float* out, "
            "int n, int m) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nout[i] "
            "= " +
            value + ";\n}\n");
    };
    for (const std::string value :
         {"i > 0 ? x[(k[i - 1] & 7) % n] * x[i] : x[i]", "i > 0 ? x[100 / i % n] * x[i] : x[i]",
          "i > 0 ? x[100 % i] * x[i] : x[i]", "i > 0 ? x[i] * (float)(100 / i) : x[i]"}) {
        const Tree tree = kernel_with(value);
        ASSERT_EQ(expect(tree, std::string(64, '7')).error, "") << value;
        const Backward backward = adjoint_of(tree);
        ASSERT_EQ(backward.reason, "") << value;
        EXPECT_EQ(expect(backward.tree, std::string(64, '7')).error, "") << print_cuda(backward.tree);
    }
    EXPECT_EQ(
        print_cuda(adjoint_of(kernel_with("x[i] > 0.0f ? x[(i / 3 + 1) % n] : 2.0f")).tree).find(" else "),
        std::string::npos);
}

TEST(Adjoint, IsNoneOfAKernelThatGoesOnFromWhatAnOutputHeld) {
    EXPECT_EQ(adjoint_of(kernel("out[i] = out[i] * x[i];")).reason, "it reads what it writes");
    EXPECT_EQ(
        adjoint_of(kernel("if (x[i] > 0.0f) {\n        out[i] = x[i];\n    }\n    out[i] = out[i] + x[i];"))
            .reason,
        "it reads what it writes");
    EXPECT_EQ(adjoint_of(kernel("out[i] = x[i];\n    out[i] = out[i] * x[i];")).reason, "");
}

// Each call reads what it is given twice: 2^40 nodes, written in place of the calls.
TEST(Adjoint, IsNoneOfCallsInCallsThatGrowWithoutEnd) {
    std::string value = "x[i]";
    for (int k = 0; k < 40; ++k) value = "square(" + value + ")";
    const Tree forward = read(
        "extern \"C\" __device__ __noinline__ float square(float v) {\nreturn v * v;\n}\n"
        "// x[n], out[n]\nextern \"C\" __global__ void k(const float* x, float* out, int n, int m) {\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nout[i] = " +
        value + ";\n}\n");
    EXPECT_EQ(adjoint_of(forward).reason, "size");
}

TEST(Adjoint, ReasonsAreExplainedToPeople) {
    EXPECT_EQ(explained_reason("integer"), "integer (its results are integers)");
    EXPECT_EQ(explained_reason("no float input"), "no float input");
}

}  // namespace
