// SPDX-License-Identifier: MIT
// Holds what page Solve is to solve, as a value: every choice of its form, what core makes of them, why they
// cannot be solved, and the command line that does the same. No widgets.
#pragma once

#include <QString>
#include <QStringList>
#include <span>
#include <variant>

#include "core/image/image.h"
#include "core/solve/solve.h"

namespace workbench {

enum class SolveProblem { poisson1d, poisson2d, heat, quadratic, rosenbrock, logistic, fit };
inline constexpr int solveProblemCount = 7;

struct SolveChoices {
    SolveProblem problem = SolveProblem::poisson1d;

    int lineNodes = 63;
    solve::Poisson1d::Method lineMethod = solve::Poisson1d::Method::thomas;
    solve::Poisson1d::Rhs lineRhs = solve::Poisson1d::Rhs::sine;
    double leftEnd = 0;
    double rightEnd = 0;

    int squareNodes = 31;
    int degree = 1;  // of the functions on a triangle: 1, 2
    bool isPerturbed = false;
    solve::Poisson2d::Exact squareSolution = solve::Poisson2d::Exact::sine;
    solve::Poisson2d::Method squareMethod = solve::Poisson2d::Method::cholesky;

    int heatNodes = 63;
    double dt = 0.001;
    int heatSteps = 100;
    solve::Heat::Scheme scheme = solve::Heat::Scheme::implicit_euler;
    double conductivity = 1;
    bool isInsulated = false;
    solve::Heat::Start heatStart = solve::Heat::Start::sine;  // samples: a row of the open image
    int row = 0;

    solve::Descent descent = solve::Descent::gd;
    double stepLength = 0;  // 0: as the method chooses
    int descentSteps = 0;   // 0: until the tolerance is reached
    double startA = 10;
    double startB = 1;

    int fitFilter = 1;  // one of solve::fitted_filters()
    solve::Descent fitMethod = solve::Descent::adam;
    int fitSteps = 100;
    double fitStart = 0.5;
    QString target;  // its file

    double tolerance = 1e-10;
    int maxIterations = 100'000;
    int sizes = 1;  // each twice as fine
    solve::EngineKind engine = solve::EngineKind::compiled;
    int threads = 0;  // 0: all
    int seed = 1;

    friend bool operator==(const SolveChoices&, const SolveChoices&) = default;
};

// The numbers among the choices with their ranges.
template <class Number>
struct NumberChoice {
    const char* name;  // that it is kept by
    Number SolveChoices::*value;
    Number least, most;
};
std::span<const NumberChoice<int>> countChoices();
std::span<const NumberChoice<double>> realChoices();

// Write choices as JSON, to be kept for the next start, and read them: a choice that the text lacks, or that
// is out of its range, is as in a new SolveChoices.
QString toJson(const SolveChoices& choices);
SolveChoices solveChoicesFrom(const QString& json);

bool isDescent(SolveProblem problem);       // in two parameters
bool isMinimisation(SolveProblem problem);  // the fit too

// Returns the choices with which a problem begins when it is chosen: where its own default is another's.
SolveChoices withProblem(SolveChoices choices, SolveProblem problem);

// Holds the problem for core. A fit has no target yet: it is read when the fit is solved.
using SolveTask = std::variant<solve::Poisson1d, solve::Poisson2d, solve::Heat, solve::Minimise, solve::Fit>;
// Makes the problem of choices. Precondition: hindranceOf() is empty.
SolveTask taskOf(const SolveChoices& choices, const ImagePtr& image);
solve::Common commonOf(const SolveChoices& choices);

// Returns why it cannot be solved, in a sentence; empty: it can, as far as that is known without trying.
QString hindranceOf(const SolveChoices& choices, const ImagePtr& image);
// Returns the largest time step of the explicit scheme.
double largestStepOf(const SolveChoices& choices);

// Returns one `iir2d solve` command that does the same.
QString commandLineOf(const SolveChoices& choices, const ImagePtr& image);

// Returns the kernels that solve it, by their names in core/solve/kernels.h.
QStringList kernelsOf(const SolveChoices& choices);

}  // namespace workbench
