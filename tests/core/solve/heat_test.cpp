// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numbers>

#include "tests/core/solve/solve_testing.h"

namespace {

using namespace solve_test;  // NOLINT: the helpers of these tests
using Scheme = Heat::Scheme;
constexpr double pi = std::numbers::pi;

// The largest error against what the difference equation in space alone gives at that time: a sine that
// decays.
double time_error(const Heat& problem, const Solved& made) {
    const double h = 1.0 / static_cast<double>(problem.n + 1);
    const double rate = 4 * problem.k / (h * h) * std::pow(std::sin(pi * h / 2), 2);
    const double decay = std::exp(-rate * problem.dt * static_cast<double>(problem.steps));
    double largest = 0;
    for (std::size_t k = 0; k < made.solution.x.size(); ++k)
        largest = std::max(largest,
                           std::abs(made.solution.computed[k] - decay * std::sin(pi * made.solution.x[k])));
    return largest;
}

std::vector<std::optional<double>> time_rates(Heat problem, Engine& engine) {
    std::vector<std::optional<double>> made;
    double before = 0;
    for (int k = 0; k < 4; ++k) {
        if (k > 0) {
            problem.dt /= 2;
            problem.steps *= 2;
        }
        const double error = time_error(problem, solved(problem, engine));
        if (k > 0) made.emplace_back(std::log2(before / error));
        before = error;
    }
    return made;
}

TEST(Heat, IsOfItsOrderInTime) {
    const auto engine = make_compiled_engine(1);
    // k dt / h^2 is 0.4096 at first for the explicit scheme.
    EXPECT_RATES(time_rates({.n = 31, .dt = 4e-4, .steps = 250, .scheme = Scheme::explicit_euler}, *engine),
                 1, 0.05);
    EXPECT_RATES(time_rates({.n = 31, .dt = 1e-3, .steps = 100, .scheme = Scheme::implicit_euler}, *engine),
                 1, 0.05);
    EXPECT_RATES(time_rates({.n = 31, .dt = 1e-2, .steps = 10, .scheme = Scheme::crank_nicolson}, *engine), 2,
                 0.05);
}

TEST(Heat, IsOfOrderTwoInSpace) {
    for (const Scheme scheme : {Scheme::explicit_euler, Scheme::implicit_euler, Scheme::crank_nicolson}) {
        const bool is_explicit = scheme == Scheme::explicit_euler;
        const auto sizes = refine(
            Heat{.n = 15, .dt = is_explicit ? 1e-3 : 4e-3, .steps = is_explicit ? 100 : 25, .scheme = scheme},
            4);
        EXPECT_RATES(rates_of(sizes).max, 2, 0.05);
    }
}

TEST(Heat, MistakesInItsKernelsAreSeenInTheRate) {
    struct Mistake {
        Scheme scheme;
        const char* kernel;
        const char* what;
        const char* with;
    };
    const Mistake all[] = {
        {Scheme::explicit_euler, "heat_step", "- (u[i]", "+ (u[i]"},
        {Scheme::explicit_euler, "heat_step", "before *", "0.5 * before *"},
        {Scheme::implicit_euler, "thomas", "- lower", "+ lower"},
        {Scheme::crank_nicolson, "heat_step", "i < n - 1", "i < n - 2"},
    };
    for (const Mistake& one : all) {
        const Heat problem{.n = 7, .dt = 2e-3, .steps = 20, .scheme = one.scheme};
        const auto right = make_interpreter_engine();
        EXPECT_RATES(rates_of(refine(problem, 3, *right)).max, 2, 0.2);
        const auto wrong = with_mistake(one.kernel, one.what, one.with);
        EXPECT_NO_RATES(rates_of(refine(problem, 3, *wrong)).max, 2, 0.2) << one.kernel << one.what;
    }
}

TEST(Heat, KeepsTheMaximumPrinciple) {
    for (const Scheme scheme : {Scheme::explicit_euler, Scheme::implicit_euler}) {
        Heat problem{.n = 63, .dt = 1.2e-4, .steps = 1, .scheme = scheme, .start = Heat::Start::step};
        double before = 1;
        for (int k = 0; k < 12; ++k) {
            const auto& values = solved(problem).solution.computed;
            const auto [least, most] = std::ranges::minmax_element(values);
            EXPECT_GE(*least, 0);
            EXPECT_LE(*most, before);
            before = *most;
            problem.steps *= 2;
        }
        EXPECT_LT(before, 0.9);
    }
}

TEST(Heat, InsulatedEndsLoseNone) {
    for (const Scheme scheme : {Scheme::explicit_euler, Scheme::implicit_euler, Scheme::crank_nicolson}) {
        const Heat problem{.n = 50,
                           .dt = 1.9e-4,
                           .steps = 1000,
                           .scheme = scheme,
                           .is_insulated = true,
                           .start = Heat::Start::samples,
                           .samples = {1, 0, 0.25}};
        const auto figure = [](const Solved& made, std::string_view name) {
            return std::ranges::find(made.figures, name, &std::pair<std::string, double>::first)->second;
        };
        const Solved made = solved(problem);
        EXPECT_NEAR(figure(made, "heat_end"), figure(made, "heat_start"), 1e-12);
        EXPECT_TRUE(made.solution.exact.empty());
        EXPECT_FALSE(made.errors.max);
        // With an end that is not insulated it is lost. (The implicit scheme has its ends in its matrix.)
        if (scheme == Scheme::implicit_euler) continue;
        const auto wrong = with_mistake("heat_step", "before_it = u[i];", "before_it = left;");
        const Solved lost = solved(Heat{.n = 50,
                                        .dt = 1.9e-4,
                                        .steps = 20,
                                        .scheme = scheme,
                                        .is_insulated = true,
                                        .start = Heat::Start::sine},
                                   *wrong);
        EXPECT_GT(std::abs(figure(lost, "heat_end") - figure(lost, "heat_start")), 1e-6);
    }
}

TEST(Heat, FixedEndsStayWhatTheyWere) {
    const Heat problem{.n = 9, .dt = 1, .steps = 50, .start = Heat::Start::samples, .samples = {3, 7, 1}};
    const Solved made = solved(problem);
    EXPECT_EQ(made.solution.computed.front(), 3);
    EXPECT_EQ(made.solution.computed.back(), 1);
    for (std::size_t k = 0; k < 11; ++k)  // a straight line in the end
        EXPECT_NEAR(made.solution.computed[k], 3 - 2 * made.solution.x[k], 1e-9);
}

TEST(Heat, AnUnstableStepIsRefusedWithTheLargestThatIsAllowed) {
    const auto engine = make_compiled_engine(1);
    Heat problem{.n = 9, .dt = 0.0051, .steps = 1, .scheme = Scheme::explicit_euler};
    const auto refused = solve(problem, {}, *engine);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("give at most 0.005"));
    problem.dt = largest_explicit_step(problem);
    EXPECT_TRUE(solve(problem, {}, *engine));
    for (const double dt : {-1.0, 0.0, std::nan(""), HUGE_VAL}) {
        problem.dt = dt;
        EXPECT_FALSE(solve(problem, {}, *engine));
    }
    EXPECT_FALSE(solve(Heat{.n = 5, .dt = 1, .steps = 0}, {}, *engine));
    EXPECT_FALSE(
        solve(Heat{.n = 5, .dt = 1, .steps = 1, .start = Heat::Start::samples, .samples = {1, std::nan("")}},
              {}, *engine));
    EXPECT_FALSE(solve(Heat{.n = 5, .dt = 1, .steps = 1, .k = -1}, {}, *engine));
}

TEST(Heat, EnginesGiveTheSameBits) {
    for (const Scheme scheme : {Scheme::explicit_euler, Scheme::implicit_euler, Scheme::crank_nicolson}) {
        const Heat problem{.n = 21, .dt = 1e-3, .steps = 40, .scheme = scheme};
        const auto interpreter = make_interpreter_engine();
        EXPECT_EQ(solved(problem).solution.computed, solved(problem, *interpreter).solution.computed);
    }
}

TEST(Heat, KeepsStatesEvenlyOverItsSteps) {
    Heat problem{.n = 9, .dt = 1e-3, .steps = 50};
    EXPECT_TRUE(solved(problem).snapshots.empty());
    problem.snapshots = 11;
    const Solved made = solved(problem);
    ASSERT_EQ(made.snapshots.size(), 11U);
    for (std::size_t k = 0; k < made.snapshots.size(); ++k) {
        const Snapshot& one = made.snapshots[k];
        EXPECT_EQ(one.step, static_cast<std::int64_t>(5 * k));
        // What the same problem ends with that is as long.
        if (one.step == 0) continue;
        problem.steps = one.step;
        EXPECT_EQ(one.computed, solved(problem).solution.computed);
        EXPECT_EQ(one.exact, solved(problem).solution.exact);
    }
    EXPECT_EQ(made.snapshots.front().computed[5], 1) << "sin(pi / 2)";
    problem.steps = 3;
    EXPECT_EQ(solved(problem).snapshots.size(), 4U) << "no more than there are";
    problem.is_insulated = true;
    EXPECT_EQ(solved(problem).snapshots.front().computed.size(), 9U);
}

}  // namespace
