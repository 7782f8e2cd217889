// SPDX-License-Identifier: MIT
// The inner loop of a parameters' gradient that keeps no output of the filter: a section's feedback, run over
// neighbouring columns from below, and the products of what it gives with the filter's input. Compiled for
// several instruction sets, of which the best that runs is chosen once; the instruction set may change bits.
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/iir/lane_rows.h"

namespace iir2d::iir {

// Says what to do beside z[j] = in[j] + a1 z[j+1] + a2 z[j+2]. Sections of one term have a2 = 0 and one
// tap.
enum class CostateTask {
    feedback,  // nothing
    taps,      // out[j] = sum over m of taps[m] z[j+m], and sums of u[j] z[j+m] for as many m, from 0
    products,  // sums of u[j] z[j+m] for m = 1 ... `products`
};

// Lanes of the sums: each column is added to one of them.
inline constexpr std::int64_t sum_lanes = 8;

// Describes one sweep of a cascade's costates. The first sweep takes a gradient of the filter's output, In =
// S, and is `feedback` of the second of two sections or `taps` of the only one; those after it take costates,
// In = Arithmetic, and are `taps` of the first of two sections, or `products`.
template <class In, class S, class Arithmetic>
struct CostateSweep {
    std::int64_t rows;  // from the last to the first; at most 16
    std::int64_t columns;
    int terms;     // of every section of the cascade: 1 or 3
    int sections;  // of the cascade, 1 or 2: there are sections * (terms - 1) + 1 taps
    CostateTask task;
    std::array<double, 2> a;
    LaneRows<const In> in;
    LaneRows<Arithmetic> z;
    LaneRows<Arithmetic> below;  // costate_rows(): z[rows + k], then z[k]
    LaneRows<const S> u;
    LaneRows<S> out;
    std::array<double, 5> taps;
    double* sums;  // sum_lanes for each m
};

// Return how many taps a cascade has; how many products there are, those of d/da_1 and d/da_2 with the
// cascade's taps; and how many rows of z a sweep keeps for the next one.
constexpr int taps_of(int terms, int sections) {
    return sections * (terms - 1) + 1;
}
constexpr int products_of(int terms, int sections) {
    return terms == 1 ? 1 : taps_of(terms, sections) + 1;
}
constexpr int costate_rows(int terms, int sections) {
    return products_of(terms, sections);
}

void sweep_costates(const CostateSweep<float, float, float>&);
void sweep_costates(const CostateSweep<float, float, double>&);
void sweep_costates(const CostateSweep<double, float, double>&);
void sweep_costates(const CostateSweep<double, double, double>&);

}  // namespace iir2d::iir
