// SPDX-License-Identifier: MIT
// The state of a pass's sections before the first sample, as start_state.cpp makes it for the CPU: in double
// whatever the precision, for the 32 lines of a warp.
#pragma once

#include "kernels/iir/border_index.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

using gpu::for_lanes;
using gpu::fused;
using gpu::Lanes;

// The state of the transposed direct form II: y = b0 x + s1; s1' = b1 x + a1 y + s2; s2' = b2 x + a2 y.
struct GpuStart {
    Lanes<double> s1;
    Lanes<double> s2;
};

// A line's samples by index, in the pass's direction, with the border rule around them.
template <class Lines>
struct GpuExtension {
    const Lines& lines;
    std::int64_t n;
    int border;
    double constant;

    IIR2D_DEVICE Lanes<double> at(std::int64_t i) const {
        const std::int64_t index = border_index(i, n, border);
        Lanes<double> samples;
        if (index < 0) {
            for_lanes([&](int l) { samples[l] = constant; });
        } else {
            lines.load(index, samples);
        }
        return samples;
    }
};

// Of lanes kept one by one, the i-th; a run-time index into an array would put it in local memory.
template <int Count>
IIR2D_DEVICE Lanes<double> pick(const Lanes<double> (&from)[Count], std::int64_t i) {
    Lanes<double> result = from[0];
    IIR2D_UNROLL
    for (int k = 1; k < Count; ++k) {
        for_lanes([&](int l) { result[l] = i == k ? from[k][l] : result[l]; });
    }
    return result;
}

struct GpuHistory {
    Lanes<double> y1;
    Lanes<double> y2;
};

IIR2D_DEVICE GpuHistory gpu_truncated_history(const GpuSection& s, const Lanes<double> (&x)[4]) {
    GpuHistory h;
    for_lanes([&](int l) {
        const double tail = s.start_b[0] * x[1][l] + s.start_b[1] * x[2][l] + s.start_b[2] * x[3][l];
        const double head = s.start_b[0] * x[0][l] + s.start_b[1] * x[1][l];
        h.y2[l] = s.order == 2 ? tail : 0.0;
        h.y1[l] = s.order == 2 ? head + s.start_b[2] * x[2][l] + s.a[0] * tail : s.order == 1 ? head : 0.0;
    });
    return h;
}

// What a run over the last `steps` samples of the periodic extension leaves, from rest; closed over the
// period where that is how long the run was.
template <class Lines>
IIR2D_DEVICE GpuHistory gpu_periodic_history(const GpuPass& pass, const GpuSection& s,
                                             const GpuExtension<Lines>& x) {
    GpuHistory h;
    for_lanes([&](int l) { h.y1[l] = h.y2[l] = 0.0; });
    const std::int64_t steps = pass.history_steps;
    Lanes<double> x1 = x.at(-steps - 1);
    Lanes<double> x2 = x.at(-steps - 2);
    constexpr int batch = 4;  // loads under way at once
    for (std::int64_t i = -steps; i < 0; i += batch) {
        Lanes<double> samples[batch];
        IIR2D_UNROLL
        for (int k = 0; k < batch; ++k) samples[k] = x.at(i + k < 0 ? i + k : -1);
        IIR2D_UNROLL
        for (int k = 0; k < batch; ++k) {
            const bool inside = i + k < 0;
            for_lanes([&](int l) {
                const double x0 = samples[k][l];
                const double y =
                    s.b[0] * x0 + s.b[1] * x1[l] + s.b[2] * x2[l] + s.a[0] * h.y1[l] + s.a[1] * h.y2[l];
                h.y2[l] = inside ? h.y1[l] : h.y2[l];
                h.y1[l] = inside ? y : h.y1[l];
                x2[l] = inside ? x1[l] : x2[l];
                x1[l] = inside ? x0 : x1[l];
            });
        }
    }
    if (pass.close_period != 0) {
        for_lanes([&](int l) {
            const double r1 = h.y1[l];
            const double r2 = h.y2[l];
            h.y1[l] = s.closing[0] * r1 + s.closing[1] * r2;
            h.y2[l] = s.closing[2] * r1 + s.closing[3] * r2;
        });
    }
    return h;
}

IIR2D_DEVICE GpuStart gpu_state_of(const GpuSection& s, const Lanes<double> (&x)[4], const GpuHistory& h) {
    GpuStart state;
    for_lanes([&](int l) {
        state.s1[l] = s.b[1] * x[0][l] + s.b[2] * x[1][l] + s.a[0] * h.y1[l] + s.a[1] * h.y2[l];
        state.s2[l] = s.b[2] * x[0][l] + s.a[1] * h.y1[l];
    });
    return state;
}

// One state per section. The sections of a pass share its sweep where the border samples of the lines between
// them lie among the line's first four samples (passes.h), which are therefore run ahead here.
template <int Sections, class Lines>
IIR2D_DEVICE void gpu_start_states(const GpuAxis& axis, const GpuPass& pass, const Lines& lines,
                                   GpuStart (&states)[Sections]) {
    const bool steady = axis.steady != 0;
    Lanes<double> head[4];
    if constexpr (Sections > 1) {
        IIR2D_UNROLL
        for (int k = 0; k < 4; ++k) lines.load(k < axis.length ? k : 0, head[k]);
    }
    double constant = pass.constant;
    IIR2D_UNROLL
    for (int k = 0; k < Sections; ++k) {
        const GpuSection& s = pass.sections[k];
        const GpuExtension<Lines> line{lines, axis.length, axis.border, constant};
        Lanes<double> before[4];
        IIR2D_UNROLL
        for (int i = 0; i < 4; ++i) {
            if (k == 0) {
                before[i] = line.at(-1 - i);
            } else {
                const std::int64_t index = border_index(-1 - i, axis.length, axis.border);
                before[i] = pick(head, index);
                for_lanes([&](int l) { before[i][l] = index < 0 ? constant : before[i][l]; });
            }
        }
        GpuHistory h;
        if (!steady) {
            h = gpu_truncated_history(s, before);
        } else if (axis.border == 1 || axis.border == 2) {
            h = gpu_periodic_history(pass, s, line);
        } else {
            for_lanes([&](int l) { h.y1[l] = h.y2[l] = s.gain * before[0][l]; });
        }
        states[k] = gpu_state_of(s, before, h);
        if (k + 1 < Sections) {
            GpuStart running = states[k];
            IIR2D_UNROLL
            for (int i = 0; i < 4; ++i) {
                for_lanes([&](int l) {
                    const double x = head[i][l];
                    const double y = s.b[0] * x + running.s1[l];
                    running.s1[l] = s.b[1] * x + s.a[0] * y + running.s2[l];
                    running.s2[l] = s.b[2] * x + s.a[1] * y;
                    head[i][l] = y;
                });
            }
        }
        if (steady) constant *= s.gain;
    }
}

}  // namespace iir2d::iir
