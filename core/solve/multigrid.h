// SPDX-License-Identifier: MIT
// Solves with the five-point stencil by multigrid (W. Briggs, V. Henson and S. McCormick, "A Multigrid
// Tutorial", 2000; U. Trottenberg, C. Oosterlee and A. Schueller, "Multigrid", 2001, section 2.5): V(2,1)
// cycles of red-black Gauss and Seidel sweeps, bilinear interpolation and its transpose. The stencil of
// linear triangles does not depend on h, and a right-hand side that the transpose has restricted is that of
// the coarse grid's elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/solve/vectors.h"

namespace workbench::solve {

class Multigrid {
  public:
    // Precondition: n + 1 is a power of two.
    explicit Multigrid(std::int32_t n);

    // Returns a row of the finest grid of n values, from 0: of the right-hand side, which is written before
    // the first cycle, and of the solution, which begins as 0.
    std::span<double> rhs(std::size_t row);
    std::span<const double> solution(std::size_t row) const;
    Result<void> cycle(Engine& engine);
    // Returns the norm of f - A u on the finest grid.
    Result<double> residual(Engine& engine);

  private:
    struct Grid {
        std::int32_t n = 0;
        Vector u, f, r;  // n + 2 rows of n + 1
    };
    static Result<void> sweep(Engine& engine, Grid& grid);
    Result<void> descend_from(Engine& engine, std::size_t level);

    std::vector<Grid> m_grids;  // the finest first
};

}  // namespace workbench::solve
