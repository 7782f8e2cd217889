// SPDX-License-Identifier: MIT
// The kernel that adds to the gradient of a filter's parameters what the ends of a section's lines give to
// it: borders, histories and starts. docs/gpu-kernels.md, "Gradient of the parameters".
#pragma once

#include <type_traits>

#include "kernels/iir/gpu_gradient.h"
#include "kernels/iir/gpu_lines.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/gpu_start.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

// Adds what the ends of the lines contribute to the sums and to `out`: the samples before the line and the
// history that follows from them, or under a steady start and a periodic border what lies beyond the line's
// other end. passes[0] of the axis is the section's, from u to `out`; passes[1] that which makes its costate,
// from g.
struct GpuEnds {
    GpuAxis axis;
    GpuPlanes y;
    GpuPlanes l;
    std::uint64_t sums;         // gpu_gradient_sums for each block
    std::int64_t image_steps;   // of a mirror's image whose gradients count
    std::int64_t image_before;  // from which sample before the line on its outputs are made, for that
    GpuGradientSection section;
    std::int32_t has_out;
    std::int32_t padding;
};
static_assert(sizeof(GpuEnds) <= 4096);

// A warp for 32 lines.
template <bool Rows>
struct GpuEndsRun {
    using Lines = std::conditional_t<Rows, GpuRows<double, double>, GpuColumns<double, double>>;

    const GpuEnds& job;
    const GpuPass& pass;  // the section's
    Lines input;          // u, and `out` where it is written
    Lines output;         // y
    Lines costate;        // l
    Lines upstream;       // g, the other way round

    // Adds products to those that the coefficients' gradients are sums of.
    IIR2D_DEVICE void add(const Lanes<double> (&products)[gpu_products],
                          Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const GpuGradientSection& s = job.section;
        for_lanes([&](int l) {
            if (s.directed != 0) {
                sums[gpu_gradient_directed][l] +=
                    s.change_b[0] * products[0][l] + s.change_b[1] * products[1][l] +
                    s.change_b[2] * products[2][l] + s.change_a[0] * products[3][l] +
                    s.change_a[1] * products[4][l];
            } else {
                IIR2D_UNROLL
                for (int q = 0; q < gpu_products; ++q) sums[q][l] += products[q][l];
            }
        });
    }

    // Adds the samples before the line, and the history that follows from them.
    IIR2D_DEVICE void before_line(Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const GpuAxis& axis = job.axis;
        const GpuSection& s = pass.sections[0];
        const bool steady = axis.steady != 0;
        Lanes<double> l0;
        Lanes<double> l1;
        costate.load(0, l0);
        costate.load(axis.length > 1 ? 1 : 0, l1);
        Lanes<double> u[4];
        IIR2D_UNROLL
        for (int k = 0; k < 4; ++k) {
            const std::int64_t index = axis.before[k];
            input.load(index < 0 ? 0 : index, u[k]);
            for_lanes([&](int l) { u[k][l] = index < 0 ? pass.constant : u[k][l]; });
        }
        Lanes<double> asked[4];  // of u[-1-k]
        for_lanes([&](int l) {
            const double c0 = l0[l];
            const double c1 = axis.length > 1 ? l1[l] : 0.0;
            double y1 = 0.0;
            double y2 = 0.0;
            if (steady) {
                y1 = y2 = s.gain * u[0][l];
            } else if (s.order == 1) {
                y1 = s.start_b[0] * u[0][l] + s.start_b[1] * u[1][l];
            } else if (s.order == 2) {
                y2 = s.start_b[0] * u[1][l] + s.start_b[1] * u[2][l] + s.start_b[2] * u[3][l];
                y1 = s.start_b[0] * u[0][l] + s.start_b[1] * u[1][l] + s.start_b[2] * u[2][l] + s.a[0] * y2;
            }
            sums[1][l] += u[0][l] * c0;
            sums[2][l] += u[0][l] * c1 + u[1][l] * c0;
            sums[3][l] += y1 * c0;
            sums[4][l] += y1 * c1 + y2 * c0;
            const double m1 = s.a[0] * c0 + s.a[1] * c1;  // of y[-1]
            double m2 = s.a[1] * c0;                      // of y[-2]
            asked[0][l] = s.b[1] * c0 + s.b[2] * c1;
            asked[1][l] = s.b[2] * c0;
            asked[2][l] = asked[3][l] = 0.0;
            if (steady) {
                sums[gpu_gradient_of_gain][l] += (m1 + m2) * u[0][l];
                asked[0][l] += s.gain * (m1 + m2);
            } else if (s.order == 1) {
                IIR2D_UNROLL
                for (int k = 0; k < 2; ++k) {
                    sums[5 + k][l] += m1 * u[k][l];
                    asked[k][l] += s.start_b[k] * m1;
                }
            } else if (s.order == 2) {
                m2 += s.a[0] * m1;
                IIR2D_UNROLL
                for (int k = 0; k < 3; ++k) {
                    sums[5 + k][l] += m1 * u[k][l] + m2 * u[1 + k][l];
                    asked[k][l] += s.start_b[k] * m1;
                    asked[1 + k][l] += s.start_b[k] * m2;
                }
                sums[3][l] += m1 * y2;
            }
        });
        IIR2D_UNROLL
        for (int k = 0; k < 4; ++k) {
            const std::int64_t index = axis.before[k];
            if (index < 0) {
                for_lanes([&](int l) { sums[gpu_gradient_of_constant][l] += asked[k][l]; });
            } else if (job.has_out != 0) {
                input.add(index, [&](int l) { return asked[k][l]; });
            }
        }
    }

    // Adds what lies beyond the line's end, where l goes on: l[n] and l[n+1].
    IIR2D_DEVICE void behind_line(const Lanes<double>& ln, const Lanes<double>& ln1,
                                  Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const std::int64_t n = job.axis.length;
        const GpuSection& s = pass.sections[0];
        const bool two = n > 1;
        Lanes<double> u1;
        Lanes<double> u2;
        Lanes<double> y1;
        Lanes<double> y2;
        input.load(n - 1, u1);
        input.load(two ? n - 2 : 0, u2);
        output.load(n - 1, y1);
        output.load(two ? n - 2 : 0, y2);
        Lanes<double> products[gpu_products];
        for_lanes([&](int l) {
            products[0][l] = 0.0;
            products[1][l] = u1[l] * ln[l];
            products[2][l] = u1[l] * ln1[l] + (two ? u2[l] * ln[l] : 0.0);
            products[3][l] = y1[l] * ln[l];
            products[4][l] = y1[l] * ln1[l] + (two ? y2[l] * ln[l] : 0.0);
        });
        add(products, sums);
        if (job.has_out == 0) return;
        input.add(n - 1, [&](int l) { return s.b[1] * ln[l] + s.b[2] * ln1[l]; });
        if (two) input.add(n - 2, [&](int l) { return s.b[2] * ln[l]; });
    }

    IIR2D_DEVICE void directed_image(const Lines& image, GpuStart& state, const Lanes<double>& l0,
                                     const Lanes<double>& l1,
                                     Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const std::int64_t n = job.axis.length;
        const GpuSection& s = pass.sections[0];
        const GpuGradientSection& change = job.section;
        const double a1 = s.a[0];
        const double a2 = s.a[1];
        const double of_u1 = change.change_b[0] * a1 + change.change_b[1];
        const double of_u2 = change.change_b[0] * a2 + change.change_b[2];
        Lanes<double> r1;
        Lanes<double> r2;
        for_lanes([&](int l) { r1[l] = r2[l] = 0.0; });
        image.template sweep<false>(n - job.image_steps, n, [&](double u, int l) {
            const double y = state.step(s, u, l);
            const double old = r1[l];
            r1[l] = u * of_u1 + y * change.change_a[0] + (a1 * old + r2[l]);
            r2[l] = u * of_u2 + y * change.change_a[1] + a2 * old;
            return u;
        });
        for_lanes([&](int l) { sums[gpu_gradient_directed][l] += r1[l] * l0[l] + r2[l] * l1[l]; });
    }

    IIR2D_DEVICE void products_of_image(const Lines& image, GpuStart& state, const Lanes<double>& l0,
                                        const Lanes<double>& l1,
                                        Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const std::int64_t n = job.axis.length;
        const GpuSection& s = pass.sections[0];
        const double a1 = s.a[0];
        const double a2 = s.a[1];
        Lanes<double> u0;
        Lanes<double> u1;
        Lanes<double> y0;
        Lanes<double> y1;
        for_lanes([&](int l) { u0[l] = u1[l] = y0[l] = y1[l] = 0.0; });
        image.template sweep<false>(n - job.image_steps, n, [&](double u, int l) {
            const double y = state.step(s, u, l);
            const double old_u0 = u0[l];
            const double old_y0 = y0[l];
            u0[l] = u + a2 * u1[l];
            u1[l] = old_u0 + a1 * u1[l];
            y0[l] = y + a2 * y1[l];
            y1[l] = old_y0 + a1 * y1[l];
            return u;
        });
        for_lanes([&](int l) {
            const double next = a1 * l0[l] + a2 * l1[l];
            const double of_l1 = u0[l] * l0[l] + u1[l] * next;
            const double of_l2 = u0[l] * l1[l] + u1[l] * l0[l];
            sums[0][l] += a1 * of_l1 + a2 * of_l2;
            sums[1][l] += of_l1;
            sums[2][l] += of_l2;
            sums[3][l] += y0[l] * l0[l] + y1[l] * next;
            sums[4][l] += y0[l] * l1[l] + y1[l] * l0[l];
        });
    }

    // Adds a mirror's image of the line, over which l has no gradient to take up any more: sample -1-t is
    // sample t of the line, and (l[-t], l[1-t]) are (l[0], l[1]) times the power t of the section's companion
    // matrix M. So sums over the image follow from polynomials in M whose coefficients the samples are.
    // Horner's scheme makes two numbers of each, M^2 being a1 M + a2; of the directed sum alone, those of the
    // row vector that goes before (l[0], l[1]).
    IIR2D_DEVICE void over_image(const Lanes<double>& l0, const Lanes<double>& l1,
                                 Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const std::int64_t n = job.axis.length;
        const GpuSection& s = pass.sections[0];
        const double a1 = s.a[0];
        const double a2 = s.a[1];
        const std::int64_t before = job.image_before;
        GpuStart state;
        if (before == 2 * n) {
            gpu_periodic_state(job.axis, pass, input, state);
        } else {
            for_lanes([&](int l) { state.s1[l] = state.s2[l] = 0.0; });
        }
        const auto run_in = [&](double u, int l) {
            state.step(s, u, l);
            return u;
        };
        if (before > n) input.template sweep<false>(2 * n - before, n, run_in);
        Lines image = input;
        image.set.reversed = !input.set.reversed;
        const std::int64_t near = before < n ? before : n;
        image.template sweep<false>(n - near, n - job.image_steps, run_in);
        if (job.section.directed != 0) {
            directed_image(image, state, l0, l1, sums);
        } else {
            products_of_image(image, state, l0, l1, sums);
        }
        if (job.has_out == 0) return;
        image.set.in = input.set.out;
        image.set.in_stride = input.set.out_stride;
        image.set.reversed = input.set.reversed;
        Lanes<double> c1 = l0;
        Lanes<double> c2 = l1;
        image.template sweep<true>(0, job.image_steps, [&](double x, int l) {
            const double next = a1 * c1[l] + a2 * c2[l];
            const double asked = s.b[0] * next + s.b[1] * c1[l] + s.b[2] * c2[l];
            c2[l] = c1[l];
            c1[l] = next;
            return x + asked;
        });
    }

    IIR2D_DEVICE void operator()(Lanes<double> (&sums)[gpu_gradient_sums]) const {
        const GpuAxis& axis = job.axis;
        if (axis.steady == 0 || (axis.border != 1 && axis.border != 2)) return before_line(sums);
        Lanes<double> ln;
        Lanes<double> ln1;
        gpu_periodic_costate(axis.passes[1], upstream, ln, ln1);
        behind_line(ln, ln1, sums);
        if (job.image_steps == 0) return;
        Lanes<double> l0;
        Lanes<double> l1;
        costate.load(0, l0);
        costate.load(axis.length > 1 ? 1 : 0, l1);
        for_lanes([&](int l) { l1[l] = axis.length > 1 ? l1[l] : ln[l]; });
        over_image(l0, l1, sums);
    }
};

template <bool Rows>
IIR2D_DEVICE void gpu_gradient_ends(const GpuEnds& job, const Block& block) {
    const GpuAxis& axis = job.axis;
    const GpuPass& pass = axis.passes[0];
    const std::int64_t index = axis.first_block + block.index();
    auto* shared = reinterpret_cast<double*>(block.shared());
    const auto lines_of = [&](const GpuPlanes& planes) {
        GpuPass one = pass;
        one.in = planes;
        return gpu_line_set<double, Rows>(axis, one, index);
    };
    const auto input = gpu_line_set<double, Rows>(axis, pass, index);
    const GpuEndsRun<Rows> run{job,
                               pass,
                               {input, shared, block},
                               {lines_of(job.y), shared, block},
                               {lines_of(job.l), shared, block},
                               {gpu_line_set<double, Rows>(axis, axis.passes[1], index), shared, block}};
    Lanes<double> sums[gpu_gradient_sums];
    IIR2D_UNROLL
    for (int q = 0; q < gpu_gradient_sums; ++q) for_lanes([&](int l) { sums[q][l] = 0.0; });
    run(sums);
    auto* to = gpu_address<double>(job.sums) + index * gpu_gradient_sums;
    IIR2D_UNROLL
    for (int q = 0; q < gpu_gradient_sums; ++q) {
        Lanes<double> there;
        for_lanes([&](int l) { there[l] = l < input.lanes ? sums[q][l] : 0.0; });
        gpu_sum_of_lanes(there, shared, block);
        for_lanes([&](int l) {
            if (l == 0) to[q] = shared[0];
        });
    }
}

}  // namespace iir2d::iir
