// SPDX-License-Identifier: MIT
// The filters: rows that make filter data from named parameters. Nothing after this file knows an id.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "iir2d/filter.h"
#include "iir2d/try.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/dual_filter.h"
#include "kernels/support/describe.h"

namespace iir2d {

namespace {

using iir::AxisOf;
using iir::Dual;
using iir::FilterOf;
using iir::SectionOf;
using iir::StageOf;
using iir::value_of;

// Every parameter of a row, defaults filled in: T is double, or Dual where derivatives are wanted.
template <class T>
using ValuesOf = std::map<std::string_view, T>;
using Values = ValuesOf<double>;

template <class T>
SectionOf<T> first_order(T b0, T b1, T a1) {
    return {.order = 1, .b = {b0, b1, 0}, .a = {a1, 0}, .start_b = {b0, b1, 0}};
}

template <class T>
SectionOf<T> second_order(std::array<T, 3> b, std::array<T, 2> a) {
    return {.order = 2, .b = b, .a = a, .start_b = b};
}

template <class T>
SectionOf<T> ema_section(T alpha) {
    return first_order<T>(1.0 - alpha, 0.0, alpha);
}

template <class T>
StageOf<T> causal(std::vector<SectionOf<T>> sections) {
    return {.kind = Stage::Kind::causal, .sections = std::move(sections), .causal = {}, .anticausal = {}};
}

template <class T>
StageOf<T> anticausal(std::vector<SectionOf<T>> sections) {
    return {.kind = Stage::Kind::anticausal, .sections = std::move(sections), .causal = {}, .anticausal = {}};
}

template <class T>
StageOf<T> sum(std::vector<SectionOf<T>> forward, std::vector<SectionOf<T>> backward) {
    return {.kind = Stage::Kind::sum,
            .sections = {},
            .causal = std::move(forward),
            .anticausal = std::move(backward)};
}

template <class T>
FilterOf<T> both_axes(AxisOf<T> axis) {
    return {.horizontal = axis, .vertical = axis};
}

template <class T>
FilterOf<T> make_ema(const ValuesOf<T>& v) {
    return both_axes<T>({{causal<T>({ema_section(v.at("alpha"))})}});
}

template <class T>
FilterOf<T> make_ema_cascade(const ValuesOf<T>& v) {
    const SectionOf<T> section = ema_section(v.at("a"));
    return both_axes<T>({{causal<T>({section, section})}});
}

template <class T>
FilterOf<T> make_biquad(const ValuesOf<T>& v) {
    return both_axes<T>(
        {{causal<T>({second_order<T>({v.at("b0"), v.at("b1"), v.at("b2")}, {v.at("a1"), v.at("a2")})})}});
}

template <class T>
FilterOf<T> make_biquad_cascade(const ValuesOf<T>& v) {
    const SectionOf<T> first =
        second_order<T>({v.at("b0"), v.at("b1"), v.at("b2")}, {v.at("a1"), v.at("a2")});
    const SectionOf<T> second = second_order<T>({v.at("second_b0"), v.at("second_b1"), v.at("second_b2")},
                                                {v.at("second_a1"), v.at("second_a2")});
    return both_axes<T>({{causal<T>({first, second})}});
}

template <class T>
FilterOf<T> make_forward_backward(const ValuesOf<T>& v) {
    const SectionOf<T> section = ema_section(v.at("alpha"));
    return both_axes<T>({{causal<T>({section}), anticausal<T>({section})}});
}

// R. Deriche, "Fast algorithms for low-level vision", IEEE PAMI 12(1), 1990: the smoothing operator
// k (alpha |x| + 1) exp(-alpha |x|), as the contract gives its coefficients.
template <class T>
FilterOf<T> make_deriche(const ValuesOf<T>& v) {
    using std::exp;
    const T alpha = 1.695 / v.at("sigma");
    const T e = exp(-alpha);
    const T k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
    const std::array<T, 2> a{2.0 * e, -e * e};
    const SectionOf<T> forward = second_order<T>({k, k * (alpha - 1.0) * e, 0.0}, a);
    SectionOf<T> backward = second_order<T>({0.0, k * (alpha + 1.0) * e, -k * e * e}, a);
    backward.start_b = {backward.b[1], backward.b[2], 0.0};
    const AxisOf<T> axis{{sum<T>({forward}, {backward})}};
    FilterOf<T> data = both_axes<T>(axis);
    if (value_of(v.at("compat_1_0")) != 0.0) {
        // iir2d 1.0 overwrote its own column input: the anticausal section ran over the causal one's output.
        SectionOf<T> identity;
        identity.order = 0;
        data.vertical = {{causal<T>({forward}), sum<T>({identity}, {backward})}};
    }
    return data;
}

template <class T>
FilterOf<T> make_state_space(const ValuesOf<T>& v) {
    FilterOf<T> data = make_biquad(v);
    for (AxisOf<T>* axis : {&data.horizontal, &data.vertical}) {
        axis->stages[0].sections[0].form = Section::Form::state_space;
    }
    return data;
}

constexpr FilterParameter alpha_parameter(double value) {
    return {.name = "alpha",
            .label = "Alpha",
            .unit = "",
            .minimum = 0.0,
            .maximum = 0.999,
            .default_value = value,
            .step = 0.01,
            .help = "Share of the previous output in the next one; nearer 1 smooths more.",
            .scaling = ParameterScaling::decay};
}

constexpr FilterParameter coefficient(std::string_view name, std::string_view label, double value,
                                      std::string_view help) {
    return {.name = name,
            .label = label,
            .unit = "",
            .minimum = -4.0,
            .maximum = 4.0,
            .default_value = value,
            .step = 0.01,
            .help = help,
            .scaling = ParameterScaling::section};
}

constexpr std::string_view tap0 = "Weight of the current input sample.";
constexpr std::string_view tap1 = "Weight of the previous input sample.";
constexpr std::string_view tap2 = "Weight of the input sample before that.";
constexpr std::string_view feedback1 =
    "Weight of the previous output; the poles must stay inside the unit circle.";
constexpr std::string_view feedback2 =
    "Weight of the output before that; the poles must stay inside the unit circle.";

constexpr std::array ema_parameters{alpha_parameter(0.85)};
constexpr std::array ema_cascade_parameters{
    FilterParameter{.name = "a",
                    .label = "A",
                    .unit = "",
                    .minimum = 0.0,
                    .maximum = 0.999,
                    .default_value = 0.75,
                    .step = 0.01,
                    .help = "Share of the previous output in both sections; nearer 1 smooths more.",
                    .scaling = ParameterScaling::decay}};
constexpr std::array biquad_parameters{coefficient("b0", "b0", 0.2, tap0), coefficient("b1", "b1", 0.2, tap1),
                                       coefficient("b2", "b2", 0.2, tap2),
                                       coefficient("a1", "a1", 0.3, feedback1),
                                       coefficient("a2", "a2", -0.1, feedback2)};
constexpr std::array biquad_cascade_parameters{coefficient("b0", "First b0", 0.2, tap0),
                                               coefficient("b1", "First b1", 0.2, tap1),
                                               coefficient("b2", "First b2", 0.2, tap2),
                                               coefficient("a1", "First a1", 0.3, feedback1),
                                               coefficient("a2", "First a2", -0.1, feedback2),
                                               coefficient("second_b0", "Second b0", 0.3, tap0),
                                               coefficient("second_b1", "Second b1", 0.1, tap1),
                                               coefficient("second_b2", "Second b2", 0.1, tap2),
                                               coefficient("second_a1", "Second a1", 0.2, feedback1),
                                               coefficient("second_a2", "Second a2", -0.05, feedback2)};
constexpr std::array forward_backward_parameters{alpha_parameter(0.6)};
constexpr std::array deriche_parameters{
    FilterParameter{.name = "sigma",
                    .label = "Sigma",
                    .unit = "px",
                    .minimum = 0.3,
                    .maximum = 100.0,
                    .default_value = 2.0,
                    .step = 0.1,
                    .help = "Width of the smoother in pixels.",
                    .scaling = ParameterScaling::length},
    FilterParameter{.name = "compat_1_0",
                    .label = "Compatible with iir2d 1.0",
                    .unit = "",
                    .minimum = 0.0,
                    .maximum = 1.0,
                    .default_value = 0.0,
                    .step = 1.0,
                    .help = "Repeats the column defect of iir2d 1.0 (gain 0.845), to compare with old data.",
                    .is_switch = true}};

struct TableRow {
    FilterRow row;
    FilterData (*make)(const Values&);
    iir::DualFilter (*make_dual)(const ValuesOf<Dual>&);
};

constexpr auto table = std::to_array<TableRow>({
    {{1, "ema", "EMA", "Exponential moving average, one causal first-order section.", ema_parameters},
     make_ema<double>,
     make_ema<Dual>},
    {{2, "ema_cascade", "EMA cascade", "Two equal exponential averages, one after the other.",
      ema_cascade_parameters},
     make_ema_cascade<double>,
     make_ema_cascade<Dual>},
    {{3, "biquad", "Biquad", "One causal second-order section with free coefficients.", biquad_parameters},
     make_biquad<double>,
     make_biquad<Dual>},
    {{4, "biquad_cascade", "Biquad cascade", "Two second-order sections, one after the other.",
      biquad_cascade_parameters},
     make_biquad_cascade<double>,
     make_biquad_cascade<Dual>},
    {{5, "forward_backward_ema", "Forward-backward EMA",
      "An exponential average forwards, then backwards: smooths without shifting.",
      forward_backward_parameters},
     make_forward_backward<double>,
     make_forward_backward<Dual>},
    {{6, "deriche", "Deriche smoother",
      "A symmetric smoother close to a Gaussian, the sum of a causal and an anticausal section.",
      deriche_parameters},
     make_deriche<double>,
     make_deriche<Dual>},
    {{7, "ema_7", "EMA, slot 7", "The same as filter 1, in the slot that iir2d 1.0 had for it.",
      ema_parameters},
     make_ema<double>,
     make_ema<Dual>},
    {{8, "state_space", "State space", "The biquad of filter 3, evaluated in a state-space form.",
      biquad_parameters},
     make_state_space<double>,
     make_state_space<Dual>},
});

constexpr auto rows = [] {
    std::array<FilterRow, table.size()> out{};
    std::ranges::transform(table, out.begin(), &TableRow::row);
    return out;
}();

std::string shown(const FilterRow& row) {
    return "filter " + std::to_string(row.id) + " (" + std::string(row.name) + ")";
}

Result<Values> values_of(const FilterRow& row, const FilterSpec& spec) {
    Values values;
    for (const FilterParameter& p : row.parameters) values[p.name] = p.default_value;
    for (const auto& [name, value] : spec.parameters) {
        const auto found = std::ranges::find(row.parameters, name, &FilterParameter::name);
        if (found == row.parameters.end()) {
            std::string known;
            for (const FilterParameter& p : row.parameters)
                known += (known.empty() ? "" : ", ") + std::string(p.name);
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         shown(row) + " has no parameter \"" + name + "\": it has " + known});
        }
        if (!(value >= found->minimum && value <= found->maximum)) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         name + " " + support::describe(value) + " of " + shown(row) +
                                             " is out of range: give " + support::describe(found->minimum) +
                                             " to " + support::describe(found->maximum)});
        }
        if (found->is_switch && value != 0.0 && value != 1.0) {
            return std::unexpected(Error{
                ErrorCode::invalid_argument,
                name + " " + support::describe(value) + " of " + shown(row) + " is a switch: give 0 or 1"});
        }
        values[found->name] = value;
    }
    return values;
}

Result<void> check_stable(const FilterRow& row, const AxisFilter& axis) {
    Result<void> result;
    iir::for_each_section(axis, [&](const Section& s) {
        const double radius = iir::pole_radius(s);
        if (radius < 1.0 || !result) return;
        result = std::unexpected(
            Error{ErrorCode::invalid_argument,
                  shown(row) + " is unstable with feedback " + support::describe(s.a[0]) + ", " +
                      support::describe(s.a[1]) + ": a pole has magnitude " +
                      support::describe(std::round(radius * 1e4) / 1e4) + ", and it must be below 1"});
    });
    return result;
}

// The last section takes the factor: the input lines of all sections, and with them the borders that those
// read, stay as they were.
template <class T>
Result<void> normalise(const FilterRow& row, AxisOf<T>& axis) {
    const T gain = dc_gain(axis);
    if (!(std::abs(value_of(gain)) > 1e-9)) {
        return std::unexpected(
            Error{ErrorCode::invalid_argument, shown(row) + " has gain " + support::describe(value_of(gain)) +
                                                   " at frequency zero, so it cannot be normalised"});
    }
    auto& last = axis.stages.back();
    for (auto* cascade : {&last.sections, &last.causal, &last.anticausal}) {
        if (cascade->empty()) continue;
        for (T& tap : cascade->back().b) tap /= gain;
        for (T& tap : cascade->back().start_b) tap /= gain;
    }
    return {};
}

}  // namespace

std::span<const FilterRow> filter_table() {
    return rows;
}

Result<FilterRow> filter_row(int id) {
    if (id < 1 || id > static_cast<int>(table.size())) {
        return std::unexpected(Error{ErrorCode::invalid_filter_id, "filter " + std::to_string(id) +
                                                                       " does not exist: filters are 1 to " +
                                                                       std::to_string(table.size())});
    }
    return rows[static_cast<std::size_t>(id - 1)];
}

Result<FilterData> make_filter(const FilterSpec& spec) {
    const auto row = filter_row(spec.id);
    if (!row) return std::unexpected(row.error());
    const auto values = values_of(*row, spec);
    if (!values) return std::unexpected(values.error());
    FilterData data = table[static_cast<std::size_t>(spec.id - 1)].make(*values);
    for (AxisFilter* axis : {&data.horizontal, &data.vertical}) {
        IIR2D_RETURN_IF_ERROR(check_stable(*row, *axis));
        if (!spec.normalise_gain) continue;
        IIR2D_RETURN_IF_ERROR(normalise<double>(*row, *axis));
    }
    return data;
}

Result<std::vector<FilterData>> iir::filter_derivatives(const FilterSpec& spec) {
    const auto row = filter_row(spec.id);
    if (!row) return std::unexpected(row.error());
    const auto values = values_of(*row, spec);
    if (!values) return std::unexpected(values.error());
    std::vector<FilterData> derivatives;
    for (const FilterParameter& parameter : row->parameters) {
        ValuesOf<Dual> dual(values->begin(), values->end());
        if (!parameter.is_switch) dual[parameter.name].derivative = 1.0;
        DualFilter filter = table[static_cast<std::size_t>(spec.id - 1)].make_dual(dual);
        for (DualAxis* axis : {&filter.horizontal, &filter.vertical}) {
            if (!spec.normalise_gain) continue;
            IIR2D_RETURN_IF_ERROR(normalise<Dual>(*row, *axis));
        }
        derivatives.push_back(derivatives_of(filter));
    }
    return derivatives;
}

}  // namespace iir2d
