// SPDX-License-Identifier: MIT
// The IIR kernels' body: one axis of a filter or of its adjoint. A block owns 32 lines for all passes of the
// axis, a lane for each line, and its warps share the line in segments; nothing passes between blocks.
// docs/gpu-kernels.md.
#pragma once

#include <type_traits>

#include "kernels/iir/gpu_lines.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/gpu_start.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

// Holds the coefficients of both kinds of steps.
template <class A>
struct GpuCoefficients {
    A b0, b1, b2, a1, a2;

    IIR2D_DEVICE explicit GpuCoefficients(const GpuSection& s)
        : b0(static_cast<A>(s.step_b[0])),
          b1(static_cast<A>(s.step_b[1])),
          b2(static_cast<A>(s.step_b[2])),
          a1(static_cast<A>(s.step_a[0])),
          a2(static_cast<A>(s.step_a[1])) {}
};

template <class A, int Order>
struct GpuStep {
    GpuCoefficients<A> c;

    IIR2D_DEVICE explicit GpuStep(const GpuSection& s) : c(s) {}

    IIR2D_DEVICE A operator()(A x, A& s1, A& s2) const {
        const A y = gpu::fused(c.b0, x, s1);
        if constexpr (Order == 1) {
            s1 = gpu::fused(c.a1, y, c.b1 * x);
        } else {
            s1 = gpu::fused(c.a1, y, gpu::fused(c.b1, x, s2));
            s2 = gpu::fused(c.a2, y, c.b2 * x);
        }
        return y;
    }
};

// A section transposed, against its own direction: l = g + a1 l1 + a2 l2 is its costate, of which the last
// two are its state, and b0 l + b1 l1 + b2 l2 the gradient of its input. Unlike the transposed form's, this
// state still tells what the samples before the line are asked for where the section's zeros cancel its
// poles.
template <class A, int Order>
struct GpuCostateStep {
    GpuCoefficients<A> c;

    IIR2D_DEVICE explicit GpuCostateStep(const GpuSection& s) : c(s) {}

    IIR2D_DEVICE A operator()(A g, A& l1, A& l2) const {
        if constexpr (Order == 1) {
            const A l = gpu::fused(c.a1, l1, g);
            const A u = gpu::fused(c.b0, l, c.b1 * l1);
            l1 = l;
            return u;
        } else {
            const A l = gpu::fused(c.a1, l1, gpu::fused(c.a2, l2, g));
            const A u = gpu::fused(c.b0, l, gpu::fused(c.b1, l1, c.b2 * l2));
            l2 = l1;
            l1 = l;
            return u;
        }
    }
};

// The state of a pass's sections, for the lines of a warp. Order 1 leaves s2 alone, and the compiler drops
// it. Of a transposed pass: l1 and l2.
template <class A, int Sections>
struct GpuState {
    Lanes<A> s1[static_cast<std::size_t>(Sections)];
    Lanes<A> s2[static_cast<std::size_t>(Sections)];
};

// Faults that tests plant in the kernel, to see that they are caught. The product has `none` only.
enum class GpuFault { none, no_barrier, carry_off_by_one, no_end };

// A warp's part of dynamic shared memory: its tile, in whose place its state is posted, then its mask.
template <class A, bool Rows>
struct GpuShared {
    static constexpr int state_bytes = warp_lanes * 2 * gpu_sections * static_cast<int>(sizeof(double));
    static constexpr int tile_bytes = Rows ? GpuRows<A, A>::tile_elements * static_cast<int>(sizeof(A)) : 0;
    static constexpr int mask_offset = tile_bytes > state_bytes ? tile_bytes : state_bytes;
    static constexpr int bytes_per_warp = mask_offset + 16;
    static_assert(mask_offset % 16 == 0);
};

template <class S, class A, int Order, int Sections, bool Rows, bool Transposed, GpuFault Fault>
struct GpuAxisRun {
    using Step = std::conditional_t<Transposed, GpuCostateStep<A, Order>, GpuStep<A, Order>>;
    using Lines = std::conditional_t<Rows, GpuRows<S, A>, GpuColumns<S, A>>;
    using State = GpuState<A, Sections>;
    using Shared = GpuShared<A, Rows>;

    const GpuAxis& axis;
    const GpuPass& pass;
    const Block& block;
    Lines lines;

    // Steps the sections through samples [first, last).
    template <bool Store>
    IIR2D_DEVICE void run(std::int64_t first, std::int64_t last, State& state) const {
        if constexpr (Sections == 1) {
            const Step one(pass.sections[0]);
            lines.template sweep<Store>(first, last,
                                        [&](A x, int l) { return one(x, state.s1[0][l], state.s2[0][l]); });
        } else {
            const Step one(pass.sections[0]);
            const Step two(pass.sections[1]);
            lines.template sweep<Store>(first, last, [&](A x, int l) {
                return two(one(x, state.s1[0][l], state.s2[0][l]), state.s1[1][l], state.s2[1][l]);
            });
        }
    }

    IIR2D_DEVICE static State rest() {
        State state;
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            for_lanes([&](int l) { state.s1[k][l] = state.s2[k][l] = A(0); });
        }
        return state;
    }

    IIR2D_DEVICE bool is_periodic() const {
        return axis.steady != 0 && (axis.border == 1 || axis.border == 2);
    }

    IIR2D_DEVICE State start() const {
        if constexpr (Transposed) {
            State state = rest();
            if (!is_periodic()) return state;
            Lanes<double> l1;
            Lanes<double> l2;
            gpu_periodic_costate(pass, lines, l1, l2);
            for_lanes([&](int l) {
                state.s1[0][l] = static_cast<A>(l1[l]);
                state.s2[0][l] = static_cast<A>(l2[l]);
            });
            return state;
        } else {
            GpuStart exact[static_cast<std::size_t>(Sections)];
            gpu_start_states<Order, Sections>(axis, pass, lines, exact);
            State state;
            IIR2D_UNROLL
            for (int k = 0; k < Sections; ++k) {
                for_lanes([&](int l) {
                    state.s1[k][l] = static_cast<A>(exact[k].s1[l]);
                    state.s2[k][l] = static_cast<A>(exact[k].s2[l]);
                });
            }
            return state;
        }
    }

    // Returns the state that a constant line of the sample at `first` would have, from which a warm-up
    // starts: the nearer it is to the true state, the less there is to forget, and a flat image stays flat.
    IIR2D_DEVICE State level(std::int64_t first) const {
        Lanes<double> x;
        lines.load(first, x);
        State state;
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            const GpuSection& s = pass.sections[k];
            for_lanes([&](int l) {
                const double y = s.step_gain * x[l];
                if constexpr (Transposed) {
                    state.s1[k][l] = state.s2[k][l] =
                        static_cast<A>(x[l] / (1.0 - s.step_a[0] - s.step_a[1]));
                } else {
                    state.s1[k][l] = static_cast<A>(y - s.step_b[0] * x[l]);
                    state.s2[k][l] = static_cast<A>(s.step_b[2] * x[l] + s.step_a[1] * y);
                }
                x[l] = y;
            });
        }
        return state;
    }

    // Returns where warp w posts: its state, two values for each section, and its mask.
    IIR2D_DEVICE double* posted(int w) const {
        return reinterpret_cast<double*>(block.shared() + w * Shared::bytes_per_warp);
    }
    IIR2D_DEVICE std::uint32_t* posted_mask(int w) const {
        return reinterpret_cast<std::uint32_t*>(block.shared() + w * Shared::bytes_per_warp +
                                                Shared::mask_offset);
    }

    IIR2D_DEVICE void post(const State& state) const {
        double* to = posted(block.warp());
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            for_lanes([&](int l) {
                to[(2 * k) * warp_lanes + l] = static_cast<double>(state.s1[k][l]);
                if (Order == 2) to[(2 * k + 1) * warp_lanes + l] = static_cast<double>(state.s2[k][l]);
            });
        }
    }

    // Returns the state that the segments before this warp's leave at its start: warp 0's own end, and of
    // each further segment what it adds from rest, carried over the segments between.
    IIR2D_DEVICE State carried() const {
        constexpr int size = 2 * gpu_sections;
        Lanes<double> sum[static_cast<std::size_t>(2 * Sections)];
        IIR2D_UNROLL
        for (int i = 0; i < 2 * Sections; ++i) {
            for_lanes([&](int l) { sum[i][l] = 0.0; });
        }
        const int warps = Fault == GpuFault::carry_off_by_one ? block.warp() - 1 : block.warp();
        IIR2D_ROLLED
        for (int w = 0; w < warps; ++w) {
            const double* from = posted(w);
            for_lanes([&](int l) {
                double next[static_cast<std::size_t>(2 * Sections)];
                IIR2D_UNROLL
                for (int i = 0; i < 2 * Sections; i += 3 - Order) {
                    next[i] = from[i * warp_lanes + l];
                    IIR2D_UNROLL
                    for (int j = 0; j < 2 * Sections; j += 3 - Order) {
                        next[i] = gpu::fused(pass.carry[i * size + j], sum[j][l], next[i]);
                    }
                }
                IIR2D_UNROLL
                for (int i = 0; i < 2 * Sections; i += 3 - Order) sum[i][l] = next[i];
            });
        }
        State state;
        IIR2D_UNROLL
        for (int k = 0; k < Sections; ++k) {
            for_lanes([&](int l) {
                state.s1[k][l] = static_cast<A>(sum[2 * k][l]);
                state.s2[k][l] = static_cast<A>(sum[2 * k + 1][l]);
            });
        }
        return state;
    }

    IIR2D_DEVICE void barrier() const {
        if constexpr (Fault != GpuFault::no_barrier) block.barrier();
    }

    IIR2D_DEVICE void operator()() const {
        const int w = block.warp();
        const std::int64_t n = axis.length;
        const std::int64_t first = w * axis.segment < n ? w * axis.segment : n;
        const std::int64_t last = n - first < axis.segment ? n : first + axis.segment;
        const bool works = first < last;

        State state;
        if (w == 0) {
            state = start();
        } else {
            IIR2D_UNROLL
            for (int k = 0; k < Sections; ++k) {
                for_lanes([&](int l) { state.s1[k][l] = state.s2[k][l] = A(0); });
            }
        }
        if (pass.warmup >= 0) {
            if (w > 0 && works) {
                state = level(first - pass.warmup);
                run<false>(first - pass.warmup, first, state);
            }
        } else if (block.warps() > 1) {
            State ahead = state;
            if (last < n) {
                run<false>(first, last, ahead);
                post(ahead);
            }
            barrier();
            if (w > 0 && works) state = carried();
        }
        // Every warp has read what lies before its segment, or what was posted, before any writes.
        barrier();
        if (works) run<true>(first, last, state);
        const std::uint32_t lost = propagate_non_finite(first, last, works, state);
        if constexpr (Transposed && Fault != GpuFault::no_end) {
            if (pass.end_count > 0 || pass.image_steps > 0) {
                if (works && last == n) add_end(state, lost);
                block.barrier();  // as in propagate_non_finite()
            }
        }
    }

    // Ends a transposed pass in the last warp with samples: adds what the section's history and the samples
    // before the line contribute (pass_end.h).
    IIR2D_DEVICE void add_end(const State& state, std::uint32_t lost) const {
        IIR2D_ROLLED
        for (int i = 0; i < pass.end_count; ++i) {
            const double* weight = pass.end_weight[i];
            lines.add(pass.end_index[i], [&](int l) {
                double sum = 0.0;
                IIR2D_UNROLL
                for (int k = 0; k < Sections; ++k) {
                    sum = gpu::fused(weight[2 * k], static_cast<double>(state.s1[k][l]), sum);
                    if (Order == 2)
                        sum = gpu::fused(weight[2 * k + 1], static_cast<double>(state.s2[k][l]), sum);
                }
                return (lost >> l & 1U) != 0 ? gpu::quiet_nan<double>() : sum;
            });
        }
        // A mirror's image has no gradient of its own, and its samples are the line's, from this end on.
        Lines image = lines;
        image.set.in = lines.set.out;
        image.set.in_stride = lines.set.out_stride;
        image.set.add = nullptr;
        image.set.reversed = !lines.set.reversed;
        const GpuSection& s = pass.sections[0];
        Lanes<double> l1;
        Lanes<double> l2;
        for_lanes([&](int l) {
            l1[l] = static_cast<double>(state.s1[0][l]);
            l2[l] = Order == 2 ? static_cast<double>(state.s2[0][l]) : 0.0;
        });
        image.template sweep<true>(0, pass.image_steps, [&](A x, int l) {
            const double next = s.step_a[0] * l1[l] + s.step_a[1] * l2[l];
            const double u = s.step_b[0] * next + s.step_b[1] * l1[l] + s.step_b[2] * l2[l];
            l2[l] = l1[l];
            l1[l] = next;
            return static_cast<A>(static_cast<double>(x) + u);
        });
    }

    // Returns the lanes whose line is lost by the end of this segment. A NaN or an infinity in a line is in
    // every later sample of it, which a warm-up does not know; under a steady start with a periodic border
    // the line is its own past, and all of it is lost. No recurrence forgets one: it is in the state that a
    // segment ended with.
    IIR2D_DEVICE std::uint32_t propagate_non_finite(std::int64_t first, std::int64_t last, bool works,
                                                    const State& state) const {
        const std::uint32_t mine = gpu::ballot([&](int l) {
            bool finite = true;
            IIR2D_UNROLL
            for (int k = 0; k < Sections; ++k) {
                finite = finite && gpu::is_finite(state.s1[k][l]);
                if (Order == 2) finite = finite && gpu::is_finite(state.s2[k][l]);
            }
            return works && !finite;
        });
        for_lanes([&](int l) {
            if (l == 0) *posted_mask(block.warp()) = mine;
        });
        block.barrier();
        const bool all = is_periodic();
        std::uint32_t lost = 0;
        IIR2D_ROLLED
        for (int w = 0; w < (all ? block.warps() : block.warp()); ++w) lost |= *posted_mask(w);
        if (lost != 0) lines.fill(first, last, lost, gpu::quiet_nan<S>());
        block.barrier();  // the next pass reads what this one wrote
        return lost | mine;
    }
};

template <class S, class A, int Order, int Sections, bool Rows, bool Transposed = false,
          GpuFault Fault = GpuFault::none>
IIR2D_DEVICE void gpu_run_axis(const GpuAxis& axis, const Block& block) {
    using Run = GpuAxisRun<S, A, Order, Sections, Rows, Transposed, Fault>;
    auto* tile = reinterpret_cast<A*>(block.shared() + block.warp() * GpuShared<A, Rows>::bytes_per_warp);
    IIR2D_ROLLED
    for (int i = 0; i < axis.pass_count; ++i) {
        const GpuPass& pass = axis.passes[i];
        const auto set = gpu_line_set<S, Rows>(axis, pass, axis.first_block + block.index());
        const Run run{axis, pass, block, {set, tile, block}};
        run();
    }
}

}  // namespace iir2d::iir
