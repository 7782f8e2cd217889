// SPDX-License-Identifier: MIT
#include "kernels/iir/cpu.h"

#include <algorithm>
#include <atomic>

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
// Rows so long that a band of them is worth avoiding when there are few.
constexpr std::int64_t long_row = 4096;

std::vector<CpuPass> cpu_passes(const AxisFilter& axis, const FilterDesc& desc, double constant,
                                std::int64_t n) {
    std::vector<CpuPass> passes;
    for (Pass& pass : make_passes(axis, desc.border, desc.start, constant)) {
        PassStart start(pass, n, desc.border, desc.start);
        passes.push_back({std::move(pass), std::move(start)});
    }
    return passes;
}

// One plane by one filter.
template <class S, class A>
class PlaneFilter {
  public:
    explicit PlaneFilter(const CpuJob& job)
        : m_job(job),
          m_horizontal(swept_passes<A>(job.horizontal)),
          m_vertical(swept_passes<A>(job.vertical)) {}

    void run(const CpuPlane<S>& plane, int threads, Watch& watch) const {
        const support::FlushDenormals flush;
        if (m_job.rows_alone) {
            filter_rows_alone(plane, threads, watch);
            filter_columns(plane, threads, watch, [](std::int64_t) { return DoneDown<A>{}; });
            return;
        }
        RowBands<S, A> bands(m_horizontal, m_vertical, m_job.downward, plane);
        bands.start_columns();
        each(threads, bands.share(threads), watch, [&](std::int64_t) { bands.filter_bands(watch); });
        filter_columns(plane, threads, watch, [&](std::int64_t column) { return bands.done(column); });
    }

  private:
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

    void filter_columns(const CpuPlane<S>& plane, int threads, Watch& watch, const auto& done) const {
        // Nothing is left where bands did the only pass, unless a NaN has to be propagated.
        if (m_job.downward == Downward::filter && m_vertical.size() == 1 &&
            !m_vertical.front().start->of_whole_line() && m_vertical.front().end->empty()) {
            return;
        }
        const std::int64_t share =
            std::clamp((plane.width + threads - 1) / threads, narrowest_strip, strip_columns);
        const std::int64_t width = (share + narrowest_strip - 1) / narrowest_strip * narrowest_strip;
        each(threads, (plane.width + width - 1) / width, watch, [&](std::int64_t strip) {
            const std::int64_t first = strip * width;
            const Strip<S> columns{plane.out + first, plane.out_stride, plane.height,
                                   std::min(width, plane.width - first)};
            filter_strip<S, A>(m_vertical, columns, done(first), watch);
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
    const auto run_plane = [&](std::int64_t p, int threads) {
        CpuPlane<S> plane{static_cast<const S*>(x.data) + support::plane_offset(x, p),
                          x.row_stride,
                          static_cast<S*>(y.data) + support::plane_offset(y, p),
                          y.row_stride,
                          x.shape.w,
                          x.shape.h};
        if (job.upside_down) plane = plane.upside_down();
        filter.run(plane, threads, watch);
    };
    // With planes enough for all threads, one each; else they share one plane after the other.
    const int threads = threads_worth(job, planes * samples);
    if (planes >= 4 * threads) {
        support::parallel_for(threads, planes, {}, {}, [&](std::int64_t p) {
            if (!watch.stopped()) run_plane(p, 1);
        });
    } else {
        for (std::int64_t p = 0; p < planes && !watch.stopped(); ++p)
            run_plane(p, threads_worth(job, samples));
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
    job.rows_alone = w > long_row && h < lines * most_band_rows;
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

Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control) {
    return with_types(job.precision, [&]<class S, class A>() { return run<S, A>(job, x, y, control); });
}

}  // namespace iir2d::iir
