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
static void chunk_dot(const double* x, const double* y, double* out, int count, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void chunk_sum(const double* x, double* out, int count, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void add_scaled(const double* x, const double* y, double* out, double a, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        out[i] = y[i] + a * x[i];
    }
}
void run_add_scaled(void* const* a, int first, int last) {
    add_scaled(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<double*>(a[3]), *static_cast<int*>(a[4]), *static_cast<int*>(a[5]), first, last);
}
}

namespace part_3 {
// u[n], f[n], out[n]
static void poisson1d_residual(const double* u, const double* f, double* out, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void poisson1d_apply(const double* u, double* out, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void poisson1d_jacobi(const double* u, const double* f, double* out, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void poisson1d_gauss_seidel(double* u, const double* f, double left, double right, double h2, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void thomas(const double* lower, const double* diagonal, const double* upper, const double* rhs, double* upper_over, double* x, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
static void heat_step(const double* u, double* out, double before, double after, double left, double right, int insulated, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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

namespace part_9 {
// p[n * m], out[n]
static void quadratic(const double* p, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x = p[i * m];
        double y = p[i * m + 1];
        out[i] = 0.5 * (x * x + 10.0 * y * y);
    }
}
void run_quadratic(void* const* a, int first, int last) {
    quadratic(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

namespace part_10 {
// p[n * m], adj_out[n], adj_p[n * m]
static void quadratic_backward(const double* p, const double* adj_out, double* adj_p, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x_ = 0.0;
        double adj_x = 0.0;
        double y_ = 0.0;
        double adj_y = 0.0;
        x_ = p[i * m];
        y_ = p[i * m + 1];
        double g = adj_out[i];
        double g_2 = g * 0.5;
        adj_x += g_2 * x_;
        adj_x += g_2 * x_;
        double g_3 = g_2 * y_;
        adj_y += g_3 * 10.0;
        adj_y += g_2 * (10.0 * y_);
        double g_4 = adj_y;
        adj_y = 0.0;
        adj_p[i * m + 1] += g_4;
        double g_5 = adj_x;
        adj_x = 0.0;
        adj_p[i * m] += g_5;
    }
}
void run_quadratic_backward(void* const* a, int first, int last) {
    quadratic_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_11 {
// p[n * m], out[n]
static void rosenbrock(const double* p, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x = p[i * m];
        double y = p[i * m + 1];
        out[i] = (1.0 - x) * (1.0 - x) + 100.0 * (y - x * x) * (y - x * x);
    }
}
void run_rosenbrock(void* const* a, int first, int last) {
    rosenbrock(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

namespace part_12 {
// p[n * m], adj_out[n], adj_p[n * m]
static void rosenbrock_backward(const double* p, const double* adj_out, double* adj_p, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x_ = 0.0;
        double adj_x = 0.0;
        double y_ = 0.0;
        double adj_y = 0.0;
        x_ = p[i * m];
        y_ = p[i * m + 1];
        double g = adj_out[i];
        double g_2 = g * (1.0 - x_);
        adj_x += -g_2;
        double g_3 = g * (1.0 - x_);
        adj_x += -g_3;
        double g_4 = g * (y_ - x_ * x_);
        double g_5 = g_4 * 100.0;
        adj_y += g_5;
        double g_6 = -g_5;
        adj_x += g_6 * x_;
        adj_x += g_6 * x_;
        double g_7 = g * (100.0 * (y_ - x_ * x_));
        adj_y += g_7;
        double g_8 = -g_7;
        adj_x += g_8 * x_;
        adj_x += g_8 * x_;
        double g_9 = adj_y;
        adj_y = 0.0;
        adj_p[i * m + 1] += g_9;
        double g_10 = adj_x;
        adj_x = 0.0;
        adj_p[i * m] += g_10;
    }
}
void run_rosenbrock_backward(void* const* a, int first, int last) {
    rosenbrock_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_13 {
// x[n * m], label[n], w[m], out[n]
static void logistic(const double* x, const double* label, const double* w, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
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
    }
}
void run_logistic(void* const* a, int first, int last) {
    logistic(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<double*>(a[3]), *static_cast<int*>(a[4]), *static_cast<int*>(a[5]), first, last);
}
}

namespace part_14 {
// x[n * m], label[n], w[m], adj_out[n], adj_x[n * m], adj_label[n], adj_w[m]
static void logistic_backward(const double* x, const double* label, const double* w, const double* adj_out, double* adj_x, double* adj_label, double* adj_w, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double score_ = 0.0;
        double adj_score = 0.0;
        int j_now = 0;
        double margin_ = 0.0;
        double adj_margin = 0.0;
        double kept_score = 0.0;
        int trips = 0;
        double kept_score_2 = 0.0;
        double tape_score[64];
        int top_score = 0;
        bool kept_test = false;
        kept_score = score_;
        score_ = 0.0;
        trips = 0;
        for (int j_2 = 0; j_2 < m; ++j_2) {
            trips += 1;
            tape_score[top_score] = score_;
            top_score += 1;
            score_ += w[j_2] * x[i * m + j_2];
        }
        margin_ = label[i] * score_;
        kept_test = margin_ > 0.0;
        if (kept_test) {
        }
        if (kept_test) {
            double g = adj_out[i];
            double g_2 = g / (1.0 + exp(-margin_));
            double g_3 = g_2 * exp(-margin_);
            adj_margin += -g_3;
        } else {
            double g_4 = adj_out[i];
            double g_5 = g_4 / (1.0 + exp(margin_));
            adj_margin += g_5 * exp(margin_);
            adj_margin += -g_4;
        }
        double g_6 = adj_margin;
        adj_margin = 0.0;
        double g_7 = g_6 * score_;
        adj_label[i] += g_7;
        adj_score += g_6 * label[i];
        for (int turn = trips - 1; turn >= 0; --turn) {
            j_now = 0 + turn;
            top_score -= 1;
            kept_score_2 = tape_score[top_score];
            score_ = kept_score_2;
            double g_8 = adj_score;
            adj_score = 0.0;
            adj_score += g_8;
            double g_9 = g_8 * x[i * m + j_now];
            { double& at_ = adj_w[j_now]; at_ = at_ + g_9; }
            double g_10 = g_8 * w[j_now];
            adj_x[i * m + j_now] += g_10;
        }
        score_ = kept_score;
        double g_11 = adj_score;
        adj_score = 0.0;
    }
}
void run_logistic_backward(void* const* a, int first, int last) {
    logistic_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<const double*>(a[3]), static_cast<double*>(a[4]), static_cast<double*>(a[5]), static_cast<double*>(a[6]), *static_cast<int*>(a[7]), *static_cast<int*>(a[8]), first, last);
}
}

namespace part_15 {
// p[n], g[n], mean[n], square[n], out[n], out_mean[n], out_square[n]
static void adam(const double* p, const double* g, const double* mean, const double* square, double* out, double* out_mean, double* out_square, double step, double beta1, double beta2, double correct1, double correct2, double epsilon, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double first = beta1 * mean[i] + (1.0 - beta1) * g[i];
        double second = beta2 * square[i] + (1.0 - beta2) * g[i] * g[i];
        out_mean[i] = first;
        out_square[i] = second;
        out[i] = p[i] - step * (first * correct1) / (sqrt(second * correct2) + epsilon);
    }
}
void run_adam(void* const* a, int first, int last) {
    adam(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<const double*>(a[3]), static_cast<double*>(a[4]), static_cast<double*>(a[5]), static_cast<double*>(a[6]), *static_cast<double*>(a[7]), *static_cast<double*>(a[8]), *static_cast<double*>(a[9]), *static_cast<double*>(a[10]), *static_cast<double*>(a[11]), *static_cast<double*>(a[12]), *static_cast<int*>(a[13]), *static_cast<int*>(a[14]), first, last);
}
}

namespace part_16 {
// x[n * m], state[n]
static void fit_start(const double* x, double* state, double alpha, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        state[i] = (1.0 - alpha) * x[i * m];
    }
}
void run_fit_start(void* const* a, int first, int last) {
    fit_start(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_17 {
// x[n * m], adj_state[n], adj_x[n * m], adj_alpha[1]
static void fit_start_backward(const double* x, const double* adj_state, double* adj_x, double* adj_alpha, double alpha, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double own_alpha = 0.0;
        double g = adj_state[i];
        double g_2 = g * x[i * m];
        own_alpha += -g_2;
        double g_3 = g * (1.0 - alpha);
        adj_x[i * m] += g_3;
        { double& at_ = adj_alpha[0]; at_ = at_ + own_alpha; }
    }
}
void run_fit_start_backward(void* const* a, int first, int last) {
    fit_start_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<int*>(a[5]), *static_cast<int*>(a[6]), first, last);
}
}

namespace part_18 {
// x[n * m], state[n], y[n * m], after[n]
static void fit_ema(const double* x, const double* state, double* y, double* after, double alpha, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double held = state[i];
        for (int j = 0; j < m; ++j) {
            held = (1.0 - alpha) * x[i * m + j] + alpha * held;
            y[i * m + j] = held;
        }
        after[i] = held;
    }
}
void run_fit_ema(void* const* a, int first, int last) {
    fit_ema(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), static_cast<double*>(a[3]), *static_cast<double*>(a[4]), *static_cast<int*>(a[5]), *static_cast<int*>(a[6]), first, last);
}
}

namespace part_19 {
// x[n * m], state[n], adj_y[n * m], adj_after[n], adj_x[n * m], adj_state[n], adj_alpha[1]
static void fit_ema_backward(const double* x, const double* state, const double* adj_y, const double* adj_after, double* adj_x, double* adj_state, double* adj_alpha, double alpha, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double own_alpha = 0.0;
        double held_ = 0.0;
        double adj_held = 0.0;
        int j_now = 0;
        double kept_held = 0.0;
        int trips = 0;
        double kept_held_2 = 0.0;
        double tape_held[64];
        int top_held = 0;
        kept_held = held_;
        held_ = state[i];
        trips = 0;
        for (int j_2 = 0; j_2 < m; ++j_2) {
            trips += 1;
            tape_held[top_held] = held_;
            top_held += 1;
            held_ = (1.0 - alpha) * x[i * m + j_2] + alpha * held_;
        }
        double g = adj_after[i];
        adj_held += g;
        for (int turn = trips - 1; turn >= 0; --turn) {
            j_now = 0 + turn;
            double g_2 = adj_y[i * m + j_now];
            adj_held += g_2;
            top_held -= 1;
            kept_held_2 = tape_held[top_held];
            held_ = kept_held_2;
            double g_3 = adj_held;
            adj_held = 0.0;
            double g_4 = g_3 * x[i * m + j_now];
            own_alpha += -g_4;
            double g_5 = g_3 * (1.0 - alpha);
            adj_x[i * m + j_now] += g_5;
            own_alpha += g_3 * held_;
            adj_held += g_3 * alpha;
        }
        held_ = kept_held;
        double g_6 = adj_held;
        adj_held = 0.0;
        adj_state[i] += g_6;
        { double& at_ = adj_alpha[0]; at_ = at_ + own_alpha; }
    }
}
void run_fit_ema_backward(void* const* a, int first, int last) {
    fit_ema_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<const double*>(a[3]), static_cast<double*>(a[4]), static_cast<double*>(a[5]), static_cast<double*>(a[6]), *static_cast<double*>(a[7]), *static_cast<int*>(a[8]), *static_cast<int*>(a[9]), first, last);
}
}

namespace part_20 {
// y[n], target[n], out[n]
static void squared_error(const double* y, const double* target, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double e = y[i] - target[i];
        out[i] = e * e;
    }
}
void run_squared_error(void* const* a, int first, int last) {
    squared_error(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_21 {
// y[n], target[n], adj_out[n], adj_y[n], adj_target[n]
static void squared_error_backward(const double* y, const double* target, const double* adj_out, double* adj_y, double* adj_target, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double e_ = 0.0;
        double adj_e = 0.0;
        e_ = y[i] - target[i];
        double g = adj_out[i];
        adj_e += g * e_;
        adj_e += g * e_;
        double g_2 = adj_e;
        adj_e = 0.0;
        adj_y[i] += g_2;
        double g_3 = -g_2;
        adj_target[i] += g_3;
    }
}
void run_squared_error_backward(void* const* a, int first, int last) {
    squared_error_backward(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<const double*>(a[2]), static_cast<double*>(a[3]), static_cast<double*>(a[4]), *static_cast<int*>(a[5]), *static_cast<int*>(a[6]), first, last);
}
}

namespace part_22 {
// xy[6 * n], out[9 * n]
static void p1_matrix(const double* xy, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x1 = xy[6 * i + 2] - xy[6 * i];
        double y1 = xy[6 * i + 3] - xy[6 * i + 1];
        double x2 = xy[6 * i + 4] - xy[6 * i];
        double y2 = xy[6 * i + 5] - xy[6 * i + 1];
        double det = x1 * y2 - x2 * y1;
        double half = 0.5 / det;
        double g00 = half * ((y1 - y2) * (y1 - y2) + (x2 - x1) * (x2 - x1));
        double g01 = half * ((y1 - y2) * y2 - (x2 - x1) * x2);
        double g02 = half * ((x2 - x1) * x1 - (y1 - y2) * y1);
        double g11 = half * (y2 * y2 + x2 * x2);
        double g12 = half * (-y2 * y1 - x2 * x1);
        double g22 = half * (y1 * y1 + x1 * x1);
        out[9 * i + 0] = g00;
        out[9 * i + 1] = g01;
        out[9 * i + 2] = g02;
        out[9 * i + 3] = g01;
        out[9 * i + 4] = g11;
        out[9 * i + 5] = g12;
        out[9 * i + 6] = g02;
        out[9 * i + 7] = g12;
        out[9 * i + 8] = g22;
    }
}
void run_p1_matrix(void* const* a, int first, int last) {
    p1_matrix(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

namespace part_23 {
// xy[6 * n], f[7 * n], out[3 * n]
static void p1_load(const double* xy, const double* f, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x1 = xy[6 * i + 2] - xy[6 * i];
        double y1 = xy[6 * i + 3] - xy[6 * i + 1];
        double x2 = xy[6 * i + 4] - xy[6 * i];
        double y2 = xy[6 * i + 5] - xy[6 * i + 1];
        double det = x1 * y2 - x2 * y1;
        double f0 = 0.225 * f[7 * i + 0];
        double f1 = 0.13239415278850616 * f[7 * i + 1];
        double f2 = 0.13239415278850616 * f[7 * i + 2];
        double f3 = 0.13239415278850616 * f[7 * i + 3];
        double f4 = 0.12593918054482717 * f[7 * i + 4];
        double f5 = 0.12593918054482717 * f[7 * i + 5];
        double f6 = 0.12593918054482717 * f[7 * i + 6];
        out[3 * i + 0] = 0.5 * det * (0.3333333333333333 * f0 + 0.05971587178976989 * f1 + 0.47014206410511505 * f2 + 0.47014206410511505 * f3 + 0.7974269853530873 * f4 + 0.10128650732345633 * f5 + 0.10128650732345633 * f6);
        out[3 * i + 1] = 0.5 * det * (0.3333333333333333 * f0 + 0.47014206410511505 * f1 + 0.05971587178976989 * f2 + 0.47014206410511505 * f3 + 0.10128650732345633 * f4 + 0.7974269853530873 * f5 + 0.10128650732345633 * f6);
        out[3 * i + 2] = 0.5 * det * (0.3333333333333333 * f0 + 0.47014206410511505 * f1 + 0.47014206410511505 * f2 + 0.05971587178976989 * f3 + 0.10128650732345633 * f4 + 0.10128650732345633 * f5 + 0.7974269853530873 * f6);
    }
}
void run_p1_load(void* const* a, int first, int last) {
    p1_load(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_24 {
// xy[6 * n], out[36 * n]
static void p2_matrix(const double* xy, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x1 = xy[6 * i + 2] - xy[6 * i];
        double y1 = xy[6 * i + 3] - xy[6 * i + 1];
        double x2 = xy[6 * i + 4] - xy[6 * i];
        double y2 = xy[6 * i + 5] - xy[6 * i + 1];
        double det = x1 * y2 - x2 * y1;
        double half = 0.5 / det;
        double g00 = half * ((y1 - y2) * (y1 - y2) + (x2 - x1) * (x2 - x1));
        double g01 = half * ((y1 - y2) * y2 - (x2 - x1) * x2);
        double g02 = half * ((x2 - x1) * x1 - (y1 - y2) * y1);
        double g11 = half * (y2 * y2 + x2 * x2);
        double g12 = half * (-y2 * y1 - x2 * x1);
        double g22 = half * (y1 * y1 + x1 * x1);
        out[36 * i + 0] = g00;
        out[36 * i + 1] = g01 / (-3.0);
        out[36 * i + 2] = g02 / (-3.0);
        out[36 * i + 3] = 4.0 * g01 / 3.0;
        out[36 * i + 4] = 0.0;
        out[36 * i + 5] = 4.0 * g02 / 3.0;
        out[36 * i + 6] = g01 / (-3.0);
        out[36 * i + 7] = g11;
        out[36 * i + 8] = g12 / (-3.0);
        out[36 * i + 9] = 4.0 * g01 / 3.0;
        out[36 * i + 10] = 4.0 * g12 / 3.0;
        out[36 * i + 11] = 0.0;
        out[36 * i + 12] = g02 / (-3.0);
        out[36 * i + 13] = g12 / (-3.0);
        out[36 * i + 14] = g22;
        out[36 * i + 15] = 0.0;
        out[36 * i + 16] = 4.0 * g12 / 3.0;
        out[36 * i + 17] = 4.0 * g02 / 3.0;
        out[36 * i + 18] = 4.0 * g01 / 3.0;
        out[36 * i + 19] = 4.0 * g01 / 3.0;
        out[36 * i + 20] = 0.0;
        out[36 * i + 21] = 8.0 * (g00 + g11 + g01) / 3.0;
        out[36 * i + 22] = 8.0 * g02 / 3.0;
        out[36 * i + 23] = 8.0 * g12 / 3.0;
        out[36 * i + 24] = 0.0;
        out[36 * i + 25] = 4.0 * g12 / 3.0;
        out[36 * i + 26] = 4.0 * g12 / 3.0;
        out[36 * i + 27] = 8.0 * g02 / 3.0;
        out[36 * i + 28] = 8.0 * (g11 + g22 + g12) / 3.0;
        out[36 * i + 29] = 8.0 * g01 / 3.0;
        out[36 * i + 30] = 4.0 * g02 / 3.0;
        out[36 * i + 31] = 0.0;
        out[36 * i + 32] = 4.0 * g02 / 3.0;
        out[36 * i + 33] = 8.0 * g12 / 3.0;
        out[36 * i + 34] = 8.0 * g01 / 3.0;
        out[36 * i + 35] = 8.0 * (g22 + g00 + g02) / 3.0;
    }
}
void run_p2_matrix(void* const* a, int first, int last) {
    p2_matrix(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

namespace part_25 {
// xy[6 * n], f[7 * n], out[6 * n]
static void p2_load(const double* xy, const double* f, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double x1 = xy[6 * i + 2] - xy[6 * i];
        double y1 = xy[6 * i + 3] - xy[6 * i + 1];
        double x2 = xy[6 * i + 4] - xy[6 * i];
        double y2 = xy[6 * i + 5] - xy[6 * i + 1];
        double det = x1 * y2 - x2 * y1;
        double f0 = 0.225 * f[7 * i + 0];
        double f1 = 0.13239415278850616 * f[7 * i + 1];
        double f2 = 0.13239415278850616 * f[7 * i + 2];
        double f3 = 0.13239415278850616 * f[7 * i + 3];
        double f4 = 0.12593918054482717 * f[7 * i + 4];
        double f5 = 0.12593918054482717 * f[7 * i + 5];
        double f6 = 0.12593918054482717 * f[7 * i + 6];
        out[6 * i + 0] = 0.5 * det * ((-0.11111111111111112) * f0 + (-0.05258390110254542) * f1 + (-0.028074943223078828) * f2 + (-0.028074943223078828) * f3 + 0.47435260858553857 * f4 + (-0.08076859419188719) * f5 + (-0.08076859419188719) * f6);
        out[6 * i + 1] = 0.5 * det * ((-0.11111111111111112) * f0 + (-0.028074943223078828) * f1 + (-0.05258390110254542) * f2 + (-0.028074943223078828) * f3 + (-0.08076859419188719) * f4 + 0.47435260858553857 * f5 + (-0.08076859419188719) * f6);
        out[6 * i + 2] = 0.5 * det * ((-0.11111111111111112) * f0 + (-0.028074943223078828) * f1 + (-0.028074943223078828) * f2 + (-0.05258390110254542) * f3 + (-0.08076859419188719) * f4 + (-0.08076859419188719) * f5 + 0.47435260858553857 * f6);
        out[6 * i + 3] = 0.5 * det * (0.4444444444444444 * f0 + 0.11229977289231531 * f1 + 0.11229977289231531 * f2 + 0.8841342417640724 * f3 + 0.32307437676754874 * f4 + 0.32307437676754874 * f5 + 0.04103582626313829 * f6);
        out[6 * i + 4] = 0.5 * det * (0.4444444444444444 * f0 + 0.8841342417640724 * f1 + 0.11229977289231531 * f2 + 0.11229977289231531 * f3 + 0.04103582626313829 * f4 + 0.32307437676754874 * f5 + 0.32307437676754874 * f6);
        out[6 * i + 5] = 0.5 * det * (0.4444444444444444 * f0 + 0.11229977289231531 * f1 + 0.8841342417640724 * f2 + 0.11229977289231531 * f3 + 0.32307437676754874 * f4 + 0.04103582626313829 * f5 + 0.32307437676754874 * f6);
    }
}
void run_p2_load(void* const* a, int first, int last) {
    p2_load(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_26 {
// value[n * m], column[n * m], x[n], out[n]
static void sparse_apply(const double* value, const int* column, const double* x, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double total = 0.0;
        for (int j = 0; j < m; ++j) {
            int k = column[i * m + j];
            if (k >= 0 && k < n) {
                total += value[i * m + j] * x[k];
            }
        }
        out[i] = total;
    }
}
void run_sparse_apply(void* const* a, int first, int last) {
    sparse_apply(static_cast<const double*>(a[0]), static_cast<const int*>(a[1]), static_cast<const double*>(a[2]), static_cast<double*>(a[3]), *static_cast<int*>(a[4]), *static_cast<int*>(a[5]), first, last);
}
}

namespace part_27 {
// u[3 * n * m], f[3 * n * m]
static void grid_smooth(double* u, const double* f, int colour, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        for (int j = (colour & 1) + i & 1; j < m - 1; j += 2) {
            int k = (i + 1) * m + j;
            u[k] = 0.25 * (f[k] + (u[k - 1] + u[k + 1]) + (u[k - m] + u[k + m]));
        }
    }
}
void run_grid_smooth(void* const* a, int first, int last) {
    grid_smooth(static_cast<double*>(a[0]), static_cast<const double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_28 {
// u[3 * n * m], f[3 * n * m], out[3 * n * m]
static void grid_residual(const double* u, const double* f, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        for (int j = 0; j < m - 1; ++j) {
            int k = (i + 1) * m + j;
            out[k] = f[k] - (4.0 * u[k] - (u[k - 1] + u[k + 1]) - (u[k - m] + u[k + m]));
        }
    }
}
void run_grid_residual(void* const* a, int first, int last) {
    grid_residual(static_cast<const double*>(a[0]), static_cast<const double*>(a[1]), static_cast<double*>(a[2]), *static_cast<int*>(a[3]), *static_cast<int*>(a[4]), first, last);
}
}

namespace part_29 {
// fine[10 * n * m], out[3 * n * m]
static void grid_restrict(const double* fine, double* out, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        for (int j = 0; j < m - 1; ++j) {
            int k = (2 * i + 2) * (2 * m) + 2 * j + 1;
            double edges = fine[k - 1] + fine[k + 1] + (fine[k - 2 * m] + fine[k + 2 * m]);
            double corners = fine[k - 2 * m - 1] + fine[k - 2 * m + 1] + (fine[k + 2 * m - 1] + fine[k + 2 * m + 1]);
            out[(i + 1) * m + j] = fine[k] + 0.5 * edges + 0.25 * corners;
        }
    }
}
void run_grid_restrict(void* const* a, int first, int last) {
    grid_restrict(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

namespace part_30 {
// coarse[3 * n * m], u[10 * n * m]
static void grid_correct(const double* coarse, double* u, [[maybe_unused]] int n, [[maybe_unused]] int m, int first_thread, int last_thread) {
    for (int i = first_thread; i < last_thread; ++i) {
        double above_left = 0.0;
        double below_left = 0.0;
        for (int j = 0; j < m; ++j) {
            double above = coarse[i * m + j];
            double below = coarse[(i + 1) * m + j];
            int k = (2 * i + 1) * (2 * m) + 2 * j;
            u[k] += 0.25 * (above_left + above + (below_left + below));
            u[k + 1] += 0.5 * (above + below);
            u[k + 2 * m] += 0.5 * (below_left + below);
            u[k + 2 * m + 1] += below;
            above_left = above;
            below_left = below;
        }
    }
}
void run_grid_correct(void* const* a, int first, int last) {
    grid_correct(static_cast<const double*>(a[0]), static_cast<double*>(a[1]), *static_cast<int*>(a[2]), *static_cast<int*>(a[3]), first, last);
}
}

constexpr std::array<CompiledKernel, 31> table{{
    {"chunk_dot", part_0::run_chunk_dot, true},
    {"chunk_sum", part_1::run_chunk_sum, true},
    {"add_scaled", part_2::run_add_scaled, true},
    {"poisson1d_residual", part_3::run_poisson1d_residual, true},
    {"poisson1d_apply", part_4::run_poisson1d_apply, true},
    {"poisson1d_jacobi", part_5::run_poisson1d_jacobi, true},
    {"poisson1d_gauss_seidel", part_6::run_poisson1d_gauss_seidel, true},
    {"thomas", part_7::run_thomas, true},
    {"heat_step", part_8::run_heat_step, true},
    {"quadratic", part_9::run_quadratic, true},
    {"quadratic_backward", part_10::run_quadratic_backward, true},
    {"rosenbrock", part_11::run_rosenbrock, true},
    {"rosenbrock_backward", part_12::run_rosenbrock_backward, true},
    {"logistic", part_13::run_logistic, true},
    {"logistic_backward", part_14::run_logistic_backward, false},
    {"adam", part_15::run_adam, true},
    {"fit_start", part_16::run_fit_start, true},
    {"fit_start_backward", part_17::run_fit_start_backward, false},
    {"fit_ema", part_18::run_fit_ema, true},
    {"fit_ema_backward", part_19::run_fit_ema_backward, false},
    {"squared_error", part_20::run_squared_error, true},
    {"squared_error_backward", part_21::run_squared_error_backward, true},
    {"p1_matrix", part_22::run_p1_matrix, true},
    {"p1_load", part_23::run_p1_load, true},
    {"p2_matrix", part_24::run_p2_matrix, true},
    {"p2_load", part_25::run_p2_load, true},
    {"sparse_apply", part_26::run_sparse_apply, true},
    {"grid_smooth", part_27::run_grid_smooth, true},
    {"grid_residual", part_28::run_grid_residual, true},
    {"grid_restrict", part_29::run_grid_restrict, true},
    {"grid_correct", part_30::run_grid_correct, true},
}};

}  // namespace

std::span<const CompiledKernel> compiled_kernels() {
    return table;
}

}  // namespace workbench::solve
