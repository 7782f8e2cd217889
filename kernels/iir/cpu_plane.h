// SPDX-License-Identifier: MIT
// Describes what bands of rows and strips of columns share: a plane, its passes with their coefficients, and
// how a run is watched.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "iir2d/device.h"
#include "kernels/iir/cpu.h"
#include "kernels/iir/sweeps.h"
#include "kernels/support/parallel.h"

namespace iir2d::iir {

// Describes a plane that is read from `in` and written to `out`, which may be the same.
template <class S>
struct CpuPlane {
    const S* in;
    std::int64_t in_stride;
    S* out;
    std::int64_t out_stride;
    std::int64_t width;
    std::int64_t height;

    CpuPlane upside_down() const {
        return {in + (height - 1) * in_stride,
                -in_stride,
                out + (height - 1) * out_stride,
                -out_stride,
                width,
                height};
    }
};

template <class A>
struct SweptPass {
    const Pass* pass;
    const PassStart* start;
    const PassEnd* end;
    Cascade<A> cascade;

    // States of all sections, s1 and s2.
    std::int64_t states() const { return 2 * static_cast<std::int64_t>(cascade.size()); }
};

template <class A>
std::vector<SweptPass<A>> swept_passes(const std::vector<CpuPass>& passes) {
    std::vector<SweptPass<A>> swept;
    swept.reserve(passes.size());
    for (const CpuPass& p : passes) {
        swept.push_back({&p.pass, &p.start, &p.end, {}});
        swept.back().cascade.reserve(p.pass.sections.size());
        for (const Section& section : p.pass.sections)
            swept.back().cascade.push_back(section_step<A>(section));
    }
    return swept;
}

// Return the parts of a pass, prepared or swept.
inline const Pass& pass_of(const CpuPass& p) {
    return p.pass;
}
inline const PassStart& start_of(const CpuPass& p) {
    return p.start;
}
inline const PassEnd& end_of(const CpuPass& p) {
    return p.end;
}
template <class A>
const Pass& pass_of(const SweptPass<A>& p) {
    return *p.pass;
}
template <class A>
const PassStart& start_of(const SweptPass<A>& p) {
    return *p.start;
}
template <class A>
const PassEnd& end_of(const SweptPass<A>& p) {
    return *p.end;
}

// Returns whether two successive passes are a sum of one causal and one anticausal pass.
template <class AnyPass>
bool is_plain_sum(const std::vector<AnyPass>& passes, std::size_t first) {
    const auto pass = [&](std::size_t i) -> const Pass& { return pass_of(passes[i]); };
    return first + 1 < passes.size() && pass(first).to_scratch && !pass(first).from_scratch &&
           pass(first + 1).add_scratch && !pass(first + 1).from_scratch;
}

// Returns whether a lane's state holds a NaN or an infinity. No recurrence forgets one: it is in the state
// that a sweep ended with.
template <class A>
bool is_lost(const LaneStates<A>& states, std::int64_t count, std::int64_t lane) {
    for (std::int64_t k = 0; k < count; ++k) {
        if (!std::isfinite(states.first[k * states.stride + lane])) return true;
    }
    return false;
}

// Counts what is done, tells the caller, and hears from it. Threads share it.
class Watch {
  public:
    Watch(const RunControl& control, std::int64_t samples)
        : m_control(control), m_caller(std::this_thread::get_id()), m_total(static_cast<double>(samples)) {}

    // Reports so many samples more. Returns false when the run is to stop.
    bool go_on(std::int64_t samples) {
        const std::int64_t done = m_done.fetch_add(samples, std::memory_order_relaxed) + samples;
        if (m_control.progress && std::this_thread::get_id() == m_caller) {
            support::call_out(
                [&] { m_control.progress(std::min(1.0, static_cast<double>(done) / m_total)); });
        }
        return !stopped();
    }
    bool stopped() {
        if (m_control.stop.stop_requested()) stop();
        return m_stopped.load(std::memory_order_relaxed);
    }
    void stop() { m_stopped.store(true, std::memory_order_relaxed); }

  private:
    const RunControl& m_control;
    std::thread::id m_caller;
    double m_total;
    std::atomic<std::int64_t> m_done{0};
    std::atomic<bool> m_stopped{false};
};

}  // namespace iir2d::iir
