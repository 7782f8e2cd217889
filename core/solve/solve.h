// SPDX-License-Identifier: MIT
// Solves four problems whose inner loops are the trees of core/solve/kernels.h. docs/solvers.md has the
// equations, the discretisations and how each is proved.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/solve/engine.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench::solve {

// Holds one line of the history; only the figures that the problem has are set.
struct HistoryStep {
    std::int64_t iteration = 0;
    std::optional<double> residual;
    std::optional<double> objective;
    std::optional<double> gradient_norm;
    std::vector<double> parameters;
};

struct Common {
    double tolerance = 1e-10;  // of the relative residual, or of the gradient's norm
    std::int64_t max_iterations = 100'000;
    std::uint64_t seed = 1;
    int threads = 1;  // of what is not a kernel
    TaskControl control = {};
    // Called with every step, from the thread that solves.
    std::function<void(const HistoryStep& step)> watch = {};
};

// Holds values at the nodes, those of the boundary included. y is empty in one dimension, exact where there
// is no formula.
struct Solution {
    std::vector<double> x, y, computed, exact;
};

// Holds the temperatures after a step, at the nodes of the solution.
struct Snapshot {
    std::int64_t step = 0;
    double time = 0;
    std::vector<double> computed, exact;
};

struct Errors {
    std::optional<double> max, l2, h1;
};

struct Solved {
    std::string problem;
    std::string method;
    std::string engine;
    std::int64_t n = 0;
    std::int64_t unknowns = 0;
    double h = 0;
    std::int64_t iterations = 0;
    std::optional<double> residual;  // relative, 2-norm
    bool has_converged = true;
    std::string shortfall;  // one sentence, where it has not
    Errors errors;
    std::vector<std::pair<std::string, double>> figures;            // what only this problem has
    std::vector<std::pair<std::string, std::vector<double>>> data;  // that was drawn
    std::vector<HistoryStep> history;
    double assembly_seconds = 0;
    double solve_seconds = 0;
    Solution solution;
    std::vector<Snapshot> snapshots;  // of heat, where they were asked for
};

// Poses -u'' = f on (0, 1), n interior nodes.
struct Poisson1d {
    enum class Method : std::uint8_t { thomas, jacobi, gauss_seidel, cg };
    enum class Rhs : std::uint8_t { sine, poly };
    std::int64_t n = 0;
    Method method = Method::thomas;
    Rhs rhs = Rhs::sine;
    std::array<double, 2> ends{0, 0};
};
Result<Solved> solve(const Poisson1d& problem, const Common& common, Engine& engine);

// Poses u_t = k u_xx on (0, 1). Fixed ends: n interior nodes, and the ends as they begin. Insulated: n cells.
struct Heat {
    enum class Scheme : std::uint8_t { explicit_euler, implicit_euler, crank_nicolson };
    enum class Start : std::uint8_t { sine, step, samples };
    std::int64_t n = 0;
    double dt = 0;
    std::int64_t steps = 0;
    Scheme scheme = Scheme::implicit_euler;
    double k = 1;
    bool is_insulated = false;
    Start start = Start::sine;
    std::vector<double> samples;  // from 0 to 1, evenly; at least one
    std::int64_t snapshots = 0;  // to keep, evenly over the steps, the first and the last among them; 0: none
};
Result<Solved> solve(const Heat& problem, const Common& common, Engine& engine);
// Returns the explicit scheme's largest dt that is allowed: h^2 / (2 k).
double largest_explicit_step(const Heat& problem);

// Gradients are the adjoints of the objectives' kernels.
enum class Descent : std::uint8_t { gd, adam };
struct Minimise {
    // Names a function: (x^2 + 10 y^2) / 2; Rosenbrock's; the mean logistic loss of 200 drawn samples of two
    // features.
    enum class Problem : std::uint8_t { quadratic, rosenbrock, logistic };
    Problem problem = Problem::quadratic;
    Descent method = Descent::gd;
    std::optional<double> step;         // gd: fixed, else Armijo's rule; adam: 0.1
    std::optional<std::int64_t> steps;  // then all of them are the result; else it must converge
    std::optional<std::array<double, 2>> start;
};
Result<Solved> solve(const Minimise& problem, const Common& common, Engine& engine);
// Returns where it begins if nothing else is said.
std::array<double, 2> usual_start(Minimise::Problem problem);

// Values of the objective over a rectangle: row after row from below, `columns` of each, the edges included.
struct Rectangle {
    std::array<double, 2> x{0, 1};
    std::array<double, 2> y{0, 1};
    int columns = 2;  // at least
    int rows = 2;
};
Result<std::vector<double>> values_over(const Minimise& problem, const Rectangle& where, const Common& common,
                                        Engine& engine);

// The parameter of one of fitted_filters() with which it makes `target` of `input`, borders mirrored: the
// least mean squared difference. Planes one after the other, rows dense.
struct Fit {
    int filter_id = 1;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t planes = 0;
    std::vector<double> input;
    std::vector<double> target;
    Descent method = Descent::adam;
    std::optional<double> step;         // adam: 0.1 at first, halved at each turn
    std::optional<std::int64_t> steps;  // 100
    std::optional<double> start;        // the filter's default
    // Called with every parameter that is tried and what the filter makes with it, from the thread that
    // solves.
    std::function<void(double parameter, std::span<const double> image)> watch = {};
};
// Fits the parameter. The figures have the best parameter of all steps, by its name.
Result<Solved> solve(const Fit& problem, const Common& common, Engine& engine);
// Returns the filters that can be fitted: those of the table whose one parameter is the feedback of
// exponential averages. And as text: "1, 2, 5 or 7".
std::vector<int> fitted_filters();
std::string fitted_filters_text();
// Returns "alpha" or "a"; bad_argument for a filter that has no such parameter.
Result<std::string> fitted_parameter(int filter_id);

// Poses -laplace u = f on the unit square, u given on the boundary; n by n corners of triangles inside.
struct Poisson2d {
    enum class Method : std::uint8_t { cholesky, cg, multigrid };
    // Names the exact solution: sin(pi x) sin(pi y); x^3 + x y^2 + y + 1; for proofs, functions that P1 and
    // P2 represent exactly.
    enum class Exact : std::uint8_t { sine, poly, linear, quadratic };
    std::int64_t n = 0;
    int degree = 1;
    bool is_perturbed = false;
    Exact exact = Exact::sine;
    Method method = Method::cholesky;  // multigrid: P1 on the uniform mesh, n + 1 a power of two
};
Result<Solved> solve(const Poisson2d& problem, const Common& common, Engine& engine);

// Says why a problem cannot be solved, memory included; solve() asks first. bad_argument.
Result<void> check(const Poisson1d& problem);
Result<void> check(const Heat& problem);
Result<void> check(const Poisson2d& problem);

// Returns the same problem at twice the resolution. Heat takes four times the steps of a quarter, with Crank
// and Nicolson's scheme twice those of half.
Poisson1d refined(Poisson1d problem);
Heat refined(Heat problem);
Poisson2d refined(Poisson2d problem);

template <>
inline constexpr std::array<std::string_view, 4> names_of<Poisson1d::Method>{"thomas", "jacobi",
                                                                             "gauss-seidel", "cg"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<Poisson1d::Rhs>{"sine", "poly"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Heat::Scheme>{"explicit", "implicit",
                                                                        "crank-nicolson"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Heat::Start>{"sine", "step", "samples"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Poisson2d::Method>{"cholesky", "cg", "multigrid"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<Poisson2d::Exact>{"sine", "poly", "linear",
                                                                            "quadratic"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<Descent>{"gd", "adam"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Minimise::Problem>{"quadratic", "rosenbrock",
                                                                             "logistic"};

}  // namespace workbench::solve
