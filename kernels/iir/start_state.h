// SPDX-License-Identifier: MIT
// The state of a pass's sections before the first sample, for many lines ("lanes") at once. In double
// whatever the precision: it is little work, and an error here would be carried along the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "iir2d/filter.h"
#include "kernels/iir/lane_values.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

// The state of the transposed direct form II: y = b0 x + s1; s1' = b1 x + a1 y + s2; s2' = b2 x + a2 y.
struct SectionState {
    LaneValues s1;
    LaneValues s2;
};

// Loads the lanes' samples at one index of the pass's input line, counted from its own start (a reversed pass
// counts from the line's end).
using LoadLanes = std::function<void(std::int64_t index, double* out)>;

// Computes one state per section of the pass, for lines of n samples.
std::vector<SectionState> start_states(const Pass& pass, std::int64_t n, std::size_t lanes, Border border,
                                       Start start, const LoadLanes& load);

// Holds y[-1] and y[-2] of a section over neighbouring lines.
struct SectionHistory {
    std::vector<double> y1;  // one per lane
    std::vector<double> y2;
};

// Computes the history that a section starts with. `constant` is what its input line reads outside under
// Border::constant.
SectionHistory start_history(const Section& s, std::int64_t n, std::size_t lanes, Border border, Start start,
                             double constant, const LoadLanes& load);

// Computes l[n] and l[n+1] of the costate l of a section under a steady start and a periodic border; load(i)
// gives the gradient of output i of the section.
SectionHistory periodic_costate(const Section& s, std::int64_t n, std::size_t lanes, Border border,
                                const LoadLanes& load);

// Computes the state, before the first sample, of one section of a transposed pass, of which `s` is the
// section itself: what a steady start under a periodic border reads of the line beyond the end where the pass
// begins. Source: docs/filters.md, "Adjoint and gradient of the parameters".
SectionState transposed_periodic_state(const Section& s, std::int64_t n, std::size_t lanes, Border border,
                                       const LoadLanes& load);

// The same, prepared for lines of one length: a state that depends on a few samples only is a weighted sum of
// them, and the weights are found once. Immutable.
class PassStart {
  public:
    PassStart(const Pass& pass, std::int64_t n, Border border, Start start);
    // Makes the start of a transposed pass: at rest, unless the start is steady and the border periodic.
    static PassStart of_transposed(const Pass& pass, std::int64_t n, Border border, Start start);

    // Returns the largest number of samples at each end of a line that the states depend on.
    std::int64_t reach() const { return m_reach; }
    // Returns whether the line itself lies before its first sample, all of it (steady start, periodic
    // border).
    bool of_whole_line() const { return m_whole_line; }

    // Writes per section s1 then s2, each `stride` after the one before.
    template <class A>
    void states(const Pass& pass, std::size_t lanes, const LoadLanes& load, A* to, std::int64_t stride) const;

  private:
    PassStart() = default;
    std::vector<SectionState> states_of(const Pass& pass, std::size_t lanes, const LoadLanes& load) const;

    struct Term {
        std::size_t sample;  // of m_samples
        double weight;
    };
    struct State {
        double constant;
        std::vector<Term> terms;
    };

    std::int64_t m_n = 0;
    Border m_border = Border::clamp;
    Start m_start = Start::truncated;
    std::int64_t m_reach = 0;
    bool m_whole_line = false;
    bool m_transposed = false;
    std::vector<std::int64_t> m_samples;
    std::vector<State> m_states;  // s1 and s2 of each section
};

}  // namespace iir2d::iir
