// SPDX-License-Identifier: MIT
// The four validations: convergence, boundary conditions, consistency, comparison.
#include <algorithm>

#include "core/solve/mesh.h"
#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;  // NOLINT: the helpers of these tests
using SquareMethod = Poisson2d::Method;
using Exact = Poisson2d::Exact;

TEST(Poisson2d, ConvergesWithTheOrderOfItsElements) {
    for (const Exact exact : {Exact::sine, Exact::poly}) {
        for (const bool is_perturbed : {false, true}) {
            const double by = is_perturbed ? 0.1 : 0.02;
            const Rates p1 =
                rates_of(refine(Poisson2d{.n = 15, .is_perturbed = is_perturbed, .exact = exact}, 4));
            EXPECT_RATES(p1.l2, 2, by);
            EXPECT_RATES(p1.h1, 1, by);
            const Rates p2 = rates_of(
                refine(Poisson2d{.n = 15, .degree = 2, .is_perturbed = is_perturbed, .exact = exact}, 3));
            EXPECT_RATES(p2.l2, 3, std::max(by, 0.05));
            EXPECT_RATES(p2.h1, 2, std::max(by, 0.05));
        }
    }
}

// No rates where a matrix is not definite any more.
Rates rates_with(Poisson2d problem, int sizes, Engine& engine) {
    std::vector<Solved> made;
    for (int k = 0; k < sizes; ++k) {
        if (k > 0) problem = refined(problem);
        auto one = solve(problem, {.tolerance = 1e-8, .max_iterations = 100}, engine);
        if (!one) return {};
        made.push_back(*std::move(one));
    }
    return rates_of(made);
}

TEST(Poisson2d, MistakesInItsKernelsAreSeenInTheRate) {
    struct Mistake {
        int degree;
        SquareMethod method;
        const char* kernel;
        const char* what;
        const char* with;
    };
    const Mistake all[] = {
        {1, SquareMethod::cholesky, "p1_load", "0.225", "0.25"},  // a wrong weight
        {2, SquareMethod::cholesky, "p2_load", "0.225", "0.25"},
        {1, SquareMethod::cg, "p1_load", "0.5 * det", "det"},  // a missing factor 2
        {2, SquareMethod::cholesky, "p2_matrix", "8.0 *", "4.0 *"},
        {1, SquareMethod::cholesky, "p1_matrix", "(x2 - x1) * x1", "(x2 + x1) * x1"},  // a wrong sign
        {1, SquareMethod::multigrid, "grid_residual", "4.0 *", "4.5 *"},
        {1, SquareMethod::cg, "sparse_apply", "k < n", "k < n - 1"},  // a wrong row
    };
    const auto right = make_interpreter_engine();
    for (const Mistake& one : all) {
        const Poisson2d problem{.n = 3, .degree = one.degree, .exact = Exact::sine, .method = one.method};
        const double order = one.degree + 1;
        EXPECT_RATES(rates_with(problem, 3, *right).l2, order, 0.25);
        const auto wrong = with_mistake(one.kernel, one.what, one.with);
        EXPECT_NO_RATES(rates_with(problem, 3, *wrong).l2, order, 0.25) << one.kernel << one.what;
    }
}

TEST(Poisson2d, PatchesAreExact) {
    const auto engine = make_compiled_engine(1);
    for (const int degree : {1, 2}) {
        const Exact exact = degree == 1 ? Exact::linear : Exact::quadratic;
        for (const SquareMethod method : {SquareMethod::cholesky, SquareMethod::cg}) {
            const Solved made = solved(
                Poisson2d{.n = 15, .degree = degree, .is_perturbed = true, .exact = exact, .method = method},
                *engine, {.tolerance = 1e-14});
            EXPECT_LE(*made.errors.max, 1e-11);
            EXPECT_LE(*made.errors.h1, 1e-10);
        }
        const Solved other =
            solved(Poisson2d{.n = 15, .degree = degree, .is_perturbed = true, .exact = Exact::sine}, *engine);
        EXPECT_GT(*other.errors.max, 1e-6);
    }
}

TEST(Poisson2d, BoundaryValuesAreTheDatasToTheBit) {
    for (const Exact exact : {Exact::sine, Exact::poly}) {
        const Solved made = solved(Poisson2d{.n = 7, .degree = 2, .is_perturbed = true, .exact = exact});
        const Solution& s = made.solution;
        int boundary = 0;
        for (std::size_t k = 0; k < s.x.size(); ++k) {
            if (s.x[k] != 0 && s.x[k] != 1 && s.y[k] != 0 && s.y[k] != 1) continue;
            EXPECT_EQ(s.computed[k], exact_value(exact, s.x[k], s.y[k]));
            EXPECT_EQ(s.computed[k], s.exact[k]);
            ++boundary;
        }
        EXPECT_EQ(boundary, 64);
        EXPECT_EQ(made.unknowns, 225);
        EXPECT_EQ(s.x.size(), 289U);
    }
}

TEST(Poisson2d, TheFreeMatrixIsSymmetricAndItsRowsAddUpToZero) {
    const auto engine = make_compiled_engine(1);
    for (const int degree : {1, 2}) {
        const Mesh mesh = make_mesh({.n = 9, .degree = degree, .is_perturbed = true}, 5);
        const auto made = assemble(mesh, Exact::sine, true, {}, *engine);
        ASSERT_TRUE(made);
        const SparseRows& a = made->matrix;
        std::map<std::pair<std::size_t, std::size_t>, double> entries;
        for (std::size_t row = 0; row < mesh.x.size(); ++row) {
            double total = 0;
            for (std::size_t k = row * static_cast<std::size_t>(a.width);
                 k < (row + 1) * static_cast<std::size_t>(a.width); ++k) {
                if (a.column[k] < 0) continue;
                total += a.value[k];
                entries[{row, static_cast<std::size_t>(a.column[k])}] = a.value[k];
            }
            EXPECT_NEAR(total, 0, 1e-13);
        }
        for (const auto& [at, value] : entries) {
            const auto other = entries.find({at.second, at.first});
            ASSERT_NE(other, entries.end());
            EXPECT_EQ(other->second, value);
        }
        double volume = 0;  // of 1: the load of f = 2, half of it
        const auto load = assemble(mesh, Exact::quadratic, false, {}, *engine);
        for (const double one : load->load) volume += one / 2;
        EXPECT_NEAR(volume, 1, 1e-13);
    }
}

TEST(Poisson2d, CornersAreMovedByAFifthOfTheWidthAtMost) {
    const Poisson2d problem{.n = 19, .is_perturbed = true};
    const Mesh moved = make_mesh(problem, 1), other = make_mesh(problem, 2), still = make_mesh({.n = 19}, 1);
    double most = 0;
    for (std::size_t k = 0; k < moved.x.size(); ++k) {
        const double by = std::hypot(moved.x[k] - still.x[k], moved.y[k] - still.y[k]);
        most = std::max(most, by);
        if (still.is_boundary(k)) {
            EXPECT_EQ(by, 0);
        }
    }
    EXPECT_LE(most, 0.2 / 20);
    EXPECT_GT(most, 0.1 / 20);
    EXPECT_NE(moved.x, other.x);
    EXPECT_EQ(moved.x, make_mesh(problem, 1).x);
}

TEST(Poisson2d, MethodsAgree) {
    for (const Exact exact : {Exact::sine, Exact::poly}) {
        Poisson2d problem{.n = 31, .exact = exact};
        const Solved a = solved(problem);
        for (const SquareMethod method : {SquareMethod::cg, SquareMethod::multigrid}) {
            problem.method = method;
            const Solved b = solved(problem);
            EXPECT_TRUE(b.has_converged) << b.shortfall;
            for (std::size_t k = 0; k < a.solution.computed.size(); ++k)
                ASSERT_NEAR(a.solution.computed[k], b.solution.computed[k], 1e-9);
        }
    }
}

TEST(Poisson2d, MultigridTakesAsManyCyclesForAnySize) {
    std::vector<Solved> sizes;
    const auto engine = make_compiled_engine(2);
    for (const std::int64_t n : {63, 127, 255, 511, 1023})
        sizes.push_back(
            solved(Poisson2d{.n = n, .method = SquareMethod::multigrid}, *engine, {.threads = 2}));
    for (const Solved& one : sizes) {
        EXPECT_TRUE(one.has_converged) << one.shortfall;
        EXPECT_LE(one.iterations, 12);
        EXPECT_LE(std::abs(one.iterations - sizes[0].iterations), 1);
    }
    EXPECT_EQ(sizes.back().unknowns, 1'046'529);
    // On the line of order two through the sizes before.
    EXPECT_NEAR(*sizes[4].errors.l2, *sizes[3].errors.l2 / 4, 0.01 * *sizes[4].errors.l2);
    // A wrong interpolation costs cycles. (Where the first colour is, the sweep behind it writes anew.)
    const auto wrong = with_mistake("grid_correct", "+= 0.5 *", "+= 0.1 *");
    const Solved slow =
        solved(Poisson2d{.n = 15, .method = SquareMethod::multigrid}, *wrong, {.max_iterations = 30});
    EXPECT_GT(slow.iterations, 15);
}

TEST(Poisson2d, ThreadsDoNotChangeABit) {
    for (const SquareMethod method : {SquareMethod::multigrid, SquareMethod::cg}) {
        const Poisson2d problem{.n = 255, .method = method};
        const auto one = make_compiled_engine(1), three = make_compiled_engine(3);
        const Solved a = solved(problem, *one, {.tolerance = 1e-3, .threads = 1});
        const Solved b = solved(problem, *three, {.tolerance = 1e-3, .threads = 3});
        EXPECT_EQ(a.solution.computed, b.solution.computed);
        EXPECT_EQ(a.errors.h1, b.errors.h1);
    }
}

TEST(Poisson2d, ACholeskyFactorIsStoppedBetweenItsRows) {
    std::stop_source source;
    double asked = 0;
    Common common;
    common.control.stop = source.get_token();
    common.control.progress = [&](double fraction, std::string_view what) {
        if (what != "elimination") return;
        EXPECT_LE(fraction, 1);
        EXPECT_EQ(asked, 0) << "it went on to " << fraction;
        if (fraction < 0.5) return;
        asked = fraction;
        source.request_stop();
    };
    const auto engine = make_compiled_engine(1);
    const auto made = solve(Poisson2d{.n = 63}, common, *engine);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::cancelled);
    EXPECT_GT(asked, 0);
    EXPECT_LT(asked, 0.99);
}

TEST(Poisson2d, RefusesWhatIsNoProblem) {
    const auto engine = make_compiled_engine(1);
    for (const Poisson2d& problem :
         {Poisson2d{.n = 0}, Poisson2d{.n = 5, .degree = 3},
          Poisson2d{.n = 62, .method = SquareMethod::multigrid},
          Poisson2d{.n = 63, .degree = 2, .method = SquareMethod::multigrid},
          Poisson2d{.n = 63, .is_perturbed = true, .method = SquareMethod::multigrid},
          Poisson2d{.n = 100'000}}) {
        const auto made = solve(problem, {}, *engine);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().kind, ErrorKind::bad_argument);
    }
    setenv("IIR2D_MEMORY_LIMIT", "1000000", 1);
    const auto refused = solve(Poisson2d{.n = 200}, {}, *engine);
    unsetenv("IIR2D_MEMORY_LIMIT");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("bytes of memory"));
    EXPECT_EQ(solved(Poisson2d{.n = 1, .method = SquareMethod::multigrid}).unknowns, 1);
}

}  // namespace
