// SPDX-License-Identifier: MIT
#include "core/solve/kernels.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "core/support/files.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace workbench::solve {

namespace {

constexpr std::string_view reads_own_output = "it reads what it writes";

// A kernel of doubles: extents of its arrays, parameters but for n and m, statements.
std::string source_of(std::string_view name, std::string_view extents, std::string_view parameters,
                      std::string_view body) {
    return "// " + std::string(extents) + "\nextern \"C\" __global__ void " + std::string(name) + "(" +
           std::string(parameters) + ", int n, int m) {\n" +
           "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\n" + std::string(body) +
           "}\n";
}

// ---- Sums. Of 64 elements a thread, one after the other, whoever runs them: the same bits everywhere.

constexpr std::string_view chunk_dot = R"(
double total = 0.0;
for (int j = 0; j < m; ++j) {
    if (i * m + j < count) total += x[i * m + j] * y[i * m + j];
}
out[i] = total;
)";
constexpr std::string_view chunk_sum = R"(
double total = 0.0;
for (int j = 0; j < m; ++j) {
    if (i * m + j < count) total += x[i * m + j];
}
out[i] = total;
)";

// ---- -u'' = f, three points. h2 is h * h.

constexpr std::string_view poisson1d_residual = R"(
double before = left;
if (i > 0) before = u[i - 1];
double behind = right;
if (i < n - 1) behind = u[i + 1];
out[i] = f[i] - (2.0 * u[i] - before - behind) / h2;
)";
constexpr std::string_view poisson1d_apply = R"(
double before = 0.0;
if (i > 0) before = u[i - 1];
double behind = 0.0;
if (i < n - 1) behind = u[i + 1];
out[i] = (2.0 * u[i] - before - behind) / h2;
)";
constexpr std::string_view poisson1d_jacobi = R"(
double before = left;
if (i > 0) before = u[i - 1];
double behind = right;
if (i < n - 1) behind = u[i + 1];
out[i] = 0.5 * (before + behind + h2 * f[i]);
)";
// One thread a line of m unknowns, from left to right: each sees what was written before it.
constexpr std::string_view poisson1d_gauss_seidel = R"(
for (int j = 0; j < m; ++j) {
    double before = j > 0 ? u[i * m + j - 1] : left;
    double behind = j < m - 1 ? u[i * m + j + 1] : right;
    u[i * m + j] = 0.5 * (before + behind + h2 * f[i * m + j]);
}
)";
// L. H. Thomas, "Elliptic problems in linear difference equations over a network", 1949: elimination without
// pivoting. One thread a system of m unknowns; `upper_over` is what is left of the row above.
constexpr std::string_view thomas = R"(
upper_over[i * m] = upper[i * m] / diagonal[i * m];
x[i * m] = rhs[i * m] / diagonal[i * m];
for (int j = 1; j < m; ++j) {
    double pivot = diagonal[i * m + j] - lower[i * m + j] * upper_over[i * m + j - 1];
    upper_over[i * m + j] = upper[i * m + j] / pivot;
    x[i * m + j] = (rhs[i * m + j] - lower[i * m + j] * x[i * m + j - 1]) / pivot;
}
for (int j = m - 2; j >= 0; --j) {
    x[i * m + j] = x[i * m + j] - upper_over[i * m + j] * x[i * m + j + 1];
}
)";

// ---- u_t = k u_xx: u + before * (second difference), and what known ends give to a step that is implicit.
// As a difference of fluxes, each the same number for both of its nodes, so that insulated ends lose no heat.

constexpr std::string_view heat_step = R"(
double before_it = left;
double behind_it = right;
if (insulated != 0) {
    before_it = u[i];
    behind_it = u[i];
}
if (i > 0) before_it = u[i - 1];
if (i < n - 1) behind_it = u[i + 1];
double ends = 0.0;
if (insulated == 0) {
    if (i == 0) ends += after * left;
    if (i == n - 1) ends += after * right;
}
out[i] = u[i] + before * ((behind_it - u[i]) - (u[i] - before_it)) + ends;
)";

// ---- What is minimised. One thread a point of m coordinates, or a sample of m features.

constexpr std::string_view quadratic = R"(
double x = p[i * m];
double y = p[i * m + 1];
out[i] = 0.5 * (x * x + 10.0 * y * y);
)";
// H. H. Rosenbrock, "An automatic method for finding the greatest or least value of a function", 1960.
constexpr std::string_view rosenbrock = R"(
double x = p[i * m];
double y = p[i * m + 1];
out[i] = (1.0 - x) * (1.0 - x) + 100.0 * (y - x * x) * (y - x * x);
)";
// log(1 + exp(-margin)), from the side where nothing overflows.
constexpr std::string_view logistic = R"(
double score = 0.0;
for (int j = 0; j < m; ++j) {
    score += w[j] * x[i * m + j];
}
double margin = label[i] * score;
if (margin > 0.0) {
    out[i] = log1p(exp(-margin));
} else {
    out[i] = log1p(exp(margin)) - margin;
}
)";
// D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1. The corrections
// are 1 / (1 - beta^t).
constexpr std::string_view adam = R"(
double first = beta1 * mean[i] + (1.0 - beta1) * g[i];
double second = beta2 * square[i] + (1.0 - beta2) * g[i] * g[i];
out_mean[i] = first;
out_square[i] = second;
out[i] = p[i] - step * (first * correct1) / (sqrt(second * correct2) + epsilon);
)";

// ---- Filters to be fitted: the first-order section of kernels/iir/filter_table.cpp along lines, in parts of
// at most 64 samples, with the history before a line that the truncated start and mirrored borders give.

constexpr std::string_view fit_ema = R"(
double held = state[i];
for (int j = 0; j < m; ++j) {
    held = (1.0 - alpha) * x[i * m + j] + alpha * held;
    y[i * m + j] = held;
}
after[i] = held;
)";
constexpr std::string_view squared_error = R"(
double e = y[i] - target[i];
out[i] = e * e;
)";

std::vector<Kernel> make_kernels() {
    constexpr std::string_view line =
        "const double* u, const double* f, double* out, double left, double right, double h2";
    std::vector<Kernel> made;
    const auto add = [&](std::string_view name, std::string_view subject, std::string_view extents,
                         std::string_view parameters, std::string_view body,
                         std::string_view no_backward = "") {
        made.push_back({.name = std::string(name),
                        .subject = std::string(subject),
                        .source = source_of(name, extents, parameters, body),
                        .no_backward = std::string(no_backward)});
    };
    add("chunk_dot", "products of two vectors, added 64 at a time", "x[n * m], y[n * m], out[n]",
        "const double* x, const double* y, double* out, int count", chunk_dot);
    add("chunk_sum", "elements of a vector, added 64 at a time", "x[n * m], out[n]",
        "const double* x, double* out, int count", chunk_sum);
    add("add_scaled", "y + a x", "x[n], y[n], out[n]",
        "const double* x, const double* y, double* out, double a", "out[i] = y[i] + a * x[i];\n");
    add("poisson1d_residual", "f + u'' by three points", "u[n], f[n], out[n]", line, poisson1d_residual);
    add("poisson1d_apply", "-u'' by three points, the ends 0", "u[n], out[n]",
        "const double* u, double* out, double h2", poisson1d_apply);
    add("poisson1d_jacobi", "a sweep of Jacobi's", "u[n], f[n], out[n]", line, poisson1d_jacobi);
    add("poisson1d_gauss_seidel", "a sweep of Gauss and Seidel's", "u[n * m], f[n * m]",
        "double* u, const double* f, double left, double right, double h2", poisson1d_gauss_seidel,
        reads_own_output);
    add("thomas", "tridiagonal systems by elimination",
        "lower[n * m], diagonal[n * m], upper[n * m], rhs[n * m], upper_over[n * m], x[n * m]",
        "const double* lower, const double* diagonal, const double* upper, const double* rhs, double* "
        "upper_over, "
        "double* x",
        thomas, reads_own_output);
    add("heat_step", "a step of the heat equation, or the right-hand side of an implicit one", "u[n], out[n]",
        "const double* u, double* out, double before, double after, double left, double right, int insulated",
        heat_step);
    add("quadratic", "(x^2 + 10 y^2) / 2", "p[n * m], out[n]", "const double* p, double* out", quadratic);
    add("rosenbrock", "Rosenbrock's function", "p[n * m], out[n]", "const double* p, double* out",
        rosenbrock);
    add("logistic", "the logistic loss of a sample", "x[n * m], label[n], w[m], out[n]",
        "const double* x, const double* label, const double* w, double* out", logistic);
    made.back().is_bounded = true;
    add("adam", "a step of Adam", "p[n], g[n], mean[n], square[n], out[n], out_mean[n], out_square[n]",
        "const double* p, const double* g, const double* mean, const double* square, double* out, "
        "double* out_mean, double* out_square, double step, double beta1, double beta2, double correct1, "
        "double correct2, double epsilon",
        adam);
    add("fit_start", "what lies before the first sample of a line", "x[n * m], state[n]",
        "const double* x, double* state, double alpha", "state[i] = (1.0 - alpha) * x[i * m];\n");
    add("fit_ema", "an exponential moving average along a part of a line",
        "x[n * m], state[n], y[n * m], after[n]",
        "const double* x, const double* state, double* y, double* after, double alpha", fit_ema);
    add("squared_error", "squared differences", "y[n], target[n], out[n]",
        "const double* y, const double* target, double* out", squared_error);
    for (const std::string_view name :
         {"quadratic", "rosenbrock", "logistic", "fit_start", "fit_ema", "squared_error"})
        std::ranges::find(made, name, &Kernel::name)->is_adjoint_used = true;
    return made;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    const auto at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), with);
    return text;
}

bool has_atomics(const synth::Tree& tree) {
    for (const synth::Stmt& stmt : tree.stmts) {
        if (stmt.kind == synth::StmtKind::atomic) return true;
    }
    return false;
}

// The host's source of a tree, over the threads from `first` to `last`; and what calls it on addresses.
std::string compiled_source(const synth::Tree& tree) {
    const std::string& name = tree.kernel.name;
    std::string made = replaced(print_cpp(tree), "#include <math.h>\n", "");
    made = replaced(std::move(made), "extern \"C\" void " + name, "static void " + name);
    made = replaced(std::move(made), "int n, int m)",
                    "int n, [[maybe_unused]] int m, int first_thread, int last_thread)");
    made = replaced(std::move(made), "for (int i = 0; i < n; ++i)",
                    "for (int i = first_thread; i < last_thread; ++i)");
    made = replaced(std::move(made), "int n, [[", "[[maybe_unused]] int n, [[");
    made += "void run_" + name + "(void* const* a, int first, int last) {\n    " + name + "(";
    for (std::size_t k = 0; k < tree.kernel.parameters.size(); ++k) {
        const synth::Symbol& p = tree.symbols[tree.kernel.parameters[k]];
        const std::string type = "static_cast<" +
                                 std::string(p.kind == synth::SymbolKind::input ? "const " : "") +
                                 std::string(info(p.type).spelling) + "*>(a[" + std::to_string(k) + "])";
        made += is_array_parameter(p.kind) ? type + ", " : "*" + type + ", ";
    }
    return made + "first, last);\n}\n";
}

}  // namespace

std::span<const Kernel> kernels() {
    static const std::vector<Kernel> made = make_kernels();
    return made;
}

Result<const Kernel*> find_kernel(std::string_view name) {
    std::string names;
    for (const Kernel& kernel : kernels()) {
        if (kernel.name == name) return &kernel;
        names += (names.empty() ? "" : ", ") + kernel.name;
    }
    return fail(ErrorKind::bad_argument,
                "there is no kernel solve/" + std::string(name) + ": there are " + names);
}

const synth::Tree& tree_of(std::string_view name) {
    static const std::map<std::string, synth::Tree, std::less<>> trees = [] {
        std::map<std::string, synth::Tree, std::less<>> made;
        for (const Kernel& kernel : kernels()) {
            auto tree = synth::parse(kernel.source);
            if (!tree) continue;  // the tests read every kernel
            if (kernel.no_backward.empty()) {
                synth::Backward backward = synth::adjoint_of(*tree);
                if (backward.reason.empty())
                    made.emplace(kernel.name + "_backward", std::move(backward.tree));
            }
            made.emplace(kernel.name, *std::move(tree));
        }
        return made;
    }();
    return trees.find(name)->second;
}

std::string print_kernels() {
    std::string made =
        "// SPDX-License-Identifier: MIT\n"
        "// The kernels of core/solve/kernels.cpp as print_cpp() prints them. Not written by hand: the "
        "target\n"
        "// solve_kernels makes it anew.\n"
        "// clang-format off\n"
        "#include <math.h>\n\n#include <array>\n\n#include \"core/solve/kernels.h\"\n\n"
        "namespace workbench::solve {\n\nnamespace {\n\n";
    std::string table;
    std::size_t count = 0;
    const auto add = [&](const synth::Tree& tree) {
        const std::string part = "part_" + std::to_string(count++);
        made += "namespace " + part + " {\n" + compiled_source(tree) + "}\n\n";
        table += "    {\"" + tree.kernel.name + "\", " + part + "::run_" + tree.kernel.name + ", " +
                 (has_atomics(tree) ? "false" : "true") + "},\n";
    };
    for (const Kernel& kernel : kernels()) {
        add(tree_of(kernel.name));
        if (kernel.is_adjoint_used) add(tree_of(kernel.name + "_backward"));
    }
    made +=
        "constexpr std::array<CompiledKernel, " + std::to_string(count) + "> table{{\n" + table + "}};\n\n";
    return made +
           "}  // namespace\n\nstd::span<const CompiledKernel> compiled_kernels() {\n    return table;\n}\n\n"
           "}  // namespace workbench::solve\n";
}

}  // namespace workbench::solve
