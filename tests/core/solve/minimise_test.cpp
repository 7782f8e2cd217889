// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;  // NOLINT: the helpers of these tests
using Problem = Minimise::Problem;

const HistoryStep& last_step(const Solved& made) {
    return made.history.back();
}

TEST(Minimise, GradientsAreThoseOfCentralDifferences) {
    for (const Problem problem : {Problem::quadratic, Problem::rosenbrock, Problem::logistic}) {
        for (const std::array<double, 2> at :
             {std::array{0.3, -0.7}, std::array{0.0, 0.0}, std::array{-1.2, 1.0}}) {
            const auto value = [&](double x, double y) {
                return *solved(Minimise{.problem = problem, .steps = 1, .start = {{x, y}}})
                            .history[0]
                            .objective;
            };
            // The first step of a fixed length is the gradient.
            const Solved made = solved(Minimise{.problem = problem, .step = 1e-3, .steps = 1, .start = at});
            const double h = 1e-5;
            const double by[2] = {(value(at[0] + h, at[1]) - value(at[0] - h, at[1])) / (2 * h),
                                  (value(at[0], at[1] + h) - value(at[0], at[1] - h)) / (2 * h)};
            const double scale = 1 + std::hypot(by[0], by[1]);
            if (*made.history[0].gradient_norm <= 1e-10) continue;
            EXPECT_NEAR(*made.history[0].gradient_norm, std::hypot(by[0], by[1]), 1e-6 * scale);
            for (std::size_t k = 0; k < 2; ++k)
                EXPECT_NEAR((at[k] - made.history[1].parameters[k]) / 1e-3, by[k], 1e-6 * scale)
                    << made.problem;
        }
    }
}

TEST(Minimise, DescentOnTheQuadraticContractsAsTheoryHasIt) {
    const Solved made = solved(Minimise{.step = 2.0 / 11, .steps = 60, .start = {{10, 1}}});
    for (std::size_t k = 20; k < 60; ++k) {
        const auto& a = made.history[k].parameters;
        const auto& b = made.history[k + 1].parameters;
        EXPECT_NEAR(std::hypot(b[0], b[1]) / std::hypot(a[0], a[1]), 9.0 / 11, 0.02 * 9 / 11);
    }
    // With a wrong factor it does not.
    const auto wrong = with_mistake("quadratic_backward", "0.5", "1.0");
    const Solved other = solved(Minimise{.step = 2.0 / 11, .steps = 20, .start = {{10, 1}}}, *wrong);
    EXPECT_GT(*last_step(other).objective, 1);
}

TEST(Minimise, FindsTheLeastValueOfRosenbrocksFunction) {
    const Solved made = solved(Minimise{.problem = Problem::rosenbrock});
    EXPECT_TRUE(made.has_converged) << made.shortfall;
    EXPECT_EQ(made.history[0].parameters, (std::vector<double>{-1.2, 1}));
    EXPECT_NEAR(last_step(made).parameters[0], 1, 1e-6);
    EXPECT_NEAR(last_step(made).parameters[1], 1, 1e-6);
    // Armijo's rule never goes up, but for rounding.
    for (std::size_t k = 1; k < made.history.size(); ++k)
        ASSERT_LE(*made.history[k].objective, *made.history[k - 1].objective * (1 + 1e-11));
}

TEST(Minimise, ConvergesOnDrawnSamples) {
    const Solved made = solved(Minimise{.problem = Problem::logistic});
    EXPECT_TRUE(made.has_converged) << made.shortfall;
    EXPECT_NEAR(last_step(made).parameters[0], 1.5, 0.6);
    EXPECT_NEAR(last_step(made).parameters[1], -1, 0.6);
    ASSERT_EQ(made.data.size(), 2U);
    EXPECT_EQ(made.data[0].second.size(), 400U);
    EXPECT_DOUBLE_EQ(*made.history[0].objective, std::log(2));
    EXPECT_NE(solved(Minimise{.problem = Problem::logistic}, {.seed = 2}).data, made.data);
    EXPECT_EQ(solved(Minimise{.problem = Problem::logistic}, {.seed = 1}).data, made.data);
}

TEST(Minimise, AdamsFirstStepIsTheStepSize) {
    const Solved made =
        solved(Minimise{.problem = Problem::rosenbrock, .method = Descent::adam, .step = 0.01, .steps = 5});
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(std::abs(made.history[1].parameters[k] - made.history[0].parameters[k]), 0.01, 1e-7);
    EXPECT_EQ(made.iterations, 5);
    EXPECT_EQ(made.shortfall, "");
    // A coordinate whose gradient is 0 stays.
    const Solved still = solved(Minimise{.method = Descent::adam, .steps = 1, .start = {{3, 0}}});
    EXPECT_EQ(still.history[1].parameters[1], 0);
    const auto wrong = with_mistake("adam", "second * correct2", "second");
    const Solved other = solved(
        Minimise{.problem = Problem::rosenbrock, .method = Descent::adam, .step = 0.01, .steps = 1}, *wrong);
    EXPECT_GT(std::abs(other.history[1].parameters[0] + 1.2), 0.1);
}

TEST(Minimise, SaysWhereItHasNotConverged) {
    const Solved made = solved(Minimise{.problem = Problem::rosenbrock}, {.max_iterations = 7});
    EXPECT_FALSE(made.has_converged);
    EXPECT_THAT(made.shortfall, testing::HasSubstr("after 7 iterations the gradient's norm is"));
    const Solved far = solved(Minimise{.problem = Problem::rosenbrock, .step = 1.0, .steps = 100});
    EXPECT_THAT(far.shortfall, testing::HasSubstr("has not converged"));
    const auto engine = make_compiled_engine(1);
    EXPECT_FALSE(solve(Minimise{.step = -1.0}, {}, *engine));
    EXPECT_FALSE(solve(Minimise{.steps = 0}, {}, *engine));
    EXPECT_FALSE(solve(Minimise{.start = {{std::nan(""), 0}}}, {}, *engine));
}

// ---- fit

// What the library's contract says filter 1, 2 or 5 makes of an image: written from docs/filters.md.
std::vector<double> filtered(const Fit& fit, double alpha) {
    std::vector<double> made = fit.input;
    const auto line = [&](std::int64_t from, std::int64_t length, std::int64_t stride, bool is_reversed) {
        const auto at = [&](std::int64_t k) -> double& {
            return made[static_cast<std::size_t>(from + (is_reversed ? length - 1 - k : k) * stride)];
        };
        double held = (1 - alpha) * at(0);
        for (std::int64_t k = 0; k < length; ++k) held = at(k) = (1 - alpha) * at(k) + alpha * held;
    };
    const int passes = fit.filter_id == 1 || fit.filter_id == 7 ? 1 : 2;
    for (std::int64_t plane = 0; plane < fit.planes; ++plane) {
        const std::int64_t base = plane * fit.width * fit.height;
        for (int pass = 0; pass < passes; ++pass)
            for (std::int64_t y = 0; y < fit.height; ++y)
                line(base + y * fit.width, fit.width, 1, pass == 1 && fit.filter_id == 5);
        for (int pass = 0; pass < passes; ++pass)
            for (std::int64_t x = 0; x < fit.width; ++x)
                line(base + x, fit.height, fit.width, pass == 1 && fit.filter_id == 5);
    }
    return made;
}

Fit fit_of(int filter_id, std::int64_t width, std::int64_t height) {
    Fit made{.filter_id = filter_id, .width = width, .height = height, .planes = 2};
    for (std::int64_t k = 0; k < 2 * width * height; ++k)
        made.input.push_back(static_cast<double>((k * 7919 + k * k % 131) % 257) / 256);
    made.target = filtered(made, 0.7);
    return made;
}

double figure(const Solved& made) {
    return made.figures.at(0).second;
}

TEST(Fit, FindsTheParameterThatTheTargetWasMadeWith) {
    for (const int filter_id : {1, 2, 5, 7}) {
        for (const double start : {0.0, 0.05, 0.5, 0.85, 0.999}) {
            Fit fit = fit_of(filter_id, 70, 65);  // more than a part of a line
            fit.start = start;
            const Solved made = solved(fit);
            EXPECT_LE(made.iterations, 100);
            EXPECT_NEAR(figure(made), 0.7, 1e-4) << filter_id << " from " << start;
        }
    }
}

// Which filters can be fitted, and how often they go along an axis, follows from the table.
TEST(Fit, TakesTheFiltersThatAreExponentialAverages) {
    EXPECT_EQ(fitted_filters(), (std::vector{1, 2, 5, 7}));
    EXPECT_EQ(fitted_filters_text(), "1, 2, 5 or 7");
    EXPECT_EQ(*fitted_parameter(2), "a");
    EXPECT_EQ(*fitted_parameter(7), "alpha");
    for (const int filter_id : {0, 3, 4, 6, 8, 99})
        EXPECT_EQ(fitted_parameter(filter_id).error().message,
                  "--filter " + std::to_string(filter_id) + " cannot be fitted: give 1, 2, 5 or 7");
}

TEST(Fit, TheGradientIsThatOfCentralDifferences) {
    for (const int filter_id : {1, 2, 5}) {
        Fit fit = fit_of(filter_id, 130, 67);
        const auto objective = [&](double alpha) {
            fit.start = alpha;
            fit.steps = 1;
            return *solved(fit).history[0].objective;
        };
        fit.start = 0.4;
        fit.steps = 1;
        const Solved made = solved(fit);
        const double by = (objective(0.4 + 1e-5) - objective(0.4 - 1e-5)) / 2e-5;
        EXPECT_NEAR(*made.history[0].gradient_norm, std::abs(by), 1e-6 * std::abs(by)) << filter_id;
        // What the adjoint is of is the filter: the objective at 0.7 is 0 but for rounding.
        EXPECT_LT(objective(0.7), 1e-30);
    }
}

TEST(Fit, EnginesGiveTheSameBits) {
    Fit fit = fit_of(5, 9, 7);
    fit.steps = 3;
    const auto interpreter = make_interpreter_engine();
    EXPECT_EQ(solved(fit).history.back().parameters, solved(fit, *interpreter).history.back().parameters);
}

TEST(Fit, RefusesWhatCannotBeFitted) {
    const auto engine = make_compiled_engine(1);
    for (const int filter_id : {3, 4, 6, 8, 9}) {
        Fit fit = fit_of(1, 4, 4);
        fit.filter_id = filter_id;
        EXPECT_FALSE(solve(fit, {}, *engine));
    }
    Fit fit = fit_of(1, 4, 4);
    fit.start = 1.0;
    EXPECT_FALSE(solve(fit, {}, *engine));
    fit.start = 0.5;
    fit.target.back() = std::nan("");
    EXPECT_FALSE(solve(fit, {}, *engine));
    fit.target.pop_back();
    const auto refused = solve(fit, {}, *engine);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
}

TEST(Fit, SaysWhereItHasNotConverged) {
    const Fit fit = fit_of(1, 12, 12);
    const Solved made = solved(fit, {.max_iterations = 3});
    EXPECT_EQ(made.iterations, 3);
    EXPECT_THAT(made.shortfall, testing::HasSubstr("after 3 iterations"));
}

TEST(Fit, TellsOfEveryParameterThatItTries) {
    Fit fit = fit_of(1, 9, 7);
    fit.steps = 3;
    std::vector<double> tried;
    fit.watch = [&](double parameter, std::span<const double> image) {
        tried.push_back(parameter);
        EXPECT_EQ(image.size(), fit.input.size());
    };
    std::vector<std::int64_t> steps;
    Common common;
    common.watch = [&](const HistoryStep& step) { steps.push_back(step.iteration); };
    const Solved made = solved(fit, common);
    ASSERT_EQ(tried.size(), 4U);
    EXPECT_EQ(tried.back(), made.history.back().parameters[0]);
    EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(Minimise, GivesItsValuesOverARectangle) {
    const auto engine = make_compiled_engine(1);
    const auto values = values_over({.problem = Minimise::Problem::quadratic},
                                    {.x = {-1, 1}, .y = {0, 2}, .columns = 3, .rows = 2}, {}, *engine);
    ASSERT_TRUE(values) << values.error().message;
    EXPECT_EQ(*values, (std::vector<double>{0.5, 0, 0.5, 20.5, 20, 20.5}));
    EXPECT_EQ(usual_start(Minimise::Problem::rosenbrock), (std::array{-1.2, 1.0}));
}

}  // namespace
