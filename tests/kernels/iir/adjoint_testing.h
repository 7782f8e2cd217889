// SPDX-License-Identifier: MIT
// What the tests of adjoints share.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/iir/reference_adjoint.h"
#include "tests/kernels/iir/iir_testing.h"

namespace iir_test {

// The largest magnitude, 1 at least.
inline double largest(const std::vector<double>& a) {
    double result = 1.0;
    for (const double v : a) result = std::max(result, std::abs(v));
    return result;
}

// Of a dot product, relative to the norms.
constexpr double tolerance(iir2d::Precision precision) {
    using iir2d::Precision;
    return precision == Precision::f32 ? 1e-5 : precision == Precision::mixed ? 1e-6 : 1e-12;
}

inline std::vector<double> reference_adjoint(const iir2d::FilterDesc& desc, const iir2d::FilterData& data,
                                             const std::vector<double>& dy) {
    std::vector<double> dx(dy.size());
    EXPECT_TRUE(iir2d::reference::adjoint_of_data(desc, data, dy, dx));
    return dx;
}

}  // namespace iir_test
