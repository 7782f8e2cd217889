// SPDX-License-Identifier: MIT
#include <numbers>

#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;  // NOLINT: the helpers of these tests
using Method = Poisson1d::Method;

TEST(Poisson1d, ConvergesOfOrderTwo) {
    for (const Method method : {Method::thomas, Method::cg}) {
        const auto sizes = refine(Poisson1d{.n = 31, .method = method, .ends = {0.5, -1}}, 6);
        EXPECT_EQ(sizes.back().n, 1023);
        const Rates rates = rates_of(sizes);
        EXPECT_RATES(rates.max, 2, 0.02);
        EXPECT_RATES(rates.l2, 2, 0.02);
    }
}

TEST(Poisson1d, MistakesInItsKernelsAreSeenInTheRate) {
    struct Mistake {
        Method method;
        const char* kernel;
        const char* what;
        const char* with;
    };
    const Mistake all[] = {
        {Method::cg, "poisson1d_apply", "2.0 * u[i]", "u[i]"},                  // a missing factor 2
        {Method::cg, "poisson1d_apply", "- before", "+ before"},                // a wrong sign
        {Method::gauss_seidel, "poisson1d_gauss_seidel", ": right", ": left"},  // a wrong boundary row
        {Method::jacobi, "poisson1d_jacobi", "before + behind", "before - behind"},
        {Method::thomas, "thomas", "m - 2", "m - 3"},
    };
    for (const Mistake& one : all) {
        const Common common{.max_iterations = 3000};
        const Poisson1d problem{.n = 7, .method = one.method, .ends = {0.5, -1}};
        const auto right = make_interpreter_engine();
        EXPECT_RATES(rates_of(refine(problem, 3, *right, common)).max, 2, 0.1);
        const auto wrong = with_mistake(one.kernel, one.what, one.with);
        EXPECT_NO_RATES(rates_of(refine(problem, 3, *wrong, common)).max, 2, 0.1) << one.kernel << one.what;
    }
}

TEST(Poisson1d, AQuadraticIsExact) {
    for (const Method method : {Method::thomas, Method::cg}) {
        const Solved made =
            solved(Poisson1d{.n = 63, .method = method, .rhs = Poisson1d::Rhs::poly, .ends = {1, 2}},
                   {.tolerance = 1e-14});
        EXPECT_LE(*made.errors.max, 1e-12);
        EXPECT_EQ(made.solution.computed.front(), 1);
        EXPECT_EQ(made.solution.computed.back(), 2);
        EXPECT_EQ(made.solution.computed.size(), 65U);
    }
}

TEST(Poisson1d, RelaxationsContractAsTheoryHasIt) {
    for (const Method method : {Method::jacobi, Method::gauss_seidel}) {
        const Solved made = solved(Poisson1d{.n = 31, .method = method});
        ASSERT_TRUE(made.has_converged) << made.shortfall;
        const auto& steps = made.history;
        const double factor = *steps[steps.size() - 2].residual / *steps[steps.size() - 3].residual;
        const double cosine = std::cos(std::numbers::pi / 32);
        EXPECT_NEAR(factor, method == Method::jacobi ? cosine : cosine * cosine, 0.01 * cosine);
    }
    // With a wrong sign it diverges, which ends the iterations.
    const auto wrong = with_mistake("poisson1d_jacobi", "0.5 *", "-0.55 *");
    const Solved diverged = solved(Poisson1d{.n = 31, .method = Method::jacobi}, *wrong);
    EXPECT_FALSE(diverged.has_converged);
    EXPECT_LT(diverged.iterations, 100'000);
}

TEST(Poisson1d, NamesTheResidualThatItReached) {
    const Solved made = solved(Poisson1d{.n = 63, .method = Method::jacobi}, {.max_iterations = 10});
    EXPECT_FALSE(made.has_converged);
    EXPECT_EQ(made.iterations, 10);
    EXPECT_EQ(made.history.size(), 11U);
    EXPECT_THAT(made.shortfall, testing::HasSubstr("after 10 iterations the relative residual is 0.9"));
}

TEST(Poisson1d, ThreadsAndEnginesDoNotChangeABit) {
    for (const Method method : {Method::thomas, Method::jacobi, Method::gauss_seidel, Method::cg}) {
        const Poisson1d problem{.n = 17, .method = method, .ends = {0.25, 3}};
        const Common common{.tolerance = 1e-6};
        const auto interpreter = make_interpreter_engine();
        const Solved a = solved(problem, common), b = solved(problem, *interpreter, common);
        EXPECT_EQ(a.solution.computed, b.solution.computed);
        EXPECT_EQ(a.iterations, b.iterations);
    }
    const Poisson1d large{.n = 100'000, .method = Method::cg};
    const Common few{.max_iterations = 20};
    const auto one = make_compiled_engine(1), five = make_compiled_engine(5);
    EXPECT_EQ(solved(large, *one, few).solution.computed, solved(large, *five, few).solution.computed);
}

TEST(Poisson1d, RefusesWhatIsNoProblem) {
    const auto engine = make_compiled_engine(1);
    const double nan = std::nan("");
    for (const Poisson1d& problem :
         {Poisson1d{.n = 0}, Poisson1d{.n = -3}, Poisson1d{.n = 5, .ends = {nan, 0}}}) {
        const auto made = solve(problem, {}, *engine);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().kind, ErrorKind::bad_argument);
    }
    EXPECT_FALSE(solve(Poisson1d{.n = 5}, {.tolerance = nan}, *engine));
    EXPECT_FALSE(solve(Poisson1d{.n = 5}, {.max_iterations = 0}, *engine));
    setenv("IIR2D_MEMORY_LIMIT", "100000", 1);
    const auto refused = solve(Poisson1d{.n = 1000}, {}, *engine);
    unsetenv("IIR2D_MEMORY_LIMIT");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("needs 128000 bytes"));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped =
        solve(Poisson1d{.n = 63, .method = Method::jacobi}, {.control = {stop.get_token()}}, *engine);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

}  // namespace
