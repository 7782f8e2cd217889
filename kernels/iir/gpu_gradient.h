// SPDX-License-Identifier: MIT
// The kernels of the gradient of a filter's parameters, beside those of the filter and of its adjoint: what
// one section adds to it. They run on dense planes of double, n-major, in which the section's input u, its
// output y, and its costate l[i] = g[i] + a1 l[i+1] + a2 l[i+2] lie ready. Sums are made in one order, so the
// bits are the same on every run. What the ends of the lines add: gpu_gradient_ends.h. docs/gpu-kernels.md,
// "Gradient of the parameters".
#pragma once

#include "kernels/iir/gpu_lines.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/gpu_start.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

constexpr int gpu_products = 5;        // sums of u l[0], u l[1], u l[2], y l[1], y l[2]
constexpr int gpu_gradient_sums = 11;  // of b, a and start_b, of the gain, of the constant outside, directed
constexpr int gpu_gradient_of_gain = 8;
constexpr int gpu_gradient_of_constant = 9;
constexpr int gpu_gradient_directed = 10;
constexpr int gpu_most_parameters = 10;
constexpr int gpu_gradient_warps = 8;   // of a block that has no lines
constexpr int gpu_gradient_steps = 16;  // elements that a lane of such a block goes through

// A section and how it changes with the only parameter that it depends on, if that is one. Products are then
// added up as one sum, because five sums over coefficients would cancel.
struct GpuGradientSection {
    double b[3];
    double a[2];
    double change_b[3];
    double change_a[2];
    std::int32_t directed;
    std::int32_t padding;
};

// Computes inside the line, elsewhere l being 0: the gradient of the section's input, out[j] = b0 l[j] + b1
// l[j+1] + b2 l[j+2] + add[j], and the sums of the products over the elements of a block.
struct GpuProducts {
    std::uint64_t u, y, l;
    std::uint64_t out;      // 0: not wanted
    std::uint64_t add;      // or 0
    std::uint64_t sums;     // gpu_products for each block
    std::int64_t elements;  // of a plane
    std::int64_t width;
    std::int64_t length;  // samples of a line
    std::int64_t blocks;  // of a plane
    std::int64_t first_block;
    std::int32_t rows;
    std::int32_t reversed;  // of the section's own direction
    GpuGradientSection section;
};

// Adds up what a section's blocks have found for a plane, and from the coefficients' gradients makes the
// parameters'.
struct GpuGradientOfPlane {
    std::uint64_t products;
    std::uint64_t ends;
    std::uint64_t gradient;        // `parameters` for each plane
    std::int64_t products_blocks;  // of a plane
    std::int64_t ends_blocks;
    std::int64_t first_block;
    std::int32_t parameters;
    std::int32_t directed;
    std::int32_t first;  // of the sections: nothing has been written before
    std::int32_t padding;
    double weight[gpu_most_parameters][gpu_gradient_sums];
};

// Adds up the planes' gradients, in their order.
struct GpuGradientSum {
    std::uint64_t of_planes;
    std::uint64_t gradient;
    std::int64_t planes;
    std::int64_t parameters;
};

// Sums a value over a warp's lanes, to sum[0]. `sum` is shared memory for 32 values, this warp's.
IIR2D_DEVICE void gpu_sum_of_lanes(const Lanes<double>& value, double* sum, const Block& block) {
    block.warp_sync();
    for_lanes([&](int l) { sum[l] = value[l]; });
    IIR2D_UNROLL
    for (int half = warp_lanes / 2; half > 0; half /= 2) {
        block.warp_sync();
        for_lanes([&](int l) {
            if (l < half) sum[l] += sum[l + half];
        });
    }
    block.warp_sync();
}

IIR2D_DEVICE void gpu_gradient_products(const GpuProducts& job, const Block& block) {
    const std::int64_t index = job.first_block + block.index();
    const std::int64_t plane = index / job.blocks * job.elements;
    const auto* u = gpu_address<const double>(job.u) + plane;
    const auto* y = gpu_address<const double>(job.y) + plane;
    const auto* costate = gpu_address<const double>(job.l) + plane;
    auto* out = job.out != 0 ? gpu_address<double>(job.out) + plane : nullptr;
    const auto* add = job.add != 0 ? gpu_address<const double>(job.add) + plane : nullptr;
    const std::int64_t step = (job.rows != 0 ? 1 : job.width) * (job.reversed != 0 ? -1 : 1);
    const std::int64_t begin = index % job.blocks * (gpu_gradient_warps * warp_lanes * gpu_gradient_steps) +
                               std::int64_t{block.warp()} * warp_lanes;
    const GpuGradientSection& s = job.section;
    Lanes<double> sums[gpu_products];
    IIR2D_UNROLL
    for (int q = 0; q < gpu_products; ++q) for_lanes([&](int l) { sums[q][l] = 0.0; });
    IIR2D_ROLLED
    for (int k = 0; k < gpu_gradient_steps; ++k) {
        for_lanes([&](int lane) {
            const std::int64_t i = begin + std::int64_t{k} * (gpu_gradient_warps * warp_lanes) + lane;
            if (i < job.elements) {
                const std::int64_t place = job.rows != 0 ? i % job.width : i / job.width;
                const std::int64_t left = job.reversed != 0 ? place : job.length - 1 - place;
                const double l0 = costate[i];
                const double l1 = left > 0 ? costate[i + step] : 0.0;
                const double l2 = left > 1 ? costate[i + 2 * step] : 0.0;
                const double u_i = u[i];
                const double y_i = y[i];
                if (s.directed != 0) {
                    const double of_u = s.change_b[0] * l0 + s.change_b[1] * l1 + s.change_b[2] * l2;
                    const double of_y = s.change_a[0] * l1 + s.change_a[1] * l2;
                    sums[0][lane] += u_i * of_u + y_i * of_y;
                } else {
                    sums[0][lane] += u_i * l0;
                    sums[1][lane] += u_i * l1;
                    sums[2][lane] += u_i * l2;
                    sums[3][lane] += y_i * l1;
                    sums[4][lane] += y_i * l2;
                }
                if (out != nullptr) {
                    const double result = s.b[0] * l0 + s.b[1] * l1 + s.b[2] * l2;
                    out[i] = add != nullptr ? result + add[i] : result;
                }
            }
        });
    }
    auto* shared = reinterpret_cast<double*>(block.shared());
    double* lanes = shared + block.warp() * warp_lanes;
    double* of_warps = shared + gpu_gradient_warps * warp_lanes;
    IIR2D_UNROLL
    for (int q = 0; q < gpu_products; ++q) {
        gpu_sum_of_lanes(sums[q], lanes, block);
        for_lanes([&](int l) {
            if (l == 0) of_warps[block.warp() * gpu_products + q] = lanes[0];
        });
    }
    block.barrier();
    if (block.warp() == 0) {
        auto* to = gpu_address<double>(job.sums) + index * gpu_products;
        for_lanes([&](int q) {
            if (q < gpu_products) {
                double sum = 0.0;
                for (int w = 0; w < gpu_gradient_warps; ++w) sum += of_warps[w * gpu_products + q];
                to[q] = sum;
            }
        });
    }
}

IIR2D_DEVICE void gpu_gradient_of_plane(const GpuGradientOfPlane& job, const Block& block) {
    const std::int64_t plane = job.first_block + block.index();
    const auto* products =
        gpu_address<const double>(job.products) + plane * job.products_blocks * gpu_products;
    const auto* ends = gpu_address<const double>(job.ends) + plane * job.ends_blocks * gpu_gradient_sums;
    auto* shared = reinterpret_cast<double*>(block.shared());
    double* mine = shared + block.warp() * warp_lanes;
    const int w = block.warp();
    for_lanes([&](int q) {
        double sum = 0.0;
        if (q < gpu_gradient_sums) {
            for (std::int64_t i = w; i < job.ends_blocks; i += gpu_gradient_warps)
                sum += ends[i * gpu_gradient_sums + q];
            const int product = job.directed == 0 ? q : q - gpu_gradient_directed;
            if (product >= 0 && product < (job.directed == 0 ? gpu_products : 1)) {
                for (std::int64_t i = w; i < job.products_blocks; i += gpu_gradient_warps)
                    sum += products[i * gpu_products + product];
            }
        }
        mine[q] = sum;
    });
    block.barrier();
    double* totals = shared + gpu_gradient_warps * warp_lanes;
    if (w == 0) {
        for_lanes([&](int q) {
            double sum = 0.0;
            for (int other = 0; other < gpu_gradient_warps; ++other) sum += shared[other * warp_lanes + q];
            totals[q] = sum;
        });
        block.warp_sync();
        auto* gradient = gpu_address<double>(job.gradient) + plane * job.parameters;
        for_lanes([&](int p) {
            if (p < job.parameters) {
                double sum = job.first != 0 ? 0.0 : gradient[p];
                for (int q = 0; q < gpu_gradient_sums; ++q) {
                    // What a parameter does not touch must not make a NaN of it.
                    if (job.weight[p][q] != 0.0) sum += job.weight[p][q] * totals[q];
                }
                gradient[p] = sum;
            }
        });
    }
}

IIR2D_DEVICE void gpu_gradient_sum(const GpuGradientSum& job, const Block&) {
    const auto* of_planes = gpu_address<const double>(job.of_planes);
    auto* gradient = gpu_address<double>(job.gradient);
    for_lanes([&](int p) {
        if (p < job.parameters) {
            double sum = 0.0;
            for (std::int64_t i = 0; i < job.planes; ++i) sum += of_planes[i * job.parameters + p];
            gradient[p] = sum;
        }
    });
}

}  // namespace iir2d::iir
