// SPDX-License-Identifier: MIT
// A section as the CPU's sweeps apply it, in float or in double.
#pragma once

#include "iir2d/filter.h"

namespace iir2d::iir {

// Returns a section as float arithmetic sees it: feedback rounded to float, feed-forward scaled so that the
// gain at frequency zero stays what it was. Near 1 the rounding of the feedback alone would change the gain
// visibly.
Section rounded_to_float(const Section& section);

template <class A>
struct Coefficients {
    A b0, a1, a2;
    A c1, c2;  // b1 + a1 b0, b2 + a2 b0
};

// Holds the coefficients of two steps of a section at once, whose chain is then half as long or little more.
// One term: y[n+1] = x0 x[n+1] + x1 x[n] + back y[n-1]. Three: the s1 after both steps is c1 x[n+1] + x1 x[n]
// + back s1 + a1 s2; the rest is as in two single steps, and x0 is not used. x0 and x1 make up for the
// rounding of `back`, so that the gain at frequency zero is the section's.
template <class A>
struct PairCoefficients {
    A x0, x1, back;
};

// The transposed direct form II, y = b0 x + s1; s1' = b1 x + a1 y + s2; s2' = b2 x + a2 y, with y put in:
// then only a multiplication and an addition lie between one state and the next. `terms` is how much of it
// there is: 1 for a pure first-order feedback, whose state is a1 y; 2 with x[n-1]; 3 for the second order.
template <class A>
struct SectionStep {
    Coefficients<A> c;
    int terms;
    PairCoefficients<A> pair;
};

template <class A>
PairCoefficients<A> pair_of_first_order(const Coefficients<A>& c) {
    const double b0 = static_cast<double>(c.b0);
    const double a1 = static_cast<double>(c.a1);
    const A back = static_cast<A>(a1 * a1);
    const double gain = (1.0 - static_cast<double>(back)) / ((1.0 - a1) * (1.0 + a1));
    return {static_cast<A>(gain * b0), static_cast<A>(gain * a1 * b0), back};
}

template <class A>
PairCoefficients<A> pair_of_second_order(const Coefficients<A>& c) {
    const double a1 = static_cast<double>(c.a1);
    const double a2 = static_cast<double>(c.a2);
    const double c1 = static_cast<double>(c.c1);
    const double c2 = static_cast<double>(c.c2);
    const double exact = a1 * a1 + a2;
    const A back = static_cast<A>(exact);
    const double rounding = static_cast<double>(back) - exact;
    const double s1 = (c1 + c2) / (1.0 - a1 - a2);  // for ever under a constant input of 1
    // The sum of the feedback may round to 1, where s1 is infinite, in double arithmetic alone.
    return {A(0), static_cast<A>(c2 + a1 * c1 - (rounding == 0 ? 0.0 : rounding * s1)), back};
}

template <class A>
SectionStep<A> section_step(const Section& section) {
    const Section s = sizeof(A) == sizeof(float) ? rounded_to_float(section) : section;
    const Coefficients<A> c{static_cast<A>(s.b[0]), static_cast<A>(s.a[0]), static_cast<A>(s.a[1]),
                            static_cast<A>(s.b[1] + s.a[0] * s.b[0]),
                            static_cast<A>(s.b[2] + s.a[1] * s.b[0])};
    const int terms = section.order == 2 || section.b[2] != 0 ? 3 : section.b[1] != 0 ? 2 : 1;
    return {c, terms,
            terms == 1   ? pair_of_first_order(c)
            : terms == 3 ? pair_of_second_order(c)
                         : PairCoefficients<A>{}};
}

}  // namespace iir2d::iir
