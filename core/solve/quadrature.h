// SPDX-License-Identifier: MIT
// The seven points of J. Radon ("Zur mechanischen Kubatur", 1948; A. H. Stroud, "Approximate Calculation of
// Multiple Integrals", 1971, T2: 5-1) on a triangle: exact for polynomials of degree 5.
#pragma once

#include <array>

namespace workbench::solve {

constexpr std::size_t quadrature_points = 7;

struct QuadraturePoint {
    std::array<double, 3> at;  // barycentric
    double weight;             // of the triangle's area
};

constexpr std::array<QuadraturePoint, quadrature_points> quadrature() {
    constexpr double root = 3.8729833462074168852;  // of 15
    constexpr double a = (6 + root) / 21, b = (6 - root) / 21;
    constexpr double wa = (155 + root) / 1200, wb = (155 - root) / 1200;
    return {{{{1.0 / 3, 1.0 / 3, 1.0 / 3}, 9.0 / 40},
             {{1 - 2 * a, a, a}, wa},
             {{a, 1 - 2 * a, a}, wa},
             {{a, a, 1 - 2 * a}, wa},
             {{1 - 2 * b, b, b}, wb},
             {{b, 1 - 2 * b, b}, wb},
             {{b, b, 1 - 2 * b}, wb}}};
}

// The nodes of a triangle: its corners, then for degree 2 the middles of the edges 0-1, 1-2, 2-0.
constexpr std::array<std::array<std::size_t, 2>, 3> triangle_edges{{{0, 1}, {1, 2}, {2, 0}}};

constexpr std::size_t nodes_of(int degree) {
    return degree == 1 ? 3 : 6;
}

// Returns the value of a node's basis function (P. G. Ciarlet, "The Finite Element Method for Elliptic
// Problems", 1978, section 2.2).
constexpr double basis(int degree, std::size_t node, const std::array<double, 3>& at) {
    if (node >= 3) return 4 * at[triangle_edges[node - 3][0]] * at[triangle_edges[node - 3][1]];
    return degree == 1 ? at[node] : at[node] * (2 * at[node] - 1);
}

// Its derivatives with respect to the three barycentric coordinates.
constexpr std::array<double, 3> basis_slopes(int degree, std::size_t node, const std::array<double, 3>& at) {
    std::array<double, 3> made{};
    if (node >= 3) {
        const auto [p, q] = triangle_edges[node - 3];
        made[p] = 4 * at[q];
        made[q] = 4 * at[p];
    } else {
        made[node] = degree == 1 ? 1 : 4 * at[node] - 1;
    }
    return made;
}

}  // namespace workbench::solve
