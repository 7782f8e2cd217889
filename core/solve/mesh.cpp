// SPDX-License-Identifier: MIT
#include "core/solve/mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

#include "core/solve/draw.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

using Exact = Poisson2d::Exact;
constexpr double pi = std::numbers::pi;
constexpr std::int64_t strip = 16;  // rows of squares that are assembled together

// What the exact solutions are made of, at a point.
struct Place {
    double x, y;
    double sin_x, cos_x, sin_y, cos_y;  // of pi x, pi y; for the sine alone
};

double value_at(Exact exact, const Place& p) {
    switch (exact) {
        case Exact::sine:
            return p.sin_x * p.sin_y;
        case Exact::poly:
            return 1 + p.y + p.x * (p.x * p.x + p.y * p.y);
        case Exact::linear:
            return 1 + 2 * p.x - 3 * p.y;
        case Exact::quadratic:
            return 1 + p.x - 2 * p.y + p.x * p.x + 3 * p.x * p.y - 2 * p.y * p.y;
    }
    return 0;
}

std::array<double, 2> gradient_at(Exact exact, const Place& p) {
    switch (exact) {
        case Exact::sine:
            return {pi * p.cos_x * p.sin_y, pi * p.sin_x * p.cos_y};
        case Exact::poly:
            return {3 * p.x * p.x + p.y * p.y, 1 + 2 * p.x * p.y};
        case Exact::linear:
            return {2, -3};
        case Exact::quadratic:
            return {1 + 2 * p.x + 3 * p.y, -2 + 3 * p.x - 4 * p.y};
    }
    return {};
}

// -laplace u.
double source_at(Exact exact, const Place& p) {
    switch (exact) {
        case Exact::sine:
            return 2 * pi * pi * p.sin_x * p.sin_y;
        case Exact::poly:
            return -8 * p.x;
        case Exact::linear:
            return 0;
        case Exact::quadratic:
            return 2;
    }
    return 0;
}

// The points of quadrature of a row of triangles. On the uniform mesh rows have the same x, and triangles y
// of two kinds: sines are taken once of each.
class PointRow {
  public:
    PointRow(const Mesh& mesh, Exact exact) : m_mesh(mesh), m_is_sine(exact == Exact::sine) {}

    void fill(std::int64_t row) {
        const std::size_t triangles = m_mesh.triangles_in_row();
        const bool is_first = places.empty();
        xy.resize(6 * triangles);
        places.resize(quadrature_points * triangles);
        constexpr auto points = quadrature();
        for (std::size_t k = 0; k < triangles; ++k) {
            const auto nodes = m_mesh.nodes(row, k);
            for (std::size_t c = 0; c < 3; ++c) {
                xy[6 * k + 2 * c] = m_mesh.x[nodes[c]];
                xy[6 * k + 2 * c + 1] = m_mesh.y[nodes[c]];
            }
            const double* const at = xy.data() + 6 * k;
            for (std::size_t q = 0; q < points.size(); ++q) {
                const auto& l = points[q].at;
                Place& p = places[points.size() * k + q];
                p.x = l[0] * at[0] + l[1] * at[2] + l[2] * at[4];
                p.y = l[0] * at[1] + l[1] * at[3] + l[2] * at[5];
                if (!m_is_sine) continue;
                if (is_first || !m_mesh.is_uniform) {
                    p.sin_x = std::sin(pi * p.x);
                    p.cos_x = std::cos(pi * p.x);
                }
                if (k < 2 || !m_mesh.is_uniform) {
                    p.sin_y = std::sin(pi * p.y);
                    p.cos_y = std::cos(pi * p.y);
                } else {
                    const Place& same = places[points.size() * (k % 2) + q];
                    p.sin_y = same.sin_y;
                    p.cos_y = same.cos_y;
                }
            }
        }
    }

    Vector xy;
    std::vector<Place> places;

  private:
    const Mesh& m_mesh;
    bool m_is_sine;
};

// Calls act(row, points) for rows from `first` to `last`, on so many threads.
template <class Act>
void each_row(std::vector<PointRow>& points, std::int64_t first, std::int64_t last, Act act) {
    const auto count = static_cast<std::int64_t>(points.size());
    const auto part = [&](std::int64_t k) {
        for (std::int64_t row = first + (last - first) * k / count;
             row < first + (last - first) * (k + 1) / count; ++row) {
            points[static_cast<std::size_t>(k)].fill(row);
            act(row, points[static_cast<std::size_t>(k)]);
        }
    };
    std::vector<std::jthread> threads;
    for (std::int64_t k = 1; k < count; ++k) threads.emplace_back(part, k);
    part(0);
}

std::vector<PointRow> rows_of(const Mesh& mesh, Exact exact, int threads) {
    return {static_cast<std::size_t>(std::clamp(threads, 1, 64)), PointRow(mesh, exact)};
}

// The error in a row of triangles: integrals of its square and of its gradient's.
std::array<double, 2> row_errors(const Mesh& mesh, Exact exact, const Vector& computed, std::int64_t row,
                                 const PointRow& points) {
    constexpr auto rule = quadrature();
    const std::size_t nodes = nodes_of(mesh.degree);
    std::array<double, 2> made{};
    for (std::size_t k = 0; k < mesh.triangles_in_row(); ++k) {
        const double* const at = points.xy.data() + 6 * k;
        const double x1 = at[2] - at[0], y1 = at[3] - at[1], x2 = at[4] - at[0], y2 = at[5] - at[1];
        const double det = x1 * y2 - x2 * y1;
        const std::array<std::array<double, 2>, 3> slopes{
            {{(y1 - y2) / det, (x2 - x1) / det}, {y2 / det, -x2 / det}, {-y1 / det, x1 / det}}};
        const auto ids = mesh.nodes(row, k);
        for (std::size_t q = 0; q < rule.size(); ++q) {
            double value = 0, dx = 0, dy = 0;
            for (std::size_t a = 0; a < nodes; ++a) {
                const double u = computed[ids[a]];
                value += u * basis(mesh.degree, a, rule[q].at);
                const auto by = basis_slopes(mesh.degree, a, rule[q].at);
                for (std::size_t c = 0; c < 3; ++c) {
                    dx += u * by[c] * slopes[c][0];
                    dy += u * by[c] * slopes[c][1];
                }
            }
            const Place& p = points.places[rule.size() * k + q];
            const auto wanted = gradient_at(exact, p);
            const double share = 0.5 * det * rule[q].weight, e = value - value_at(exact, p);
            made[0] += share * e * e;
            made[1] += share * ((dx - wanted[0]) * (dx - wanted[0]) + (dy - wanted[1]) * (dy - wanted[1]));
        }
    }
    return made;
}

}  // namespace

std::array<std::size_t, 6> Mesh::nodes(std::int64_t row, std::size_t k) const {
    const auto column = static_cast<std::int64_t>(k / 2);
    using Corner = std::array<std::int64_t, 2>;
    const std::array<Corner, 3> corners =
        k % 2 == 0 ? std::array<Corner, 3>{{{column, row}, {column + 1, row}, {column + 1, row + 1}}}
                   : std::array<Corner, 3>{{{column, row}, {column + 1, row + 1}, {column, row + 1}}};
    std::array<std::size_t, 6> made{};
    for (std::size_t c = 0; c < 3; ++c) {
        made[c] = static_cast<std::size_t>(degree * (corners[c][1] * side + corners[c][0]));
        if (degree == 1) continue;
        const auto& p = corners[triangle_edges[c][0]];
        const auto& q = corners[triangle_edges[c][1]];
        made[3 + c] = static_cast<std::size_t>((p[1] + q[1]) * side + p[0] + q[0]);
    }
    return made;
}

bool Mesh::is_boundary(std::size_t node) const {
    const auto s = static_cast<std::size_t>(side);
    const std::size_t column = node % s, row = node / s;
    return column == 0 || row == 0 || column == s - 1 || row == s - 1;
}

Mesh make_mesh(const Poisson2d& problem, std::uint64_t seed) {
    Mesh made{.degree = problem.degree,
              .cells = problem.n + 1,
              .side = problem.degree * (problem.n + 1) + 1,
              .is_uniform = !problem.is_perturbed};
    const auto count = static_cast<std::size_t>(made.side);
    const double h = 1.0 / static_cast<double>(made.cells);
    made.x = zeros(count * count);
    made.y = zeros(count * count);
    Numbers numbers(seed);
    const auto d = static_cast<std::size_t>(made.degree);
    for (std::size_t row = 0; row < count; row += d) {
        for (std::size_t column = 0; column < count; column += d) {
            const std::size_t k = row * count + column;
            made.x[k] = static_cast<double>(column) / static_cast<double>(count - 1);
            made.y[k] = static_cast<double>(row) / static_cast<double>(count - 1);
            if (made.is_uniform || made.is_boundary(k)) continue;
            // In a square whose corners are 0.2 h away.
            made.x[k] += 0.2 * std::numbers::sqrt2 * h * (numbers.next() - 0.5);
            made.y[k] += 0.2 * std::numbers::sqrt2 * h * (numbers.next() - 0.5);
        }
    }
    if (d == 1) return made;
    // The middles of edges: of a row, of a column, and of the squares' diagonals.
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t column = 0; column < count; ++column) {
            const std::size_t up = row % 2, right = column % 2, k = row * count + column;
            if (up == 0 && right == 0) continue;
            const std::size_t a = (row - up) * count + column - right,
                              b = (row + up) * count + column + right;
            made.x[k] = 0.5 * (made.x[a] + made.x[b]);
            made.y[k] = 0.5 * (made.y[a] + made.y[b]);
        }
    }
    return made;
}

double exact_value(Exact exact, double x, double y) {
    Place p{x, y, 0, 0, 0, 0};
    if (exact == Exact::sine) {
        // On the boundary it is 0, which the sine of a rounded pi is not.
        if (x == 0 || x == 1 || y == 0 || y == 1) return 0;
        p.sin_x = std::sin(pi * x);
        p.sin_y = std::sin(pi * y);
    }
    return value_at(exact, p);
}

void SparseRows::add(std::size_t row, std::size_t to, double amount) {
    const auto w = static_cast<std::size_t>(width);
    for (std::size_t k = row * w; k < (row + 1) * w; ++k) {
        if (column[k] == -1) column[k] = static_cast<std::int32_t>(to);
        if (column[k] != static_cast<std::int32_t>(to)) continue;
        value[k] += amount;
        return;
    }
}

Result<Assembled> assemble(const Mesh& mesh, Exact exact, bool with_matrix, const Common& common,
                           Engine& engine) {
    Assembled made;
    made.load = zeros(mesh.x.size());
    if (with_matrix) {
        made.matrix.rows = static_cast<std::int32_t>(mesh.x.size());
        made.matrix.width = mesh.degree == 1 ? 7 : 19;
        made.matrix.column.assign(mesh.x.size() * static_cast<std::size_t>(made.matrix.width), -1);
        made.matrix.value.assign(made.matrix.column.size(), 0);
    }
    const std::string name = mesh.degree == 1 ? "p1" : "p2";
    const std::size_t per_row = mesh.triangles_in_row(), nodes = nodes_of(mesh.degree);
    auto points = rows_of(mesh, exact, common.threads);
    // Of a strip, and for all of them the same memory.
    Vector xy, f, load, matrix;
    for (std::int64_t first = 0; first < mesh.cells; first += strip) {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        common.control.report(static_cast<double>(first) / static_cast<double>(mesh.cells), "assembly");
        const std::int64_t last = std::min(first + strip, mesh.cells);
        const std::size_t triangles = per_row * static_cast<std::size_t>(last - first);
        xy.resize(6 * triangles);
        f.resize(quadrature_points * triangles);
        load.assign(nodes * triangles, 0);
        each_row(points, first, last, [&](std::int64_t row, const PointRow& from) {
            const auto at = static_cast<std::size_t>(row - first) * per_row;
            std::ranges::copy(from.xy, xy.begin() + static_cast<std::ptrdiff_t>(6 * at));
            for (std::size_t k = 0; k < from.places.size(); ++k)
                f[quadrature_points * at + k] = source_at(exact, from.places[k]);
        });
        const auto count = static_cast<std::int32_t>(triangles);
        IIR2D_RETURN_IF_ERROR(engine.run(name + "_load", {xy, f, Value::out(load)}, count, 1));
        if (with_matrix) {
            matrix.assign(nodes * nodes * triangles, 0);
            IIR2D_RETURN_IF_ERROR(engine.run(name + "_matrix", {xy, Value::out(matrix)}, count, 1));
        }
        for (std::size_t t = 0; t < triangles; ++t) {
            const auto ids = mesh.nodes(first + static_cast<std::int64_t>(t / per_row), t % per_row);
            for (std::size_t a = 0; a < nodes; ++a) {
                made.load[ids[a]] += load[nodes * t + a];
                for (std::size_t b = 0; with_matrix && b < nodes; ++b)
                    made.matrix.add(ids[a], ids[b], matrix[nodes * (nodes * t + a) + b]);
            }
        }
    }
    return made;
}

void measure_errors(const Mesh& mesh, Exact exact, const Vector& computed, int threads, Errors& errors) {
    double largest = 0;
    for (std::size_t k = 0; k < computed.size(); ++k) {
        const double e = std::abs(computed[k] - exact_value(exact, mesh.x[k], mesh.y[k]));
        if (!(e <= largest)) largest = e;
    }
    std::vector<std::array<double, 2>> rows(static_cast<std::size_t>(mesh.cells));
    auto points = rows_of(mesh, exact, threads);
    each_row(points, 0, mesh.cells, [&](std::int64_t row, const PointRow& from) {
        rows[static_cast<std::size_t>(row)] = row_errors(mesh, exact, computed, row, from);
    });
    double square = 0, slope = 0;
    for (const auto& row : rows) {
        square += row[0];
        slope += row[1];
    }
    errors = {.max = largest, .l2 = std::sqrt(square), .h1 = std::sqrt(slope)};
}

}  // namespace workbench::solve
