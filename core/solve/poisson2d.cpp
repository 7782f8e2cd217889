// SPDX-License-Identifier: MIT
// -laplace u = f by linear or quadratic triangles (P. G. Ciarlet, "The Finite Element Method for Elliptic
// Problems", 1978; S. Brenner and R. Scott, "The Mathematical Theory of Finite Element Methods", 2008). Known
// values of the boundary are moved to the right-hand side, so that the matrix stays symmetric.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/solve/mesh.h"
#include "core/solve/multigrid.h"
#include "core/solve/sparse.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr std::int64_t most_side = 40'000;  // n by n numbers are counted by an int

// Unknowns alone, and where they lie among the nodes.
struct Reduced {
    SparseRows matrix;
    Vector rhs;
    std::vector<std::size_t> node;
};

Reduced reduce(const Mesh& mesh, const Assembled& whole, const Vector& boundary) {
    Reduced made;
    std::vector<std::int32_t> number(mesh.x.size(), -1);
    for (std::size_t k = 0; k < mesh.x.size(); ++k) {
        if (mesh.is_boundary(k)) continue;
        number[k] = static_cast<std::int32_t>(made.node.size());
        made.node.push_back(k);
    }
    const auto width = static_cast<std::size_t>(whole.matrix.width);
    made.matrix.rows = static_cast<std::int32_t>(made.node.size());
    made.matrix.width = whole.matrix.width;
    made.matrix.column.assign(made.node.size() * width, -1);
    made.matrix.value.assign(made.node.size() * width, 0);
    for (std::size_t row = 0; row < made.node.size(); ++row) {
        double rhs = whole.load[made.node[row]];
        for (std::size_t k = 0; k < width; ++k) {
            const std::int32_t to = whole.matrix.column[made.node[row] * width + k];
            if (to < 0) continue;
            const double value = whole.matrix.value[made.node[row] * width + k];
            const std::int32_t column = number[static_cast<std::size_t>(to)];
            if (column < 0)
                rhs -= value * boundary[static_cast<std::size_t>(to)];
            else
                made.matrix.add(row, static_cast<std::size_t>(column), value);
        }
        made.rhs.push_back(rhs);
    }
    return made;
}

struct Square {
    const Common& common;
    Engine& engine;
    Solved& solved;
    double scale = 1;  // of residuals
    History history = History();

    Result<bool> is_done(double relative) {
        solved.residual = relative;
        note(history, common, {.iteration = solved.iterations, .residual = relative});
        if (relative <= common.tolerance) return true;
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        common.control.report(share_done(common, solved.iterations, relative), "iterations");
        if (std::isfinite(relative) && solved.iterations < common.max_iterations) return false;
        solved.has_converged = false;
        return true;
    }

    Result<void> apply(const Reduced& system, const Vector& x, Vector& image) {
        image.resize(x.size());
        return engine.run("sparse_apply", {system.matrix.value, system.matrix.column, x, Value::out(image)},
                          system.matrix.rows, system.matrix.width);
    }

    Result<Vector> eliminate(const Reduced& system) {
        IIR2D_TRY(const Factor factor, Factor::cholesky(system.matrix, common));
        Vector u, image, spare;
        factor.solve(system.rhs, u);
        IIR2D_RETURN_IF_ERROR(apply(system, u, image));
        Vector r = system.rhs;
        IIR2D_RETURN_IF_ERROR(add_scaled(engine, -1, image, r, spare));
        IIR2D_TRY(const double length, norm(engine, r));
        solved.iterations = 1;
        solved.residual = length / scale;
        note(history, common, {.iteration = 1, .residual = solved.residual});
        return u;
    }

    // Saad 2003, algorithm 9.1.
    Result<Vector> conjugate_gradients(const Reduced& system) {
        IIR2D_TRY(const Factor factor, Factor::incomplete(system.matrix));
        Vector u(system.rhs.size()), r = system.rhs, z, image, spare;
        IIR2D_TRY(const double start, norm(engine, r));
        factor.solve(r, z);
        Vector p = z;
        IIR2D_TRY(double square, dot(engine, r, z));
        IIR2D_TRY(bool done, is_done(start / scale));
        while (!done) {
            IIR2D_RETURN_IF_ERROR(apply(system, p, image));
            IIR2D_TRY(const double curvature, dot(engine, p, image));
            const double step = square / curvature;
            IIR2D_RETURN_IF_ERROR(add_scaled(engine, step, p, u, spare));
            IIR2D_RETURN_IF_ERROR(add_scaled(engine, -step, image, r, spare));
            IIR2D_TRY(const double length, norm(engine, r));
            ++solved.iterations;
            IIR2D_TRY(done, is_done(length / scale));
            factor.solve(r, z);
            IIR2D_TRY(const double next, dot(engine, r, z));
            spare.resize(z.size());
            IIR2D_RETURN_IF_ERROR(engine.run("add_scaled", {p, z, Value::out(spare), next / square},
                                             static_cast<std::int32_t>(z.size()), 1));
            p.swap(spare);
            square = next;
        }
        return u;
    }

    Result<void> cycles(Multigrid& grids) {
        IIR2D_TRY(const double start, grids.residual(engine));
        IIR2D_TRY(bool done, is_done(start / scale));
        while (!done) {
            IIR2D_RETURN_IF_ERROR(grids.cycle(engine));
            IIR2D_TRY(const double length, grids.residual(engine));
            ++solved.iterations;
            IIR2D_TRY(done, is_done(length / scale));
        }
        return {};
    }
};

// The right-hand side of the unknowns of the five-point stencil, whose off-diagonal entries are -1.
void set_grid_rhs(const Mesh& mesh, const Vector& load, const Vector& boundary, Multigrid& grids) {
    const auto side = static_cast<std::size_t>(mesh.side);
    for (std::size_t row = 1; row + 1 < side; ++row) {
        const std::span<double> to = grids.rhs(row - 1);
        for (std::size_t column = 1; column + 1 < side; ++column) {
            const std::size_t k = row * side + column;
            double rhs = load[k];
            // What is inside is not known yet, and is 0 there.
            for (const std::size_t other : {k - 1, k + 1, k - side, k + side}) rhs += boundary[other];
            to[column - 1] = rhs;
        }
    }
}

// Bytes of nodes and solution; by multigrid three vectors of four thirds, else the matrix twice, vectors and,
// by cholesky, a factor of about 8 n log2 n entries.
double bytes_of(const Poisson2d& problem) {
    const double side = static_cast<double>(problem.degree) * (static_cast<double>(problem.n) + 1) + 1;
    const double nodes = side * side, entries = problem.degree == 1 ? 7 : 19;
    double bytes = nodes * 10 * sizeof(double);
    if (problem.method != Poisson2d::Method::multigrid) bytes += nodes * (entries * 3 * 12 + 80);
    if (problem.method == Poisson2d::Method::cholesky) bytes += nodes * 8 * std::log2(nodes) * 12;
    return bytes;
}

}  // namespace

Poisson2d refined(Poisson2d problem) {
    problem.n = 2 * problem.n + 1;
    return problem;
}

Result<void> check(const Poisson2d& problem) {
    if (problem.degree != 1 && problem.degree != 2)
        return fail(ErrorKind::bad_argument, "--degree " + std::to_string(problem.degree) + " is not 1 or 2");
    if (problem.n >= 1) IIR2D_RETURN_IF_ERROR(check_memory("poisson2d", bytes_of(problem)));
    const std::int64_t most = most_side / problem.degree;
    if (problem.n < 1 || problem.n > most)
        return fail(ErrorKind::bad_argument, "--n " + std::to_string(problem.n) +
                                                 " is out of range: give 1 to " + std::to_string(most));
    if (problem.method != Poisson2d::Method::multigrid) return {};
    if (problem.degree == 1 && !problem.is_perturbed &&
        std::has_single_bit(static_cast<std::uint64_t>(problem.n + 1)))
        return {};
    return fail(
        ErrorKind::bad_argument,
        "--method multigrid is for --degree 1 on --mesh uniform with --n one less than a power of two, as "
        "63: give another --method");
}

Result<Solved> solve(const Poisson2d& problem, const Common& common, Engine& engine) {
    IIR2D_RETURN_IF_ERROR(check_common(common));
    IIR2D_RETURN_IF_ERROR(check(problem));
    Stopwatch watch;
    Solved solved{.problem = "poisson2d",
                  .method = std::string(name_of(problem.method)),
                  .engine = std::string(name_of(engine.kind())),
                  .n = problem.n,
                  .h = 1.0 / static_cast<double>(problem.n + 1)};
    Mesh mesh = make_mesh(problem, common.seed);
    solved.unknowns = (mesh.side - 2) * (mesh.side - 2);
    Vector computed = zeros(mesh.x.size());
    for (std::size_t k = 0; k < computed.size(); ++k) {
        if (mesh.is_boundary(k)) computed[k] = exact_value(problem.exact, mesh.x[k], mesh.y[k]);
    }
    const bool has_grids = problem.method == Poisson2d::Method::multigrid;
    IIR2D_TRY(Assembled whole, assemble(mesh, problem.exact, !has_grids, common, engine));
    Square square{common, engine, solved};
    // What f alone gives: the boundary's part of the right-hand side is larger by 1 / h^2, and a residual
    // that is small beside it says less of the solution.
    for (std::size_t k = 0; k < whole.load.size(); ++k) {
        if (mesh.is_boundary(k)) whole.load[k] = 0;
    }
    IIR2D_TRY(const double load_norm, norm(engine, whole.load));
    if (load_norm > 0) square.scale = load_norm;
    if (has_grids) {
        Multigrid grids(static_cast<std::int32_t>(problem.n));
        set_grid_rhs(mesh, whole.load, computed, grids);
        solved.assembly_seconds = watch.lap();
        IIR2D_RETURN_IF_ERROR(square.cycles(grids));
        for (std::size_t row = 1; row + 1 < static_cast<std::size_t>(mesh.side); ++row)
            std::ranges::copy(grids.solution(row - 1),
                              computed.begin() + static_cast<std::ptrdiff_t>(row) * mesh.side + 1);
    } else {
        Reduced system = reduce(mesh, whole, computed);
        solved.assembly_seconds = watch.lap();
        Vector u;
        if (problem.method == Poisson2d::Method::cholesky) {
            IIR2D_TRY(u, square.eliminate(system));
        } else {
            IIR2D_TRY(u, square.conjugate_gradients(system));
        }
        for (std::size_t k = 0; k < u.size(); ++k) computed[system.node[k]] = u[k];
    }
    solved.solve_seconds = watch.lap();
    solved.history = square.history.take();
    if (!solved.has_converged) solved.shortfall = residual_sentence(solved, common.tolerance);
    measure_errors(mesh, problem.exact, computed, common.threads, solved.errors);
    solved.solution.exact = std::move(whole.load);
    for (std::size_t k = 0; k < computed.size(); ++k)
        solved.solution.exact[k] = exact_value(problem.exact, mesh.x[k], mesh.y[k]);
    solved.solution.x = std::move(mesh.x);
    solved.solution.y = std::move(mesh.y);
    solved.solution.computed = std::move(computed);
    return solved;
}

}  // namespace workbench::solve
