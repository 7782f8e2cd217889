// SPDX-License-Identifier: MIT
// Gains, poles and memory of sections, for plans and validation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "iir2d/filter.h"

namespace iir2d::iir {

double dc_gain(const Section& section);
double dc_gain(const std::vector<Section>& cascade);
double dc_gain(const Stage& stage);

double pole_radius(const Section& section);

// Returns the sum of magnitudes of the recursive part's impulse response: by how much rounding errors add up.
double recursion_gain(const Section& section);

// Returns the same where it is at most `limit`, else any number above it, and then soon.
double recursion_gain_up_to(const Section& section, double limit);

// Returns the same of the whole section: the largest value that inputs in [0, 1] can become.
double peak_gain(const Section& section);

// Returns after how many samples the influence of the state has decayed below `below` of what it was.
std::int64_t memory_length(const Section& section, double below);

void for_each_section(const AxisFilter& axis, const std::function<void(const Section&)>& visit);

}  // namespace iir2d::iir
