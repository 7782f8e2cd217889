// SPDX-License-Identifier: MIT
// What page Solve is asked to solve, as a value: every choice of its form, what core makes of them, why they
// cannot be solved, and the command line that does the same. No widgets.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <variant>

#include "core/image/image.h"
#include "core/solve/solve.h"

namespace workbench {

enum class SolveProblem { poisson1d, poisson2d, heat, quadratic, rosenbrock, logistic, fit };
inline constexpr int solveProblemCount = 7;

// Of choices among names, the number is the index among them.
struct SolveChoices {
    SolveProblem problem = SolveProblem::poisson1d;

    int lineNodes = 63;
    int lineMethod = 0;  // solve::Poisson1d::Method
    int lineRhs = 0;
    double leftEnd = 0;
    double rightEnd = 0;

    int squareNodes = 31;
    int degree = 0;  // linear, quadratic
    int mesh = 0;    // uniform, perturbed
    int squareSolution = 0;
    int squareMethod = 0;

    int heatNodes = 63;
    double dt = 0.001;
    int heatSteps = 100;
    int scheme = 1;
    double conductivity = 1;
    int heatEnds = 0;   // fixed, insulated
    int heatStart = 0;  // solve::Heat::Start; the last: a row of the open image
    int row = 0;

    int descent = 0;
    double stepLength = 0;  // 0: as the method chooses
    int descentSteps = 0;   // 0: until the tolerance is reached
    double startA = 10;
    double startB = 1;

    int fitFilter = 0;  // of fittedFilters
    int fitMethod = 1;
    int fitSteps = 100;
    double fitStart = 0.5;
    QString target;  // its file

    double tolerance = 1e-10;
    int maxIterations = 100'000;
    int sizes = 1;  // each twice as fine
    int engine = 0;
    int threads = 0;  // 0: all
    int seed = 1;

    friend bool operator==(const SolveChoices&, const SolveChoices&) = default;
};

inline constexpr std::array fittedFilters{1, 2, 5, 7};

bool isDescent(SolveProblem problem);       // in two parameters
bool isMinimisation(SolveProblem problem);  // the fit too

// The choices with which a problem begins when it is chosen: where its own default is another's.
SolveChoices withProblem(SolveChoices choices, SolveProblem problem);

// What core is given. The fit has no target yet: it is read when it is solved.
using SolveTask = std::variant<solve::Poisson1d, solve::Poisson2d, solve::Heat, solve::Minimise, solve::Fit>;
// Precondition: hindranceOf() is empty.
SolveTask taskOf(const SolveChoices& choices, const ImagePtr& image);
solve::Common commonOf(const SolveChoices& choices);
solve::EngineKind engineOf(const SolveChoices& choices);

// Why it cannot be solved, in a sentence; empty: it can, as far as that is known without trying.
QString hindranceOf(const SolveChoices& choices, const ImagePtr& image);
// The largest time step of the explicit scheme.
double largestStepOf(const SolveChoices& choices);

// One `iir2d solve` command that does the same.
QString commandLineOf(const SolveChoices& choices, const ImagePtr& image);

// The kernels that solve it, by their names in core/solve/kernels.h.
QStringList kernelsOf(const SolveChoices& choices);

}  // namespace workbench
