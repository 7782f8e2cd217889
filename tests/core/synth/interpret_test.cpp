// SPDX-License-Identifier: MIT
// The interpreter against what is known: values, bounds, undecided branches, faults.
#include <cmath>
#include <limits>

#include "core/synth/lanes.h"
#include "tests/core/synth/synth_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

TEST(Interpret, MinimumAndMaximumAreThoseOfPtx) {
    const Ran made = run(kernel("out[i] = fminf(x[i], 0.0f);"), {nan, -0.0, 0.0, 3, -infinity});
    EXPECT_EQ(made.out[0], 0);
    EXPECT_TRUE(std::signbit(made.out[1]));
    EXPECT_EQ(made.out[4], -infinity);
    EXPECT_FALSE(std::signbit(run(kernel("out[i] = fmaxf(x[i], 0.0f);"), {-0.0}).out[0]));
}

TEST(Interpret, RoundsOnceWhereTheTreeSaysFma) {
    const float a = 1 + 0x1p-12F;
    EXPECT_EQ(run(kernel("out[i] = fmaf(x[i], x[i], -1.0f);"), {a}).out[0],
              static_cast<double>(std::fma(a, a, -1.0F)));
    EXPECT_EQ(run(kernel("out[i] = x[i] * x[i] - 1.0f;"), {a}).out[0], 0x1p-11);
}

TEST(Interpret, WholeNumbersWrapAndNaNBecomesTheUpperLimit) {
    EXPECT_EQ(run(kernel("out[i] = (int)((unsigned)x[i] + 1u);", "int"), {2147483647}).out[0], -2147483648.0);
    const Ran made =
        run(kernel("out[i] = (float)(int)fmaxf(fminf(x[i], 7.0f), 0.0f);"), {nan, -3, 2.9, 1e30});
    EXPECT_EQ(made.out, (std::vector<double>{7, 0, 2, 7}));
}

TEST(Interpret, LoopsBranchesAndHelpersGoTheirOwnWayInEachThread) {
    const Ran made =
        run(kernel("float s = 0.0f;\nfor (int j = 0; j < 8; ++j) {\nif (j == 5) break;\nif ((float)j < x[i]) "
                   "continue;\ns += (float)j;\n}\nwhile (s > 6.0f) {\ns -= 4.0f;\n}\nout[i] = s;"),
            {0, 1, 2, 3, 4, 9});
    EXPECT_EQ(made.out, (std::vector<double>{6, 6, 5, 3, 4, 0}));
    const Tree recursive = read(
        "__device__ __noinline__ float f(float v, int d) {\nif (d <= 0) return v;\nreturn v + f(v * 0.5f, d "
        "- 1);\n}\n"
        "// x[n], out[n]\n__global__ void k(const float* x, float* out, int n, int m) {\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nout[i] = f(x[i], i);\n}\n");
    EXPECT_EQ(run(recursive, {8, 8, 8, 8}).out, (std::vector<double>{8, 12, 14, 15}));
}

TEST(Interpret, ExactOperationsHaveNoBoundAndFunctionsHaveTheirs) {
    EXPECT_EQ(run(kernel("out[i] = sqrtf(fabsf(x[i])) / 3.0f;"), {2}).bounds[0], 0);
    // sin: 2 ulp by CUDA's documentation, twice, and one of the host's.
    EXPECT_EQ(run(kernel("out[i] = sinf(x[i]);"), {1}).bounds[0], 5 * 0x1p-24);
    EXPECT_EQ(run(kernel("out[i] = sin(x[i]);", "double"), {1}).bounds[0], 5 * 0x1p-53);
    EXPECT_EQ(run(kernel("out[i] = floorf(sinf(x[i]));"), {1}).bounds[0], 0);
}

// Of every function: results of inputs that are as far off as the bounds say lie within the bound of the
// result.
TEST(Interpret, BoundsHoldForInputsThatAreOff) {
    for (const char* f : {"v + v",
                          "v - 2.5",
                          "v * v",
                          "1.5 / (fabs(v) + 0.5)",
                          "fma(v, v, v)",
                          "fmin(v, 1.0)",
                          "-v",
                          "sin(v)",
                          "cos(v)",
                          "tan(v * 0.3)",
                          "exp(v)",
                          "exp2(v)",
                          "log(fabs(v) + 0.25)",
                          "log2(fabs(v) + 0.25)",
                          "log1p(fabs(v))",
                          "tanh(v)",
                          "sqrt(fabs(v))",
                          "rsqrt(fabs(v) + 0.1)",
                          "cbrt(v)",
                          "pow(fabs(v) + 0.5, v)",
                          "atan2(v, fabs(v) + 0.5)",
                          "erf(v)",
                          "hypot(v, 2.0)",
                          "fmod(v, 1.75)",
                          "fabs(v)"}) {
        const Tree tree = kernel(std::string("double v = x[i];\nout[i] = ") + f + ";", "double");
        for (const double e : {1e-15, 1e-9, 1e-4}) {
            std::vector<double> x, low, high, off_by;
            for (int k = 0; k < 60; ++k) {
                x.push_back(-3.9 + k * 0.131);
                low.push_back(x.back() - e);
                high.push_back(x.back() + e);
                // As far off as they are after rounding.
                off_by.push_back(std::max(x.back() - low.back(), high.back() - x.back()));
            }
            const Ran middle = run(tree, x, off_by);
            ASSERT_TRUE(middle.how.error.empty()) << f << middle.how.error;
            const Ran below = run(tree, low), above = run(tree, high);
            for (std::size_t k = 0; k < 60; ++k) {
                const double off =
                    std::max(std::abs(below.out[k] - middle.out[k]), std::abs(above.out[k] - middle.out[k]));
                EXPECT_TRUE(middle.how.undecided || off <= middle.bounds[k])
                    << f << " at " << x[k] << ", e " << e << ": " << off << " > " << middle.bounds[k];
                // Nor are they empty words.
                if (off > 0 && !middle.how.undecided) {
                    EXPECT_LE(middle.bounds[k], 1e4 * off + 1e-12) << f << " at " << x[k] << ", e " << e;
                }
            }
        }
    }
}

TEST(Interpret, SaysWhatABoundCouldTurn) {
    EXPECT_TRUE(run(kernel("float s = sinf(x[i]);\nout[i] = s > 0.0f ? 1.0f : 2.0f;"), {0}).how.undecided);
    EXPECT_FALSE(run(kernel("float s = sinf(x[i]);\nout[i] = s > 0.0f ? 1.0f : 2.0f;"), {1}).how.undecided);
    EXPECT_TRUE(run(kernel("out[i] = floorf(cosf(x[i]));"), {0}).how.undecided);
    EXPECT_TRUE(run(kernel("out[i] = (float)(int)(cosf(x[i]) + 1.0f);"), {0}).how.undecided);
    // A thread that does not come there decides nothing.
    EXPECT_FALSE(run(kernel("float s = sinf(x[i]);\nif (i > 5) {\nout[i] = s > 0.0f ? 1.0f : 2.0f;\n}"), {0})
                     .how.undecided);
}

TEST(Interpret, SumsByAtomicsAreAsUncertainAsTheirOrder) {
    const Tree tree = read(
        "// x[n], out[1]\n__global__ void k(const float* x, float* out, int n, int m) {\nint i = blockIdx.x "
        "* blockDim.x + "
        "threadIdx.x;\nif (i >= n) return;\natomicAdd(&out[0], x[i]);\n}\n");
    std::vector<Argument> arguments{numbers(Type::f32, {1, 2, -3}), numbers(Type::f32, {0}),
                                    numbers(Type::i32, {3}), numbers(Type::i32, {1})};
    interpret(tree, arguments);
    EXPECT_EQ(arguments[1].number(0), 0);
    EXPECT_NEAR(arguments[1].extra[0], 3 * 6 * 0x1p-23, 1e-12);
}

TEST(Interpret, FaultsAreSaid) {
    EXPECT_EQ(run(kernel("out[i] = x[i + 1];"), {1, 2}).how.error,
              "the index 2 of x is out of bounds: it has 2 elements");
    EXPECT_EQ(run(kernel("while (x[i] > 0.0f) {\nout[i] = 1.0f;\n}"), {1}).how.error,
              "it takes too many steps");
    EXPECT_EQ(run(kernel("out[i] = 1 / x[i];", "int"), {0}).how.error, "it divides by zero");
    EXPECT_EQ(run(kernel("if (x[i] > 0.0f) {\nout[i] = x[i + 1];\n}"), {-1}).how.error, "");
}

TEST(Interpret, ThreadsOfABlockWorkTogether) {
    const Tree tree = read(
        "// x[n], out[n]\n__global__ void k(const float* x, float* out, int n, int m) {\nint i = blockIdx.x "
        "* blockDim.x + "
        "threadIdx.x;\n__shared__ float tile[64];\nint t = (int)threadIdx.x;\ntile[t] = "
        "x[i];\n__syncthreads();\n"
        "float far = tile[63 - t];\nfloat other = __shfl_xor_sync(0xffffffffu, far, 1);\n"
        "bool any = __any_sync(0xffffffffu, x[i] > 126.0f);\nout[i] = any ? -other : other;\n}\n");
    std::vector<double> x;
    for (int k = 0; k < 128; ++k) x.push_back(k);
    const Ran made = run(tree, x);
    EXPECT_EQ(made.how.error, "");
    EXPECT_EQ(made.out[0], 62);
    EXPECT_EQ(made.out[1], 63);
    EXPECT_EQ(made.out[64], 64 + 62);
    EXPECT_EQ(made.out[127], -(64.0 + 1));
}

// What one kernel needs too much of is there for the next, on the same thread.
TEST(Interpret, FaultsWhereValuesTakeTooMuchMemory) {
    std::string sum = "x[i]";
    for (int k = 0; k < 40; ++k) sum = "(" + sum + " + length(make_float3(x[i], x[i], x[i])))";
    std::string large, sums;
    for (int k = 0; k < 20; ++k) large += "mat4 a" + std::to_string(k) + "[128];\n";
    EXPECT_EQ(run(kernel(large + "out[i] = 1.0f;"), {1}).how.error, "its values take too much memory");
    for (int k = 0; k < 5000; ++k) sums += "float v" + std::to_string(k) + " = x[i];\n";
    EXPECT_EQ(run(kernel(sums + "out[i] = v0;"), {1}).how.error, "its values take too much memory");
    EXPECT_EQ(run(kernel("out[i] = " + sum + ";"), {1}).how.error, "");
}

TEST(Interpret, FaultsWhereCallsAreNestedTooDeep) {
    const auto error = [](const std::string& helper, const std::string& call) {
        return run(read(helper +
                        "\n// x[n], out[n]\n__global__ void k(const float* x, float* out, int n, int m) {\n"
                        "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nout[i] = " +
                        call + ";\n}\n"),
                   {1, 2})
            .how.error;
    };
    EXPECT_EQ(error("__device__ bool f(bool b) { return f(b); }", "f(true) ? 1.0f : 2.0f"),
              "its calls are nested too deep");
    // No thread calls the second.
    EXPECT_EQ(error("__device__ bool f(bool b) { return b; }", "x[i] > 0.0f || f(true) ? 1.0f : 2.0f"), "");
}

TEST(Interpret, FaultsOnWhatCppLeavesOpen) {
    const auto error = [](const std::string& body, double x) {
        return run(kernel(body, "int"), {x}).how.error;
    };
    EXPECT_EQ(error("out[i] = x[i] + 1;", 2147483647), "a signed number does not fit");
    EXPECT_EQ(error("out[i] = x[i] * 2;", 2147483647), "a signed number does not fit");
    EXPECT_EQ(error("out[i] = x[i] / -1;", -2147483648.0), "a signed number does not fit");
    EXPECT_EQ(error("out[i] = x[i] / -1;", -2147483647.0), "");
    EXPECT_EQ(error("out[i] = 1 << x[i];", 32), "it shifts by the width or more");
    EXPECT_EQ(error("out[i] = 1 << x[i];", 30), "");
    EXPECT_EQ(error("out[i] = (int)((float)x[i] * 4.0f);", 2147483647),
              "a number does not fit into a whole one");
    EXPECT_EQ(error("for (int j = 2147483000; j < 2147483647; j += 1000) {\nout[i] = j;\n}", 0),
              "a signed number does not fit");
}

// What one part of a bound forgot.
TEST(Interpret, BoundsHoldWhereFunctionsAreSteepOrEnd) {
    bool split = false;
    const auto bound = [&](Op op, Type type, double x, double e, double r) {
        const double xs[3] = {x, op == Op::pow ? 3.0 : 0.0, 0}, es[3] = {e, 0, 0};
        split = false;
        return bound_of(op, type, xs, es, r, split);
    };
    // glibc's cbrt is off by 3.035 ulp here, another's by one.
    EXPECT_GE(bound(Op::cbrt, Type::f64, 3.0344180044616014, 0, 1.447), 5 * 0x1p-52);
    // The function's own error is that at the far end.
    EXPECT_GE(bound(Op::sin, Type::f32, 1e-9, 1e-7, 1e-9), 1e-7 + 5 * ulp(Type::f32, 1e-7));
    bound(Op::trunc, Type::f32, 0.1, 0.2, 0);
    EXPECT_TRUE(split);
    bound(Op::trunc, Type::f32, 0.3, 0.2, 0);
    EXPECT_FALSE(split);
    EXPECT_EQ(bound(Op::exp, Type::f32, 88.7229, 0, infinity), infinity);
    EXPECT_EQ(bound(Op::exp, Type::f32, 100, 0, infinity), 0);
    EXPECT_EQ(bound(Op::log, Type::f32, 0, 0, -infinity), 0);
    EXPECT_EQ(bound(Op::add, Type::f32, 3e38, 1e38, 3e38), infinity);
    EXPECT_EQ(bound(Op::log1p, Type::f64, -1 + 1e-9, 9e-10, -20) > 0, true);
}

}  // namespace
