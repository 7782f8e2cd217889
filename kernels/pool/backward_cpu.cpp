// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>

#include "kernels/pool/backward_avg.h"
#include "kernels/pool/backward_max.h"
#include "kernels/pool/backward_scatter.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

// Returns whether non-temporal stores to dx are worth it: it is larger than the caches, and its rows are
// whole vectors or so long that their ends do not count.
bool worth_non_temporal(const PoolGeometry& geometry, ElementType element, const TensorView& dx) {
    constexpr double bytes = std::int64_t{16} << 20;
    constexpr std::int64_t vector_bytes = 32;
    constexpr std::int64_t shortest = 512;
    if (element != ElementType::f32) return false;
    const auto elements = static_cast<double>(geometry.planes()) * static_cast<double>(geometry.y.in) *
                          static_cast<double>(geometry.x.in);
    if (elements * sizeof(float) < bytes) return false;
    constexpr std::int64_t vector = vector_bytes / static_cast<std::int64_t>(sizeof(float));
    const bool whole = reinterpret_cast<std::uintptr_t>(dx.data) % vector_bytes == 0 &&
                       dx.row_stride % vector == 0 && dx.plane_stride % vector == 0 &&
                       geometry.x.in % vector == 0;
    return whole || geometry.x.in >= shortest;
}

template <class Kernel, class T>
Result<void> run(const Job<T>& job, int threads, const RunControl& control) {
    const PoolGeometry& g = job.geometry;
    const std::int64_t rows = g.planes() * g.y.in;
    // Enough elements to hide a task's set-up, and rows enough that window rows which two tasks both scatter
    // do not count; but a few tasks for every thread.
    constexpr std::int64_t task_elements = std::int64_t{1} << 16;
    const std::int64_t wanted = std::max(task_elements / g.x.in + 1, 4 * g.y.span());
    const std::int64_t share = rows / (std::int64_t{4} * threads) + 1;
    const std::int64_t step = std::clamp(std::min(wanted, share), std::int64_t{1}, rows);
    const std::int64_t tasks = (rows + step - 1) / step;
    std::atomic<bool> stopped{false};
    const bool finished = support::parallel_for(threads, tasks, control, {}, [&](std::int64_t task) {
        Kernel kernel(job);
        const std::int64_t end = std::min(rows, (task + 1) * step);
        for (std::int64_t row = task * step; row < end;) {
            if (control.stop.stop_requested()) {
                stopped = true;
                return;
            }
            const std::int64_t y = row % g.y.in;
            const std::int64_t count = std::min({kernel.chunk_rows(), end - row, g.y.in - y});
            kernel.make_rows(row / g.y.in, {y, y + count});
            row += count;
        }
        if (job.non_temporal) finish_stores();
    });
    if (finished && !stopped) return {};
    return std::unexpected(Error{ErrorCode::cancelled, "the backward pass was cancelled"});
}

template <class T>
Result<void> run_typed(const Job<T>& job, ElementType accumulator, int threads, const RunControl& control) {
    const PoolDesc& desc = job.desc;
    const bool wide = accumulator == ElementType::f64;
    switch (desc.op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            return wide ? run<MaxGradient<T, double>>(job, threads, control)
                        : run<MaxGradient<T, float>>(job, threads, control);
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            if constexpr (std::is_same_v<T, float>) {
                if (scatters_in_vectors(desc, job.geometry)) return run<AvgScatter>(job, threads, control);
            }
            return wide ? run<ScatterKernel<T, double, GradientOp::avg>>(job, threads, control)
                        : run<ScatterKernel<T, float, GradientOp::avg>>(job, threads, control);
        case PoolOp::lp:
            break;
    }
    if (desc.p == 1.0) return run<ScatterKernel<T, double, GradientOp::lp1>>(job, threads, control);
    if (divides_in_pairs(desc)) return run<PairKernel<T>>(job, threads, control);
    return run<ScatterKernel<T, double, GradientOp::lp2>>(job, threads, control);
}

}  // namespace

BackwardReads backward_reads(PoolOp op) {
    switch (op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            return {.argmax = true};
        case PoolOp::lp:
            return {.x = true, .y = true};
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            break;
    }
    return {};
}

ElementType backward_accumulator(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.element == ElementType::f64 || desc.op == PoolOp::lp) return ElementType::f64;
    const std::int64_t additions = geometry.y.most_windows_near() + geometry.x.most_windows_near();
    return sum_type(additions);
}

bool scatters_in_vectors(const PoolDesc& desc, const PoolGeometry& geometry) {
    const AxisWindows& x = geometry.x;
    return desc.op == PoolOp::avg && desc.element == ElementType::f32 && x.dilation == 1 &&
           x.stride <= longest_scatter_stride && backward_accumulator(desc, geometry) == ElementType::f32;
}

Result<void> backward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const Backward& data,
                          int threads, const RunControl& control) {
    return with_storage(desc.element, [&]<class T>() {
        const Job<T> job{desc,
                         geometry,
                         planes_of<T>(data.x),
                         planes_of<T>(data.y),
                         planes_of<T>(data.dy),
                         planes_of<T>(data.dx),
                         data.argmax,
                         worth_non_temporal(geometry, desc.element, data.dx)};
        return run_typed<T>(job, backward_accumulator(desc, geometry), threads, control);
    });
}

}  // namespace iir2d::pool
