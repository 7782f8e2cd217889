// SPDX-License-Identifier: MIT
#include "kernels/iir/raster.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "kernels/iir/border.h"
#include "kernels/iir/raster_band.h"
#include "kernels/iir/start_state.h"
#include "kernels/support/denormals.h"
#include "kernels/support/parallel.h"

namespace iir2d::iir {

namespace {

// Bytes of an output from which on it is not worth having in the caches.
constexpr std::int64_t bytes_past_caches = std::int64_t{8} << 20;
constexpr std::int64_t narrowest = tile_columns / 2;
constexpr std::int64_t widest = std::int64_t{1} << 17;  // a band of it is a few milliseconds
constexpr std::int64_t lowest = 4 * band_rows;
// Bands whose rows' start states are made at once.
constexpr std::int64_t bands_of_starts = 8;
constexpr std::int64_t rows_of_starts = bands_of_starts * band_rows;
// A strip narrower than this is not worth its own thread.
constexpr std::int64_t narrowest_strip = 8 * tile_columns;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

template <class A>
Cascade<A> cascade_of(const std::vector<Pass>& passes) {
    Cascade<A> cascade;
    for (const Section& section : passes.front().sections) cascade.push_back(section_step<A>(section));
    return cascade;
}

// One plane. Its strips of columns are filtered by different threads, each from the top to the bottom, a band
// of rows behind the strip on its left, whose row states it goes on from. Which samples meet in which
// operation does not depend on the strips.
template <class S, class A>
class RasterPlane {
  public:
    RasterPlane(const CpuJob& job, const Shape& shape, const S* in, std::int64_t in_stride, S* out,
                std::int64_t out_stride, std::int64_t strip_width, std::int64_t strips)
        : m_job(job),
          m_width(shape.w),
          m_height(shape.h),
          m_in(in),
          m_in_stride(in_stride),
          m_out(out),
          m_out_stride(out_stride),
          m_strip_width(strip_width),
          m_bands((shape.h + band_rows - 1) / band_rows),
          m_bands_kept(strips == 1 ? std::min(m_bands, bands_of_starts) : m_bands),
          m_horizontal(cascade_of<A>(job.horizontal)),
          m_vertical(cascade_of<A>(job.vertical)),
          m_padded_width(round_up(shape.w, tile_columns)),
          m_bands_done(std::make_unique<Counter[]>(static_cast<std::size_t>(strips))) {}

    // Blocks until the strips on its left, which must be under way, have come far enough. `report` is called
    // after every band. False when `stop` said so; then all other strips must be told to stop too.
    template <class Stop, class Report>
    bool filter_strip(std::int64_t strip, const Stop& stop, const Report& report) {
        const std::int64_t first = strip * m_strip_width;
        const std::int64_t last = std::min(m_width, first + m_strip_width);
        if (strip == 0) {
            m_row_states.resize(static_cast<std::size_t>(m_bands_kept) * row_states_each());
            start_columns();
        }
        for (std::int64_t b = 0; b < m_bands; ++b) {
            if (strip == 0) {
                if (b % bands_of_starts == 0) start_rows(b * band_rows, row_states_of(b));
            } else if (!wait_for(strip - 1, b, stop)) {
                return false;
            }
            if (stop()) return false;
            filter_part(b, first, last);
            m_bands_done[static_cast<std::size_t>(strip)].value.store(b + 1, std::memory_order_release);
            report();
        }
        return true;
    }

  private:
    struct alignas(64) Counter {
        std::atomic<std::int64_t> value{0};
    };

    static std::int64_t as_index(std::size_t i) { return static_cast<std::int64_t>(i); }
    std::size_t row_states_each() const {
        return m_horizontal.size() * 2 * static_cast<std::size_t>(band_rows);
    }

    A* row_states_of(std::int64_t band) {
        return m_row_states.data() + band % m_bands_kept * as_index(row_states_each());
    }

    template <class Stop>
    bool wait_for(std::int64_t strip, std::int64_t band, const Stop& stop) const {
        const auto& done = m_bands_done[static_cast<std::size_t>(strip)].value;
        while (done.load(std::memory_order_acquire) <= band) {
            if (stop()) return false;
            std::this_thread::yield();
        }
        return true;
    }

    void filter_part(std::int64_t b, std::int64_t first, std::int64_t last) {
        filter_band(RasterBand<S, A, S>{
            .in = m_in + b * band_rows * m_in_stride + first,
            .in_stride = m_in_stride,
            .out = m_out + b * band_rows * m_out_stride + first,
            .out_stride = m_out_stride,
            .rows = std::min(band_rows, m_height - b * band_rows),
            .columns = last - first,
            .horizontal = &m_horizontal,
            .vertical = &m_vertical,
            .row_states = row_states_of(b),
            .column_states = m_column_states.data() + first,
            .column_states_stride = m_padded_width,
            .past_caches = m_width * m_height * as_index(sizeof(S)) >= bytes_past_caches});
    }

    // The states left of rows [first, first + rows_of_starts), band after band.
    void start_rows(std::int64_t first, A* to) const {
        const std::int64_t rows = std::min(rows_of_starts, m_height - first);
        const LoadLanes load = [&](std::int64_t index, double* out) {
            for (std::int64_t r = 0; r < rows; ++r)
                out[r] = static_cast<double>(m_in[(first + r) * m_in_stride + index]);
        };
        const auto states = start_states(m_job.horizontal.front(), m_width, static_cast<std::size_t>(rows),
                                         m_job.border, m_job.start, load);
        for (std::int64_t r = 0; r < rows; ++r) {
            A* band = to + r / band_rows * as_index(row_states_each()) + r % band_rows;
            for (const SectionState& state : states) {
                band[0] = static_cast<A>(state.s1[static_cast<std::size_t>(r)]);
                band[band_rows] = static_cast<A>(state.s2[static_cast<std::size_t>(r)]);
                band += 2 * band_rows;
            }
        }
    }

    // The states above the first row, from rows that are filtered for that alone.
    void start_columns() {
        std::vector<A> band(static_cast<std::size_t>(band_rows * m_width));
        std::vector<A> row_states(static_cast<std::size_t>(bands_of_starts) * row_states_each());
        std::int64_t filtered = -1;  // the first row of what `band` holds
        const LoadLanes load = [&](std::int64_t index, double* out) {
            const std::int64_t first = index / band_rows * band_rows;
            if (first != filtered) {
                filtered = first;
                start_rows(first, row_states.data());
                static const Cascade<A> none;
                filter_band(RasterBand<S, A, A>{.in = m_in + first * m_in_stride,
                                                .in_stride = m_in_stride,
                                                .out = band.data(),
                                                .out_stride = m_width,
                                                .rows = std::min(band_rows, m_height - first),
                                                .columns = m_width,
                                                .horizontal = &m_horizontal,
                                                .vertical = &none,
                                                .row_states = row_states.data(),
                                                .column_states = nullptr,
                                                .column_states_stride = 0,
                                                .past_caches = false});
            }
            std::copy_n(band.data() + (index - first) * m_width, m_width, out);
        };
        const auto states = start_states(m_job.vertical.front(), m_height, static_cast<std::size_t>(m_width),
                                         m_job.border, m_job.start, load);
        m_column_states.assign(2 * states.size() * static_cast<std::size_t>(m_padded_width), A(0));
        A* to = m_column_states.data();
        for (const SectionState& state : states) {
            for (const auto* values : {&state.s1, &state.s2}) {
                std::ranges::transform(*values, to, [](double value) { return static_cast<A>(value); });
                to += m_padded_width;
            }
        }
    }

    const CpuJob& m_job;
    std::int64_t m_width;
    std::int64_t m_height;
    const S* m_in;
    std::int64_t m_in_stride;
    S* m_out;
    std::int64_t m_out_stride;
    std::int64_t m_strip_width;
    std::int64_t m_bands;
    std::int64_t m_bands_kept;  // whose row states are held; those that no other strip asks for are not
    Cascade<A> m_horizontal;
    Cascade<A> m_vertical;
    std::int64_t m_padded_width;
    std::vector<A> m_row_states;     // band after band, as RasterBand has them
    std::vector<A> m_column_states;  // padded to whole tiles
    std::unique_ptr<Counter[]> m_bands_done;
};

template <class S, class A>
Result<void> run(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                 const RunControl& control) {
    const std::int64_t planes = x.shape.n * x.shape.c;
    const int threads = threads_worth(job, planes * x.shape.w * x.shape.h);
    // With planes enough for all threads one strip each is simplest.
    const std::int64_t wanted = planes >= 4 * threads ? 1 : threads;
    const std::int64_t width =
        round_up(std::max(narrowest_strip, (x.shape.w + wanted - 1) / wanted), tile_columns);
    const std::int64_t strips = (x.shape.w + width - 1) / width;
    const auto make_plane = [&](std::int64_t p) {
        return std::make_unique<RasterPlane<S, A>>(
            job, x.shape, static_cast<const S*>(x.data) + p * x.plane_stride, x.row_stride,
            static_cast<S*>(y.data) + p * y.plane_stride, y.row_stride, width, strips);
    };
    // Those that several strips share: fewer than 4 for each thread.
    std::vector<std::unique_ptr<RasterPlane<S, A>>> shared(strips == 1 ? 0
                                                                       : static_cast<std::size_t>(planes));
    for (std::size_t p = 0; p < shared.size(); ++p) shared[p] = make_plane(static_cast<std::int64_t>(p));
    const std::int64_t bands = planes * strips * ((x.shape.h + band_rows - 1) / band_rows);
    std::atomic<bool> stopped{false};
    const auto stop = [&] {
        if (control.stop.stop_requested()) stopped.store(true, std::memory_order_relaxed);
        return stopped.load(std::memory_order_relaxed);
    };
    const auto caller = std::this_thread::get_id();
    // Strips are taken in order, so that the one on the left of a strip is under way or done.
    std::atomic<std::int64_t> next{0};
    std::atomic<std::int64_t> bands_done{0};
    const RunControl silent{.stop = control.stop};
    const bool done = support::parallel_for(threads, planes * strips, silent, {}, [&](std::int64_t) {
        const support::FlushDenormals flush;
        const std::int64_t item = next.fetch_add(1);
        const auto report = [&] {
            const auto so_far = static_cast<double>(bands_done.fetch_add(1, std::memory_order_relaxed) + 1);
            if (control.progress && std::this_thread::get_id() == caller)
                support::call_out([&] { control.progress(so_far / static_cast<double>(bands)); });
        };
        try {
            if (strips == 1) {
                make_plane(item)->filter_strip(0, stop, report);
            } else {
                shared[static_cast<std::size_t>(item / strips)]->filter_strip(item % strips, stop, report);
            }
        } catch (...) {  // no memory: strips that wait for this one must not wait for ever
            stopped = true;
            throw;
        }
    });
    if (!done || stopped) {
        return std::unexpected(Error{ErrorCode::cancelled, "the filter was cancelled"});
    }
    if (control.progress) control.progress(1.0);
    return {};
}

bool one_causal_pass(const std::vector<Pass>& passes) {
    return passes.size() == 1 && !passes.front().reversed && !passes.front().sections.empty();
}

}  // namespace

bool raster_applies(const CpuJob& job, const Shape& shape) {
    return one_causal_pass(job.horizontal) && one_causal_pass(job.vertical) &&
           !(job.start == Start::steady && is_periodic(job.border)) && shape.w >= narrowest &&
           shape.w <= widest && shape.h >= lowest;
}

Result<void> forward_raster(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control) {
    return with_types(job.precision, [&]<class S, class A>() { return run<S, A>(job, x, y, control); });
}

}  // namespace iir2d::iir
