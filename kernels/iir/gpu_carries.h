// SPDX-License-Identifier: MIT
// Adds up what tiles leave from rest (gpu_tiles.h), along the rows or down the columns: a line a lane, a warp
// a block, from tile to tile, in double whatever the precision.
#pragma once

#include "kernels/iir/gpu_lines.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::iir {

constexpr int gpu_most_states = 2 * gpu_sections;  // the row length of a job's matrices

// Computes what a row's state before a tile contributes to each lane's column of the tile, with no input.
template <int States>
IIR2D_DEVICE void gpu_row_outputs(const GpuCarries& job, std::int64_t first,
                                  Lanes<double> (&outputs)[static_cast<std::size_t>(States)]) {
    IIR2D_UNROLL
    for (int k = 0; k < States; ++k) {
        for_lanes([&](int l) { outputs[k][l] = job.output[k]; });
    }
    IIR2D_ROLLED
    for (int p = 0; p < gpu_tile_powers; ++p) {
        const double* const m = job.over_samples[p];
        for_lanes([&](int l) {
            const bool takes = ((first + l) >> p & 1) != 0;
            double next[static_cast<std::size_t>(States)];
            IIR2D_UNROLL
            for (int j = 0; j < States; ++j) {
                next[j] = 0.0;
                IIR2D_UNROLL
                for (int k = 0; k < States; ++k)
                    next[j] = gpu::fused(outputs[k][l], m[k * gpu_most_states + j], next[j]);
            }
            IIR2D_UNROLL
            for (int j = 0; j < States; ++j) outputs[j][l] = takes ? next[j] : outputs[j][l];
        });
    }
}

template <class A, int States>
IIR2D_DEVICE void gpu_add_carries(const GpuCarries& job, const Block& block) {
    constexpr int most = gpu_most_states;
    constexpr int at_once =
        States == 4 ? 2 : 16 / States / static_cast<int>(sizeof(A) / sizeof(float));  // tiles
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
    const std::int64_t size = States * pitch;  // of a tile's carries
    const std::int64_t step = columns ? g.tiles_x * size : size;
    A* const of_all = columns ? gpu_address<A>(g.column_carries) : gpu_address<A>(g.row_carries);
    A* const carries = of_all + first + (columns ? plane * count * g.tiles_x + tile : line * count) * size;

    // Of the tile's lines those in the image; and, of rows that lie above others, what columns make of
    // states.
    const std::int64_t lines = columns ? g.tile_width : g.tile_height;
    const std::int64_t left = (columns ? g.width : g.height) - tile * lines;
    std::int64_t there = lines < left ? lines : left;
    if (!columns && tile + 1 < across) there += States;
    there -= first;

    Lanes<double> outputs[static_cast<std::size_t>(States)];
    const bool has_rows = columns && tile > 0;
    const A* of_rows = nullptr;
    const std::int64_t rows_step = States * g.row_pitch * (g.tiles_x - 1);
    if (has_rows) {
        gpu_row_outputs<States>(job, first, outputs);
        of_rows = gpu_address<const A>(g.row_carries) + g.tile_height + plane * g.tiles_y * rows_step +
                  (tile - 1) * States * g.row_pitch;
    }

    // Loads what the tiles from the t-th leave; of rows' states, which are the same for all lanes, too.
    struct Left {
        Lanes<A> own[static_cast<std::size_t>(at_once * States)];
        A of_rows[static_cast<std::size_t>(at_once * States * States)];
    };
    const auto load = [&](std::int64_t t, Left& by) {
        IIR2D_UNROLL
        for (int i = 0; i < at_once; ++i) {
            const bool is_one = t + i < count;
            const A* const carry = carries + (t + i) * step;
            IIR2D_UNROLL
            for (int k = 0; k < States; ++k) {
                for_lanes([&](int l) {
                    by.own[i * States + k][l] = is_one && l < there ? carry[k * pitch + l] : A(0);
                });
            }
            const A* const from = has_rows && is_one ? of_rows + (t + i) * rows_step : nullptr;
            IIR2D_UNROLL
            for (int j = 0; j < States; ++j) {
                IIR2D_UNROLL
                for (int k = 0; k < States; ++k) {
                    by.of_rows[(i * States + j) * States + k] =
                        from != nullptr ? from[j * g.row_pitch + k] : A(0);
                }
            }
        }
    };

    Lanes<double> sum[static_cast<std::size_t>(States)];
    IIR2D_UNROLL
    for (int k = 0; k < States; ++k) {
        for_lanes([&](int l) { sum[k][l] = 0.0; });
    }
    Left next;
    load(0, next);
    IIR2D_ROLLED
    for (std::int64_t t = 0; t < count; t += at_once) {
        const Left by = next;
        load(t + at_once, next);  // while these are added
        IIR2D_UNROLL
        for (int i = 0; i < at_once; ++i) {
            A* const carry = carries + (t + i) * step;
            const bool is_one = t + i < count;
            for_lanes([&](int l) {
                double own[static_cast<std::size_t>(States)];
                IIR2D_UNROLL
                for (int k = 0; k < States; ++k) own[k] = static_cast<double>(by.own[i * States + k][l]);
                if (has_rows) {
                    IIR2D_UNROLL
                    for (int j = 0; j < States; ++j) {
                        IIR2D_UNROLL
                        for (int k = 0; k < States; ++k) {
                            own[k] = gpu::fused(
                                outputs[j][l], static_cast<double>(by.of_rows[(i * States + j) * States + k]),
                                own[k]);
                        }
                    }
                }
                IIR2D_UNROLL
                for (int k = 0; k < States; ++k) {
                    IIR2D_UNROLL
                    for (int j = 0; j < States; ++j)
                        own[k] = gpu::fused(job.over_tile[k * most + j], sum[j][l], own[k]);
                }
                IIR2D_UNROLL
                for (int k = 0; k < States; ++k) {
                    sum[k][l] = own[k];
                    if (is_one && l < there) carry[k * pitch + l] = static_cast<A>(own[k]);
                }
            });
        }
    }
}

}  // namespace iir2d::iir
