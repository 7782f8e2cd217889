// SPDX-License-Identifier: MIT
// The inner loops of the parameters' gradient: one section over neighbouring lines, forwards and then
// backwards through what it did. `Arithmetic` is float or double; compiled for several instruction sets, of
// which the best that runs is chosen once. Which lines share a vector changes no bit; the instruction set
// may, where it multiplies and adds in one operation. Thread-safe.
#pragma once

#include <cstdint>

#include "iir2d/filter.h"
#include "kernels/iir/lane_rows.h"

namespace iir2d::iir {

// Returns how much of a section there is: 1 without b1, b2 and a2; 2 without b2 and a2; 3 all of it.
inline int terms_of(const Section& s) {
    return s.b[2] != 0.0 || s.a[1] != 0.0 ? 3 : s.b[1] != 0.0 ? 2 : 1;
}

// Describes what is swept: `lanes` lines of n samples, through a section.
struct SectionLines {
    std::int64_t n;
    std::int64_t lanes;
    const Section* section;
    int terms;  // at least terms_of(*section)
};

// Computes y[i] = b0 u[i] + b1 u[i-1] + b2 u[i-2] + a1 y[i-1] + a2 y[i-2] for i = 0 ... n-1. The arrays hold,
// one for each lane, what comes before and then what the last samples were.
template <class S, class Arithmetic>
struct SectionRun {
    SectionLines lines;
    LaneRows<const S> u;
    LaneRows<S> y;
    LaneRows<const S> add;  // may be null; else sum = y + add
    LaneRows<S> sum;        // may be y or add
    Arithmetic* u1;         // u[-1]
    Arithmetic* u2;
    Arithmetic* y1;  // y[-1]
    Arithmetic* y2;
};

// Computes l[j] = g[j] + a1 l[j+1] + a2 l[j+2] for j = n-1 ... 0, and what follows from it: the gradient of
// the input, out[j] = b0 l[j] + b1 l[j+1] + b2 l[j+2], and per lane five sums, of u[j] l[j], u[j] l[j+1],
// u[j] l[j+2], y[j] l[j+1] and y[j] l[j+2]; those beyond the terms are left as they are. Or one sum, of these
// products times the coefficients of `direction`: where u and y are alike the five are much larger than what
// they differ by. In float, products of a few samples are added before they are added to the sums.
template <class S, class Arithmetic>
struct SectionBack {
    SectionLines lines;
    LaneRows<const S> u;
    LaneRows<const S> y;
    LaneRows<const S> g;
    LaneRows<S> out;           // may be u, y or g; null: not wanted
    LaneRows<const S> add;     // added to out; may be null
    Arithmetic* l1;            // one for each lane: l[n], then l[0]
    Arithmetic* l2;            // l[n+1], then l[1]
    const Section* direction;  // null: five sums
    double* sums;              // one, or five, each `lanes` after the one before
};

void run_section(const SectionRun<float, float>&);
void run_section(const SectionRun<float, double>&);
void run_section(const SectionRun<double, double>&);
void go_back(const SectionBack<float, float>&);
void go_back(const SectionBack<float, double>&);
void go_back(const SectionBack<double, double>&);

}  // namespace iir2d::iir
