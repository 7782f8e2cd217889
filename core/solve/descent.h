// SPDX-License-Identifier: MIT
// Minimises a function whose gradient is known.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "core/solve/solve.h"
#include "core/solve/vectors.h"

namespace workbench::solve {

struct Evaluation {
    double value = 0;
    Vector gradient;
};
using Objective = std::function<Result<Evaluation>(const Vector& parameters)>;

struct DescentOptions {
    Descent method = Descent::gd;
    std::optional<double> step;
    std::optional<std::int64_t> steps;
    // Adam: where a step has gone uphill behind it, moments begin anew and the step size is halved, so that
    // it comes to rest (B. O'Donoghue and E. Candes, "Adaptive restart for accelerated gradient schemes",
    // 2015).
    bool has_restarts = false;
    std::optional<std::pair<double, double>> range;  // of every parameter
};

// Fills in the iterations, the history and whether it has converged, and returns the step with the least
// objective. `gd` takes fixed steps, or looks for
// them by L. Armijo's rule ("Minimization of functions having Lipschitz continuous first partial
// derivatives", 1966; J. Nocedal and S. Wright, "Numerical Optimization", 2006, algorithm 3.1), where values
// differ by rounding alone by the slope instead (W. Hager and H. Zhang 2005, "approximate Wolfe"). `adam` is
// Kingma's and Ba's.
Result<HistoryStep> descend(const Objective& objective, Vector start, const DescentOptions& options,
                            const Common& common, Engine& engine, Solved& solved);

}  // namespace workbench::solve
