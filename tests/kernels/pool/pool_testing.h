// SPDX-License-Identifier: MIT
// What the pooling tests share: images, a run of a plan on dense planes, and the reference on the same
// values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"
#include "iir2d/reference.h"

namespace pool_testing {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

inline std::size_t elements(const iir2d::Shape& s) {
    return static_cast<std::size_t>(s.n * s.c * s.h * s.w);
}

inline iir2d::Device cpu(int threads = 1) {
    auto device = iir2d::Device::cpu(threads);
    EXPECT_TRUE(device) << device.error().message;
    return *device;
}

// Makes a plan whose passes take all threads of the CPU, however little there is to do.
inline iir2d::Result<iir2d::PoolPlan> plan_on(const iir2d::Device& device, const iir2d::PoolDesc& desc) {
    if (device.backend() != iir2d::Backend::cpu) return iir2d::PoolPlan::make(device, desc);
    const iir2d::Config all{.threads = device.threads()};
    return iir2d::PoolPlan::make(device, desc, all, all);
}

struct Pooled {
    std::vector<float> y;
    std::vector<std::int64_t> argmax;
};

// Runs a valid descriptor on dense planes; with the argmax when the op is max and `with_argmax`.
inline Pooled run(const iir2d::PoolDesc& desc, const std::vector<float>& x, int threads = 1,
                  bool with_argmax = true) {
    const auto plan = plan_on(cpu(threads), desc);
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    EXPECT_EQ(x.size(), elements(desc.shape));
    Pooled out;
    out.y.assign(elements(plan->output_shape()), -12345.0F);
    if (desc.op == iir2d::PoolOp::max && with_argmax) out.argmax.assign(out.y.size(), -777);
    const auto done =
        plan->forward({x.data(), iir2d::ElementType::f32, desc.shape},
                      {out.y.data(), iir2d::ElementType::f32, plan->output_shape()}, out.argmax);
    EXPECT_TRUE(done) << done.error().message;
    return out;
}

struct Expected {
    std::vector<double> y;
    std::vector<std::int64_t> argmax;
};

inline Expected reference(const iir2d::PoolDesc& desc, const std::vector<float>& x) {
    const auto shape = iir2d::reference::pool_output_shape(desc);
    EXPECT_TRUE(shape) << shape.error().message;
    if (!shape) return {};
    const std::vector<double> stored(x.begin(), x.end());
    Expected out;
    out.y.assign(elements(*shape), -12345.0);
    if (desc.op == iir2d::PoolOp::max) out.argmax.assign(out.y.size(), -777);
    const auto done = iir2d::reference::pool(desc, stored, out.y, out.argmax);
    EXPECT_TRUE(done) << done.error().message;
    return out;
}

inline std::vector<float> uniform(std::size_t count, float low, float high, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> value(low, high);
    std::vector<float> x(count);
    for (float& v : x) v = value(generator);
    return x;
}

// Few distinct values, so that windows have equal maxima.
inline std::vector<float> with_ties(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> x(count);
    for (float& v : x) v = static_cast<float>(static_cast<int>(generator() % 4U)) - 2.0F;
    return x;
}

// Every kind of value a float can be.
inline std::vector<float> with_extremes(std::size_t count, unsigned seed) {
    const float extremes[] = {nan,   infinity, -infinity, 0.0F,    -0.0F,  3e38F,  -3e38F,
                              1e25F, -1e25F,   1e-40F,    -1e-44F, 1e-30F, 1e-20F, 1.0F};
    std::mt19937 generator(seed);
    std::vector<float> x = uniform(count, -1.0F, 1.0F, seed + 1);
    for (float& v : x) {
        // NaN and infinity seldom, or they hide the rest.
        const unsigned pick = generator() % 60U;
        if (pick >= 3 && pick < 40) v = extremes[3 + generator() % 11U];
        if (pick < 3) v = extremes[pick];
    }
    return x;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline std::string to_string(const iir2d::PoolDesc& d) {
    const iir2d::Extent stride = d.stride.value_or(d.window);
    std::ostringstream out;
    out << iir2d::name_of(d.op) << " of [" << d.shape.n << "," << d.shape.c << "," << d.shape.h << ","
        << d.shape.w << "] window " << d.window.h << "x" << d.window.w << " stride " << stride.h << "x"
        << stride.w << " padding " << d.padding.h << "x" << d.padding.w << " dilation " << d.dilation.h << "x"
        << d.dilation.w << (d.ceil_mode ? " ceil" : "");
    if (d.op == iir2d::PoolOp::lp) out << " p " << d.p;
    if (d.count_include_pad) out << " include-pad";
    if (d.divisor_override) out << " divisor " << *d.divisor_override;
    return out.str();
}

// One output against the reference's: equal where that is NaN or beyond a float, else within `tolerance`
// (absolute) and the spacing of the smallest floats.
inline ::testing::AssertionResult agrees(float got, double expected, double tolerance) {
    if (std::isnan(expected)) {
        if (std::isnan(got)) return ::testing::AssertionSuccess();
    } else {
        const auto rounded = static_cast<float>(expected);
        if (got == rounded) return ::testing::AssertionSuccess();
        const double most = tolerance + 2.0 * static_cast<double>(std::numeric_limits<float>::denorm_min());
        if (!std::isinf(rounded) && std::abs(static_cast<double>(got) - expected) <= most) {
            return ::testing::AssertionSuccess();
        }
    }
    return ::testing::AssertionFailure() << "got " << got << ", expected " << expected;
}

}  // namespace pool_testing
