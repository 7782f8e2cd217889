// SPDX-License-Identifier: MIT
// Pooling in any element type: images as stored elements, passes over them, and what the reference makes of
// the same stored values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/support/element.h"
#include "tests/kernels/pool/pool_testing.h"

namespace pool_testing {

using iir2d::BFloat16;
using iir2d::ElementType;
using iir2d::Float16;

template <class T>
constexpr ElementType type_of = std::is_same_v<T, double>     ? ElementType::f64
                                : std::is_same_v<T, Float16>  ? ElementType::f16
                                : std::is_same_v<T, BFloat16> ? ElementType::bf16
                                                              : ElementType::f32;

template <class T>
std::vector<T> stored(const std::vector<float>& values) {
    std::vector<T> out(values.size());
    std::ranges::transform(values, out.begin(), [](float v) { return iir2d::element::store<T>(v); });
    return out;
}

template <class T>
std::vector<double> as_doubles(const std::vector<T>& values) {
    std::vector<double> out(values.size());
    std::ranges::transform(values, out.begin(), [](T v) { return iir2d::element::load<double>(v); });
    return out;
}

template <class T>
bool same_bits_but_nan(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](T p, T q) {
        const auto x = iir2d::element::load<double>(p);
        const auto y = iir2d::element::load<double>(q);
        return (std::isnan(x) && std::isnan(y)) || std::memcmp(&p, &q, sizeof p) == 0;
    });
}

// The contract's: relative to what is summed. A unit in the last place of the 16-bit types is of the result.
template <class T>
double tolerance() {
    return sizeof(T) == 8 ? 1e-12 : std::is_same_v<T, Float16> ? 0x1p-10 : sizeof(T) == 2 ? 0x1p-7 : 2e-6;
}

// The largest error that storing may add where numbers are small.
template <class T>
double smallest() {
    return std::is_same_v<T, Float16> ? 0x1p-24 : sizeof(T) == 8 ? 1e-320 : 0x1p-133;
}

template <class T>
struct PooledIn {
    std::vector<T> y;
    std::vector<std::int64_t> argmax;
};

template <class T>
PooledIn<T> run_on(const iir2d::Device& device, iir2d::PoolDesc desc, const std::vector<T>& x) {
    desc.element = type_of<T>;
    const auto plan = pool_testing::plan_on(device, desc);
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    PooledIn<T> out;
    out.y.resize(elements(plan->output_shape()));
    if (is_max(desc.op)) out.argmax.assign(out.y.size(), -777);
    const auto done = plan->forward({x.data(), desc.element, desc.shape},
                                    {out.y.data(), desc.element, plan->output_shape()}, out.argmax);
    EXPECT_TRUE(done) << done.error().message;
    return out;
}

template <class T>
PooledIn<T> run_in(const iir2d::PoolDesc& desc, const std::vector<T>& x, int threads = 1) {
    return run_on(cpu(threads), desc, x);
}

template <class T>
std::vector<T> backward_on(const iir2d::Device& device, iir2d::PoolDesc desc, const std::vector<T>& x,
                           const PooledIn<T>& forward, const std::vector<T>& dy) {
    desc.element = type_of<T>;
    const auto plan = pool_testing::plan_on(device, desc);
    EXPECT_TRUE(plan) << plan.error().message;
    std::vector<T> dx(x.size());
    const auto shape = plan->output_shape();
    const auto done = plan->backward(
        {x.data(), desc.element, desc.shape}, {forward.y.data(), desc.element, shape},
        {dy.data(), desc.element, shape}, {dx.data(), desc.element, desc.shape}, forward.argmax);
    EXPECT_TRUE(done) << done.error().message;
    return dx;
}

template <class T>
std::vector<T> backward_in(const iir2d::PoolDesc& desc, const std::vector<T>& x, const PooledIn<T>& forward,
                           const std::vector<T>& dy, int threads = 1) {
    return backward_on(cpu(threads), desc, x, forward, dy);
}

inline std::vector<double> magnitudes_of(std::vector<double> values) {
    for (double& v : values) v = std::abs(v);
    return values;
}

// Compares gradients with the reference's, within the tolerance times what is summed, and keeps the largest
// error over that.
template <class T>
::testing::AssertionResult gradients_agree(const iir2d::PoolDesc& desc, const std::vector<T>& x,
                                           const std::vector<T>& y, const std::vector<T>& dy,
                                           const std::vector<T>& dx, double& worst) {
    std::vector<double> expected(x.size());
    std::vector<double> scale(x.size());
    // lp's gradients have the sign of x, max's have places that depend on it.
    const auto sizes = desc.op == iir2d::PoolOp::lp ? magnitudes_of(as_doubles(x)) : as_doubles(x);
    if (!iir2d::reference::pool_backward(desc, as_doubles(x), as_doubles(y), as_doubles(dy), expected) ||
        !iir2d::reference::pool_backward(desc, sizes, as_doubles(y), magnitudes_of(as_doubles(dy)), scale))
        return ::testing::AssertionFailure() << "the reference refuses it";
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double error = std::abs(iir2d::element::load<double>(dx[i]) - expected[i]);
        if (!(error <= tolerance<T>() * std::abs(scale[i]) + smallest<T>()))
            return ::testing::AssertionFailure()
                   << "element " << i << ": " << iir2d::element::load<double>(dx[i]) << " for "
                   << expected[i];
        if (scale[i] > 1e-4) worst = std::max(worst, error / scale[i]);
    }
    return ::testing::AssertionSuccess();
}

// Windows of every kind, and adaptive ones, of an op.
inline std::vector<iir2d::PoolDesc> small_matrix(iir2d::PoolDesc desc) {
    using iir2d::Extent;
    std::vector<iir2d::PoolDesc> all;
    for (const iir2d::Shape& shape :
         {iir2d::Shape{1, 1, 1, 1}, iir2d::Shape{2, 2, 5, 7}, iir2d::Shape{1, 1, 40, 33}}) {
        desc.shape = shape;
        if (is_adaptive(desc.op)) {
            for (const Extent& output :
                 {Extent{1, 1}, Extent{3, 2}, Extent{5, 7}, Extent{7, 9}, Extent{39, 80}}) {
                desc.output = output;
                all.push_back(desc);
            }
            continue;
        }
        struct Windows {
            Extent window, stride, padding, dilation;
        };
        for (const Windows& w :
             {Windows{{2, 2}, {2, 2}, {0, 0}, {1, 1}}, Windows{{3, 3}, {2, 2}, {1, 1}, {1, 1}},
              Windows{{3, 5}, {1, 1}, {1, 2}, {1, 1}}, Windows{{2, 3}, {3, 1}, {1, 1}, {2, 3}},
              Windows{{21, 18}, {1, 2}, {0, 0}, {1, 1}}}) {
            desc.window = w.window;
            desc.stride = w.stride;
            desc.padding = desc.op == iir2d::PoolOp::lp ? Extent{0, 0} : w.padding;
            desc.dilation = w.dilation;
            desc.ceil_mode = w.dilation.h == 2;
            if (iir2d::reference::pool_output_shape(desc)) all.push_back(desc);
        }
    }
    return all;
}

inline std::vector<iir2d::PoolDesc> all_ops() {
    using iir2d::PoolOp;
    return {{.op = PoolOp::max},
            {.op = PoolOp::avg},
            {.op = PoolOp::lp, .p = 1.0},
            {.op = PoolOp::lp, .p = 2.0},
            {.op = PoolOp::lp, .p = 3.0},
            {.op = PoolOp::adaptive_max},
            {.op = PoolOp::adaptive_avg},
            {.op = PoolOp::avg, .count_include_pad = true},
            {.op = PoolOp::avg, .divisor_override = 7}};
}

// Every window of every op.
inline std::vector<iir2d::PoolDesc> all_cases() {
    std::vector<iir2d::PoolDesc> cases;
    for (const iir2d::PoolDesc& op : all_ops()) {
        for (const iir2d::PoolDesc& desc : small_matrix(op)) cases.push_back(desc);
    }
    return cases;
}

// For a typed test suite.
using AllTypes = ::testing::Types<float, double, Float16, BFloat16>;
struct TypeName {
    template <class T>
    static std::string GetName(int) {
        return std::string(name_of(type_of<T>));
    }
};

}  // namespace pool_testing
