// SPDX-License-Identifier: MIT
#include "kernels/iir/plan_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "iir2d/try.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/coefficients.h"
#include "kernels/support/describe.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

// The largest that inputs in [0, 1] can become along an axis: the product of the cascades' worst gains.
double largest_output(const AxisFilter& axis) {
    const auto cascade = [](const std::vector<Section>& sections) {
        double gain = 1.0;
        for (const Section& s : sections) gain *= iir::peak_gain(s);
        return gain;
    };
    double gain = 1.0;
    for (const Stage& stage : axis.stages) {
        gain *= stage.kind == Stage::Kind::sum ? cascade(stage.causal) + cascade(stage.anticausal)
                                               : cascade(stage.sections);
    }
    return gain;
}

bool is_known(auto value, int last) {
    return static_cast<int>(value) >= 0 && static_cast<int>(value) <= last;
}

// What the backends rely on, of data that no row of the table made.
Result<void> check_section(const Section& s) {
    const auto wrong = [](const std::string& what) {
        return bad(ErrorCode::invalid_argument, "a section of the filter " + what);
    };
    if (s.order < 0 || s.order > 2) return wrong("has order " + std::to_string(s.order) + ": use 0 to 2");
    const bool finite = std::ranges::all_of(s.b, [](double v) { return std::isfinite(v); }) &&
                        std::ranges::all_of(s.a, [](double v) { return std::isfinite(v); }) &&
                        std::ranges::all_of(s.start_b, [](double v) { return std::isfinite(v); });
    if (!finite) return wrong("has a coefficient that is not finite");
    const bool beyond = (s.order < 2 && (s.b[2] != 0.0 || s.a[1] != 0.0)) ||
                        (s.order < 1 && (s.b[1] != 0.0 || s.a[0] != 0.0));
    if (beyond) return wrong("has coefficients beyond its order " + std::to_string(s.order));
    if (const double radius = pole_radius(s); radius >= 1.0) {
        return wrong("is unstable: a pole has magnitude " + support::describe(radius) +
                     ", and it must be below 1");
    }
    return {};
}

Result<void> check_stage(const Stage& stage) {
    if (!is_known(stage.kind, 2))
        return bad(ErrorCode::invalid_argument, "a stage of the filter is of no kind");
    const bool sum = stage.kind == Stage::Kind::sum;
    if (sum ? stage.causal.empty() || stage.anticausal.empty() || !stage.sections.empty()
            : stage.sections.empty() || !stage.causal.empty() || !stage.anticausal.empty()) {
        return bad(ErrorCode::invalid_argument,
                   sum ? "a stage of the filter is a sum: it needs a causal and an anticausal cascade"
                       : "a stage of the filter is a cascade: it needs sections, and no sum's");
    }
    for (const auto* cascade : {&stage.sections, &stage.causal, &stage.anticausal}) {
        for (const Section& s : *cascade) {
            if (auto good = check_section(s); !good) return good;
        }
    }
    return {};
}

Result<void> check_data(const FilterDesc& desc) {
    const auto sets = static_cast<std::int64_t>(desc.data.size());
    const std::int64_t planes = desc.shape.n * desc.shape.c;
    if (sets != 1 && sets != planes) {
        return bad(ErrorCode::invalid_argument, "data has " + std::to_string(sets) +
                                                    " filters: give 1, or one for each of the " +
                                                    std::to_string(planes) + " planes");
    }
    for (const FilterData& filter : desc.data) {
        for (const AxisFilter* axis : {&filter.horizontal, &filter.vertical}) {
            if (axis->stages.empty())
                return bad(ErrorCode::invalid_argument, "an axis of the filter has no stage");
            for (const Stage& stage : axis->stages) {
                if (auto good = check_stage(stage); !good) return good;
            }
        }
    }
    return {};
}

bool is_stable_in_float(const FilterData& filter) {
    double radius = 0.0;
    for (const AxisFilter* axis : {&filter.horizontal, &filter.vertical}) {
        for_each_section(
            *axis, [&](const Section& s) { radius = std::max(radius, pole_radius(rounded_to_float(s))); });
    }
    return radius < 1.0;
}

}  // namespace

Result<void> check_shape(const FilterDesc& desc) {
    const std::pair<const char*, std::int64_t> sizes[] = {
        {"n", desc.shape.n}, {"c", desc.shape.c}, {"height", desc.shape.h}, {"width", desc.shape.w}};
    // Results of 16-bit elements are made in f32.
    auto bytes = static_cast<std::int64_t>(
        std::max(element_size(storage_type(desc.precision)), element_size(element_of(desc))));
    for (const auto& [name, size] : sizes) {
        if (size < 1) {
            return bad(ErrorCode::invalid_dimension,
                       std::string(name) + " is " + std::to_string(size) + ": it must be at least 1");
        }
        if (size > std::numeric_limits<std::int64_t>::max() / bytes) {
            return bad(ErrorCode::invalid_dimension,
                       "shape " + support::describe(desc.shape) + " needs more bytes than 63 bits can count");
        }
        bytes *= size;
    }
    return {};
}

Result<void> check_choices(const FilterDesc& desc) {
    const auto unknown = [](ErrorCode code, const char* name, auto value, const char* known) {
        return bad(code, std::string(name) + " " + std::to_string(static_cast<int>(value)) +
                             " is unknown: use " + known);
    };
    if (!is_known(desc.border, 3))
        return unknown(ErrorCode::invalid_border_mode, "border mode", desc.border, "0 to 3");
    if (!is_known(desc.precision, 2))
        return unknown(ErrorCode::invalid_precision, "precision", desc.precision, "0 to 2");
    const ElementType element = element_of(desc);
    if (!is_known(element, 3)) return unknown(ErrorCode::invalid_precision, "element", element, "0 to 3");
    if ((element == ElementType::f64) != (desc.precision == Precision::f64)) {
        return bad(ErrorCode::invalid_precision,
                   "precision " + std::string(name_of(desc.precision)) + " does not go with elements of " +
                       std::string(name_of(element)) +
                       (element == ElementType::f64 ? ": use f64" : ": use f32 or mixed"));
    }
    if (!is_known(desc.start, 1)) return unknown(ErrorCode::invalid_argument, "start", desc.start, "0 or 1");
    return {};
}

Result<void> check_stable(const FilterDesc& desc, const Filters& filters) {
    if (desc.precision != Precision::f32 || std::ranges::all_of(filters, is_stable_in_float)) return {};
    return bad(ErrorCode::invalid_argument,
               "the filter's poles are so near the unit circle that it is unstable in f32: use precision "
               "mixed or f64, or move the poles inwards");
}

Result<Filters> filters_of(const FilterDesc& desc) {
    if (!desc.data.empty()) {
        IIR2D_RETURN_IF_ERROR(check_data(desc));
        return desc.data;
    }
    auto made = make_filter(desc.filter);
    if (!made) return std::unexpected(made.error());
    Filters filters;
    filters.push_back(std::move(*made));
    return filters;
}

Result<Filters> check_desc(const FilterDesc& desc) {
    IIR2D_RETURN_IF_ERROR(check_shape(desc));
    if (desc.data.empty()) {
        IIR2D_RETURN_IF_ERROR(filter_row(desc.filter.id));
    }
    IIR2D_RETURN_IF_ERROR(check_choices(desc));
    auto filters = filters_of(desc);
    if (!filters) return filters;
    IIR2D_RETURN_IF_ERROR(check_stable(desc, *filters));
    return filters;
}

Result<Views> check_views(const FilterDesc& desc, const ConstTensorView& x, const TensorView& y,
                          const ViewNames& names) {
    const ElementType element = element_of(desc);
    const auto x_strides = support::check_view(names.read, x, element, desc.shape);
    if (!x_strides) return std::unexpected(x_strides.error());
    const auto y_strides = support::check_output_view(names.written, y, element, desc.shape);
    if (!y_strides) return std::unexpected(y_strides.error());
    const bool in_place = x.data == y.data && x_strides->row == y_strides->row &&
                          x_strides->plane == y_strides->plane && x_strides->image == y_strides->image;
    if (!in_place && support::views_overlap(x, *x_strides, y, *y_strides)) {
        return bad(ErrorCode::invalid_argument, std::string(names.written) + " overlaps " + names.read +
                                                    ": it must be " + names.read +
                                                    " itself with the same strides, or lie apart from it");
    }
    return Views{support::resolved(x, *x_strides), support::resolved(y, *y_strides)};
}

Result<GradientViews> check_gradient_views(const FilterDesc& desc, const ConstTensorView& x,
                                           const ConstTensorView& dy, const TensorView& dx, bool reads_x) {
    GradientViews views;
    if (dx.data != nullptr) {
        const auto both = check_views(desc, dy, dx, {.read = "dy", .written = "dx"});
        if (!both) return std::unexpected(both.error());
        views.dy = both->x;
        views.dx = both->y;
    } else {
        const auto strides = support::check_view("dy", dy, element_of(desc), desc.shape);
        if (!strides) return std::unexpected(strides.error());
        views.dy = support::resolved(dy, *strides);
    }
    if (!reads_x) return views;
    const auto strides = support::check_view("x", x, element_of(desc), desc.shape);
    if (!strides) return std::unexpected(strides.error());
    views.x = support::resolved(x, *strides);
    if (support::overlap(support::bytes_of(views.x), support::bytes_of(views.dx))) {
        return bad(ErrorCode::invalid_argument,
                   "dx overlaps x: it must be dy itself, or lie apart from both");
    }
    return views;
}

Result<void> check_gradients(const FilterDesc& desc, std::size_t count) {
    if (!desc.data.empty()) {
        return bad(ErrorCode::invalid_argument,
                   "dp: filters that are given as data have no parameters, only rows of the table have");
    }
    const auto row = filter_row(desc.filter.id);
    if (!row) return std::unexpected(row.error());
    if (count != row->parameters.size()) {
        return bad(ErrorCode::invalid_argument, "dp has " + std::to_string(count) + " elements: filter " +
                                                    std::to_string(row->id) + " has " +
                                                    std::to_string(row->parameters.size()) + " parameters");
    }
    return {};
}

PrecisionGuarantee guarantee_of(const FilterDesc& desc, const Filters& filters) {
    double recursion = 1.0;
    double peak = 1.0;
    for (const FilterData& data : filters) {
        for (const AxisFilter* axis : {&data.horizontal, &data.vertical}) {
            for_each_section(*axis,
                             [&](const Section& s) { recursion = std::max(recursion, recursion_gain(s)); });
        }
        peak = std::max(peak, largest_output(data.horizontal) * largest_output(data.vertical));
    }
    // Up to a recursion gain of 100 (an EMA's alpha of 0.99) the contract's bounds hold as they stand;
    // beyond, the rounding of the state adds up in proportion.
    const double near_one = std::max(1.0, recursion / 100.0);
    PrecisionGuarantee g{.accumulator =
                             desc.precision == Precision::f32 ? ElementType::f32 : ElementType::f64};
    switch (desc.precision) {
        case Precision::f32:
            g.max_abs_error = 1e-5 * near_one * peak;
            break;
        case Precision::mixed:
            g.max_abs_error = 1e-6 * peak;
            break;
        case Precision::f64:
            g.max_abs_error = 1e-12 * near_one * peak;
            break;
    }
    const ElementType element = element_of(desc);
    const bool rounded = element == ElementType::f16 || element == ElementType::bf16;
    // Half a unit in the last place of the largest result.
    if (rounded) *g.max_abs_error += peak * (element == ElementType::f16 ? 0x1p-11 : 0x1p-8);
    g.statement = "Within " + support::describe(*g.max_abs_error) +
                  " of the double-precision reference for inputs in [0, 1], arithmetic in " +
                  std::string(name_of(g.accumulator)) +
                  (rounded ? ", rounded once to " + std::string(name_of(element)) : "") +
                  ". The same bits on every run and for every number of threads.";
    return g;
}

}  // namespace iir2d::iir
