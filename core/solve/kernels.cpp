// SPDX-License-Identifier: MIT
#include "core/solve/kernels.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/solve/quadrature.h"
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

// ---- -laplace u = f by linear (P1) and quadratic (P2) triangles. One thread a triangle, corners against the
// clock. gab is the integral of grad(lambda a) . grad(lambda b); what P2 has are its multiples (Ciarlet 1978,
// section 4.1; integrals of lambda_a lambda_b are area / 12, of lambda_a^2 area / 6).

constexpr std::string_view triangle = R"(
double x1 = xy[6 * i + 2] - xy[6 * i];
double y1 = xy[6 * i + 3] - xy[6 * i + 1];
double x2 = xy[6 * i + 4] - xy[6 * i];
double y2 = xy[6 * i + 5] - xy[6 * i + 1];
double det = x1 * y2 - x2 * y1;
)";
constexpr std::string_view gram = R"(
double half = 0.5 / det;
double g00 = half * ((y1 - y2) * (y1 - y2) + (x2 - x1) * (x2 - x1));
double g01 = half * ((y1 - y2) * y2 - (x2 - x1) * x2);
double g02 = half * ((x2 - x1) * x1 - (y1 - y2) * y1);
double g11 = half * (y2 * y2 + x2 * x2);
double g12 = half * (-y2 * y1 - x2 * x1);
double g22 = half * (y1 * y1 + x1 * x1);
)";

std::string entry(std::size_t a, std::size_t b) {
    return "g" + std::to_string(std::min(a, b)) + std::to_string(std::max(a, b));
}

// The element matrix, rows dense.
std::string element_matrix_body(int degree) {
    std::string made = std::string(triangle) + std::string(gram);
    const std::size_t nodes = nodes_of(degree);
    for (std::size_t a = 0; a < nodes; ++a) {
        for (std::size_t b = 0; b < nodes; ++b) {
            std::string value;
            if (a < 3 && b < 3) {
                value = degree == 1 || a == b ? entry(a, b) : entry(a, b) + " / -3.0";
            } else if (a < 3 || b < 3) {
                const auto& edge = triangle_edges[std::max(a, b) - 3];
                const std::size_t corner = std::min(a, b);
                const bool is_on = edge[0] == corner || edge[1] == corner;
                value = is_on ? "4.0 * " + entry(edge[0], edge[1]) + " / 3.0" : "0.0";
            } else {
                const auto& p = triangle_edges[a - 3];
                const auto& q = triangle_edges[b - 3];
                if (a == b) {
                    value = "8.0 * (" + entry(p[0], p[0]) + " + " + entry(p[1], p[1]) + " + " +
                            entry(p[0], p[1]) + ") / 3.0";
                } else {
                    // The corner that two edges share is left out.
                    const std::size_t shared = p[0] == q[0] || p[0] == q[1] ? p[0] : p[1];
                    value = "8.0 * " + entry(p[0] + p[1] - shared, q[0] + q[1] - shared) + " / 3.0";
                }
            }
            made += "out[" + std::to_string(nodes * nodes) + " * i + " + std::to_string(a * nodes + b) +
                    "] = " + value + ";\n";
        }
    }
    return made;
}

// The element's part of the right-hand side, from f at the points of quadrature.
std::string element_load_body(int degree) {
    std::string made(triangle);
    constexpr auto points = quadrature();
    for (std::size_t q = 0; q < points.size(); ++q)
        made += "double f" + std::to_string(q) + " = " + format_number(points[q].weight) + " * f[7 * i + " +
                std::to_string(q) + "];\n";
    const std::size_t nodes = nodes_of(degree);
    for (std::size_t a = 0; a < nodes; ++a) {
        std::string total;
        for (std::size_t q = 0; q < points.size(); ++q)
            total += (q > 0 ? " + (" : "(") + format_number(basis(degree, a, points[q].at)) + ") * f" +
                     std::to_string(q);
        made += "out[" + std::to_string(nodes) + " * i + " + std::to_string(a) + "] = 0.5 * det * (" + total +
                ");\n";
    }
    return made;
}

// A row of a sparse matrix of at most m entries a row, padded with zeros. Columns are held inside the vector.
constexpr std::string_view sparse_apply = R"(
double total = 0.0;
for (int j = 0; j < m; ++j) {
    int k = column[i * m + j];
    if (k >= 0 && k < n) total += value[i * m + j] * x[k];
}
out[i] = total;
)";

// ---- Multigrid on the uniform mesh, where P1 is the five-point stencil. One thread a row. A grid of n by n
// unknowns lies in n + 2 rows of n + 1 numbers, whose first and last row and last column are 0, so that every
// neighbour is there. m is n + 1.

// One colour of a sweep of Gauss and Seidel's.
constexpr std::string_view grid_smooth = R"(
for (int j = ((colour & 1) + i) & 1; j < m - 1; j += 2) {
    int k = (i + 1) * m + j;
    u[k] = 0.25 * (f[k] + (u[k - 1] + u[k + 1]) + (u[k - m] + u[k + m]));
}
)";
constexpr std::string_view grid_residual = R"(
for (int j = 0; j < m - 1; ++j) {
    int k = (i + 1) * m + j;
    out[k] = f[k] - (4.0 * u[k] - (u[k - 1] + u[k + 1]) - (u[k - m] + u[k + m]));
}
)";
// The transpose of the interpolation. The fine grid's rows have 2 m numbers.
constexpr std::string_view grid_restrict = R"(
for (int j = 0; j < m - 1; ++j) {
    int k = (2 * i + 2) * (2 * m) + 2 * j + 1;
    double edges = fine[k - 1] + fine[k + 1] + (fine[k - 2 * m] + fine[k + 2 * m]);
    double corners = fine[k - 2 * m - 1] + fine[k - 2 * m + 1] + (fine[k + 2 * m - 1] + fine[k + 2 * m + 1]);
    out[(i + 1) * m + j] = fine[k] + 0.5 * edges + 0.25 * corners;
}
)";
// Adds the bilinear interpolation of the coarse grid; one thread two rows of the fine one, from the first row
// of the coarse one, which is 0, to its last but one.
constexpr std::string_view grid_correct = R"(
double above_left = 0.0;
double below_left = 0.0;
for (int j = 0; j < m; ++j) {
    double above = coarse[i * m + j];
    double below = coarse[(i + 1) * m + j];
    int k = (2 * i + 1) * (2 * m) + 2 * j;
    u[k] = u[k] + 0.25 * ((above_left + above) + (below_left + below));
    u[k + 1] = u[k + 1] + 0.5 * (above + below);
    u[k + 2 * m] = u[k + 2 * m] + 0.5 * (below_left + below);
    u[k + 2 * m + 1] = u[k + 2 * m + 1] + below;
    above_left = above;
    below_left = below;
}
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
    for (const int degree : {1, 2}) {
        const std::string number = std::to_string(degree), nodes = std::to_string(nodes_of(degree)),
                          entries = std::to_string(nodes_of(degree) * nodes_of(degree));
        add("p" + number + "_matrix", "the element matrix of a triangle",
            "xy[6 * n], out[" + entries + " * n]", "const double* xy, double* out",
            element_matrix_body(degree));
        add("p" + number + "_load", "the element's right-hand side by seven points",
            "xy[6 * n], f[7 * n], out[" + nodes + " * n]", "const double* xy, const double* f, double* out",
            element_load_body(degree));
    }
    add("sparse_apply", "a sparse matrix times a vector", "value[n * m], column[n * m], x[n], out[n]",
        "const double* value, const int* column, const double* x, double* out", sparse_apply);
    add("grid_smooth", "one colour of a red-black sweep", "u[3 * n * m], f[3 * n * m]",
        "double* u, const double* f, int colour", grid_smooth, reads_own_output);
    add("grid_residual", "f - A u by five points", "u[3 * n * m], f[3 * n * m], out[3 * n * m]",
        "const double* u, const double* f, double* out", grid_residual);
    add("grid_restrict", "the transpose of the interpolation", "fine[10 * n * m], out[3 * n * m]",
        "const double* fine, double* out", grid_restrict);
    add("grid_correct", "the coarse grid's correction, interpolated and added",
        "coarse[3 * n * m], u[10 * n * m]", "const double* coarse, double* u", grid_correct,
        reads_own_output);
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
