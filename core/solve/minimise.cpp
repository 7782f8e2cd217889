// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "core/solve/descent.h"
#include "core/solve/draw.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

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

Objective objective_of(Minimise::Problem problem, const LogisticData& data, Engine& engine) {
    if (problem == Minimise::Problem::logistic) return logistic_objective(data, engine);
    return point_objective(std::string(name_of(problem)), engine);
}

}  // namespace

std::array<double, 2> usual_start(Minimise::Problem problem) {
    return starts[static_cast<std::size_t>(problem)];
}

Result<std::vector<double>> values_over(const Minimise& problem, const Rectangle& where, const Common& common,
                                        Engine& engine) {
    LogisticData data;
    if (problem.problem == Minimise::Problem::logistic) data = draw_data(common.seed);
    const Objective objective = objective_of(problem.problem, data, engine);
    const auto at = [](const std::array<double, 2>& ends, int k, int count) {
        return ends[0] + (ends[1] - ends[0]) * k / std::max(count - 1, 1);
    };
    std::vector<double> made;
    for (int row = 0; row < where.rows; ++row) {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        for (int column = 0; column < where.columns; ++column) {
            IIR2D_TRY(const Evaluation there,
                      objective({at(where.x, column, where.columns), at(where.y, row, where.rows)}));
            made.push_back(there.value);
        }
    }
    return made;
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
    const auto start = problem.start.value_or(usual_start(problem.problem));
    solved.assembly_seconds = watch.lap();
    IIR2D_RETURN_IF_ERROR(descend(objective_of(problem.problem, data, engine), {start.begin(), start.end()},
                                  {.method = problem.method, .step = problem.step, .steps = problem.steps},
                                  common, engine, solved));
    solved.solve_seconds = watch.lap();
    return solved;
}

}  // namespace workbench::solve
