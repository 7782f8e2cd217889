// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>

#include "core/solve/descent.h"
#include "core/solve/draw.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr std::array<std::string_view, 3> objectives{"quadratic", "rosenbrock", "logistic"};
constexpr std::array<std::array<double, 2>, 3> starts{{{10, 1}, {-1.2, 1}, {0, 0}}};
constexpr std::int32_t samples = 200;

// A kernel of one point: its value, and the gradient that its adjoint gives.
Objective point_objective(std::string kernel, Engine& engine) {
    return [kernel = std::move(kernel), &engine](const Vector& p) -> Result<Evaluation> {
        Vector value(1), gradient(p.size());
        const Vector one{1};
        const auto m = static_cast<std::int32_t>(p.size());
        IIR2D_RETURN_IF_ERROR(engine.run(kernel, {p, Value::out(value)}, 1, m));
        IIR2D_RETURN_IF_ERROR(engine.run(kernel + "_backward", {p, one, Value::out(gradient)}, 1, m));
        return Evaluation{value[0], std::move(gradient)};
    };
}

struct LogisticData {
    Vector x, label;
};

// Two features in [-2, 2); the label is 1 or -1, drawn with the odds that the weights (1.5, -1) give. So the
// loss has its least value at finite weights.
LogisticData draw_data(std::uint64_t seed) {
    LogisticData made;
    Numbers numbers(seed);
    for (int k = 0; k < samples; ++k) {
        const double a = 4 * numbers.next() - 2, b = 4 * numbers.next() - 2;
        made.x.insert(made.x.end(), {a, b});
        made.label.push_back(numbers.next() * (1 + std::exp(b - 1.5 * a)) < 1 ? 1 : -1);
    }
    return made;
}

Objective logistic_objective(const LogisticData& data, Engine& engine) {
    return [&](const Vector& w) -> Result<Evaluation> {
        Vector loss(samples), adj_x(data.x.size()), adj_label(samples), gradient(w.size());
        const Vector share(samples, 1.0 / samples);
        const auto m = static_cast<std::int32_t>(w.size());
        IIR2D_RETURN_IF_ERROR(engine.run("logistic", {data.x, data.label, w, Value::out(loss)}, samples, m));
        IIR2D_RETURN_IF_ERROR(engine.run(
            "logistic_backward",
            {data.x, data.label, w, share, Value::out(adj_x), Value::out(adj_label), Value::out(gradient)},
            samples, m));
        IIR2D_TRY(const double total, sum(engine, loss));
        return Evaluation{total / samples, std::move(gradient)};
    };
}

}  // namespace

std::string_view name_of(Minimise::Problem problem) {
    return objectives[static_cast<std::size_t>(problem)];
}

Result<Solved> solve(const Minimise& problem, const Common& common, Engine& engine) {
    IIR2D_RETURN_IF_ERROR(check_common(common));
    Stopwatch watch;
    Solved solved{.problem = std::string(name_of(problem.problem)),
                  .method = std::string(name_of(problem.method)),
                  .engine = std::string(name_of(engine.kind())),
                  .unknowns = 2};
    LogisticData data;
    if (problem.problem == Minimise::Problem::logistic) {
        data = draw_data(common.seed);
        solved.data = {{"x", data.x}, {"label", data.label}};
    }
    const auto start = problem.start.value_or(starts[static_cast<std::size_t>(problem.problem)]);
    solved.assembly_seconds = watch.lap();
    IIR2D_RETURN_IF_ERROR(descend(
        problem.problem == Minimise::Problem::logistic ? logistic_objective(data, engine)
                                                       : point_objective(solved.problem, engine),
        {start.begin(), start.end()},
        {.method = problem.method, .step = problem.step, .steps = problem.steps}, common, engine, solved));
    solved.solve_seconds = watch.lap();
    return solved;
}

}  // namespace workbench::solve
