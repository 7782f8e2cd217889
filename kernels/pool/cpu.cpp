// SPDX-License-Identifier: MIT
#include "kernels/pool/cpu.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "kernels/pool/cpu_max.h"
#include "kernels/pool/cpu_sum.h"
#include "kernels/support/parallel.h"

namespace iir2d::pool {

namespace {

// A sum in f32 of up to this many rounded additions (a row's, then the rows') keeps the contract's 2e-6;
// longer ones are made in f64.
constexpr std::int64_t most_f32_additions = 32;

bool is_general_norm(const PoolDesc& desc) {
    return desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0;
}

// How many output rows one task computes. Enough work to hide its set-up; where windows overlap, enough rows
// to hide those that two neighbours both pool; but a few tasks for every thread while there are rows.
std::int64_t rows_per_task(const PoolGeometry& geometry, std::int64_t cost_of_element, int threads) {
    constexpr std::int64_t task_cost = std::int64_t{1} << 18;
    const AxisWindows& y = geometry.y;
    const AxisWindows& x = geometry.x;
    const std::int64_t rows = geometry.planes() * y.out;
    const double input_rows = static_cast<double>(std::min({y.stride, y.window, y.in}));
    const double row_cost = static_cast<double>(x.out) * static_cast<double>(std::min(x.window, x.in)) +
                            static_cast<double>(x.in) * static_cast<double>(cost_of_element);
    const auto wanted =
        static_cast<std::int64_t>(static_cast<double>(task_cost) / (row_cost * input_rows)) + 1;
    std::int64_t count = wanted;
    if (y.stride < y.span()) count = std::max(count, std::min(4 * (y.span() / y.stride), y.out));
    const std::int64_t share = rows / (std::int64_t{2} * threads) + 1;
    return std::clamp(std::min(count, std::max(share, wanted)), std::int64_t{1}, rows);
}

struct Job {
    const PoolGeometry& geometry;
    int threads;
    const RunControl& control;
};

// Runs copies of a kernel over all output rows.
template <class Kernel>
Result<void> run(const Job& job, const Kernel& prototype, std::int64_t cost_of_element) {
    const std::int64_t rows = job.geometry.planes() * job.geometry.y.out;
    const std::int64_t step = rows_per_task(job.geometry, cost_of_element, job.threads);
    const std::int64_t tasks = (rows + step - 1) / step;
    std::atomic<bool> stopped{false};
    const bool finished = support::parallel_for(job.threads, tasks, job.control, {}, [&](std::int64_t task) {
        Kernel kernel = prototype;
        const IndexRange range{task * step, std::min(rows, (task + 1) * step)};
        if (!pool_rows(job.geometry, kernel, range, job.control.stop)) stopped.store(true);
    });
    if (!finished || stopped.load()) {
        return std::unexpected(Error{ErrorCode::cancelled, "pooling was cancelled"});
    }
    return {};
}

template <class T, class Acc, class Formula>
Result<void> run_sum(const Job& job, Planes<const T> x, Planes<T> y, Formula formula,
                     std::int64_t cost_of_element = 1) {
    return run(job, SumKernel<T, Acc, Formula>(job.geometry, x, y, std::move(formula)), cost_of_element);
}

template <class T, class Acc>
Result<void> run_avg_or_lp(const Job& job, const PoolDesc& desc, Planes<const T> x, Planes<T> y) {
    if (desc.op == PoolOp::avg) return run_sum<T, Acc>(job, x, y, AvgFormula<Acc>(desc, job.geometry));
    const std::int64_t width = job.geometry.x.out;
    if (desc.p == 1.0) return run_sum<T, Acc>(job, x, y, LpFormula<Acc, Norm::one>(desc.p, width));
    return run_sum<T, Acc>(job, x, y, LpFormula<Acc, Norm::two>(desc.p, width));
}

template <class T>
Result<void> run_typed(const Job& job, const PoolDesc& desc, ElementType accumulator, Planes<const T> x,
                       Planes<T> y, std::int64_t* argmax) {
    if (desc.op == PoolOp::max) {
        if (argmax != nullptr) return run(job, MaxIndexKernel<T>(job.geometry, x, y, argmax), 1);
        return run(job, MaxKernel<T>(job.geometry, x, y), 1);
    }
    if (is_general_norm(desc)) {
        // A power costs about as much as thirty additions.
        const LpFormula<double, Norm::general> formula(desc.p, job.geometry.x.out);
        return run_sum<T, double>(job, x, y, formula, 30);
    }
    if (accumulator == ElementType::f64) return run_avg_or_lp<T, double>(job, desc, x, y);
    return run_avg_or_lp<T, float>(job, desc, x, y);
}

}  // namespace

CpuKernel choose_cpu_kernel(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.op == PoolOp::max) return {"rows", ElementType::f32};
    const bool general = is_general_norm(desc);
    const std::int64_t additions =
        std::min(geometry.y.window, geometry.y.in) + std::min(geometry.x.window, geometry.x.in);
    const bool wide = general || additions > most_f32_additions;
    std::string variant = "rows";
    if (desc.op == PoolOp::lp) variant += general ? "_power" : desc.p == 1.0 ? "_p1" : "_p2";
    if (wide) return {variant + "_f64_sum", ElementType::f64};
    return {variant + "_f32_sum", ElementType::f32};
}

Result<void> forward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                         const ConstTensorView& x, const TensorView& y, std::int64_t* argmax, int threads,
                         const RunControl& control) {
    const Job job{geometry, threads, control};
    try {
        return run_typed<float>(job, desc, kernel.accumulator,
                                {static_cast<const float*>(x.data), x.row_stride, x.plane_stride},
                                {static_cast<float*>(y.data), y.row_stride, y.plane_stride}, argmax);
    } catch (const std::bad_alloc&) {
        return std::unexpected(
            Error{ErrorCode::workspace_error, "pooling: not enough memory for the rows in work"});
    }
}

}  // namespace iir2d::pool
