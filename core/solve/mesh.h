// SPDX-License-Identifier: MIT
// The unit square in triangles, and what the finite elements of Poisson's equation make of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/solve/quadrature.h"
#include "core/solve/solve.h"
#include "core/solve/vectors.h"

namespace workbench::solve {

// Holds a mesh of n + 1 by n + 1 squares, each cut in two from its lower left to its upper right corner. The
// nodes are a square too, row after row from below: `side` by `side`; with degree 2 the middles of edges lie
// among the corners.
struct Mesh {
    int degree = 1;
    std::int64_t cells = 0;  // a side
    std::int64_t side = 0;
    bool is_uniform = true;
    Vector x, y;

    std::size_t triangles_in_row() const { return static_cast<std::size_t>(2 * cells); }
    // Returns the nodes of triangle k of a row of squares, of which there are nodes_of(degree).
    std::array<std::size_t, 6> nodes(std::int64_t row, std::size_t k) const;
    bool is_boundary(std::size_t node) const;
};
// Makes a problem's mesh. Perturbed: every corner inside is moved by at most 0.2 h.
Mesh make_mesh(const Poisson2d& problem, std::uint64_t seed);

// Returns the solution that the right-hand side and the boundary values are made for.
double exact_value(Poisson2d::Exact exact, double x, double y);

// Holds rows of at most `width` entries, padded with column -1.
struct SparseRows {
    std::int32_t rows = 0;
    std::int32_t width = 0;
    std::vector<std::int32_t> column;
    Vector value;

    void add(std::size_t row, std::size_t to, double amount);
};

// The matrix and right-hand side of all nodes, the boundary's too.
struct Assembled {
    SparseRows matrix;  // empty where it was not asked for
    Vector load;
};
Result<Assembled> assemble(const Mesh& mesh, Poisson2d::Exact exact, bool with_matrix, const Common& common,
                           Engine& engine);

// Fills in the largest error at a node, the L2 norm of the error and the L2 norm of its gradient, by
// quadrature. `computed` is of all nodes.
void measure_errors(const Mesh& mesh, Poisson2d::Exact exact, const Vector& computed, int threads,
                    Errors& errors);

}  // namespace workbench::solve
