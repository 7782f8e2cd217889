// SPDX-License-Identifier: MIT
// What comparisons of pooling with the reference share: descriptors of every kind, and how far outputs may be
// off.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tests/kernels/pool/pool_testing.h"

namespace pool_testing {

// What an avg's error is relative to: the sum of magnitudes over the magnitude of the divisor.
inline std::vector<double> error_scale(iir2d::PoolDesc desc, const std::vector<float>& x,
                                       const std::vector<double>& y) {
    std::vector<double> scale(y.size());
    if (desc.op == iir2d::PoolOp::avg) {
        std::vector<float> magnitudes(x);
        for (float& v : magnitudes) v = std::abs(v);
        if (desc.divisor_override) desc.divisor_override = std::abs(*desc.divisor_override);
        scale = reference(desc, magnitudes).y;
    } else if (desc.op == iir2d::PoolOp::lp) {
        scale = y;
    }
    for (double& s : scale) s = std::isfinite(s) ? s : 0.0;
    return scale;
}

inline void expect_reference(const iir2d::PoolDesc& desc, const std::vector<float>& x, const Pooled& got) {
    const Expected expected = reference(desc, x);
    const std::vector<double> scale = error_scale(desc, x, expected.y);
    for (std::size_t i = 0; i < expected.y.size(); ++i)
        ASSERT_TRUE(agrees(got.y[i], expected.y[i], 2e-6 * scale[i])) << "element " << i;
    ASSERT_EQ(got.argmax, expected.argmax);
}

inline std::vector<float> signed_noise(std::size_t count, unsigned seed) {
    return uniform(count, -1.0F, 1.0F, seed);
}

using MakeImage = std::function<std::vector<float>(std::size_t, unsigned)>;
using Compare = std::function<void(const iir2d::PoolDesc&, const std::vector<float>&)>;

// Compares every window, stride, padding, dilation and rounding over every shape, up to a fatal failure; with
// fewer strides and paddings where each costs much.
inline void sweep(const iir2d::PoolDesc& op, const MakeImage& make_image,
                  std::span<const iir2d::Shape> shapes, bool is_costly, const Compare& compare) {
    using iir2d::Extent;
    constexpr Extent windows[] = {{1, 1}, {2, 2}, {3, 3}, {2, 5}, {7, 4}, {1, 33}};
    const std::optional<Extent> strides[] = {{}, Extent{1, 1}, Extent{3, 2}, Extent{2, 5}};
    unsigned seed = 1;
    for (const iir2d::Shape& shape : shapes) {
        const std::vector<float> x = make_image(elements(shape), ++seed);
        for (const Extent& window : windows) {
            const Extent paddings[] = {{0, 0}, {window.h / 2, window.w / 2}, {0, 1}};
            for (const auto& stride : std::span(strides).first(is_costly ? 3 : 4)) {
                for (const Extent& padding : std::span(paddings).first(is_costly ? 2 : 3)) {
                    for (const Extent& dilation : {Extent{1, 1}, Extent{2, 3}, Extent{4, 1}}) {
                        for (const bool ceil_mode : {false, true}) {
                            iir2d::PoolDesc desc = op;
                            desc.shape = shape;
                            desc.window = window;
                            desc.stride = stride;
                            desc.padding = padding;
                            desc.dilation = dilation;
                            desc.ceil_mode = ceil_mode;
                            compare(desc, x);
                            if (::testing::Test::HasFatalFailure()) return;
                        }
                    }
                }
            }
        }
    }
}

}  // namespace pool_testing
