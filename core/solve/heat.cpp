// SPDX-License-Identifier: MIT
// u_t = k u_xx by the theta scheme: Euler's two methods and J. Crank's and P. Nicolson's ("A practical method
// for numerical evaluation of solutions of partial differential equations of the heat-conduction type",
// 1947), over the three-point difference (LeVeque 2007, chapter 9). Insulated ends are those of finite
// volumes: no flux through the outer faces of the first and last cell.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/solve/solve.h"
#include "core/solve/vectors.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr std::int64_t most_cells = 1 << 30;

double width_of(const Heat& problem) {
    return 1.0 / static_cast<double>(problem.is_insulated ? problem.n : problem.n + 1);
}

// Of node or cell k, from 0.
double place_of(const Heat& problem, std::int64_t k) {
    return problem.is_insulated ? (static_cast<double>(k) + 0.5) / static_cast<double>(problem.n)
                                : static_cast<double>(k + 1) / static_cast<double>(problem.n + 1);
}

double start_at(const Heat& problem, double x) {
    switch (problem.start) {
        case Heat::Start::sine:
            return x == 0 || x == 1 ? 0.0 : std::sin(std::numbers::pi * x);
        case Heat::Start::step:
            return x >= 0.25 && x <= 0.75 ? 1.0 : 0.0;
        case Heat::Start::samples:
            break;
    }
    const auto last = static_cast<double>(problem.samples.size() - 1);
    const auto at = static_cast<std::size_t>(std::min(std::floor(x * last), std::max(last - 1, 0.0)));
    const double share = x * last - static_cast<double>(at);
    const double a = problem.samples[at], b = problem.samples[std::min(at + 1, problem.samples.size() - 1)];
    return share == 0 ? a : share == 1 ? b : a + (b - a) * share;
}

}  // namespace

double largest_explicit_step(const Heat& problem) {
    const double h = width_of(problem);
    return h * h / (2 * problem.k);
}

Heat refined(Heat problem) {
    const int times = problem.scheme == Heat::Scheme::crank_nicolson ? 2 : 4;
    problem.n = problem.is_insulated ? 2 * problem.n : 2 * problem.n + 1;
    problem.dt /= times;
    problem.steps = std::min(problem.steps, std::numeric_limits<std::int64_t>::max() / times) * times;
    return problem;
}

Result<void> check(const Heat& problem) {
    const auto refuse = [](std::string why) -> Result<void> {
        return fail(ErrorKind::bad_argument, std::move(why));
    };
    IIR2D_RETURN_IF_ERROR(check_memory("heat", static_cast<double>(16 + 2 * problem.snapshots) *
                                                   sizeof(double) * static_cast<double>(problem.n)));
    if (problem.n < 1 || problem.n > most_cells)
        return refuse("--n " + std::to_string(problem.n) + " is out of range: give 1 to " +
                      std::to_string(most_cells));
    if (!(problem.dt > 0) || !std::isfinite(problem.dt))
        return refuse("--dt " + format_number(problem.dt) + " is not a number above 0");
    if (!(problem.k > 0) || !std::isfinite(problem.k))
        return refuse("--k " + format_number(problem.k) + " is not a number above 0");
    if (problem.steps < 1) return refuse("--steps " + std::to_string(problem.steps) + " is not at least 1");
    if (problem.start == Heat::Start::samples && problem.samples.empty())
        return refuse("the row to start with is empty");
    if (!std::ranges::all_of(problem.samples, [](double one) { return std::isfinite(one); }))
        return refuse("the row to start with has a sample that is not finite");
    if (problem.scheme == Heat::Scheme::explicit_euler && problem.dt > largest_explicit_step(problem))
        return refuse("--dt " + format_number(problem.dt) +
                      " makes the explicit scheme unstable (k dt / h^2 is " +
                      format_number(problem.k * problem.dt / (width_of(problem) * width_of(problem))) +
                      ", above 0.5): give at most " + format_number(largest_explicit_step(problem)) +
                      ", or another --scheme");
    return {};
}

Result<Solved> solve(const Heat& problem, const Common& common, Engine& engine) {
    IIR2D_RETURN_IF_ERROR(check_common(common));
    IIR2D_RETURN_IF_ERROR(check(problem));
    Stopwatch watch;
    const double h = width_of(problem), r = problem.k * problem.dt / (h * h);
    Solved solved{.problem = "heat",
                  .method = std::string(name_of(problem.scheme)),
                  .engine = std::string(name_of(engine.kind())),
                  .n = problem.n,
                  .unknowns = problem.n,
                  .h = h};
    const auto count = static_cast<std::size_t>(problem.n);
    const auto n = static_cast<std::int32_t>(problem.n);
    const double left = start_at(problem, 0), right = start_at(problem, 1);
    Vector u(count);
    for (std::size_t k = 0; k < count; ++k)
        u[k] = start_at(problem, place_of(problem, static_cast<std::int64_t>(k)));
    IIR2D_TRY(const double heat_before, sum(engine, u));

    const double implicit = problem.scheme == Heat::Scheme::explicit_euler   ? 0
                            : problem.scheme == Heat::Scheme::implicit_euler ? 1
                                                                             : 0.5;
    const double after = implicit * r, before = r - after;
    Vector rhs(count), over, off, diagonal;
    if (implicit > 0) {
        over.resize(count);
        off.assign(count, -after);
        diagonal.assign(count, 1 + 2 * after);
        if (problem.is_insulated) {
            diagonal.front() -= after;
            diagonal.back() -= after;
        }
    }
    solved.assembly_seconds = watch.lap();

    const bool has_formula = problem.start == Heat::Start::sine && !problem.is_insulated;
    const auto decay_at = [&](double time) {
        return std::exp(-problem.k * std::numbers::pi * std::numbers::pi * time);
    };
    // Calls add(place, computed, exact) for each node of the solution, its ends included.
    const auto each_node = [&](double decay, auto add) {
        const auto one = [&](double x, double value) {
            add(x, value, has_formula ? std::optional(start_at(problem, x) * decay) : std::nullopt);
        };
        if (!problem.is_insulated) one(0, left);
        for (std::size_t k = 0; k < count; ++k) one(place_of(problem, static_cast<std::int64_t>(k)), u[k]);
        if (!problem.is_insulated) one(1, right);
    };
    const auto keep = [&](std::int64_t step) {
        const std::int64_t parts = std::min(problem.snapshots - 1, problem.steps);
        if (problem.snapshots < 2) return;
        const auto part_of = [&](std::int64_t at) { return at * parts / problem.steps; };
        if (step > 0 && part_of(step) == part_of(step - 1)) return;
        Snapshot made{.step = step, .time = problem.dt * static_cast<double>(step)};
        each_node(decay_at(made.time), [&](double, double value, std::optional<double> exact) {
            made.computed.push_back(value);
            if (exact) made.exact.push_back(*exact);
        });
        solved.snapshots.push_back(std::move(made));
    };
    keep(0);
    for (std::int64_t step = 0; step < problem.steps; ++step) {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        if (step % 64 == 0)
            common.control.report(static_cast<double>(step) / static_cast<double>(problem.steps), "steps");
        IIR2D_RETURN_IF_ERROR(
            engine.run("heat_step",
                       {u, Value::out(rhs), before, after, left, right, problem.is_insulated ? 1 : 0}, n, 1));
        if (implicit > 0)
            IIR2D_RETURN_IF_ERROR(
                engine.run("thomas", {off, diagonal, off, rhs, Value::out(over), Value::out(u)}, 1, n));
        else
            u.swap(rhs);
        keep(step + 1);
    }
    solved.iterations = problem.steps;
    solved.solve_seconds = watch.lap();

    const double time = problem.dt * static_cast<double>(problem.steps);
    IIR2D_TRY(const double heat_behind, sum(engine, u));
    solved.figures = {
        {"time", time}, {"r", r}, {"heat_start", heat_before * h}, {"heat_end", heat_behind * h}};
    Solution& solution = solved.solution;
    each_node(decay_at(time), [&](double x, double value, std::optional<double> exact) {
        solution.x.push_back(x);
        solution.computed.push_back(value);
        if (exact) solution.exact.push_back(*exact);
    });
    measure_errors(solved);
    return solved;
}

}  // namespace workbench::solve
