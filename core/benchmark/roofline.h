// SPDX-License-Identifier: MIT
// The roofline model (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
// multicore architectures", CACM 52(4), 2009): how much arithmetic a case is for the bytes it moves, and what
// it reached. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/support/error.h"

namespace workbench {

// Counts the arithmetic that a case is by its definition, whatever a kernel does to get it:
// docs/benchmark.md, "Roofline". Of a filter, for each sample and axis: 2 t - 1 for a section with t
// coefficients that are not 0 (t multiplications, t - 1 additions), one addition for a sum of two directions.
// Of pooling, for each sample in a window and for each output, as pool_operations() says. Of a recipe: all
// that are on, on the sizes they get. bad_argument where the case cannot be run.
Result<double> operation_count(const BenchmarkCase& what);

// Counts those for one sample of one axis.
double operations_per_sample(const iir2d::AxisFilter& axis);

// Counts those of one plane: an addition, a multiplication, a division, a comparison, a power and a root
// counting as one each, with s samples in all windows together and n outputs.
//   max:  forward s - n comparisons; backward n additions
//   avg:  forward s - n additions and n divisions; backward n divisions and s additions
//   lp:   forward s powers, s - n additions and n roots; backward 2 n (a power and a division an output) and
//         3 s (a power, a multiplication and an addition a sample)
Result<double> pool_operations(const PoolOperation& pool, iir2d::Shape input, iir2d::ElementType element,
                               PoolPass pass);

// One case in the chart.
struct RooflinePoint {
    std::size_t index = 0;            // of its result
    double operations = 0;            // of a run
    double intensity = 0;             // operations a byte moved
    double gflops = 0;                // reached at p50, 1e9 operations a second
    double copy_gb_per_s = 0;         // of the same bytes in the same run
    bool in_double = false;           // its arithmetic is in f64
    double of_bandwidth_ceiling = 0;  // gflops over intensity * copy_gb_per_s; above 1: caches helped
};

// Returns those that were timed and whose operations can be counted, in order.
std::vector<RooflinePoint> roofline_points(const std::vector<CaseResult>& results);

// Returns the largest of the points' copies, GB/s: the roof that memory gives. 0 without points.
double bandwidth_ceiling(const std::vector<RooflinePoint>& points);

}  // namespace workbench
