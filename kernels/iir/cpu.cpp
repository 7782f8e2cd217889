// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <span>

#include "kernels/iir/analysis.h"
#include "kernels/iir/cpu_columns.h"
#include "kernels/iir/cpu_plane.h"
#include "kernels/iir/cpu_rows.h"
#include "kernels/support/denormals.h"
#include "kernels/support/parallel.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// Columns of a strip, at least: narrower ones read and write rows in pieces too short.
constexpr std::int64_t narrowest_strip = 64;
// Bytes of the planes that threads share at once: few enough that those are still in the last-level cache
// when all bands are done and their columns follow.
constexpr std::int64_t shared_bytes = std::int64_t{4} << 20;
// Rows so long that a line for a band of them is worth avoiding when there are few.
constexpr std::int64_t long_row = 4096;

std::vector<CpuPass> cpu_passes(const AxisFilter& axis, const FilterDesc& desc, double constant,
                                std::int64_t n) {
    std::vector<CpuPass> passes;
    std::vector<Pass> made = make_passes(axis, desc.border, desc.start, constant);
    passes.reserve(made.size());
    for (Pass& pass : made) {
        PassStart start(pass, n, desc.border, desc.start);
        passes.push_back({std::move(pass), std::move(start)});
    }
    return passes;
}

// Planes by one filter.
template <class S, class A>
class PlaneFilter {
  public:
    explicit PlaneFilter(const CpuJob& job)
        : m_job(job),
          m_horizontal(swept_passes<A>(job.horizontal)),
          m_vertical(swept_passes<A>(job.vertical)) {}

    // Threads share the planes: who finds no band left in one goes on to the next.
    void run(std::span<const CpuPlane<S>> planes, int threads, Watch& watch) const {
        const support::FlushDenormals flush;
        if (m_job.rows_alone) {
            for (const CpuPlane<S>& plane : planes) filter_rows_alone(plane, threads, watch);
            filter_columns(planes, threads, watch, [](std::size_t, std::int64_t) { return DoneDown<A>{}; });
            return;
        }
        std::deque<Banded> banded;
        std::int64_t share = 0;
        for (const CpuPlane<S>& plane : planes)
            share += banded.emplace_back(m_horizontal, m_vertical, m_job, plane, threads).share;
        each(threads, std::min<std::int64_t>(share, threads), watch, [&](std::int64_t) {
            for (Banded& b : banded) {
                if (b.entered.fetch_add(1) >= b.share) continue;
                if (!b.start(watch) || !b.bands.filter_bands(watch)) return;
            }
        });
        filter_columns(planes, threads, watch, [&](std::size_t plane, std::int64_t column) {
            return banded[plane].bands.done(column);
        });
    }

  private:
    struct Banded {
        Banded(const std::vector<SweptPass<A>>& horizontal, const std::vector<SweptPass<A>>& vertical,
               const CpuJob& job, const CpuPlane<S>& plane, int threads)
            : bands(horizontal, vertical, job, plane, threads), share(bands.share(threads)) {}

        // False when it was stopped. Where there is no memory the next one tries, unless it is stopped first.
        bool start(Watch& watch) {
            const std::lock_guard lock(mutex);
            if (watch.stopped()) return false;
            if (!started) bands.start_columns();
            started = true;
            return true;
        }

        RowBands<S, A> bands;
        int share;  // of the threads, at most
        std::atomic<int> entered{0};
        std::mutex mutex;
        bool started = false;
    };

    // Calls body(i) for each i below count, on threads of which each flushes denormals.
    static void each(int threads, std::int64_t count, Watch& watch, const auto& body) {
        if (watch.stopped()) return;
        support::parallel_for(threads, count, {}, {}, [&](std::int64_t i) {
            const support::FlushDenormals flush;
            try {
                if (!watch.stopped()) body(i);
            } catch (...) {  // no memory: who waits for this one must not wait for ever
                watch.stop();
                throw;
            }
        });
    }

    // A row is a strip of one column.
    void filter_rows_alone(const CpuPlane<S>& plane, int threads, Watch& watch) const {
        each(threads, plane.height, watch, [&](std::int64_t row) {
            S* out = plane.out + row * plane.out_stride;
            const S* in = plane.in + row * plane.in_stride;
            if (in != out) std::copy_n(in, plane.width, out);
            filter_strip<S, A>(m_horizontal, {out, 1, plane.width, 1}, {}, watch);
        });
    }

    void filter_columns(std::span<const CpuPlane<S>> planes, int threads, Watch& watch,
                        const auto& done) const {
        if (!has_strips(m_job)) return;
        const std::int64_t across = planes.front().width;
        const std::int64_t width = strip_width(m_job.config, across, threads);
        // Too few columns behind the last whole strip go with it.
        const std::int64_t strips =
            std::max<std::int64_t>(1, across / width + (across % width >= narrowest_at_once ? 1 : 0));
        each(threads, static_cast<std::int64_t>(planes.size()) * strips, watch, [&](std::int64_t i) {
            const auto number = static_cast<std::size_t>(i / strips);
            const CpuPlane<S>& plane = planes[number];
            const std::int64_t first = i % strips * width;
            const std::int64_t last = i % strips == strips - 1 ? across : first + width;
            const Strip<S> columns{plane.out + first, plane.out_stride, plane.height, last - first};
            filter_strip<S, A>(m_vertical, columns, done(number, first), watch);
        });
    }

    const CpuJob& m_job;
    std::vector<SweptPass<A>> m_horizontal;
    std::vector<SweptPass<A>> m_vertical;
};

template <class S, class A>
Result<void> run(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                 const RunControl& control) {
    const std::int64_t planes = x.shape.n * x.shape.c;
    const std::int64_t samples = x.shape.w * x.shape.h;
    const PlaneFilter<S, A> filter(job);
    const std::int64_t across = job.rows_alone ? column_work(job.horizontal, Downward::none) : 1;
    Watch watch(control, planes * samples * (across + column_work(job.vertical, job.downward)));
    const auto plane_at = [&](std::int64_t p) {
        const CpuPlane<S> plane{static_cast<const S*>(x.data) + support::plane_offset(x, p),
                                x.row_stride,
                                static_cast<S*>(y.data) + support::plane_offset(y, p),
                                y.row_stride,
                                x.shape.w,
                                x.shape.h};
        return job.upside_down ? plane.upside_down() : plane;
    };
    const auto run_planes = [&](std::int64_t first, std::int64_t count, int threads) {
        std::vector<CpuPlane<S>> some;
        for (std::int64_t p = first; p < first + count; ++p) some.push_back(plane_at(p));
        filter.run(some, threads, watch);
    };
    // With planes enough for all threads, one each; else they share them.
    const int threads = threads_of(job.config, job.threads, planes * samples);
    if (deals_planes(job.config, threads, planes, samples)) {
        support::parallel_for(threads, planes, {}, {}, [&](std::int64_t p) {
            if (!watch.stopped()) run_planes(p, 1, 1);
        });
    } else {
        const std::int64_t bytes = samples * static_cast<std::int64_t>(sizeof(S));
        // Each plane of those that are shared has bands of its own: of tiny planes no more than keep the
        // threads busy.
        const std::int64_t most = std::int64_t{64} * threads;
        const std::int64_t at_once =
            threads == 1 ? 1 : std::clamp<std::int64_t>(shared_bytes / bytes, 1, most);
        for (std::int64_t p = 0; p < planes && !watch.stopped(); p += at_once) {
            const std::int64_t count = std::min(at_once, planes - p);
            run_planes(p, count, threads_of(job.config, job.threads, count * samples));
        }
    }
    if (watch.stopped()) return std::unexpected(Error{ErrorCode::cancelled, "the filter was cancelled"});
    if (control.progress) control.progress(1.0);
    return {};
}

}  // namespace

CpuJob make_cpu_job(const FilterDesc& desc, const FilterData& data, int threads) {
    const std::int64_t w = desc.shape.w;
    const std::int64_t h = desc.shape.h;
    double below = desc.border_const;
    if (desc.start == Start::steady) below *= dc_gain(data.horizontal);
    CpuJob job{.horizontal = cpu_passes(data.horizontal, desc, desc.border_const, w),
               .vertical = cpu_passes(data.vertical, desc, below, h),
               .precision = desc.precision,
               .threads = threads};
    choose_schedule(job, desc.shape);
    return job;
}

void choose_schedule(CpuJob& job, const Shape& shape) {
    const std::int64_t w = shape.w;
    const std::int64_t h = shape.h;
    const std::int64_t lines = (needs_line(job.horizontal) ? 1 : 0) + (keeps_beside(job.horizontal) ? 1 : 0);
    job.rows_alone = w > long_row && h < lines * least_band_rows;
    if (job.vertical.empty()) return;
    // The columns' first pass goes along with the rows where it comes from above, and where the rows that are
    // filtered for its start do not count.
    const CpuPass& first = job.vertical.front();
    const std::int64_t started = (first.start.reach() + most_band_rows - 1) / most_band_rows * most_band_rows;
    if (!job.rows_alone && !first.pass.reversed && 4 * started <= h) {
        if (is_plain_sum(job.vertical, 0)) job.downward = Downward::advance;
        if (!first.pass.to_scratch) job.downward = Downward::filter;
    }
}

std::int64_t strip_width(const Config& config, std::int64_t across, int threads) {
    if (config.strip != 0) return config.strip;
    const std::int64_t share = std::clamp((across + threads - 1) / threads, narrowest_strip, strip_columns);
    return (share + narrowest_strip - 1) / narrowest_strip * narrowest_strip;
}

// Nothing is left where bands did the only pass, unless a NaN has to be propagated.
bool has_strips(const CpuJob& job) {
    if (job.downward != Downward::filter || job.vertical.size() != 1) return true;
    const CpuPass& only = job.vertical.front();
    return only.start.of_whole_line() || !only.end.empty();
}

Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control) {
    return with_types(job.precision, [&]<class S, class A>() { return run<S, A>(job, x, y, control); });
}

}  // namespace iir2d::iir
