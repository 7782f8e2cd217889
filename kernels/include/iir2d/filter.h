// SPDX-License-Identifier: MIT
// Filters as data: what every IIR2D backend runs. The filters are rows of a table that makes such data from
// named parameters; a new filter is a new row, never a new branch in a backend.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/export.h"

namespace iir2d {

enum class Border { clamp = 0, mirror = 1, wrap = 2, constant = 3 };
enum class Precision { f32 = 0, mixed = 1, f64 = 2 };
// Says what state a pass starts in. truncated: that after a few border samples (the contract's default).
// steady: that which an infinite run over the border's extension would have left.
enum class Start { truncated = 0, steady = 1 };

IIR2D_API std::string_view name_of(Border);
IIR2D_API std::string_view name_of(Precision);
IIR2D_API std::string_view name_of(Start);
IIR2D_API Result<Border> border_from_name(std::string_view);
IIR2D_API Result<Precision> precision_from_name(std::string_view);
IIR2D_API Result<Start> start_from_name(std::string_view);

// Computes y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] + a1 y[n-1] + a2 y[n-2], feedback with plus signs. In an
// anticausal section every n-k reads n+k. Order 1 keeps one output of history, order 2 two; order 0 is a
// gain.
struct Section {
    enum class Form { direct, state_space };
    int order = 1;
    std::array<double, 3> b = {1, 0, 0};
    std::array<double, 2> a = {0, 0};
    // The input taps that make the first history outputs under Start::truncated. They equal b except in an
    // anticausal section without a tap at n, whose history is taken one sample nearer the line (contract,
    // "Initial state", filter 6).
    std::array<double, 3> start_b = {1, 0, 0};
    Form form = Form::direct;
};

// A cascade runs its sections one after the other in one direction; a sum runs `causal` and `anticausal`
// over the same input and adds the two.
struct Stage {
    enum class Kind { causal, anticausal, sum };
    Kind kind = Kind::causal;
    std::vector<Section> sections;    // of a causal or anticausal cascade
    std::vector<Section> causal;      // of a sum: a cascade
    std::vector<Section> anticausal;  // of a sum: a cascade
};

struct AxisFilter {
    std::vector<Stage> stages;
};

struct FilterData {
    AxisFilter horizontal;
    AxisFilter vertical;
};

// Returns the gain at frequency zero of one axis: the product over stages of sum(b) / (1 - sum(a)), or of the
// sum of the two for a sum stage.
IIR2D_API double dc_gain(const AxisFilter&);

// Returns the largest pole magnitude of any section; below 1 for a stable filter.
IIR2D_API double pole_radius(const AxisFilter&);

// Says how a parameter changes where the same picture has fewer samples: a preview's proxy with one sample
// for every `factor` samples of the picture.
enum class ParameterScaling {
    none,     // keeps its value: a switch, a gain
    length,   // a length in samples: divided by the factor
    decay,    // share of the previous output in the next one
    section,  // b0, b1, b2, a1 and a2 of one second-order section, which stand in this order in the row
};

// Describes one live parameter of a table row.
struct FilterParameter {
    std::string_view name;   // "alpha", "sigma", "b0", ...
    std::string_view label;  // for a person
    std::string_view unit;   // "px" or ""
    double minimum;
    double maximum;
    double default_value;
    double step;             // a sensible spin-box step
    std::string_view help;   // one sentence
    bool is_switch = false;  // 0 or 1
    ParameterScaling scaling = ParameterScaling::none;
};

struct FilterRow {
    int id;                 // from 1, in the table's order
    std::string_view key;   // "ema", "ema_cascade", "biquad", ...
    std::string_view name;  // "EMA", "Deriche smoother", ...
    std::string_view help;  // one sentence
    std::span<const FilterParameter> parameters;
};

// Returns the table: row i has id i + 1. Static storage; never empty.
IIR2D_API std::span<const FilterRow> filter_table();
// Returns the row of an id, or an error that names the id.
IIR2D_API Result<FilterRow> filter_row(int id);

// A filter as a user gives it: an id and the parameters that differ from their defaults.
struct FilterSpec {
    int id = 1;
    std::vector<std::pair<std::string, double>> parameters = {};
    bool normalise_gain = false;  // divide by the gain at frequency zero, each axis on its own
};

// Validates names, ranges and stability (poles inside the unit circle) and makes the data.
IIR2D_API Result<FilterData> make_filter(const FilterSpec&);

}  // namespace iir2d
