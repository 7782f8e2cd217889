// SPDX-License-Identifier: MIT
// The state of a pass's sections before the first sample, as start_state.cpp makes it for the CPU: in double
// whatever the precision, for the 32 lines of a warp.
#pragma once

#include "kernels/iir/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

using gpu::for_lanes;
using gpu::Lanes;

// The state of the transposed direct form II: y = b0 x + s1; s1' = b1 x + a1 y + s2; s2' = b2 x + a2 y.
struct GpuStart {
    Lanes<double> s1;
    Lanes<double> s2;

    IIR2D_DEVICE double step(const GpuSection& s, double x, int l) {
        const double y = s.b[0] * x + s1[l];
        s1[l] = s.b[1] * x + s.a[0] * y + s2[l];
        s2[l] = s.b[2] * x + s.a[1] * y;
        return y;
    }
};

// Picks the i-th of samples kept one by one; a run-time index into an array would put it in local memory.
template <std::size_t Count>
IIR2D_DEVICE void pick(const Lanes<double> (&from)[Count], std::int64_t i, Lanes<double>& to) {
    to = from[0];
    IIR2D_UNROLL
    for (std::size_t k = 1; k < Count; ++k) {
        for_lanes([&](int l) { to[l] = i == static_cast<std::int64_t>(k) ? from[k][l] : to[l]; });
    }
}

// Computes a section's state from what it reads before its first sample: x[0] is x[-1], and so on. Order 1
// reads two, order 2 four.
template <int Order>
IIR2D_DEVICE void gpu_start_state(const GpuSection& s, bool steady,
                                  const Lanes<double> (&x)[static_cast<std::size_t>(2 * Order)],
                                  GpuStart& state) {
    for_lanes([&](int l) {
        double y1 = s.start_b[0] * x[0][l] + s.start_b[1] * x[1][l];
        double y2 = 0.0;
        if constexpr (Order == 2) {
            y2 = s.start_b[0] * x[1][l] + s.start_b[1] * x[2][l] + s.start_b[2] * x[3][l];
            y2 = s.order == 2 ? y2 : 0.0;
            y1 = s.order == 2 ? y1 + s.start_b[2] * x[2][l] + s.a[0] * y2 : y1;
        }
        y1 = s.order == 0 ? 0.0 : y1;
        y1 = steady ? s.gain * x[0][l] : y1;
        y2 = steady ? y1 : y2;
        state.s1[l] = s.b[1] * x[0][l] + s.a[0] * y1;
        state.s2[l] = 0.0;
        if constexpr (Order == 2) {
            state.s1[l] += s.b[2] * x[1][l] + s.a[1] * y2;
            state.s2[l] = s.b[2] * x[0][l] + s.a[1] * y1;
        }
    });
}

// The steady start under a periodic border: what a run over the last samples of the extension leaves, from
// rest; where that run was one period, closed, since the state of a periodic line comes back to itself.
template <class Lines>
IIR2D_DEVICE void gpu_periodic_state(const GpuAxis& axis, const GpuPass& pass, const Lines& lines,
                                     GpuStart& state) {
    const GpuSection& s = pass.sections[0];
    for_lanes([&](int l) { state.s1[l] = state.s2[l] = 0.0; });
    const std::int64_t n = axis.length;
    const std::int64_t steps = pass.history_steps;
    const std::int64_t near = steps < n ? steps : n;
    // Before a mirrored line lies the line backwards, and before that the line again. The first of the two
    // parts is empty but for that.
    IIR2D_ROLLED
    for (int part = 0; part < 2; ++part) {
        Lines extension = lines;
        const bool backwards = part == 1 && axis.border == 1;
        extension.set.reversed = lines.set.reversed != backwards;
        const std::int64_t count = part == 1 ? near : steps - near;
        extension.template sweep<false>(n - count, n, [&](auto x, int l) {
            state.step(s, static_cast<double>(x), l);
            return x;
        });
    }
    if (pass.close_period != 0) {
        for_lanes([&](int l) {
            const double r1 = state.s1[l];
            const double r2 = state.s2[l];
            state.s1[l] = pass.closing[0] * r1 + pass.closing[1] * r2;
            state.s2[l] = pass.closing[2] * r1 + pass.closing[3] * r2;
        });
    }
}

// Computes l[n] and l[n+1] of the costate of a transposed pass under a steady start and a periodic border:
// what the line's gradient leaves from rest where the pass ends, closed and taken over a mirror's image. Sums
// as start_state.cpp's periodic_costate().
template <class Lines>
IIR2D_DEVICE void gpu_periodic_costate(const GpuPass& pass, const Lines& lines, Lanes<double>& l1,
                                       Lanes<double>& l2) {
    const GpuSection& s = pass.sections[0];
    for_lanes([&](int l) { l1[l] = l2[l] = 0.0; });
    const std::int64_t n = lines.set.n;
    lines.template sweep<false>(n - pass.history_steps, n, [&](auto g, int l) {
        const double next = static_cast<double>(g) + s.a[0] * l1[l] + s.a[1] * l2[l];
        l2[l] = l1[l];
        l1[l] = next;
        return g;
    });
    for_lanes([&](int l) {
        const double r1 = l1[l];
        const double r2 = l2[l];
        l1[l] = pass.closing[0] * r1 + pass.closing[1] * r2;
        l2[l] = pass.closing[2] * r1 + pass.closing[3] * r2;
    });
}

// Computes one state per section, from the samples that `before` names, of lines of n. The sections of a pass
// share its sweep where the border samples of the lines between them lie among the line's first samples
// (passes.h), which are therefore run ahead here.
template <int Order, int Sections, class Lines>
IIR2D_DEVICE void gpu_short_start_states(const std::int64_t (&indices)[4], std::int64_t n, bool steady,
                                         double constant, const GpuSection (&sections)[gpu_sections],
                                         const Lines& lines,
                                         GpuStart (&states)[static_cast<std::size_t>(Sections)]) {
    constexpr int reach = 2 * Order;  // samples before the line that a section reads
    Lanes<double> before[static_cast<std::size_t>(reach)];
    IIR2D_UNROLL
    for (int i = 0; i < reach; ++i) {
        const std::int64_t index = indices[i];
        lines.load(index < 0 ? 0 : index, before[i]);
        for_lanes([&](int l) { before[i][l] = index < 0 ? constant : before[i][l]; });
    }
    gpu_start_state<Order>(sections[0], steady, before, states[0]);
    if constexpr (Sections > 1) {
        Lanes<double> head[static_cast<std::size_t>(reach)];
        IIR2D_UNROLL
        for (int i = 0; i < reach; ++i) lines.load(i < n ? i : 0, head[i]);
        IIR2D_UNROLL
        for (int k = 1; k < Sections; ++k) {
            const GpuSection& previous = sections[k - 1];
            GpuStart running = states[k - 1];
            IIR2D_UNROLL
            for (int i = 0; i < reach; ++i) {
                for_lanes([&](int l) { head[i][l] = running.step(previous, head[i][l], l); });
            }
            if (steady) constant *= previous.gain;
            IIR2D_UNROLL
            for (int i = 0; i < reach; ++i) {
                const std::int64_t index = indices[i];
                pick(head, index, before[i]);
                for_lanes([&](int l) { before[i][l] = index < 0 ? constant : before[i][l]; });
            }
            gpu_start_state<Order>(sections[k], steady, before, states[k]);
        }
    }
}

// Computes one state per section of a pass.
template <int Order, int Sections, class Lines>
IIR2D_DEVICE void gpu_start_states(const GpuAxis& axis, const GpuPass& pass, const Lines& lines,
                                   GpuStart (&states)[static_cast<std::size_t>(Sections)]) {
    const bool steady = axis.steady != 0;
    if (steady && (axis.border == 1 || axis.border == 2)) {
        gpu_periodic_state(axis, pass, lines, states[0]);
        IIR2D_UNROLL
        for (int k = 1; k < Sections; ++k) {  // none: such a pass has one section
            for_lanes([&](int l) { states[k].s1[l] = states[k].s2[l] = 0.0; });
        }
        return;
    }
    gpu_short_start_states<Order, Sections>(axis.before, axis.length, steady, pass.constant, pass.sections,
                                            lines, states);
}

}  // namespace iir2d::iir
