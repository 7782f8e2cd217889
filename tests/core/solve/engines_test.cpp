// SPDX-License-Identifier: MIT
// Every problem by every engine: the same bits as the compiled kernels. The launches' own arguments are what
// the kernels are judged on as compiled for the host (V2) and as PTX (V3).
#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;  // NOLINT: the helpers of these tests

class Engines : public testing::TestWithParam<EngineKind> {
  protected:
    void SetUp() override {
        auto made = make_engine(GetParam(), 1, {});
        if (!made) {
            EXPECT_EQ(made.error().kind, ErrorKind::device_failure);
            GTEST_SKIP() << made.error().message;
        }
        engine = *std::move(made);
    }
    template <class Problem>
    void expect_same(const Problem& problem, const Common& common = {}) {
        const Solved a = solved(problem, common), b = solved(problem, *engine, common);
        EXPECT_EQ(a.solution.computed, b.solution.computed) << a.problem << " " << a.method;
        EXPECT_EQ(a.iterations, b.iterations);
        ASSERT_EQ(a.history.size(), b.history.size());
        for (std::size_t k = 0; k < a.history.size(); ++k) {
            EXPECT_EQ(a.history[k].residual, b.history[k].residual);
            EXPECT_EQ(a.history[k].objective, b.history[k].objective);
            EXPECT_EQ(a.history[k].parameters, b.history[k].parameters);
        }
    }
    std::unique_ptr<Engine> engine;
};

TEST_P(Engines, GiveTheCompiledKernelsBits) {
    using Poisson = Poisson1d::Method;
    for (const Poisson method : {Poisson::thomas, Poisson::jacobi, Poisson::gauss_seidel, Poisson::cg})
        expect_same(Poisson1d{.n = 9, .method = method, .ends = {0.25, 3}}, {.tolerance = 0.1});
    using Scheme = Heat::Scheme;
    for (const Scheme scheme : {Scheme::explicit_euler, Scheme::implicit_euler, Scheme::crank_nicolson})
        expect_same(Heat{.n = 31, .dt = 4e-4, .steps = 5, .scheme = scheme, .is_insulated = true});
    using Square = Poisson2d::Method;
    expect_same(Poisson2d{.n = 7, .degree = 2, .is_perturbed = true});
    expect_same(Poisson2d{.n = 5, .exact = Poisson2d::Exact::poly, .method = Square::cg},
                {.tolerance = 1e-3});
    expect_same(Poisson2d{.n = 7, .method = Square::multigrid}, {.tolerance = 1e-2});
    for (const auto problem : {Minimise::Problem::quadratic, Minimise::Problem::rosenbrock}) {
        for (const Descent method : {Descent::gd, Descent::adam})
            expect_same(Minimise{.problem = problem, .method = method, .steps = 2});
    }
    Fit fit{.filter_id = 5, .width = 7, .height = 6, .planes = 1, .steps = 2};
    for (int k = 0; k < 42; ++k) {
        fit.input.push_back(k * 7 % 11);
        fit.target.push_back(k * 5 % 13);
    }
    expect_same(fit);
}

TEST_P(Engines, AreNearWhereFunctionsAreNotExact) {
    const Minimise problem{.problem = Minimise::Problem::logistic, .steps = 2};
    const Solved a = solved(problem), b = solved(problem, *engine);
    EXPECT_NEAR(*a.history.back().objective, *b.history.back().objective, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         testing::Values(EngineKind::interpreter, EngineKind::llvm, EngineKind::ptx),
                         [](const auto& which) { return std::string(name_of(which.param)); });

}  // namespace
