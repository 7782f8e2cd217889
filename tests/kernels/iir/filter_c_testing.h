// SPDX-License-Identifier: MIT
// What the tests of iir2d_filter.h share.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "iir2d/iir2d_filter.h"
#include "tests/kernels/iir/iir_testing.h"

namespace filter_c_testing {

using namespace iir2d;
using iir_test::count_of;
using iir_test::random_plane;

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline IIR2D_FilterParams params(const Shape& shape, int id = 1, Precision precision = Precision::f32) {
    IIR2D_FilterParams p{};
    p.size = sizeof p;
    p.filter_id = id;
    p.border_mode = IIR2D_BORDER_MIRROR;
    p.precision = static_cast<int>(precision);
    p.element = precision == Precision::f64 ? IIR2D_ELEMENT_F64 : IIR2D_ELEMENT_F32;
    p.n = shape.n;
    p.c = shape.c;
    p.height = shape.h;
    p.width = shape.w;
    p.parameter_sets = 1;
    return p;
}

inline FilterDesc desc_of(const IIR2D_FilterParams& p) {
    return {.shape = {p.n, p.c, p.height, p.width},
            .filter = {.id = p.filter_id, .parameters = {}, .normalise_gain = p.normalise_gain != 0},
            .border = static_cast<Border>(p.border_mode),
            .border_const = p.border_const,
            .precision = static_cast<Precision>(p.precision),
            .start = static_cast<Start>(p.start),
            .data = {},
            .element = static_cast<ElementType>(p.element)};
}

template <class T>
std::vector<T> planes(std::int64_t count, unsigned seed = 1) {
    const auto values = random_plane(count, seed);
    return {values.begin(), values.end()};
}

template <class T>
std::vector<T> forward(const IIR2D_FilterParams& p, const std::vector<T>& x) {
    std::vector<T> y(x.size());
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), IIR2D_STATUS_OK) << iir2d_last_error();
    EXPECT_STREQ(iir2d_last_error(), "");
    return y;
}

// Counts the calls of a poll function, and asks to stop at one of them or from a fraction on.
struct Asked {
    std::thread::id caller = std::this_thread::get_id();
    bool elsewhere = false;
    int calls = 0;
    int cancel_at = -1;
    double cancel_from = 2.0;
    double last = 0.0;
    static int poll(void* user, double fraction) {
        auto& asked = *static_cast<Asked*>(user);
        asked.elsewhere = asked.elsewhere || std::this_thread::get_id() != asked.caller;
        EXPECT_GE(fraction, 0.0);
        EXPECT_LE(fraction, 1.0);
        asked.last = fraction;
        return asked.calls++ == asked.cancel_at || fraction >= asked.cancel_from ? 1 : 0;
    }
};

}  // namespace filter_c_testing
