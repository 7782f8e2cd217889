// SPDX-License-Identifier: MIT
#include "kernels/iir/coefficients.h"

namespace iir2d::iir {

Section rounded_to_float(const Section& section) {
    Section s = section;
    for (double& a : s.a) a = static_cast<float>(a);
    const double keep = (1.0 - s.a[0] - s.a[1]) / (1.0 - section.a[0] - section.a[1]);
    for (double& b : s.b) b = static_cast<float>(b * keep);
    return s;
}

}  // namespace iir2d::iir
