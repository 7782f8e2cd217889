// SPDX-License-Identifier: MIT
// The kernels of core/solve/kernels.cpp as print_cpp() prints them. Not written by hand: the target
// solve_kernels makes it anew.
// clang-format off
#include <math.h>

#include <array>

#include "core/solve/kernels.h"

namespace workbench::solve {

namespace {

namespace part_0 {
// x[n * m], y[n * m], out[n]
static void chunk_dot(const double* x, const double* y, double* out, int count, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double total = 0.0;
        for (int j = 0; j < m; ++j) {
            if (i * m + j < count) {
                total += x[i * m + j] * y[i * m + j];
            }
        }
        out[i] = total;
    }
}
void run_chunk_dot(void* const* a, int first, int last) {
    chunk_dot(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), *static_cast<int*>(a[5]), first, last);
}
}

namespace part_1 {
// x[n * m], out[n]
static void chunk_sum(const double* x, double* out, int count, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double total = 0.0;
        for (int j = 0; j < m; ++j) {
            if (i * m + j < count) {
                total += x[i * m + j];
            }
        }
        out[i] = total;
    }
}
void run_chunk_sum(void* const* a, int first, int last) {
    chunk_sum(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_2 {
// x[n], y[n], out[n]
static void add_scaled(const double* x, const double* y, double* out, double a, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        out[i] = y[i] + a * x[i];
    }
}
void run_add_scaled(void* const* a, int first, int last) {
    add_scaled(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<int*>(a[4]), *static_cast<int*>(a[5]), first, last);
}
}

namespace part_3 {
// u[n], f[n], out[n]
static void poisson1d_residual(const double* u, const double* f, double* out, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double before = left;
        if (i > 0) {
            before = u[i - 1];
        }
        double behind = right;
        if (i < n - 1) {
            behind = u[i + 1];
        }
        out[i] = f[i] - (2.0 * u[i] - before - behind) / h2;
    }
}
void run_poisson1d_residual(void* const* a, int first, int last) {
    poisson1d_residual(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<double*>(a[5]), *static_cast<int*>(a[6]), *static_cast<int*>(a[7]), first, last);
}
}

namespace part_4 {
// u[n], out[n]
static void poisson1d_apply(const double* u, double* out, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double before = 0.0;
        if (i > 0) {
            before = u[i - 1];
        }
        double behind = 0.0;
        if (i < n - 1) {
            behind = u[i + 1];
        }
        out[i] = (2.0 * u[i] - before - behind) / h2;
    }
}
void run_poisson1d_apply(void* const* a, int first, int last) {
    poisson1d_apply(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_5 {
// u[n], f[n], out[n]
static void poisson1d_jacobi(const double* u, const double* f, double* out, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double before = left;
        if (i > 0) {
            before = u[i - 1];
        }
        double behind = right;
        if (i < n - 1) {
            behind = u[i + 1];
        }
        out[i] = 0.5 * (before + behind + h2 * f[i]);
    }
}
void run_poisson1d_jacobi(void* const* a, int first, int last) {
    poisson1d_jacobi(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<double*>(a[5]), *static_cast<int*>(a[6]), *static_cast<int*>(a[7]), first, last);
}
}

namespace part_6 {
// u[n * m], f[n * m]
static void poisson1d_gauss_seidel(double* u, const double* f, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        for (int j = 0; j < m; ++j) {
            double before = j > 0 ? u[i * m + j - 1] : left;
            double behind = j < m - 1 ? u[i * m + j + 1] : right;
            u[i * m + j] = 0.5 * (before + behind + h2 * f[i * m + j]);
        }
    }
}
void run_poisson1d_gauss_seidel(void* const* a, int first, int last) {
    poisson1d_gauss_seidel(static_cast<double*>(a[0]), static_cast<const double*>(a[1]), *static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<int*>(a[5]), *static_cast<int*>(a[6]), first, last);
}
}

namespace part_7 {
// lower[n * m], diagonal[n * m], upper[n * m], rhs[n * m], upper_over[n * m], x[n * m]
static void thomas(const double* lower, const double* diagonal, const double* upper, const double* rhs, double* upper_over, double* x, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        upper_over[i * m] = upper[i * m] / diagonal[i * m];
        x[i * m] = rhs[i * m] / diagonal[i * m];
        for (int j = 1; j < m; ++j) {
            double pivot = diagonal[i * m + j] - lower[i * m + j] * upper_over[i * m + j - 1];
            upper_over[i * m + j] = upper[i * m + j] / pivot;
            x[i * m + j] = (rhs[i * m + j] - lower[i * m + j] * x[i * m + j - 1]) / pivot;
        }
        for (int j = m - 2; j >= 0; --j) {
            x[i * m + j] -= upper_over[i * m + j] * x[i * m + j + 1];
        }
    }
}
void run_thomas(void* const* a, int first, int last) {
    thomas(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<const double*>(a[3]), static_cast<double*>(a[4]), static_cast<double*>(a[5]), *static_cast<int*>(a[6]), *static_cast<int*>(a[7]), first, last);
}
}

namespace part_8 {
// u[n], out[n]
static void heat_step(const double* u, double* out, double before, double after, double left, double right, int insulated, [[maybe_unused]] int n, [[maybe_unused]] int m, int first, int last) {
    for (int i = first; i < last; ++i) {
        double before_it = left;
        double behind_it = right;
        if (insulated != 0) {
            before_it = u[i];
            behind_it = u[i];
        }
        if (i > 0) {
            before_it = u[i - 1];
        }
        if (i < n - 1) {
            behind_it = u[i + 1];
        }
        double ends = 0.0;
        if (insulated == 0) {
            if (i == 0) {
                ends += after * left;
            }
            if (i == n - 1) {
                ends += after * right;
            }
        }
        out[i] = u[i] + before * (behind_it - u[i] - (u[i] - before_it)) + ends;
    }
}
void run_heat_step(void* const* a, int first, int last) {
    heat_step(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<double*>(a[5]), *static_cast<int*>(a[6]), *static_cast<int*>(a[7]), *static_cast<int*>(a[8]), first, last);
}
}

constexpr std::array<CompiledKernel, 9> table{{
    {"chunk_dot", part_0::run_chunk_dot, true},
    {"chunk_sum", part_1::run_chunk_sum, true},
    {"add_scaled", part_2::run_add_scaled, true},
    {"poisson1d_residual", part_3::run_poisson1d_residual, true},
    {"poisson1d_apply", part_4::run_poisson1d_apply, true},
    {"poisson1d_jacobi", part_5::run_poisson1d_jacobi, true},
    {"poisson1d_gauss_seidel", part_6::run_poisson1d_gauss_seidel, true},
    {"thomas", part_7::run_thomas, true},
    {"heat_step", part_8::run_heat_step, true},
}};

}  // namespace

std::span<const CompiledKernel> compiled_kernels() {
    return table;
}

}  // namespace workbench::solve
