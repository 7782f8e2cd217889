// SPDX-License-Identifier: MIT
// The gradient of a filter's parameters on the CPU, in three steps a plane: the rows' filter; strips of
// columns, which also give the gradient of what the rows' filter gave; bands of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/iir/adjoint.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/axis_gradient.h"
#include "kernels/iir/dual_filter.h"
#include "kernels/iir/gradient_parts.h"
#include "kernels/iir/gradient_raster.h"
#include "kernels/iir/lane_rows.h"
#include "kernels/support/aligned_array.h"
#include "kernels/support/denormals.h"
#include "kernels/support/object_pool.h"
#include "kernels/support/parallel.h"
#include "kernels/support/prefetch.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// Columns that go through at once: a row's part of them is whole cache lines.
template <class S>
std::int64_t most_columns(std::int64_t height) {
    constexpr std::int64_t long_column = 4096;  // bytes
    return height * static_cast<std::int64_t>(sizeof(S)) > long_column ? 16 : 32;
}
// Up to this gain of the recursions float arithmetic keeps the bound; beyond it the raster's differences of
// costates lose too much even in double.
constexpr double most_gain = 64.0;
// Planes of fewer samples have one thread each.
constexpr std::int64_t small_plane = std::int64_t{1} << 16;

GradientAxis axis_of(const FilterData& data, const std::vector<FilterData>& derivatives,
                     AxisFilter FilterData::*part, bool in_float) {
    std::vector<const AxisFilter*> parts;
    parts.reserve(derivatives.size());
    for (const FilterData& d : derivatives) parts.push_back(&(d.*part));
    return {data.*part, parts, in_float};
}

// Returns whether the product of the gains of the sections' recursions alone is at most `most_gain`.
bool has_small_gain(const AxisFilter& axis) {
    double gain = 1.0;
    for_each_section(axis, [&](const Section& s) {
        if (gain <= most_gain) gain *= recursion_gain_up_to(s, most_gain / gain);
    });
    return gain <= most_gain;
}

// Returns whether a section's output changes with its parameters where the image is flat too, or for enough
// samples behind the borders: the rounding of as many as a line has must stay small beside that.
bool changes_enough(const FilterDesc& desc, const GradientAxis::Part& part) {
    if (std::ranges::none_of(part.derivatives, [](const Section* d) { return depends(*d); })) return true;
    if (part.only < 0) return !desc.filter.normalise_gain;
    const auto longest = static_cast<double>(std::max(desc.shape.h, desc.shape.w));
    // Measured on flat planes: two poles need more, because their sums are larger than what they differ by.
    const double least_gain = part.terms == 3 ? 1.0 + std::max(1.0, 0.02 * std::sqrt(longest))
                                              : 1.0 + std::max(0.25, 0.005 * std::sqrt(longest));
    return recursion_gain_up_to(*part.section, least_gain) >= least_gain;
}

// Where a filter hardly changes with a parameter, with few samples, from a steady start where the image is
// smooth, or with little feedback where it is flat, the sums are small differences of large ones.
bool float_is_enough(const FilterDesc& desc, const FilterData& data,
                     const std::vector<FilterData>& derivatives) {
    constexpr std::int64_t few = 8;
    if (desc.start != Start::truncated || desc.shape.w < few || desc.shape.h < few) return false;
    for (AxisFilter FilterData::*part : {&FilterData::horizontal, &FilterData::vertical}) {
        const GradientAxis axis = axis_of(data, derivatives, part, true);
        for (const GradientAxis::StageParts& stage : axis.stages) {
            for (const auto* cascade : {&stage.sections, &stage.causal, &stage.anticausal}) {
                const auto enough = [&](const GradientAxis::Part& p) { return changes_enough(desc, p); };
                if (!std::ranges::all_of(*cascade, enough)) return false;
            }
        }
        if (!has_small_gain(data.*part)) return false;
    }
    return true;
}

// A plane in strips of neighbouring columns, each of which lies together, row after row: columns of a plane
// lie so far apart that few of them stay in cache.
template <class S>
class Strips {
  public:
    Strips(std::int64_t width, std::int64_t height, std::int64_t columns)
        : m_width(width),
          m_height(height),
          m_columns(columns),
          m_data(static_cast<std::size_t>(width * height)) {}

    std::int64_t count() const { return (m_width + m_columns - 1) / m_columns; }
    std::int64_t first(std::int64_t strip) const { return strip * m_columns; }
    std::int64_t columns(std::int64_t strip) const { return std::min(m_columns, m_width - first(strip)); }
    LaneRows<S> rows(std::int64_t strip) const {
        return {m_data.data() + first(strip) * m_height, columns(strip)};
    }
    // Has the system give the pages of a large plane, some at a time. A band of rows lies in all strips:
    // without this the first band would wait for all pages, and whoever stops the run with it. False when it
    // was stopped.
    bool touch(int threads, const RunControl& control, support::ProgressRange range) const {
        constexpr std::int64_t page = 4096 / sizeof(S);
        constexpr std::int64_t chunk = (std::int64_t{8} << 20) / sizeof(S);
        const std::int64_t samples = m_width * m_height;
        if (samples <= 4 * chunk) return true;
        return support::parallel_for(threads, (samples + chunk - 1) / chunk, control, range,
                                     [&](std::int64_t i) {
                                         const std::int64_t end = std::min(samples, (i + 1) * chunk);
                                         for (std::int64_t at = i * chunk; at < end; at += page)
                                             m_data.data()[at] = S{};
                                     });
    }
    // Asks for rows of the strip, if there is one, which lie too far away for the processor to see them
    // coming.
    template <support::Access Use>
    void prefetch(std::int64_t strip, std::int64_t first_row, std::int64_t count) const {
        if (strip >= this->count()) return;
        constexpr std::int64_t line = 64 / sizeof(S);
        const S* from = rows(strip).at(first_row);
        for (std::int64_t i = 0; i < count * columns(strip); i += line) support::prefetch<Use>(from + i);
    }

  private:
    std::int64_t m_width;
    std::int64_t m_height;
    std::int64_t m_columns;
    support::AlignedArray<S> m_data;
};

// A is what it computes in.
template <class S, class A>
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
        m_columns.n = desc.shape.h;
        m_columns.constant = steady ? desc.border_const * dc_gain(data.horizontal) : desc.border_const;
        if (GradientRaster<S, A>::suits(m_columns) && has_small_gain(data.vertical))
            m_raster.emplace(m_rows, m_columns);
    }

    // The gradient of each parameter for one plane. False when it was stopped.
    bool run(const LaneRows<const S>& x, const LaneRows<const S>& dy, int threads, const RunControl& control,
             support::ProgressRange range, std::span<double> gradient) const {
        std::ranges::fill(gradient, 0.0);
        double constant = 0.0;  // the gradient of what the columns read outside
        const bool done = m_raster ? m_raster->run(x, dy, threads, control, range, gradient, constant)
                                   : run_in_strips(x, dy, threads, control, range, gradient, constant);
        if (!done) return false;
        if (m_desc.start != Start::steady) return true;
        for (std::size_t p = 0; p < gradient.size(); ++p) {
            const double change = dc_gain_derivative(m_data.horizontal, m_derivatives[p].horizontal);
            if (change != 0.0) gradient[p] += m_desc.border_const * constant * change;
        }
        return true;
    }

  private:
    // Any filter: rows, then strips of columns, then rows again.
    bool run_in_strips(const LaneRows<const S>& x, const LaneRows<const S>& dy, int threads,
                       const RunControl& control, support::ProgressRange range, std::span<double> gradient,
                       double& constant) const {
        const std::int64_t w = m_desc.shape.w;
        const std::int64_t h = m_desc.shape.h;
        const auto part_of = [&](double from, double to) {
            const double length = range.to - range.from;
            return support::ProgressRange{range.from + from * length, range.from + to * length};
        };
        // What the rows' filter gives; then, strip by strip, the gradient of that.
        const Strips<S> between(w, h, std::min(most_columns<S>(h), w));
        const std::int64_t band_rows = std::min(gradient_rows, h);
        const std::int64_t bands = (h + band_rows - 1) / band_rows;
        const int band_threads = threads_for_bands(bands, threads);
        support::ObjectPool<Band<S, A>> band_memory;
        // Calls body(band's memory, its first row, its number of rows, its index) for each band, of which `u`
        // is x.
        const auto each_band = [&](support::ProgressRange share, const auto& body) {
            return support::parallel_for(band_threads, bands, control, share, [&](std::int64_t i) {
                const support::FlushDenormals flush;
                const auto band = band_memory.borrow(m_rows, band_rows);
                const std::int64_t first = i * band_rows;
                const std::int64_t count = std::min(band_rows, h - first);
                rows_to_lanes(count, w, {x.at(first), x.stride}, band->u());
                body(*band, first, count, i);
            });
        };
        if (!between.touch(threads, control, part_of(0.0, 0.05))) return false;
        const bool across = each_band(
            part_of(0.05, 0.2), [&](Band<S, A>& band, std::int64_t first, std::int64_t count, std::int64_t) {
                const LaneRows<const S> y = band.gradient().filter(count, as_input(band.u()));
                for (std::int64_t s = 0; s < between.count(); ++s) {
                    const LaneRows<S> strip = between.rows(s);
                    between.template prefetch<support::Access::write>(s + 1, first, count);
                    rows_to_lanes(between.columns(s), count, {y.at(between.first(s)), y.stride},
                                  {strip.at(first), strip.stride});
                }
            });
        if (!across) return false;

        Parts columns(between.count(), gradient.size());
        support::ObjectPool<AxisGradient<S, A>> strip_memory;
        const bool down =
            support::parallel_for(threads, between.count(), control, part_of(0.2, 0.6), [&](std::int64_t i) {
                const support::FlushDenormals flush;
                const auto strip = strip_memory.borrow(m_columns, between.columns(0));
                const LaneRows<S> u = between.rows(i);
                strip->add(between.columns(i), as_input(u), {dy.first + between.first(i), dy.stride}, u,
                           columns.sums(i), columns.constant(i));
            });
        if (!down) return false;
        columns.add_to(gradient, constant);

        Parts rows(bands, gradient.size());
        const bool along = each_band(
            part_of(0.6, 1.0), [&](Band<S, A>& band, std::int64_t first, std::int64_t count, std::int64_t i) {
                for (std::int64_t s = 0; s < between.count(); ++s) {
                    const LaneRows<S> strip = between.rows(s);
                    between.template prefetch<support::Access::read>(s + 1, first, count);
                    rows_to_lanes(count, between.columns(s), {strip.at(first), strip.stride},
                                  {band.g().at(between.first(s)), band.g().stride});
                }
                band.gradient().add(count, as_input(band.u()), as_input(band.g()), {}, rows.sums(i),
                                    rows.constant(i));
            });
        if (!along) return false;
        double border_const = 0.0;  // its own gradient, which nobody asks for
        rows.add_to(gradient, border_const);
        return true;
    }

    GradientAxis axis(AxisFilter FilterData::*part) const {
        GradientAxis result = axis_of(m_data, m_derivatives, part, sizeof(A) == sizeof(float));
        result.border = m_desc.border;
        result.start = m_desc.start;
        return result;
    }

    const FilterDesc& m_desc;
    const FilterData& m_data;
    const std::vector<FilterData>& m_derivatives;
    GradientAxis m_rows;
    GradientAxis m_columns;
    std::optional<GradientRaster<S, A>> m_raster;  // where it can be
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

// Returns whether there is a sample that is not 0 and none is large enough for products in float.
bool is_tiny(const LaneRows<const float>& plane, const Shape& shape) {
    constexpr float least = 1e-15F;
    bool any = false;
    for (std::int64_t y = 0; y < shape.h; ++y) {
        for (const float v : std::span(plane.at(y), static_cast<std::size_t>(shape.w))) {
            if (!(std::abs(v) < least)) return false;
            any = any || v != 0.0F;
        }
    }
    return any;
}

// A plane's gradient in float, or in double where products in float overflow or vanish.
class PlaneInFloat {
  public:
    PlaneInFloat(const FilterDesc& desc, const FilterData& data, const std::vector<FilterData>& derivatives)
        : m_desc(desc), m_data(data), m_derivatives(derivatives), m_in_float(desc, data, derivatives) {}

    bool run(const LaneRows<const float>& x, const LaneRows<const float>& dy, int threads,
             const RunControl& control, support::ProgressRange range, std::span<double> gradient) const {
        if (!is_tiny(x, m_desc.shape) && !is_tiny(dy, m_desc.shape)) {
            if (!m_in_float.run(x, dy, threads, control, range, gradient)) return false;
            if (std::ranges::all_of(gradient, [](double g) { return std::isfinite(g); })) return true;
        }
        // Progress does not go back where it is the second run.
        const PlaneGradient<float, double> in_double(m_desc, m_data, m_derivatives);
        return in_double.run(x, dy, threads, control, {range.to, range.to}, gradient);
    }

  private:
    const FilterDesc& m_desc;
    const FilterData& m_data;
    const std::vector<FilterData>& m_derivatives;
    PlaneGradient<float, float> m_in_float;
};

template <class S, class Gradient>
bool run(const FilterDesc& desc, const FilterData& data, const std::vector<FilterData>& derivatives,
         const ConstTensorView& x, const ConstTensorView& dy, std::span<double> dp, int threads,
         const RunControl& control) {
    const Gradient gradient_of(desc, data, derivatives);
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
                                     [&](std::int64_t p) { run_plane(p, 1, stop_only, {}); });
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
    if (read.precision == Precision::f32 && !float_is_enough(read, data, *derivatives))
        read.precision = Precision::mixed;
    const bool done = with_types(read.precision, [&]<class S, class A>() {
        using Gradient = std::conditional_t<sizeof(A) == sizeof(float), PlaneInFloat, PlaneGradient<S, A>>;
        return run<S, Gradient>(read, data, *derivatives, x, dy, dp, threads, control);
    });
    if (!done) return std::unexpected(Error{ErrorCode::cancelled, "the gradient was cancelled"});
    if (control.progress) control.progress(1.0);
    return {};
}

}  // namespace iir2d::iir
