// SPDX-License-Identifier: MIT
// A Gaussian as smoothers approximate it: sampled, cut off at 8 sigma, of sum 1, convolved in double with
// half-sample mirror borders.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/bench/yardsticks.h"

namespace bench {

inline std::int64_t gaussian_radius(double sigma) {
    return static_cast<std::int64_t>(std::ceil(8 * sigma));
}

inline std::vector<double> gaussian_taps(double sigma) {
    const std::int64_t radius = gaussian_radius(sigma);
    std::vector<double> taps;
    double sum = 0;
    for (std::int64_t i = -radius; i <= radius; ++i) {
        const double t = static_cast<double>(i) / sigma;
        taps.push_back(std::exp(-0.5 * t * t));
        sum += taps.back();
    }
    for (double& tap : taps) tap /= sum;
    return taps;
}

inline std::vector<double> gaussian(const Plane<float>& x, double sigma) {
    const auto taps = gaussian_taps(sigma);
    const auto n = static_cast<std::int64_t>(x.size());
    const std::int64_t radius = gaussian_radius(sigma);
    const auto mirrored = [n](std::int64_t i) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; };
    const auto at = [n](std::int64_t row, std::int64_t column) {
        return static_cast<std::size_t>(row * n + column);
    };
    std::vector<double> rows(x.count());
    std::vector<double> y(x.count());
    for (std::int64_t r = 0; r < n; ++r) {
        for (std::int64_t c = 0; c < n; ++c) {
            double sum = 0;
            for (std::int64_t i = -radius; i <= radius; ++i)
                sum += taps[static_cast<std::size_t>(i + radius)] *
                       static_cast<double>(x.data()[at(r, mirrored(c + i))]);
            rows[at(r, c)] = sum;
        }
    }
    for (std::int64_t r = 0; r < n; ++r) {
        for (std::int64_t i = -radius; i <= radius; ++i) {
            const double tap = taps[static_cast<std::size_t>(i + radius)];
            const double* from = rows.data() + at(mirrored(r + i), 0);
            double* to = y.data() + at(r, 0);
            for (std::int64_t c = 0; c < n; ++c) to[c] += tap * from[c];
        }
    }
    return y;
}

struct Difference {
    double largest = 0;
    double root_mean_square = 0;
};

// Where no border is within the Gaussian's reach: libraries differ there in what they assume.
inline Difference difference_inside(const Plane<float>& y, const std::vector<double>& expected,
                                    double sigma) {
    const std::size_t n = y.size();
    const auto margin = static_cast<std::size_t>(gaussian_radius(sigma));
    Difference difference;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t r = margin; r + margin < n; ++r) {
        for (std::size_t c = margin; c + margin < n; ++c) {
            const double d = static_cast<double>(y.data()[r * n + c]) - expected[r * n + c];
            difference.largest = std::max(difference.largest, std::abs(d));
            sum += d * d;
            ++count;
        }
    }
    difference.root_mean_square = std::sqrt(sum / static_cast<double>(count));
    return difference;
}

}  // namespace bench
