// SPDX-License-Identifier: MIT
// Adds up what tiles leave from rest (gpu_tiles.h), along the rows or down the columns: a line a lane, a warp
// a block, from tile to tile, in double whatever the precision.
#pragma once

#include "kernels/iir/gpu_lines.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

constexpr int gpu_most_states = 2 * gpu_sections;

// Computes what a row's state before a tile contributes to each lane's column of the tile, with no input.
IIR2D_DEVICE void gpu_row_outputs(const GpuCarries& job, std::int64_t first,
                                  Lanes<double> (&outputs)[static_cast<std::size_t>(gpu_most_states)]) {
    IIR2D_UNROLL
    for (int k = 0; k < gpu_most_states; ++k) {
        for_lanes([&](int l) { outputs[k][l] = job.output[k]; });
    }
    IIR2D_ROLLED
    for (int p = 0; p < gpu_tile_powers; ++p) {
        const double* const m = job.over_samples[p];
        for_lanes([&](int l) {
            const bool takes = ((first + l) >> p & 1) != 0;
            double next[static_cast<std::size_t>(gpu_most_states)];
            IIR2D_UNROLL
            for (int j = 0; j < gpu_most_states; ++j) {
                next[j] = 0.0;
                IIR2D_UNROLL
                for (int k = 0; k < gpu_most_states; ++k)
                    next[j] = gpu::fused(outputs[k][l], m[k * gpu_most_states + j], next[j]);
            }
            IIR2D_UNROLL
            for (int j = 0; j < gpu_most_states; ++j) outputs[j][l] = takes ? next[j] : outputs[j][l];
        });
    }
}

template <class A>
IIR2D_DEVICE void gpu_add_carries(const GpuCarries& job, const Block& block) {
    constexpr int most = gpu_most_states;
    constexpr int at_once = 4;  // tiles
    const GpuTileGrid& g = job.grid;
    const bool columns = job.columns != 0;
    const std::int64_t index = job.first_block + block.index();
    const std::int64_t first = index % job.groups * warp_lanes;
    const std::int64_t line = index / job.groups;  // of tiles
    const std::int64_t across = columns ? g.tiles_x : g.tiles_y;
    const std::int64_t plane = line / across;
    const std::int64_t tile = line % across;
    const std::int64_t count = columns ? g.tiles_y - 1 : g.tiles_x - 1;
    const std::int64_t pitch = columns ? g.tile_width : g.row_pitch;
    const std::int64_t size = job.states * pitch;  // of a tile's carries
    const std::int64_t step = columns ? g.tiles_x * size : size;
    A* carry = gpu_address<A>(columns ? g.column_carries : g.row_carries) + first +
               (columns ? plane * count * g.tiles_x + tile : line * count) * size;

    // Of the tile's lines those in the image; and, of rows that lie above others, what columns make of
    // states.
    const std::int64_t lines = columns ? g.tile_width : g.tile_height;
    const std::int64_t left = (columns ? g.width : g.height) - tile * lines;
    std::int64_t there = lines < left ? lines : left;
    if (!columns && tile + 1 < across) there += job.states;
    there -= first;

    Lanes<double> outputs[static_cast<std::size_t>(most)];
    const bool has_rows = columns && tile > 0;
    const A* of_rows = nullptr;
    const std::int64_t rows_size = job.states * g.row_pitch;
    if (has_rows) {
        gpu_row_outputs(job, first, outputs);
        of_rows = gpu_address<const A>(g.row_carries) + g.tile_height +
                  (plane * g.tiles_y * (g.tiles_x - 1) + tile - 1) * rows_size;
    }
    Lanes<double> sum[static_cast<std::size_t>(most)];
    IIR2D_UNROLL
    for (int k = 0; k < most; ++k) {
        for_lanes([&](int l) { sum[k][l] = 0.0; });
    }
    IIR2D_ROLLED
    for (std::int64_t t = 0; t < count; t += at_once) {
        Lanes<double> left_by[static_cast<std::size_t>(at_once * most)];
        IIR2D_UNROLL
        for (int i = 0; i < at_once; ++i) {
            IIR2D_UNROLL
            for (int k = 0; k < most; ++k) {
                const bool is_one = t + i < count && k < job.states;
                for_lanes([&](int l) {
                    left_by[i * most + k][l] =
                        is_one && l < there ? static_cast<double>(carry[i * step + k * pitch + l]) : 0.0;
                });
            }
        }
        if (has_rows) {
            IIR2D_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const A* const from = of_rows + (t + i) * (g.tiles_x - 1) * rows_size;
                IIR2D_UNROLL
                for (int j = 0; j < most; ++j) {
                    IIR2D_UNROLL
                    for (int k = 0; k < most; ++k) {
                        const bool is_one = t + i < count && k < job.states && j < job.states;
                        const double value = is_one ? static_cast<double>(from[j * g.row_pitch + k]) : 0.0;
                        for_lanes([&](int l) {
                            left_by[i * most + k][l] =
                                gpu::fused(outputs[j][l], value, left_by[i * most + k][l]);
                        });
                    }
                }
            }
        }
        IIR2D_UNROLL
        for (int i = 0; i < at_once; ++i) {
            for_lanes([&](int l) {
                double next[static_cast<std::size_t>(most)];
                IIR2D_UNROLL
                for (int k = 0; k < most; ++k) {
                    next[k] = left_by[i * most + k][l];
                    IIR2D_UNROLL
                    for (int j = 0; j < most; ++j)
                        next[k] = gpu::fused(job.over_tile[k * most + j], sum[j][l], next[k]);
                }
                IIR2D_UNROLL
                for (int k = 0; k < most; ++k) {
                    sum[k][l] = next[k];
                    if (t + i < count && k < job.states && l < there)
                        carry[i * step + k * pitch + l] = static_cast<A>(next[k]);
                }
            });
        }
        carry += at_once * step;
    }
}

}  // namespace iir2d::iir
