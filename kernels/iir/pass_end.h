// SPDX-License-Identifier: MIT
// The last step of a transposed pass. It runs a section against the section's own direction, from rest, and
// ends where the section begins. What the section's history and the samples before its line had asked of the
// line is then still to be added to it: a few samples, and linear in the state that the pass ends with.
// Source of the mathematics: docs/filters.md, "Adjoint and gradient of the parameters".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "iir2d/filter.h"
#include "kernels/iir/sweeps.h"

namespace iir2d::iir {

// A section of a transposed pass. Where it is split the pass runs its feedback first and then its taps, as
// two sections: the state that the section as a whole ends with would not tell enough of what it went
// through, because zeros cancel poles, or all but do.
struct TransposedSection {
    Section section;
    Section rounded;  // the same with the coefficients that the sweep computes with
    bool split = false;

    // Returns the sections that the pass runs.
    std::vector<Section> swept() const;
};

// Decides about splitting, for a sweep in float or in double.
TransposedSection transposed_section(const Section& section, Border border, Start start, bool in_float);

// Holds what is added to a line at the end of a transposed pass, by the places of its samples counted from
// where the sections begin.
using EndAdditions = std::map<std::int64_t, double>;

// Returns the additions where the pass ends with the costates l[0] and l[1] of each of these sections, in the
// order that it runs them in. Precondition: the start is not steady with a periodic border, and the border is
// not Border::constant.
EndAdditions additions_of_costates(const std::vector<Section>& sections, const std::vector<double>& costates,
                                   std::int64_t n, Border border, Start start);

// Immutable.
class PassEnd {
  public:
    PassEnd() = default;  // adds nothing

    // Prepares the end for lines of n samples, of a pass through these sections in this order. Precondition:
    // one section, where the border is wrap, or mirror with the steady start.
    PassEnd(const std::vector<TransposedSection>& sections, std::int64_t n, Border border, Start start);

    bool empty() const { return m_samples.empty(); }
    // Return the range [first, last) of the samples that it adds to, in the pass's own order.
    std::int64_t first() const;
    std::int64_t last() const;

    // Adds to the samples of neighbouring lines what follows from the states that their pass ended with.
    // row_of(i) gives the lines' samples i of the pass's order, beside each other.
    template <class S, class A>
    void add_to(const LaneStates<A>& states, std::int64_t lanes, const auto& row_of) const {
        constexpr std::int64_t at_once = 64;
        std::array<double, at_once> sum;
        for (const Sample& sample : m_samples) {
            S* row = row_of(sample.index);
            for (std::int64_t first = 0; first < lanes; first += at_once) {
                const std::int64_t count = std::min(at_once, lanes - first);
                sum.fill(0.0);
                for (std::size_t k = 0; k < sample.weights.size(); ++k) {
                    const double weight = sample.weights[k];
                    const A* state = states.first + static_cast<std::int64_t>(k) * states.stride + first;
                    for (std::int64_t l = 0; l < count; ++l)
                        sum[static_cast<std::size_t>(l)] += weight * static_cast<double>(state[l]);
                }
                for (std::int64_t l = 0; l < count; ++l) {
                    S& to = row[first + l];
                    to = static_cast<S>(static_cast<double>(to) + sum[static_cast<std::size_t>(l)]);
                }
            }
        }
    }

  private:
    struct Sample {
        std::int64_t index;
        std::vector<double> weights;  // of each state, s1 and s2 of each section that is swept
    };

    std::vector<Sample> m_samples;
};

}  // namespace iir2d::iir
