// SPDX-License-Identifier: MIT
// Holds what the ways through an image share: the job, and an output computed exactly where the sums of
// fold.h failed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/pool/cpu.h"

namespace iir2d::pool {

// Describes one run. Immutable, shared by all threads.
template <class T>
struct CpuJob {
    const PoolDesc& desc;
    const PoolGeometry& geometry;
    const CpuKernel& kernel;
    Planes<const T> x;
    Planes<T> y;
    std::int64_t* argmax;  // null: not wanted
    bool non_temporal;
    std::vector<std::int32_t> column_counts;  // taps along x of each window that an average divides by
    std::vector<Taps> column_taps;            // along x, of adaptive windows

    // Returns the divisors of an output row's averages, from `column` on.
    Divisors divisors(std::int64_t oy, std::int64_t column) const {
        if (desc.op != PoolOp::avg) return {};
        if (desc.divisor_override) return {static_cast<double>(*desc.divisor_override), nullptr};
        return {static_cast<double>(count_along(geometry.y, oy)), column_counts.data() + column};
    }

    // Returns the divisor of one average.
    double divisor(std::int64_t oy, std::int64_t ox) const {
        const Divisors row = divisors(oy, ox);
        return row.columns == nullptr ? row.rows : row.rows * static_cast<double>(*row.columns);
    }

    // Counts taps along an axis. An empty window, which only dilation makes, has the sum 0 and here the
    // divisor 1.
    std::int64_t count_along(const AxisWindows& axis, std::int64_t o) const {
        return desc.count_include_pad ? axis.padded_count(o) : std::max<std::int64_t>(axis.taps(o).count, 1);
    }

    std::int64_t* indices(std::int64_t plane, std::int64_t oy, std::int64_t ox) const {
        return argmax + (plane * geometry.y.out + oy) * geometry.x.out + ox;
    }
};

// Returns the windows along an axis that is not adaptive of which no tap is cut off.
inline IndexRange whole_windows(const AxisWindows& axis) {
    const std::int64_t begin = axis.windows_with_tap(0).begin;
    return {begin, std::max(begin, axis.windows_with_tap(axis.window - 1).end)};
}

// Holds output rows and columns of a plane.
struct Block {
    std::int64_t plane;
    IndexRange rows;
    IndexRange columns;
};

// Computes one window's norm from its elements divided by the largest, in double, where powers leave double's
// range: largest * (sum of (|x| / largest)^p)^(1/p).
inline double exact_norm(const CpuJob<float>& job, std::int64_t plane, std::int64_t oy, std::int64_t ox) {
    const Taps rows = job.geometry.y.taps(oy);
    const Taps columns = job.geometry.x.taps(ox);
    const auto visit = [&](auto visit_one) {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const float* row = job.x.row(plane, rows.first + r * rows.step) + columns.first;
            for (std::int64_t c = 0; c < columns.count; ++c)
                visit_one(std::fabs(static_cast<double>(row[c * columns.step])));
        }
    };
    double largest = 0.0;
    bool has_nan = false;
    visit([&](double magnitude) {
        has_nan |= std::isnan(magnitude);
        largest = std::fmax(largest, magnitude);
    });
    if (has_nan) return std::numeric_limits<double>::quiet_NaN();
    if (largest == 0.0 || std::isinf(largest)) return largest;
    double sum = 0.0;
    visit([&](double magnitude) { sum += std::pow(magnitude / largest, job.desc.p); });
    return largest * std::pow(sum, 1.0 / job.desc.p);
}

}  // namespace iir2d::pool
