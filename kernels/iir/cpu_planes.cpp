// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu_planes.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/iir/adjoint.h"
#include "kernels/iir/cpu.h"
#include "kernels/support/aligned_array.h"
#include "kernels/support/element_rows.h"
#include "kernels/support/object_pool.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// Memory for planes in f32.
using WidePlanes = support::ObjectPool<support::AlignedArray<float>>;

class WidePlane {
  public:
    WidePlane(WidePlanes& planes, const Shape& shape)
        : m_memory(planes.borrow(static_cast<std::size_t>(shape.h * shape.w))),
          m_shape{1, 1, shape.h, shape.w} {}

    static std::size_t bytes(const Shape& shape) {
        return static_cast<std::size_t>(shape.h * shape.w) * sizeof(float);
    }
    TensorView view() const { return {m_memory->data(), ElementType::f32, m_shape, m_shape.w, 0, 0}; }

  private:
    WidePlanes::Borrowed m_memory;
    Shape m_shape;
};

// Calls row(y) for every row of a plane, on threads where there are rows enough.
void for_each_row(const Shape& shape, int threads, const auto& row) {
    constexpr std::int64_t task_elements = std::int64_t{1} << 16;
    const std::int64_t step = std::clamp<std::int64_t>(task_elements / shape.w, 1, shape.h);
    const std::int64_t tasks = (shape.h + step - 1) / step;
    support::parallel_for(threads, tasks, {}, {}, [&](std::int64_t task) {
        for (std::int64_t y = task * step; y < std::min(shape.h, (task + 1) * step); ++y) row(y);
    });
}

template <class Stored>
void widen_plane(const ConstTensorView& from, const TensorView& to, int threads) {
    for_each_row(from.shape, threads, [&](std::int64_t y) {
        widen_row(static_cast<const Stored*>(from.data) + y * from.row_stride, from.shape.w,
                  static_cast<float*>(to.data) + y * to.row_stride);
    });
}

template <class Stored>
void round_plane(const ConstTensorView& from, const TensorView& to, int threads) {
    for_each_row(from.shape, threads, [&](std::int64_t y) {
        store_row(static_cast<const float*>(from.data) + y * from.row_stride, from.shape.w,
                  static_cast<Stored*>(to.data) + y * to.row_stride);
    });
}

void widen(const ConstTensorView& from, const TensorView& to, int threads) {
    from.type == ElementType::f16 ? widen_plane<Float16>(from, to, threads)
                                  : widen_plane<BFloat16>(from, to, threads);
}

void round(const ConstTensorView& from, const TensorView& to, int threads) {
    to.type == ElementType::f16 ? round_plane<Float16>(from, to, threads)
                                : round_plane<BFloat16>(from, to, threads);
}

// The descriptor of one plane of the task's arithmetic, without its filters.
FilterDesc desc_of_plane(const FilterDesc& desc) {
    return {.shape = {1, 1, desc.shape.h, desc.shape.w},
            .filter = {},
            .border = desc.border,
            .border_const = desc.border_const,
            .precision = desc.precision,
            .start = desc.start};
}

const FilterData& filter_of(const CpuTask& task, std::int64_t plane) {
    return task.filters.size() == 1 ? task.filters.front() : task.filters[static_cast<std::size_t>(plane)];
}

// Of all planes that are filtered at one time.
constexpr std::size_t most_scratch = std::size_t{256} << 20;

// Calls one(plane, threads, control) for every plane: with planes enough for all threads, one each; else, and
// where the planes that are under way would need more than `most_scratch` bytes, `scratch` each, the threads
// share one plane after the other. Progress is that of the planes, of those that the calling thread has also
// while they run. Stops at the first failure, which it returns.
template <class One>
Result<void> for_each_plane(const CpuTask& task, std::size_t scratch, const RunControl& control,
                            const One& one) {
    const Shape& shape = task.desc.shape;
    const std::int64_t planes = shape.n * shape.c;
    const std::int64_t samples = shape.h * shape.w;
    const int all = threads_of(task.config, task.threads, planes * samples);
    const bool side_by_side = deals_planes(task.config, all, planes, samples) &&
                              scratch <= most_scratch / static_cast<std::size_t>(all);
    const int each = side_by_side ? 1 : threads_of(task.config, task.threads, samples);
    const auto caller = std::this_thread::get_id();
    std::atomic<std::int64_t> done{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    Result<void> result;
    const auto run_plane = [&](std::int64_t plane) {
        if (failed.load(std::memory_order_relaxed)) return;
        RunControl inner{.stop = control.stop};
        if (control.progress && std::this_thread::get_id() == caller) {
            inner.progress = [&](double fraction) {
                control.progress((static_cast<double>(done.load()) + fraction) / static_cast<double>(planes));
            };
        }
        auto ran = one(plane, each, inner);
        ++done;
        if (ran) return;
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) result = std::move(ran);
    };
    const bool finished =
        support::parallel_for(side_by_side ? all : 1, planes, {.stop = control.stop}, {}, run_plane);
    if (result && !finished) return std::unexpected(Error{ErrorCode::cancelled, "the filter was cancelled"});
    if (result && control.progress) control.progress(1.0);
    return result;
}

// What is left of a config for one of several planes, with so many threads.
Config config_of_plane(Config config, int threads) {
    if (config.threads != 0) config.threads = threads;
    config.share = 0;
    return config;
}

// Runs make_job(desc, filter, threads) for views of one filter and of the types that the precision computes
// with.
Result<void> map_planes(const CpuTask& task, const ConstTensorView& x, const TensorView& y,
                        const RunControl& control,
                        CpuJob (*make_job)(const FilterDesc&, const FilterData&, int)) {
    const bool narrow = is_16_bit(element_of(task.desc));
    if (!narrow && task.filters.size() == 1) {
        CpuJob job = make_job(task.desc, task.filters.front(), task.threads);
        job.config = task.config;
        return forward_cpu(job, x, y, control);
    }
    const FilterDesc desc = desc_of_plane(task.desc);
    WidePlanes wide;
    return for_each_plane(task, narrow ? WidePlane::bytes(desc.shape) : 0, control,
                          [&](std::int64_t plane, int threads, const RunControl& inner) -> Result<void> {
                              CpuJob job = make_job(desc, filter_of(task, plane), threads);
                              job.config = config_of_plane(task.config, threads);
                              if (!narrow)
                                  return forward_cpu(job, support::plane_of(x, plane),
                                                     support::plane_of(y, plane), inner);
                              const WidePlane memory(wide, desc.shape);
                              const TensorView line = memory.view();
                              widen(support::plane_of(x, plane), line, threads);
                              if (auto done = forward_cpu(job, line, line, inner); !done) return done;
                              round(line, support::plane_of(y, plane), threads);
                              return {};
                          });
}

}  // namespace

Result<int> threads_for(const Shape& shape, int asked, bool chooses) {
    // Asking the system takes longer than it takes to filter a small plane.
    if (!chooses && threads_worth(2, shape.n * shape.c * shape.h * shape.w) == 1) return 1;
    const auto device = Device::cpu(asked);
    if (!device) return std::unexpected(device.error());
    return device->threads();
}

Result<void> forward_planes(const CpuTask& task, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control) {
    return map_planes(task, x, y, control, make_cpu_job);
}

Result<void> adjoint_planes(const CpuTask& task, const ConstTensorView& dy, const TensorView& dx,
                            const RunControl& control) {
    return map_planes(task, dy, dx, control, make_adjoint_job);
}

Result<void> gradient_planes(const CpuTask& task, std::span<const FilterSpec> specs, const ConstTensorView& x,
                             const ConstTensorView& dy, std::span<double> dp, const RunControl& control) {
    const bool narrow = is_16_bit(element_of(task.desc));
    if (!narrow && specs.empty()) {
        return gradient_cpu(task.desc, task.filters.front(), x, dy, dp, task.threads, control);
    }
    // One plane's after the other's, as gradient_cpu() adds them.
    const Shape& shape = task.desc.shape;
    const auto planes = static_cast<std::size_t>(shape.n * shape.c);
    const std::size_t count = specs.empty() ? dp.size() : dp.size() / planes;
    std::vector<double> of_planes = zeros_for_planes(shape.n * shape.c, count);
    WidePlanes wide;
    // gradient_cpu() keeps one plane, and two are widened.
    const std::size_t kept =
        static_cast<std::size_t>(shape.h * shape.w) * element_size(storage_type(task.desc.precision));
    const auto done = for_each_plane(
        task, kept + (narrow ? 2 * WidePlane::bytes(shape) : 0), control,
        [&](std::int64_t plane, int threads, const RunControl& inner) -> Result<void> {
            FilterDesc desc = desc_of_plane(task.desc);
            desc.filter = specs.empty() ? task.desc.filter : specs[static_cast<std::size_t>(plane)];
            const std::span<double> sums =
                std::span(of_planes).subspan(static_cast<std::size_t>(plane) * count, count);
            const FilterData& filter = filter_of(task, plane);
            const ConstTensorView from = support::plane_of(x, plane);
            const ConstTensorView upstream = support::plane_of(dy, plane);
            if (!narrow) return gradient_cpu(desc, filter, from, upstream, sums, threads, inner);
            const WidePlane wide_x(wide, shape);
            const WidePlane wide_dy(wide, shape);
            widen(from, wide_x.view(), threads);
            widen(upstream, wide_dy.view(), threads);
            return gradient_cpu(desc, filter, wide_x.view(), wide_dy.view(), sums, threads, inner);
        });
    if (!done) return done;
    if (!specs.empty()) {
        std::ranges::copy(of_planes, dp.begin());
        return {};
    }
    std::ranges::fill(dp, 0.0);
    for (std::size_t plane = 0; plane < planes; ++plane) {
        for (std::size_t i = 0; i < count; ++i) dp[i] += of_planes[plane * count + i];
    }
    return {};
}

Result<void> backward_planes(const CpuTask& task, std::span<const FilterSpec> specs,
                             const GradientViews& views, std::span<double> dp, const RunControl& control) {
    const auto part = [&](double from, double share) {
        RunControl inner{.stop = control.stop};
        if (control.progress) {
            inner.progress = [&control, from, share](double fraction) {
                control.progress(from + share * fraction);
            };
        }
        return inner;
    };
    // What the gradient of the parameters is of the time, about.
    const double share = dp.empty() ? 0.0 : views.dx.data == nullptr ? 1.0 : 0.75;
    if (!dp.empty()) {
        auto done = gradient_planes(task, specs, views.x, views.dy, dp, part(0.0, share));
        if (!done) return done;
    }
    if (views.dx.data == nullptr) return {};
    return adjoint_planes(task, views.dy, views.dx, part(share, 1.0 - share));
}

}  // namespace iir2d::iir
