// SPDX-License-Identifier: MIT
#include "core/solve/multigrid.h"

#include <algorithm>

#include "core/support/try.h"

namespace workbench::solve {

Multigrid::Multigrid(std::int32_t n) {
    for (; n >= 1; n = (n - 1) / 2) {
        const auto numbers = static_cast<std::size_t>(n + 2) * static_cast<std::size_t>(n + 1);
        m_grids.push_back({n, zeros(numbers), zeros(numbers), zeros(numbers)});
    }
}

std::span<double> Multigrid::rhs(std::size_t row) {
    Grid& fine = m_grids.front();
    const auto n = static_cast<std::size_t>(fine.n);
    return std::span(fine.f).subspan((row + 1) * (n + 1), n);
}

std::span<const double> Multigrid::solution(std::size_t row) const {
    const Grid& fine = m_grids.front();
    const auto n = static_cast<std::size_t>(fine.n);
    return std::span(fine.u).subspan((row + 1) * (n + 1), n);
}

Result<double> Multigrid::residual(Engine& engine) {
    Grid& fine = m_grids.front();
    IIR2D_RETURN_IF_ERROR(
        engine.run("grid_residual", {fine.u, fine.f, Value::out(fine.r)}, fine.n, fine.n + 1));
    return norm(engine, fine.r);
}

// The colour that the coarse grid's points have comes first.
Result<void> Multigrid::sweep(Engine& engine, Grid& grid) {
    for (const int colour : {0, 1})
        IIR2D_RETURN_IF_ERROR(
            engine.run("grid_smooth", {Value::out(grid.u), grid.f, colour}, grid.n, grid.n + 1));
    return {};
}

Result<void> Multigrid::descend_from(Engine& engine, std::size_t level) {
    Grid& fine = m_grids[level];
    IIR2D_RETURN_IF_ERROR(sweep(engine, fine));
    if (level + 1 == m_grids.size()) return {};  // one unknown: it is solved
    IIR2D_RETURN_IF_ERROR(sweep(engine, fine));
    Grid& coarse = m_grids[level + 1];
    IIR2D_RETURN_IF_ERROR(
        engine.run("grid_residual", {fine.u, fine.f, Value::out(fine.r)}, fine.n, fine.n + 1));
    IIR2D_RETURN_IF_ERROR(
        engine.run("grid_restrict", {fine.r, Value::out(coarse.f)}, coarse.n, coarse.n + 1));
    std::ranges::fill(coarse.u, 0);
    IIR2D_RETURN_IF_ERROR(descend_from(engine, level + 1));
    IIR2D_RETURN_IF_ERROR(
        engine.run("grid_correct", {coarse.u, Value::out(fine.u)}, coarse.n + 1, coarse.n + 1));
    return sweep(engine, fine);
}

Result<void> Multigrid::cycle(Engine& engine) {
    return descend_from(engine, 0);
}

}  // namespace workbench::solve
