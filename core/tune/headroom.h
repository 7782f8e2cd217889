// SPDX-License-Identifier: MIT
// Computes what choosing well could gain: static's time over the best config's, which is chosen in one half
// of the rounds and timed in the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tune/data.h"

namespace workbench::tune {

// Describes the distribution of ratios.
struct Distribution {
    double geomean = 1;
    double p50 = 1;
    double p95 = 1;
    double max = 1;
};
// Computes their distribution. Precondition: not empty.
Distribution distribution_of(const std::vector<double>& ratios);

// Holds static's time over that of the best value of one knob, all others auto.
struct KnobGain {
    std::string knob;
    std::size_t problems = 0;  // that have values to try
    Distribution gain;
};

struct FamilyHeadroom {
    std::string family;
    std::size_t problems = 0;
    Distribution headroom;  // static's time over the best config's
    Distribution noise;     // static's over its own
    std::vector<KnobGain> knobs;
};

struct HeadroomOptions {
    std::string set;  // empty: both
    Objective objective = Objective::both;
    bool with_contended = false;
};

// Returns whether a visit's times are figures by these options.
bool counts(const Visit& visit, const HeadroomOptions& options);

struct Headroom {
    std::size_t unstable = 0;      // problems whose best config differs by more than 0.10 between visits
    std::size_t not_measured = 0;  // problems without a visit that counts
    std::size_t contended_visits = 0;
    std::size_t unstable_visits = 0;
    std::size_t wrong_visits = 0;
    std::optional<FamilyHeadroom> overall;  // absent where there is no problem
    std::vector<FamilyHeadroom> families;   // by name
};
Headroom headroom_of(const Measurements& all, const HeadroomOptions& options);

// Returns the knobs that may be dropped from the candidates: in every family that has one its gain is below
// 1 % in the geometric mean and below 5 % at the 95th percentile.
std::vector<std::string_view> knobs_below_gate(const Headroom& headroom);

std::string to_markdown(const Headroom& headroom, const HeadroomOptions& options);

// Holds one problem's logarithms of time over static's, of all rounds and of odd and even ones, each the
// median over visits; static, at 0, comes first.
struct ConfigLogs {
    std::string config;
    double y = 0;
    double y_odd = 0;
    double y_even = 0;
};
struct ProblemLogs {
    std::vector<ConfigLogs> configs;
    ConfigLogs second_static;
    bool is_unstable = false;
};
// Computes a problem's logarithms. Absent where no visit counts.
std::optional<ProblemLogs> logs_of(const MeasuredProblem& problem, const HeadroomOptions& options);

// Returns y of the best config: the best in odd rounds by its even ones and the other way round, averaged.
// `which` says which may be chosen; static always may.
double fair_best(const std::vector<ConfigLogs>& configs, const std::vector<bool>& which);

}  // namespace workbench::tune
