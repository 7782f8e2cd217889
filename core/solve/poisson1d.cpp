// SPDX-License-Identifier: MIT
// -u'' = f by the three-point difference (R. J. LeVeque, "Finite Difference Methods", 2007, chapter 2) and
// four ways to solve what it gives: elimination, the two classical relaxations (Y. Saad, "Iterative Methods
// for Sparse Linear Systems", 2003, section 4.1) and conjugate gradients (section 6.7).
#include <cmath>
#include <limits>
#include <numbers>

#include "core/solve/solve.h"
#include "core/solve/vectors.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr std::int64_t most_nodes = 1 << 30;

struct Line {
    const Poisson1d& problem;
    const Common& common;
    Engine& engine;
    Solved& solved;
    std::int32_t n = 0;
    double h2 = 0;
    double left = 0;
    double right = 0;
    double rhs_norm = 0;
    Vector f, u, residual;
    History history = History();

    // Computes f - A u, and its norm over that of the right-hand side.
    Result<double> measure() {
        IIR2D_RETURN_IF_ERROR(
            engine.run("poisson1d_residual", {u, f, Value::out(residual), left, right, h2}, n, 1));
        IIR2D_TRY(const double length, norm(engine, residual));
        return rhs_norm > 0 ? length / rhs_norm : length;
    }

    Result<bool> is_done(double relative) {
        solved.residual = relative;
        note(history, common, {.iteration = solved.iterations, .residual = relative});
        if (relative <= common.tolerance) return true;
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        if (solved.iterations % 64 == 0)
            common.control.report(share_done(common, solved.iterations, relative), "iterations");
        // What has grown beyond numbers does not come back.
        if (std::isfinite(relative) && solved.iterations < common.max_iterations) return false;
        solved.has_converged = false;
        return true;
    }

    Result<void> relax(std::string_view kernel, bool in_place) {
        Vector next(in_place ? 0 : u.size());
        while (true) {
            IIR2D_TRY(const double relative, measure());
            IIR2D_TRY(const bool done, is_done(relative));
            if (done) return {};
            if (in_place) {
                IIR2D_RETURN_IF_ERROR(engine.run(kernel, {Value::out(u), f, left, right, h2}, 1, n));
            } else {
                IIR2D_RETURN_IF_ERROR(engine.run(kernel, {u, f, Value::out(next), left, right, h2}, n, 1));
                u.swap(next);
            }
            ++solved.iterations;
        }
    }

    Result<void> eliminate() {
        const Vector off(u.size(), -1.0), diagonal(u.size(), 2.0);
        Vector rhs(u.size()), over(u.size());
        for (std::size_t k = 0; k < rhs.size(); ++k) rhs[k] = h2 * f[k];
        rhs.front() += left;
        rhs.back() += right;
        IIR2D_RETURN_IF_ERROR(
            engine.run("thomas", {off, diagonal, off, rhs, Value::out(over), Value::out(u)}, 1, n));
        solved.iterations = 1;
        IIR2D_TRY(solved.residual, measure());
        note(history, common, {.iteration = 1, .residual = solved.residual});
        solved.has_converged = std::isfinite(*solved.residual);
        return {};
    }

    Result<void> conjugate_gradients() {
        IIR2D_TRY(const double start, measure());
        Vector r = residual, p = residual, image(u.size()), spare;
        IIR2D_TRY(double square, dot(engine, r, r));
        IIR2D_TRY(bool done, is_done(start));
        while (!done) {
            IIR2D_RETURN_IF_ERROR(engine.run("poisson1d_apply", {p, Value::out(image), h2}, n, 1));
            IIR2D_TRY(const double curvature, dot(engine, p, image));
            const double step = square / curvature;
            IIR2D_RETURN_IF_ERROR(add_scaled(engine, step, p, u, spare));
            IIR2D_RETURN_IF_ERROR(add_scaled(engine, -step, image, r, spare));
            IIR2D_TRY(const double next, dot(engine, r, r));
            ++solved.iterations;
            IIR2D_TRY(done, is_done(rhs_norm > 0 ? std::sqrt(next) / rhs_norm : std::sqrt(next)));
            spare.resize(u.size());
            IIR2D_RETURN_IF_ERROR(engine.run("add_scaled", {p, r, Value::out(spare), next / square}, n, 1));
            p.swap(spare);
            square = next;
        }
        return {};
    }
};

double exact_at(const Poisson1d& problem, double x) {
    const double line = problem.ends[0] + (problem.ends[1] - problem.ends[0]) * x;
    return line + (problem.rhs == Poisson1d::Rhs::sine ? std::sin(std::numbers::pi * x) : x * (1 - x));
}

}  // namespace

Poisson1d refined(Poisson1d problem) {
    problem.n = 2 * problem.n + 1;
    return problem;
}

Result<void> check(const Poisson1d& problem) {
    // Vectors of the solver, of the solution, and of a file made of it.
    IIR2D_RETURN_IF_ERROR(check_memory("poisson1d", 16.0 * sizeof(double) * static_cast<double>(problem.n)));
    if (problem.n < 1 || problem.n > most_nodes)
        return fail(ErrorKind::bad_argument, "--n " + std::to_string(problem.n) +
                                                 " is out of range: give 1 to " + std::to_string(most_nodes));
    for (const double end : problem.ends) {
        if (!std::isfinite(end)) return fail(ErrorKind::bad_argument, "--ends are not numbers");
    }
    return {};
}

Result<Solved> solve(const Poisson1d& problem, const Common& common, Engine& engine) {
    IIR2D_RETURN_IF_ERROR(check_common(common));
    IIR2D_RETURN_IF_ERROR(check(problem));
    Stopwatch watch;
    Solved solved{.problem = "poisson1d",
                  .method = std::string(name_of(problem.method)),
                  .engine = std::string(name_of(engine.kind())),
                  .n = problem.n,
                  .unknowns = problem.n,
                  .h = 1.0 / static_cast<double>(problem.n + 1)};
    const auto count = static_cast<std::size_t>(problem.n);
    Line line{.problem = problem,
              .common = common,
              .engine = engine,
              .solved = solved,
              .n = static_cast<std::int32_t>(problem.n),
              .h2 = solved.h * solved.h,
              .left = problem.ends[0],
              .right = problem.ends[1],
              .f = Vector(count),
              .u = Vector(count),
              .residual = Vector(count)};
    Solution& solution = solved.solution;
    for (std::int64_t k = 0; k <= problem.n + 1; ++k) {
        const double x = static_cast<double>(k) / static_cast<double>(problem.n + 1);
        solution.x.push_back(x);
        solution.exact.push_back(exact_at(problem, x));
        if (k == 0 || k > problem.n) continue;
        line.f[static_cast<std::size_t>(k - 1)] =
            problem.rhs == Poisson1d::Rhs::sine
                ? std::numbers::pi * std::numbers::pi * std::sin(std::numbers::pi * x)
                : 2.0;
    }
    solution.exact.front() = problem.ends[0];
    solution.exact.back() = problem.ends[1];
    // The right-hand side of the system: f, and what the ends add to its first and last row.
    Vector rhs = line.f;
    rhs.front() += line.left / line.h2;
    rhs.back() += line.right / line.h2;
    IIR2D_TRY(line.rhs_norm, norm(engine, rhs));
    solved.assembly_seconds = watch.lap();

    switch (problem.method) {
        case Poisson1d::Method::thomas:
            IIR2D_RETURN_IF_ERROR(line.eliminate());
            break;
        case Poisson1d::Method::jacobi:
            IIR2D_RETURN_IF_ERROR(line.relax("poisson1d_jacobi", false));
            break;
        case Poisson1d::Method::gauss_seidel:
            IIR2D_RETURN_IF_ERROR(line.relax("poisson1d_gauss_seidel", true));
            break;
        case Poisson1d::Method::cg:
            IIR2D_RETURN_IF_ERROR(line.conjugate_gradients());
            break;
    }
    solved.solve_seconds = watch.lap();
    solved.history = line.history.take();
    if (!solved.has_converged) solved.shortfall = residual_sentence(solved, common.tolerance);

    solution.computed.reserve(count + 2);
    solution.computed.push_back(line.left);
    solution.computed.insert(solution.computed.end(), line.u.begin(), line.u.end());
    solution.computed.push_back(line.right);
    measure_errors(solved);
    return solved;
}

}  // namespace workbench::solve
