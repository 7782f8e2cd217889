// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/pool/backward_avg.h"
#include "kernels/pool/backward_bands.h"
#include "kernels/pool/backward_max.h"
#include "kernels/pool/backward_norm.h"
#include "kernels/pool/backward_scatter.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/fold.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

bool worth_non_temporal(const PoolGeometry& geometry, ElementType element, const TensorView& dx) {
    if (element != ElementType::f32 || !backward_uses_non_temporal_stores(geometry)) return false;
    return has_aligned_rows(dx) || geometry.x.in >= shortest_non_temporal;
}

bool takes_non_temporal(const PoolDesc& desc, const PoolGeometry& geometry, const Config& config,
                        const TensorView& dx) {
    if (config.stores == 0) return worth_non_temporal(geometry, desc.element, dx);
    return config.stores == stores_past && backward_chooses_stores(desc, geometry) && has_aligned_rows(dx);
}

// Returns the rows of dx that a task has: enough elements to hide its set-up, and `spans` times the rows of a
// window, so that window rows which two tasks both read do not count; but fewer where threads would get less
// than `tasks` each.
std::int64_t rows_of_task(const PoolGeometry& g, const Config& config, int threads, std::int64_t spans,
                          std::int64_t tasks) {
    const std::int64_t rows = g.planes() * g.y.in;
    const std::int64_t wanted = std::max(backward_task_elements(config) / g.x.in + 1, spans * g.y.span());
    const std::int64_t share = rows / (tasks * threads) + 1;
    const std::int64_t step = std::clamp(std::min(wanted, share), std::int64_t{1}, rows);
    return step > g.y.in ? step - step % g.y.in : step;
}

// Calls make_worker() once a task and worker(rows) for its parts of planes and its whole planes.
template <class T>
Result<void> run_tasks(const Job<T>& job, std::int64_t step, int threads, const RunControl& control,
                       auto make_worker) {
    const PoolGeometry& g = job.geometry;
    const std::int64_t rows = g.planes() * g.y.in;
    const std::int64_t tasks = (rows + step - 1) / step;
    const bool finished = support::parallel_for(threads, tasks, control, {}, [&](std::int64_t task) {
        auto worker = make_worker();
        const std::int64_t end = std::min(rows, (task + 1) * step);
        for (std::int64_t row = task * step; row < end && !control.stop.stop_requested();) {
            const std::int64_t plane = row / g.y.in;
            const std::int64_t y = row % g.y.in;
            const std::int64_t planes = y == 0 ? std::max<std::int64_t>((end - row) / g.y.in, 1) : 1;
            const std::int64_t count = std::min(end - row, g.y.in - y);
            worker(Rows{{plane, plane + planes}, {y, y + count}});
            row += planes * count;
        }
        if (job.non_temporal) finish_stores();
    });
    if (finished) return {};
    return std::unexpected(Error{ErrorCode::cancelled, "the backward pass was cancelled"});
}

template <class Kernel, class T>
Result<void> run(const Job<T>& job, const Config& config, int threads, const RunControl& control) {
    return run_tasks(job, rows_of_task(job.geometry, config, threads, 4, 4), threads, control, [&] {
        return
            [&, kernel = Kernel(job)](const Rows& rows) mutable { make_chunks(kernel, rows, control.stop); };
    });
}

// Makes the gradients of maxima. Finds places that are not given with `finder`.
template <class Kernel, class T>
Result<void> run_maxima(const Job<T>& job, const CpuKernel& finder, const Config& config, int threads,
                        const RunControl& control) {
    if (job.argmax != nullptr) return run<Kernel>(job, config, threads, control);
    // Two tasks both find the places of windows that they share: few and long ones.
    return run_tasks(job, rows_of_task(job.geometry, config, threads, 8, 1), threads, control,
                     [&] { return MaximaOfBands<Kernel, T>(job, finder, control.stop); });
}

template <class T>
Result<void> run_typed(const Job<T>& job, ElementType accumulator, const CpuKernel& finder,
                       const Config& config, int threads, const RunControl& control) {
    const PoolDesc& desc = job.desc;
    const bool wide = accumulator == ElementType::f64;
    switch (desc.op) {
        case PoolOp::max:
        case PoolOp::adaptive_max:
            if constexpr (sizeof(T) <= sizeof(float)) {
                if (gathers_maxima(desc, job.geometry))
                    return run_maxima<MaxGather<T>>(job, finder, config, threads, control);
            }
            return wide ? run_maxima<MaxGradient<T, double>>(job, finder, config, threads, control)
                        : run_maxima<MaxGradient<T, float>>(job, finder, config, threads, control);
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            if constexpr (std::is_same_v<T, float>) {
                if (scatters_in_vectors(desc, job.geometry))
                    return run<AvgScatter>(job, config, threads, control);
            }
            return wide ? run<ScatterKernel<T, double, GradientOp::avg>>(job, config, threads, control)
                        : run<ScatterKernel<T, float, GradientOp::avg>>(job, config, threads, control);
        case PoolOp::lp:
            break;
    }
    if constexpr (sizeof(T) <= sizeof(float)) {
        return scatters_norms(desc) ? run<NormScatter<T>>(job, config, threads, control)
                                    : run<PairKernel<T>>(job, config, threads, control);
    } else {
        if (desc.p == 1.0)
            return run<ScatterKernel<T, double, GradientOp::lp1>>(job, config, threads, control);
        return run<PairKernel<T>>(job, config, threads, control);
    }
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

bool finds_places(const PoolDesc& desc, const PoolGeometry& geometry, int threads) {
    const AxisWindows& y = geometry.y;
    const std::int64_t share = geometry.planes() * y.in / threads;
    return desc.op == PoolOp::max && (y.span() <= y.stride || share >= std::min(4 * y.span(), y.in));
}

bool backward_chooses_stores(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.element != ElementType::f32) return false;
    return is_max(desc.op) ? backward_accumulator(desc, geometry) == ElementType::f32
                           : scatters_in_vectors(desc, geometry);
}

bool backward_uses_non_temporal_stores(const PoolGeometry& geometry) {
    constexpr double bytes = std::int64_t{16} << 20;
    const auto elements = static_cast<double>(geometry.planes()) * static_cast<double>(geometry.y.in) *
                          static_cast<double>(geometry.x.in);
    constexpr std::int64_t vector = 32 / static_cast<std::int64_t>(sizeof(float));
    const bool whole = geometry.x.in % vector == 0 || geometry.x.in >= shortest_non_temporal;
    return whole && elements * sizeof(float) >= bytes;
}

bool gathers_maxima(const PoolDesc& desc, const PoolGeometry& geometry) {
    constexpr std::int64_t shortest_row = 512;
    constexpr std::int64_t longest_row = std::int64_t{1}
                                         << 20;  // of which a task keeps three rows of windows
    constexpr std::int64_t fewest_lanes = 8;
    constexpr std::int64_t most_rows = 3;
    const AxisWindows& x = geometry.x;
    const AxisWindows& y = geometry.y;
    return is_max(desc.op) && desc.element != ElementType::f64 && !x.adaptive && x.stride == 2 &&
           (x.window == 2 || x.window == 3) && x.dilation == 1 && x.in >= shortest_row &&
           x.in <= longest_row && y.most_windows_near() <= most_rows && y.span() < INT32_MAX / 2 / x.in &&
           gradient_lanes() >= fewest_lanes;
}

bool scatters_norms(const PoolDesc& desc) {
    return desc.op == PoolOp::lp && desc.element != ElementType::f64 && desc.p <= largest_power_of_products;
}

bool scatters_in_vectors(const PoolDesc& desc, const PoolGeometry& geometry) {
    const AxisWindows& x = geometry.x;
    return desc.op == PoolOp::avg && desc.element == ElementType::f32 && x.dilation == 1 &&
           x.stride <= longest_scatter_stride && backward_accumulator(desc, geometry) == ElementType::f32;
}

Result<void> backward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& forward,
                          const Backward& data, const Config& config, int threads,
                          const RunControl& control) {
    CpuKernel finder = forward;
    finder.config.stores = stores_through;
    return with_storage(desc.element, [&]<class T>() {
        const Job<T> job{desc,
                         geometry,
                         planes_of<T>(data.x),
                         planes_of<T>(data.y),
                         planes_of<T>(data.dy),
                         planes_of<T>(data.dx),
                         data.argmax,
                         takes_non_temporal(desc, geometry, config, data.dx)};
        return run_typed<T>(job, backward_accumulator(desc, geometry), finder, config, threads, control);
    });
}

}  // namespace iir2d::pool
