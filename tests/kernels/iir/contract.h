// SPDX-License-Identifier: MIT
// The contract a second time: extended precision, brute force, its own border rule and its own coefficients.
// It shares no code with the library, so that a misreading in one of the two shows.
#pragma once

#include <array>
#include <vector>

#include "iir2d/filter.h"

namespace iir_test {

using Real = long double;
using RealLine = std::vector<Real>;

// A filter with every parameter given: alpha or a or sigma in [0]; b0 b1 b2 a1 a2 of the first section, then
// of the second one.
struct ContractFilter {
    int id = 1;
    std::array<double, 10> values = {};
    bool compat_1_0 = false;
    bool normalise_gain = false;  // not with compat_1_0
};

struct ContractCase {
    ContractFilter filter;
    iir2d::Border border = iir2d::Border::clamp;
    Real border_const = 0;
    iir2d::Start start = iir2d::Start::truncated;
};

// One plane of height x width.
RealLine contract_plane(const ContractCase& c, const RealLine& plane, long height, long width);

}  // namespace iir_test
