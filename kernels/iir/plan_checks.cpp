// SPDX-License-Identifier: MIT
#include "kernels/iir/plan_checks.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/iir/coefficients.h"
#include "kernels/support/describe.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

Result<void> check_shape(const FilterDesc& desc) {
    const std::pair<const char*, std::int64_t> sizes[] = {
        {"n", desc.shape.n}, {"c", desc.shape.c}, {"height", desc.shape.h}, {"width", desc.shape.w}};
    auto bytes = static_cast<std::int64_t>(element_size(storage_type(desc.precision)));
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

}  // namespace

Result<FilterData> check_desc(const FilterDesc& desc) {
    if (auto shape = check_shape(desc); !shape) return std::unexpected(shape.error());
    auto data = make_filter(desc.filter);
    if (!data) return data;
    const auto outside = [](auto value, int last) {
        return static_cast<int>(value) < 0 || static_cast<int>(value) > last;
    };
    if (outside(desc.border, 3)) {
        return bad(
            ErrorCode::invalid_border_mode,
            "border mode " + std::to_string(static_cast<int>(desc.border)) + " is unknown: use 0 to 3");
    }
    if (outside(desc.precision, 2)) {
        return bad(
            ErrorCode::invalid_precision,
            "precision " + std::to_string(static_cast<int>(desc.precision)) + " is unknown: use 0 to 2");
    }
    if (outside(desc.start, 1)) {
        return bad(ErrorCode::invalid_argument,
                   "start " + std::to_string(static_cast<int>(desc.start)) + " is unknown: use 0 or 1");
    }
    if (desc.precision == Precision::f32) {
        double radius = 0.0;
        for (const AxisFilter* axis : {&data->horizontal, &data->vertical}) {
            for_each_section(*axis, [&](const Section& s) {
                radius = std::max(radius, pole_radius(rounded_to_float(s)));
            });
        }
        if (radius >= 1.0) {
            return bad(
                ErrorCode::invalid_argument,
                "the filter's poles are so near the unit circle that it is unstable in f32: use precision "
                "mixed or f64, or move the poles inwards");
        }
    }
    return data;
}

Result<Views> check_views(const FilterDesc& desc, const ConstTensorView& x, const TensorView& y) {
    const ElementType element = storage_type(desc.precision);
    const auto x_strides = support::check_view("x", x, element, desc.shape);
    if (!x_strides) return std::unexpected(x_strides.error());
    const auto y_strides = support::check_output_view("y", y, element, desc.shape);
    if (!y_strides) return std::unexpected(y_strides.error());
    const bool in_place =
        x.data == y.data && x_strides->row == y_strides->row && x_strides->plane == y_strides->plane;
    if (!in_place && support::views_overlap(x, *x_strides, y, *y_strides)) {
        return bad(ErrorCode::invalid_argument,
                   "y overlaps x: it must be x itself with the same strides, or lie apart from it");
    }
    return Views{{x.data, x.type, desc.shape, x_strides->row, x_strides->plane},
                 {y.data, y.type, desc.shape, y_strides->row, y_strides->plane}};
}

PrecisionGuarantee guarantee_of(const FilterDesc& desc, const FilterData& data) {
    double recursion = 1.0;
    for (const AxisFilter* axis : {&data.horizontal, &data.vertical}) {
        for_each_section(*axis,
                         [&](const Section& s) { recursion = std::max(recursion, recursion_gain(s)); });
    }
    const double peak = std::max(1.0, largest_output(data.horizontal) * largest_output(data.vertical));
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
    g.statement = "Within " + support::describe(*g.max_abs_error) +
                  " of the double-precision reference for inputs in [0, 1], arithmetic in " +
                  std::string(name_of(g.accumulator)) +
                  ". The same bits on every run and for every number of threads.";
    return g;
}

}  // namespace iir2d::iir
