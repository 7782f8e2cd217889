// SPDX-License-Identifier: MIT
// Sources of drawn trees, read back; rules; hashes; what parse() says of what is outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "core/synth/canonical.h"
#include "core/synth/generate.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"
#include "core/synth/print_jax.h"
#include "tests/core/synth/synth_testing.h"

namespace {

using namespace workbench::synth;  // NOLINT: what is tested

Candidate drawn(int k, std::uint64_t seed) {
    return generate(static_cast<Category>(k % categories), seed, static_cast<std::uint64_t>(k));
}

// A kernel of one array with this body.
std::string source_of(const std::string& body, const std::string& before = "") {
    return before +
           "// x[n], out[n]\nextern \"C\" __global__ void k(const float* x, float* out, int n, int m) {\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n" +
           body + "}\n";
}
Tree tree_of(const std::string& body) {
    auto read = parse(source_of(body));
    EXPECT_TRUE(read) << read.error().message;
    return read ? *std::move(read) : Tree{};
}
std::string fault_of(const std::string& source) {
    const auto read = parse(source);
    return read ? "none" : read.error().message;
}

TEST(Language, AnyDrawnTreeIsReadBackFromItsSource) {
    for (int k = 0; k < 4200; ++k) {
        const Candidate made = drawn(k, 7);
        const std::string source = print_cuda(made.tree);
        const auto read = parse(source);
        ASSERT_TRUE(read) << read.error().message << "\n" << source;
        ASSERT_TRUE(*read == made.tree) << source << "\n---- read back\n" << print_cuda(*read);
    }
}

TEST(Language, DrawnTreesKeepTheirCategorysRules) {
    for (int k = 0; k < 2800; ++k) {
        const Candidate made = drawn(k, 3);
        ASSERT_EQ(broken_rule(made.category, made.tree), "") << print_cuda(made.tree);
    }
    // The rules can fail.
    EXPECT_NE(broken_rule(Category::block, drawn(0, 3).tree), "");
    EXPECT_NE(broken_rule(Category::arithmetic, drawn(static_cast<int>(Category::nested_loop), 3).tree), "");
}

TEST(Language, EverySeedOperationIsDrawn) {
    std::map<std::string, int> found;
    for (int k = 0; k < 7000; ++k) {
        for (const std::string& op : drawn(k, 1).ops) ++found[op];
    }
    for (const char* op :
         {"add",         "sub",   "mul",        "div",        "minimum",   "maximum", "sin",       "cos",
          "exp",         "tanh",  "sqrt",       "log",        "dot",       "matmul",  "sum",       "mean",
          "transpose",   "where", "clamp",      "for",        "while",     "linear",  "quadratic", "sigmoid",
          "softmax",     "relu",  "mse",        "cross",      "normalize", "length",  "matvec",    "matmat",
          "determinant", "outer", "atomic_add", "atomic_max", "atomic_min"})
        EXPECT_GE(found[op], 10) << op;
}

// One line each: the category, the canonical hash, the skeleton. A change of what a seed gives fails here: it
// raises generator_version, and IIR2D_WRITE_GOLDEN=1 in the environment writes the list anew.
TEST(Language, ASeedGivesTheKernelsOfTheGoldenList) {
    std::string made = "generator " + std::to_string(generator_version) + "\n";
    for (int k = 0; k < 140; ++k) {
        const Candidate one = drawn(k, 1);
        made += std::string(name_of(one.category)) + " " + one.canonical.substr(0, 16) + " " +
                one.skeleton.substr(0, 16) + "\n";
    }
    if (std::getenv("IIR2D_WRITE_GOLDEN")) std::ofstream(IIR2D_SYNTH_GOLDEN) << made;
    std::ifstream file(IIR2D_SYNTH_GOLDEN);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(made, golden);
}

TEST(Canonical, NamesAndTheOrderOfOperandsDoNotMatter) {
    const Tree first = tree_of("    float s = x[i] * 2.0f + x[i];\n    out[i] = fmaxf(s, 1.0f);\n");
    const Tree renamed = tree_of("    float other = x[i] + 2.0f * x[i];\n    out[i] = fmaxf(1.0f, other);\n");
    EXPECT_EQ(canonical_hash(first), canonical_hash(renamed));
    EXPECT_EQ(skeleton_hash(first), skeleton_hash(renamed));
}

TEST(Canonical, SkeletonsForgetLiteralsAndOperationsOfAKind) {
    const Tree first = tree_of("    out[i] = x[i] * 2.0f - 1.0f;\n");
    const Tree literal = tree_of("    out[i] = x[i] * 2.5f - 1.0f;\n");
    const Tree kind = tree_of("    out[i] = x[i] / 2.0f + 1.0f;\n");
    const Tree another = tree_of("    out[i] = fminf(x[i] * 2.0f, 1.0f);\n");
    EXPECT_NE(canonical_hash(first), canonical_hash(literal));
    EXPECT_NE(canonical_hash(first), canonical_hash(kind));
    EXPECT_EQ(skeleton_hash(first), skeleton_hash(literal));
    EXPECT_EQ(skeleton_hash(first), skeleton_hash(kind));
    EXPECT_NE(skeleton_hash(first), skeleton_hash(another));
    EXPECT_NE(canonical_hash(tree_of("    out[i] = x[i] - 1.0f;\n")),
              canonical_hash(tree_of("    out[i] = 1.0f - x[i];\n")));
}

TEST(Canonical, SplitsAreNineToOneAndOfTheSkeletonAlone) {
    std::map<std::string_view, int> splits;
    for (int k = 0; k < 4000; ++k) ++splits[split_of("skeleton " + std::to_string(k))];
    EXPECT_NEAR(splits["train"] / 40.0, 90, 1.5);
    EXPECT_NEAR(splits["valid"] / 40.0, 5, 1.5);
    EXPECT_NEAR(splits["test"] / 40.0, 5, 1.5);
}

TEST(Parse, TakesWhatPeopleWrite) {
    const Tree tree = tree_of(
        "    /* a comment */ float s = 0;\n    for (int j = 0; j < 4; j++) s += x[i] * j;  // as int\n"
        "    if (s > 1) s = -s; else { s++; }\n    out[i] = s;\n");
    EXPECT_EQ(print_cuda(tree),
              source_of("    float s = (float)0;\n    for (int j = 0; j < 4; ++j) {\n"
                        "        s += x[i] * (float)j;\n    }\n    if (s > (float)1) {\n        s = -s;\n"
                        "    } else {\n        s += (float)1;\n    }\n    out[i] = s;\n"));
}

TEST(Parse, TakesTheGuardAroundEverything) {
    const auto written = [](const std::string& index, const std::string& rest) {
        return canonical_hash(
            *parse("extern \"C\" __global__ void k(const float* x, float* out, int n) {\n    " + index +
                   ";\n" + rest + "}\n"));
    };
    const std::string usual = "int i = blockIdx.x * blockDim.x + threadIdx.x";
    const std::string wanted = written(usual, "if (i >= n) return; out[i] = x[i] * 2.0f;");
    EXPECT_EQ(written(usual, "if (i < n) out[i] = x[i] * 2.0f;"), wanted);
    EXPECT_EQ(written(usual, "if (i < n) { out[i] = x[i] * 2.0f; }"), wanted);
    for (const char* index : {"const int i = blockDim.x * blockIdx.x + threadIdx.x",
                              "int i = threadIdx.x + blockIdx.x * blockDim.x"})
        EXPECT_EQ(written(index, "if (i < n) { out[i] = x[i] * 2.0f; }"), wanted);
    const auto is_block = [&](const std::string& rest) {
        return parse("extern \"C\" __global__ void k(const float* x, float* out, int n) {\n    " + usual +
                     ";\n" + rest + "}\n")
            ->is_block;
    };
    EXPECT_FALSE(is_block("if (i < n) { if (x[i] > 0.0f) { out[i] = 1.0f; } else { out[i] = 2.0f; } }"));
    EXPECT_TRUE(is_block("if (i < n) { out[i] = 1.0f; } else { out[0] = 1.0f; }"));
    EXPECT_TRUE(is_block("if (i < n) { out[i] = 1.0f; } __syncthreads();"));
    EXPECT_TRUE(is_block("if (i < n) out[i] = 1.0f; out[0] = 2.0f;"));
    EXPECT_FALSE(parse("__global__ void k(float* out, int n) { " + usual + "; if (i < n) { out[i] = 1.0f;")
                     .has_value());
}

TEST(Parse, NamesTheLineThatIsOutside) {
    EXPECT_EQ(fault_of(source_of("    out[i] = x[i];\n    out[i] = besselj(x[i]);\n")),
              "line 6: the function besselj is outside of the language");
    EXPECT_EQ(fault_of(source_of("    x[i] = 1.0f;\n")), "line 5: what is const is not written");
    EXPECT_EQ(fault_of(source_of("    goto end;\n")),
              "line 5: 'goto' is not known, or outside of the language");
    EXPECT_EQ(fault_of("template <class T>\n__global__ void k() {}\n"),
              "line 1: 'template' begins neither a kernel nor a function of the language");
    EXPECT_EQ(fault_of("#define A 1\n"), "line 1: a line of the preprocessor is outside of the language");
    EXPECT_EQ(fault_of(""), "line 1: there is no kernel");
    EXPECT_NE(fault_of(source_of("    float v = x[i]")), "none");
}

TEST(Parse, EndsOnWhatIsCutOrNestedWithoutEnd) {
    const std::string source = print_cuda(drawn(static_cast<int>(Category::combined), 5).tree);
    for (std::size_t end = 0; end + 2 < source.size(); ++end) {
        if (end % 13) continue;
        EXPECT_NE(fault_of(source.substr(0, end)), "none") << end;
    }
    EXPECT_NE(fault_of(source_of("    out[i] = " + std::string(100000, '(') + "\n")), "none");
    EXPECT_NE(fault_of(source_of("    out[i] = " + std::string(100000, '-') + "1.0f;\n")), "none");
    std::string blocks;
    for (int k = 0; k < 50000; ++k) blocks += "if (true) ";
    EXPECT_NE(fault_of(source_of(blocks)), "none");
}

// A chain of operators is as deep as one of parentheses.
TEST(Parse, RefusesWhatWalksOverTheTreeCouldNotEnd) {
    std::string sum = "x[i]";
    for (int k = 0; k < 100000; ++k) sum += " + x[i]";
    EXPECT_EQ(fault_of(source_of("    out[i] = " + sum + ";\n")), "line 5: it is nested too deep");
    std::string sums;
    for (int k = 0; k < 20000; ++k) sums += "    out[i] = x[i] + 1.0f;\n";
    EXPECT_NE(fault_of(source_of(sums)).find("it is too large"), std::string::npos);
}

TEST(Parse, RefusesHelpersOfFiveParameters) {
    EXPECT_EQ(fault_of(source_of(
                  "    out[i] = f(x[i], 1.0f, 2.0f, 3.0f, 4.0f);\n",
                  "__device__ float f(float a, float b, float c, float d, float e) { return a; }\n")),
              "line 1: a helper has four parameters at most");
}

TEST(Parse, RefusesArraysThatAreTooLargeOrOfBools) {
    EXPECT_EQ(fault_of(source_of("    mat4 a[1024];\n    out[i] = x[i];\n")),
              "line 5: an array has 4096 numbers at most");
    EXPECT_EQ(fault_of(source_of("    bool a[4];\n    out[i] = x[i];\n")),
              "line 5: an array is of numbers, vectors or matrices");
    EXPECT_EQ(fault_of(source_of("    void a[4];\n    out[i] = x[i];\n")),
              "line 5: an array is of numbers, vectors or matrices");
    EXPECT_EQ(fault_of(source_of("    float a[4];\n    a[0] = x[i];\n    out[i] = a[0];\n")), "none");
}

TEST(Parse, ExtentsAreProducts) {
    const auto fault = [](const std::string& extent) {
        return fault_of(
            "// x[" + extent +
            "], out[n]\n__global__ void k(const float* x, float* out, int n, int m) {\n"
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nout[i] = 1.0f;\n}\n");
    };
    EXPECT_EQ(fault("3 * n * m"), "none");
    EXPECT_EQ(fault("n * n"), "none");
    for (const char* bad : {"n + m", "2.5", "0", "", "n *", "n m", "k", "n * n * n * n"})
        EXPECT_NE(fault(bad).find("is a product of n, m"), std::string::npos) << bad << ": " << fault(bad);
    EXPECT_NE(fault("4000000000"), "none");
    EXPECT_NE(fault("4000000 * n").find("too large"), std::string::npos);
}

// A kernel whose threads work together.
std::string block_source(const std::string& body) {
    return "// x[n], out[n]\n__global__ void k(const float* x, float* out, int n, int m) {\n"
           "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
           body + "}\n";
}

TEST(Parse, CollectivesStandAtTheTopLevelOfBlocks) {
    EXPECT_EQ(fault_of(block_source("float s = __shfl_xor_sync(0xffffffffu, x[i], 1);\nout[i] = s;\n")),
              "none");
    for (const char* body : {"out[i] = __shfl_xor_sync(0xffffffffu, x[i], 1);\n",
                             "float s = 1.0f + __shfl_xor_sync(0xffffffffu, x[i], 1);\n",
                             "if (x[i] > 0.0f) {\nfloat s = __shfl_xor_sync(0xffffffffu, x[i], 1);\n}\n"})
        EXPECT_NE(fault_of(block_source(body)).find("collectives stand at the top"), std::string::npos)
            << body;
    EXPECT_NE(fault_of(block_source("float s = __shfl_xor_sync(0xffffffffu, x[i], 1) + 1.0f;\n")), "none");
    EXPECT_NE(fault_of(block_source("bool s = __shfl_xor_sync(0xffffffffu, x[i] > 0.0f, 1);\n")), "none");
    EXPECT_NE(fault_of(source_of("    float s = __shfl_xor_sync(0xffffffffu, x[i], 1);\n")), "none");
    EXPECT_NE(fault_of(source_of("    __syncthreads();\n")), "none");
    EXPECT_NE(fault_of(source_of("    __shared__ float a[4];\n")), "none");
    EXPECT_NE(fault_of(block_source("if (x[i] > 0.0f) {\n__syncthreads();\n}\n")), "none");
    EXPECT_NE(fault_of(source_of("    break;\n")), "none");
    EXPECT_NE(fault_of(source_of("    continue;\n")), "none");
}

TEST(Parse, HelpersReturnOnEveryWay) {
    const auto with = [](const std::string& helper) {
        return fault_of(source_of("    out[i] = f(x[i]);\n", helper + "\n"));
    };
    EXPECT_EQ(with("__device__ float f(float v) { if (v > 0.0f) { return v; } else { return 1.0f; } }"),
              "none");
    EXPECT_NE(with("__device__ float f(float v) { if (v > 0.0f) { return v; } }"), "none");
    EXPECT_NE(with("__device__ float f(float v) { float w = v; }"), "none");
}

TEST(Parse, AtomicsAreOfTypesThatHaveThem) {
    const auto with = [](const std::string& type, const std::string& statement) {
        return fault_of("// x[n], out[n]\n__global__ void k(const " + type + "* x, " + type +
                        "* out, int n, int m) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i >= n) return;\n" +
                        statement + "\n}\n");
    };
    EXPECT_EQ(with("float", "atomicAdd(&out[i], x[i]);"), "none");
    EXPECT_EQ(with("int", "atomicMax(&out[i], x[i]);"), "none");
    EXPECT_EQ(with("float", "atomicMax(&out[i], x[i]);"), "line 5: there is no atomicMax of float");
    EXPECT_EQ(with("float2", "atomicAdd(&out[i], x[i]);"), "line 5: there is no atomicAdd of float2");
    EXPECT_NE(with("int", "atomicAdd(&x[i], 1);"), "none");
    EXPECT_NE(with("int", "atomicAdd(&i[i], 1);"), "none");
    EXPECT_EQ(with("float", "atomicAdd(&out[x[i]], x[i]);"), "line 5: an index is a whole number");
}

TEST(Parse, ConvertsArgumentsAsCppDoes) {
    EXPECT_EQ(print_cuda(tree_of("    out[i] = pow(x[i], 2);\n")),
              source_of("    out[i] = (float)pow((double)x[i], (double)2);\n"));
    EXPECT_NE(fault_of(source_of("    unsigned u = min(i, 3u);\n")), "none");
    EXPECT_NE(fault_of(source_of("    long long a = 18446744073709551615;\n")), "none");
}

TEST(Parse, SkipsThePrototypeOfAnotherKernel) {
    const auto read = parse(
        "__global__ void other(const float* x, int n, int m);\n" + source_of("    out[i] = x[i];\n"), "k");
    EXPECT_TRUE(read) << read.error().message;
}

TEST(Print, EveryLiteralIsReadBack) {
    const auto expect_itself = [](const Tree& tree) {
        const std::string source = print_cuda(tree);
        const auto made = parse(source);
        ASSERT_TRUE(made) << made.error().message << "\n" << source;
        EXPECT_TRUE(*made == tree) << source << "\n---- read back\n" << print_cuda(*made);
    };
    using Make = std::function<Id(Builder&, Id literal)>;
    const std::vector<Make> forms{
        [](Builder&, Id literal) { return literal; },
        [](Builder& b, Id literal) { return b.minus(literal); },
        [](Builder& b, Id literal) { return b.minus(b.minus(literal)); },
        [](Builder& b, Id literal) { return b.binary(Op::sub, literal, literal); },
        [](Builder& b, Id literal) { return b.binary(Op::sub, literal, b.minus(literal)); },
        [](Builder& b, Id literal) { return b.cast(Type::i32, b.cast(Type::u64, literal)); },
        [](Builder& b, Id literal) { return b.cast(Type::i64, b.cast(Type::f64, literal)); },
    };
    for (const Type type : {Type::f32, Type::f64, Type::i32, Type::u32, Type::i64, Type::u64}) {
        for (const std::uint64_t bits : synth_test::special_bits(type)) {
            for (const Make& form : forms) {
                Builder b;
                b.tree().kernel.name = "k";
                const Id x = b.parameter("x", type, SymbolKind::input, {1, 1, 0});
                const Id out = b.parameter("out", type, SymbolKind::output, {1, 1, 0});
                b.parameter("n", Type::i32, SymbolKind::n);
                const Id i = b.add_symbol("i", Type::i32, SymbolKind::index);
                const Id value = b.cast(type, form(b, b.literal_bits(type, bits)));
                b.store(out, b.symbol(i), b.binary(Op::mul, b.load(x, b.symbol(i)), value));
                expect_itself(b.take());
            }
        }
        expect_itself(synth_test::kernel_of_literals(type).tree);
    }
    // A conversion of the bits of the least integer is not its literal.
    expect_itself(tree_of("    out[i] = (float)(int)2147483648u;\n"));
    EXPECT_EQ(print_cuda(tree_of("    out[i] = __int_as_float(0x40200000) * -2.0f;\n")),
              source_of("    out[i] = 2.5f * (-2.0f);\n"));
    EXPECT_NE(fault_of(source_of("    out[i] = __int_as_float(i);\n")), "none");
    EXPECT_NE(fault_of(source_of("    out[i] = __uint_as_float(0x100000000);\n")), "none");
}

TEST(Print, NamesOfTheHostAreTaken) {
    for (const char* name : {"thread", "block", "lane", "at_", "given_", "made_"})
        EXPECT_NE(fault_of(source_of("    float " + std::string(name) + " = x[i];\n")), "none") << name;
    const auto read = parse(block_source("float a[4];\na[0] = x[i];\n__syncthreads();\nout[i] = a[0];\n"));
    ASSERT_TRUE(read) << read.error().message;
    const std::string host = print_cpp(*read);
    EXPECT_NE(host.find("float a[64][4];"), std::string::npos) << host;
    EXPECT_NE(host.find("a[thread][0] = x[i];"), std::string::npos) << host;
    EXPECT_EQ(host.find("float a[4];"), std::string::npos) << host;
    const auto other = parse(
        "__global__ void k(const float* x, float* out, int n, int m) {\n"
        "int t = blockIdx.x * blockDim.x + threadIdx.x;\nif (t >= n) return;\nout[t] = x[t];\n}\n");
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_NE(print_cuda(*other).find("int t = blockIdx"), std::string::npos);
    EXPECT_NE(print_cpp(*other).find("for (int t = 0; t < n; ++t)"), std::string::npos);
}

// What Python computes itself keeps the order of the source.
TEST(PrintJax, ADifferenceOfADifferenceHasParentheses) {
    const auto tree =
        parse(source_of("    out[i] = f(x[i], 5, 3);\n",
                        "__device__ float f(float v, int d, int e) {\n    if (d - (e - 1) > 2) return v;\n"
                        "    return -v;\n}\n"));
    ASSERT_TRUE(tree) << tree.error().message;
    const auto made = print_jax(*tree);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_NE(made->find("(d - (e - 1)) > 2"), std::string::npos) << *made;
}

TEST(Canonical, AnEmptyBranchIsNotTheOther) {
    EXPECT_NE(
        canonical_hash(tree_of("    if (x[i] > 0.0f) {\n    } else {\n        out[i] = 1.0f;\n    }\n")),
        canonical_hash(tree_of("    if (x[i] > 0.0f) {\n        out[i] = 1.0f;\n    }\n")));
}

}  // namespace
