// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "kernels/pool/backward.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/gradient.h"
#include "kernels/pool/row_ring.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

using element::load;
using element::store;

template <class T>
Planes<const T> planes_of(const ConstTensorView& view) {
    return {static_cast<const T*>(view.data), view.row_stride, view.plane_stride};
}
template <class T>
Planes<T> planes_of(const TensorView& view) {
    return {static_cast<T*>(view.data), view.row_stride, view.plane_stride};
}

template <class T>
struct Job {
    const PoolDesc& desc;
    const PoolGeometry& geometry;
    Planes<const T> x, y, dy;
    Planes<T> dx;
    const std::int64_t* argmax;
};

// Gradients that are a product of something of the element and a sum of something of its windows: the sums of
// a window row are spread along x once and then added up along y, windows in rising order both times.
template <class T, class Acc, GradientOp Op>
class SpreadKernel {
  public:
    explicit SpreadKernel(const Job<T>& job)
        : m_job(job),
          m_sums(static_cast<std::size_t>(job.geometry.x.in)),
          m_shares(static_cast<std::size_t>(job.geometry.x.out)),
          m_ring(transposed(job.geometry.y), m_sums.size() * sizeof(Acc)),
          m_spread(m_ring.slots() * m_sums.size()) {
        // The same for every row; finding them takes divisions.
        const AxisWindows& axis = job.geometry.x;
        for (std::int64_t o = 0; o < axis.out; ++o) m_taps.push_back(axis.taps(o));
        if constexpr (Op == GradientOp::avg) {
            for (std::int64_t o = 0; o < axis.out; ++o) m_counts.push_back(count(axis, o));
        }
    }

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& axis = m_job.geometry.y;
        std::ranges::fill(m_sums, Acc(0));
        const IndexRange rows = axis.windows_near(iy);
        for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
            if (!axis.has_tap(oy, iy)) continue;
            const RowRing::Slot slot = m_ring.take(plane, axis.out, oy);
            Acc* spread = m_spread.data() + slot.index * m_sums.size();
            if (!slot.holds_row) spread_row(plane, oy, spread);
            for (std::size_t i = 0; i < m_sums.size(); ++i) m_sums[i] += spread[i];
        }
        T* out = m_job.dx.row(plane, iy);
        for (std::size_t i = 0; i < m_sums.size(); ++i) out[i] = store<T>(gradient(plane, iy, i));
    }

  private:
    // Window rows that an input row has, as the ring counts input rows that a window has.
    static AxisWindows transposed(const AxisWindows& axis) {
        return {.in = axis.out, .out = axis.in, .window = axis.most_windows_near()};
    }

    Acc gradient(std::int64_t plane, std::int64_t iy, std::size_t i) const {
        if constexpr (Op == GradientOp::lp1) return lp1_gradient(x_at(plane, iy, i), m_sums[i]);
        if constexpr (Op == GradientOp::lp2) return lp2_gradient(x_at(plane, iy, i), m_sums[i]);
        return m_sums[i];
    }
    Acc x_at(std::int64_t plane, std::int64_t iy, std::size_t i) const {
        return load<Acc>(m_job.x.row(plane, iy)[i]);
    }

    // Of an average: what divides along an axis.
    Acc count(const AxisWindows& along, std::int64_t o) const {
        return static_cast<Acc>(m_job.desc.count_include_pad
                                    ? along.padded_count(o)
                                    : std::max<std::int64_t>(along.taps(o).count, 1));
    }

    void make_shares(std::int64_t plane, std::int64_t oy) {
        const T* dy = m_job.dy.row(plane, oy);
        const auto width = static_cast<std::int64_t>(m_shares.size());
        if constexpr (Op == GradientOp::avg) {
            const auto& given = m_job.desc.divisor_override;
            const Acc rows = given ? static_cast<Acc>(*given) : count(m_job.geometry.y, oy);
            for (std::int64_t o = 0; o < width; ++o) {
                const Acc divisor = given ? rows : rows * m_counts[static_cast<std::size_t>(o)];
                m_shares[static_cast<std::size_t>(o)] = avg_share(load<Acc>(dy[o]), divisor);
            }
        } else {
            const T* y = m_job.y.row(plane, oy);
            for (std::int64_t o = 0; o < width; ++o) {
                const auto share = Op == GradientOp::lp1 ? lp1_share : lp2_share;
                m_shares[static_cast<std::size_t>(o)] = share(load<Acc>(dy[o]), load<Acc>(y[o]));
            }
        }
    }

    void spread_row(std::int64_t plane, std::int64_t oy, Acc* spread) {
        const AxisWindows& axis = m_job.geometry.x;
        make_shares(plane, oy);
        std::fill_n(spread, axis.in, Acc(0));
        for (std::int64_t o = 0; o < axis.out; ++o) {
            const Acc share = m_shares[static_cast<std::size_t>(o)];
            const Taps taps = m_taps[static_cast<std::size_t>(o)];
            Acc* to = spread + taps.first;
            for (std::int64_t k = 0; k < taps.count; ++k) to[k * taps.step] += share;
        }
    }

    Job<T> m_job;
    std::vector<Acc> m_sums;
    std::vector<Acc> m_shares;
    RowRing m_ring;
    std::vector<Acc> m_spread;  // of the rows in the ring
    std::vector<Taps> m_taps;   // along x
    std::vector<Acc> m_counts;
};

// Gradients in which element and window do not come apart.
template <class T>
class PairKernel {
  public:
    explicit PairKernel(const Job<T>& job) : m_job(job) {}

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& rows = m_job.geometry.y;
        const AxisWindows& columns = m_job.geometry.x;
        const T* x = m_job.x.row(plane, iy);
        T* out = m_job.dx.row(plane, iy);
        const IndexRange near_y = rows.windows_near(iy);
        for (std::int64_t ix = 0; ix < columns.in; ++ix) {
            const auto value = load<double>(x[ix]);
            const IndexRange near_x = columns.windows_near(ix);
            double sum = 0.0;
            for (std::int64_t oy = near_y.begin; oy < near_y.end; ++oy) {
                if (!rows.has_tap(oy, iy)) continue;
                const T* y = m_job.y.row(plane, oy);
                const T* dy = m_job.dy.row(plane, oy);
                double row = 0.0;
                for (std::int64_t ox = near_x.begin; ox < near_x.end; ++ox) {
                    if (columns.has_tap(ox, ix))
                        row += lp_pair(value, load<double>(y[ox]), load<double>(dy[ox]), m_job.desc.p);
                }
                sum += row;
            }
            out[ix] = store<T>(sum);
        }
    }

  private:
    Job<T> m_job;
};

// Each window has one element to give to: those of the windows near a row that give to that row are looked
// for, in row-major order.
template <class T, class Acc>
class MaxGradientKernel {
  public:
    explicit MaxGradientKernel(const Job<T>& job)
        : m_job(job), m_sums(static_cast<std::size_t>(job.geometry.x.in) + bins) {}

    void make_row(std::int64_t plane, std::int64_t iy) {
        const PoolGeometry& g = m_job.geometry;
        std::ranges::fill(m_sums, Acc(0));
        const auto width = static_cast<std::uint64_t>(g.x.in);
        const std::int64_t first = iy * g.x.in;
        const IndexRange rows = g.y.windows_near(iy);
        for (std::int64_t oy = rows.begin; oy < rows.end; ++oy) {
            const T* dy = m_job.dy.row(plane, oy);
            const std::int64_t* argmax = m_job.argmax + (plane * g.y.out + oy) * g.x.out;
            Acc* const sums = m_sums.data();
            for (std::int64_t ox = 0; ox < g.x.out; ++ox) {
                const auto column = static_cast<std::uint64_t>(argmax[ox] - first);
                const std::uint64_t bin = width + static_cast<std::uint64_t>(ox) % bins;
                // Of a choice compilers make a branch.
                const std::uint64_t here = std::uint64_t{0} - static_cast<std::uint64_t>(column < width);
                sums[bin ^ ((bin ^ column) & here)] += load<Acc>(dy[ox]);
            }
        }
        T* out = m_job.dx.row(plane, iy);
        for (std::uint64_t i = 0; i < width; ++i) out[i] = store<T>(m_sums[i]);
    }

  private:
    // Behind the row, for what goes to other rows: which one a window gives to cannot be foreseen, and a
    // mispredicted branch takes longer than an addition. Several, so that these do not wait for each other.
    static constexpr std::uint64_t bins = 8;

    Job<T> m_job;
    std::vector<Acc> m_sums;
};

template <class Kernel, class T>
Result<void> run(const Job<T>& job, int threads, const RunControl& control) {
    const PoolGeometry& g = job.geometry;
    const std::int64_t rows = g.planes() * g.y.in;
    // Enough elements to hide a task's set-up, and rows enough that window rows which two tasks both spread
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
        for (std::int64_t row = task * step; row < end; ++row) {
            if (control.stop.stop_requested()) {
                stopped = true;
                return;
            }
            kernel.make_row(row / g.y.in, row % g.y.in);
        }
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
            return wide ? run<MaxGradientKernel<T, double>>(job, threads, control)
                        : run<MaxGradientKernel<T, float>>(job, threads, control);
        case PoolOp::avg:
        case PoolOp::adaptive_avg:
            return wide ? run<SpreadKernel<T, double, GradientOp::avg>>(job, threads, control)
                        : run<SpreadKernel<T, float, GradientOp::avg>>(job, threads, control);
        case PoolOp::lp:
            break;
    }
    if (desc.p == 1.0) return run<SpreadKernel<T, double, GradientOp::lp1>>(job, threads, control);
    if (divides_in_pairs(desc)) return run<PairKernel<T>>(job, threads, control);
    return run<SpreadKernel<T, double, GradientOp::lp2>>(job, threads, control);
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

Result<void> backward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const Backward& data,
                          int threads, const RunControl& control) try {
    return with_storage(desc.element, [&]<class T>() {
        const Job<T> job{desc,
                         geometry,
                         planes_of<T>(data.x),
                         planes_of<T>(data.y),
                         planes_of<T>(data.dy),
                         planes_of<T>(data.dx),
                         data.argmax};
        return run_typed<T>(job, backward_accumulator(desc, geometry), threads, control);
    });
} catch (const std::bad_alloc&) {
    return std::unexpected(
        Error{ErrorCode::workspace_error, "pooling backward: not enough memory for the rows in work"});
}

}  // namespace iir2d::pool
