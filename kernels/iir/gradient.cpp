// SPDX-License-Identifier: MIT
// The gradient of a filter's parameters on the CPU, in three steps a plane: the rows' filter; strips of
// columns, which also give the gradient of what the rows' filter gave; bands of rows.
#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "kernels/iir/adjoint.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/axis_gradient.h"
#include "kernels/iir/dual_filter.h"
#include "kernels/iir/sweeps.h"
#include "kernels/support/aligned_array.h"
#include "kernels/support/denormals.h"
#include "kernels/support/object_pool.h"
#include "kernels/support/parallel.h"
#include "kernels/support/prefetch.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// Columns that go through at once: whole cache lines of each row, vectors enough to hide the latency of one
// chain, and few enough that what is kept of them stays in cache.
constexpr std::int64_t strip_lanes = 32;
// Planes of fewer samples have one thread each.
constexpr std::int64_t small_plane = std::int64_t{1} << 16;

// Gradients of strips or bands, which are added in their order, whoever found them.
class Parts {
  public:
    Parts(std::int64_t count, std::size_t parameters)
        : m_parameters(parameters),
          m_gradients(static_cast<std::size_t>(count) * parameters),
          m_constants(static_cast<std::size_t>(count)) {}

    std::span<double> gradient(std::int64_t part) {
        return std::span(m_gradients).subspan(static_cast<std::size_t>(part) * m_parameters, m_parameters);
    }
    double& constant(std::int64_t part) { return m_constants[static_cast<std::size_t>(part)]; }

    void add_to(std::span<double> gradient, double& constant) const {
        for (std::size_t i = 0; i < m_gradients.size(); ++i) gradient[i % m_parameters] += m_gradients[i];
        for (const double c : m_constants) constant += c;
    }

  private:
    std::size_t m_parameters;
    std::vector<double> m_gradients;
    std::vector<double> m_constants;
};

// Neighbouring lines of an axis, beside each other in memory of one thread's: samples of columns lie so far
// apart in the plane that few of them stay in cache.
template <class S>
class Lines {
  public:
    Lines(const GradientAxis& axis, std::int64_t lanes)
        : m_n(axis.n), m_stride(lanes), m_gradient(axis, lanes), m_u(size()), m_g(size()) {}

    // The axis's input, and the gradient of its output.
    S* u() const { return m_u.data(); }
    S* g() const { return m_g.data(); }

    void take(std::int64_t lanes, const LaneRows<const S>& u, const LaneRows<const S>& g) {
        copy(lanes, u, m_u.data());
        copy(lanes, g, m_g.data());
    }

    void add(std::int64_t lanes, const LaneRows<S>& out, std::span<double> gradient, double& constant) {
        m_gradient.add(lanes, {m_u.data(), m_stride}, {m_g.data(), m_stride}, out, gradient, constant);
    }

  private:
    std::size_t size() const { return static_cast<std::size_t>(m_n * m_stride); }

    // Rows lie too far apart for the processor to see what comes next.
    void copy(std::int64_t lanes, const LaneRows<const S>& from, S* to) const {
        constexpr std::int64_t rows_ahead = 8;
        constexpr std::int64_t line = 64 / sizeof(S);
        for (std::int64_t i = 0; i < m_n; ++i, to += m_stride) {
            const S* row = from.at(i);
            const S* next = from.at(std::min(i + rows_ahead, m_n - 1));
            for (std::int64_t l = 0; l < lanes; l += line) support::prefetch(next + l);
            for (std::int64_t l = 0; l < lanes; ++l) to[l] = row[l];
        }
    }

    std::int64_t m_n;
    std::int64_t m_stride;
    AxisGradient<S> m_gradient;
    support::AlignedArray<S> m_u;
    support::AlignedArray<S> m_g;
};

template <class S>
class PlaneGradient {
  public:
    PlaneGradient(const FilterDesc& desc, const FilterData& data, const std::vector<FilterData>& derivatives)
        : m_desc(desc),
          m_data(data),
          m_derivatives(derivatives),
          m_rows(axis(&FilterData::horizontal)),
          m_columns(axis(&FilterData::vertical)) {
        const bool steady = desc.start == Start::steady;
        m_rows.n = desc.shape.w;
        m_rows.constant = desc.border_const;
        m_rows.block = desc.shape.w;  // a band is one line in memory
        m_columns.n = desc.shape.h;
        m_columns.constant = steady ? desc.border_const * dc_gain(data.horizontal) : desc.border_const;
        FilterDesc one = desc;
        one.shape = {.h = desc.shape.h, .w = desc.shape.w};
        // In double also for f32: what the rows' filter rounds would count in every column.
        if (one.precision == Precision::f32) one.precision = Precision::mixed;
        m_across = make_cpu_job(one, {data.horizontal, {}}, 1);
    }

    // The gradient of each parameter for one plane. False when it was stopped.
    bool run(const LaneRows<const S>& x, const LaneRows<const S>& dy, int threads, const RunControl& control,
             support::ProgressRange range, std::span<double> gradient) const {
        const std::int64_t w = m_desc.shape.w;
        const std::int64_t h = m_desc.shape.h;
        const support::FlushDenormals flush;
        // What the rows' filter gives; then, strip by strip, the gradient of that.
        const support::AlignedArray<S> between(static_cast<std::size_t>(w * h));
        const ElementType type = sizeof(S) == sizeof(double) ? ElementType::f64 : ElementType::f32;
        CpuJob across = m_across;
        across.threads = threads;
        const Shape plane{.h = h, .w = w};
        RunControl rows_control{.stop = control.stop};
        if (control.progress) {
            rows_control.progress = [&](double fraction) {
                control.progress(range.from + 0.2 * fraction * (range.to - range.from));
            };
        }
        if (!forward_cpu(across, {x.first, type, plane, x.stride, h * x.stride},
                         {between.data(), type, plane, w, w * h}, rows_control))
            return false;

        const auto part_of = [&](double from, double to) {
            const double length = range.to - range.from;
            return support::ProgressRange{range.from + from * length, range.from + to * length};
        };
        std::ranges::fill(gradient, 0.0);
        double constant = 0.0;
        const std::int64_t strips = (w + strip_lanes - 1) / strip_lanes;
        Parts columns(strips, gradient.size());
        support::ObjectPool<Lines<S>> strip_memory;
        const bool down =
            support::parallel_for(threads, strips, control, part_of(0.2, 0.6), [&](std::int64_t i) {
                const support::FlushDenormals flush_here;
                const auto lines = strip_memory.borrow(m_columns, std::min(strip_lanes, w));
                const std::int64_t first = i * strip_lanes;
                const std::int64_t count = std::min(strip_lanes, w - first);
                const LaneRows<S> strip{between.data() + first, w};
                lines->take(count, {strip.first, w}, {dy.first + first, dy.stride});
                lines->add(count, strip, columns.gradient(i), columns.constant(i));
            });
        if (!down) return false;
        columns.add_to(gradient, constant);

        const std::int64_t bands = (h + band_rows - 1) / band_rows;
        Parts rows(bands, gradient.size());
        support::ObjectPool<Lines<S>> band_memory;
        const bool along =
            support::parallel_for(threads, bands, control, part_of(0.6, 1.0), [&](std::int64_t i) {
                const support::FlushDenormals flush_here;
                const auto lines = band_memory.borrow(m_rows, band_rows);
                const std::int64_t first = i * band_rows;
                const std::int64_t count = std::min(band_rows, h - first);
                to_line(x.at(first), x.stride, count, lines->u());
                to_line(between.data() + first * w, w, count, lines->g());
                lines->add(count, {}, rows.gradient(i), rows.constant(i));
            });
        if (!along) return false;
        double border_const = 0.0;  // its own gradient, which nobody asks for
        rows.add_to(gradient, border_const);
        if (m_desc.start != Start::steady) return true;
        for (std::size_t p = 0; p < gradient.size(); ++p) {
            gradient[p] += m_desc.border_const * constant *
                           dc_gain_derivative(m_data.horizontal, m_derivatives[p].horizontal);
        }
        return true;
    }

  private:
    GradientAxis axis(AxisFilter FilterData::*part) const {
        std::vector<const AxisFilter*> parts;
        parts.reserve(m_derivatives.size());
        for (const FilterData& d : m_derivatives) parts.push_back(&(d.*part));
        GradientAxis result(m_data.*part, parts);
        result.border = m_desc.border;
        result.start = m_desc.start;
        return result;
    }

    // Neighbouring rows become neighbouring lanes, band_rows of them.
    void to_line(const S* rows, std::int64_t stride, std::int64_t count, S* line) const {
        RowsSweep<S, S> move{.rows = count, .columns = m_desc.shape.w};
        move.in = rows;
        move.in_stride = stride;
        move.to = line;
        sweep_rows(move);
    }

    const FilterDesc& m_desc;
    const FilterData& m_data;
    const std::vector<FilterData>& m_derivatives;
    GradientAxis m_rows;
    GradientAxis m_columns;
    CpuJob m_across;
};

}  // namespace

std::vector<double> zeros_for_planes(std::int64_t planes, std::size_t count) {
    std::vector<double> sums;
    // Planes that repeat need no memory of the caller's: their number may be more than any memory holds.
    if (count > 0 && static_cast<std::size_t>(planes) > sums.max_size() / count) throw std::bad_alloc();
    sums.resize(static_cast<std::size_t>(planes) * count);
    return sums;
}

namespace {

template <class S>
bool run(const FilterDesc& desc, const FilterData& data, const std::vector<FilterData>& derivatives,
         const ConstTensorView& x, const ConstTensorView& dy, std::span<double> dp, int threads,
         const RunControl& control) {
    const PlaneGradient<S> gradient_of(desc, data, derivatives);
    const std::int64_t planes = x.shape.n * x.shape.c;
    const std::size_t count = dp.size();
    std::vector<double> of_planes = zeros_for_planes(planes, count);
    const auto run_plane = [&](std::int64_t p, int plane_threads, const RunControl& plane_control,
                               support::ProgressRange range) {
        const auto rows = [p](const ConstTensorView& view) {
            return LaneRows<const S>{static_cast<const S*>(view.data) + support::plane_offset(view, p),
                                     view.row_stride};
        };
        return gradient_of.run(rows(x), rows(dy), plane_threads, plane_control, range,
                               std::span(of_planes).subspan(static_cast<std::size_t>(p) * count, count));
    };
    bool done = true;
    if (planes > 1 && x.shape.h * x.shape.w < small_plane) {
        const RunControl stop_only{.stop = control.stop};
        done = support::parallel_for(threads, planes, control, {},
                                     [&](std::int64_t p) { run_plane(p, 1, stop_only, {}); }) &&
               !control.stop.stop_requested();
    } else {
        const double share = 1.0 / static_cast<double>(planes);
        for (std::int64_t p = 0; p < planes && done; ++p) {
            const double from = static_cast<double>(p) * share;
            const bool worth_it = x.shape.h * x.shape.w >= small_plane;
            done = run_plane(p, worth_it ? threads : 1, control, {from, from + share});
        }
    }
    if (!done) return false;
    std::ranges::fill(dp, 0.0);
    for (std::int64_t p = 0; p < planes; ++p) {
        for (std::size_t k = 0; k < count; ++k) dp[k] += of_planes[static_cast<std::size_t>(p) * count + k];
    }
    return true;
}

}  // namespace

Result<void> gradient_cpu(const FilterDesc& desc, const FilterData& data, const ConstTensorView& x,
                          const ConstTensorView& dy, std::span<double> dp, int threads,
                          const RunControl& control) {
    const auto derivatives = filter_derivatives(desc.filter);
    if (!derivatives) return std::unexpected(derivatives.error());
    FilterDesc read = desc;
    if (read.border != Border::constant) read.border_const = 0.0;  // is not read, and may be a NaN
    const bool done = read.precision == Precision::f64
                          ? run<double>(read, data, *derivatives, x, dy, dp, threads, control)
                          : run<float>(read, data, *derivatives, x, dy, dp, threads, control);
    if (!done) return std::unexpected(Error{ErrorCode::cancelled, "the gradient was cancelled"});
    if (control.progress) control.progress(1.0);
    return {};
}

}  // namespace iir2d::iir
