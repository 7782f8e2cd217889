// SPDX-License-Identifier: MIT
// Factorisations of sparse symmetric matrices.
#pragma once

#include <memory>

#include "core/solve/mesh.h"

namespace workbench::solve {

class Factor {
  public:
    // Factorises completely, row by row (T. Davis, "Direct Methods for Sparse Linear Systems", 2006, chapter
    // 4), in an order of approximate minimum degree by Eigen. May be cancelled between rows. check_failed: it
    // is not positive definite.
    static Result<Factor> cholesky(const SparseRows& matrix, const Common& common);
    // Factorises without fill (C.-J. Lin and J. More, "Incomplete Cholesky factorizations with limited
    // memory", 1999), for a preconditioner. By Eigen.
    static Result<Factor> incomplete(const SparseRows& matrix);
    Factor(Factor&&) noexcept;
    Factor& operator=(Factor&&) noexcept;
    ~Factor();

    void solve(const Vector& rhs, Vector& solution) const;

  private:
    struct State;
    explicit Factor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace workbench::solve
