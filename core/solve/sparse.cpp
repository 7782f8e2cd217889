// SPDX-License-Identifier: MIT
#include "core/solve/sparse.h"

// Their warnings are not ours.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define EIGEN_MPL2_ONLY
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace workbench::solve {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Column = Eigen::Map<const Eigen::VectorXd>;

// The lower triangle, which is all that they read.
Matrix lower_of(const SparseRows& rows) {
    std::vector<Eigen::Triplet<double>> entries;
    const auto width = static_cast<std::size_t>(rows.width);
    entries.reserve(rows.value.size() / 2);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rows); ++row) {
        for (std::size_t k = row * width; k < (row + 1) * width; ++k) {
            if (rows.column[k] >= 0 && static_cast<std::size_t>(rows.column[k]) <= row)
                entries.emplace_back(static_cast<int>(row), rows.column[k], rows.value[k]);
        }
    }
    Matrix made(rows.rows, rows.rows);
    made.setFromTriplets(entries.begin(), entries.end());
    return made;
}

}  // namespace

struct Factor::State {
    Eigen::SimplicialLLT<Matrix> whole;
    Eigen::IncompleteCholesky<double> part;
    bool is_whole = true;
};

Factor::Factor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Factor::Factor(Factor&&) noexcept = default;
Factor& Factor::operator=(Factor&&) noexcept = default;
Factor::~Factor() = default;

Result<Factor> Factor::cholesky(const SparseRows& matrix) {
    auto state = std::make_unique<State>();
    state->whole.compute(lower_of(matrix));
    if (state->whole.info() != Eigen::Success)
        return fail(ErrorKind::check_failed, "the matrix is not positive definite");
    return Factor(std::move(state));
}

Result<Factor> Factor::incomplete(const SparseRows& matrix) {
    auto state = std::make_unique<State>();
    state->is_whole = false;
    state->part.compute(lower_of(matrix));
    if (state->part.info() != Eigen::Success)
        return fail(ErrorKind::check_failed, "the matrix has no incomplete Cholesky factor");
    return Factor(std::move(state));
}

void Factor::solve(const Vector& rhs, Vector& solution) const {
    solution.resize(rhs.size());
    const Column b(rhs.data(), static_cast<Eigen::Index>(rhs.size()));
    Eigen::Map<Eigen::VectorXd> x(solution.data(), static_cast<Eigen::Index>(solution.size()));
    if (m_state->is_whole)
        x = m_state->whole.solve(b);
    else
        x = m_state->part.solve(b);
}

}  // namespace workbench::solve
