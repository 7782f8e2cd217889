// SPDX-License-Identifier: MIT
// The parameters of the IIR kernels: one trivially copyable struct per launch, filled in by gpu_plan.cpp.
#pragma once

#include <cstdint>

namespace iir2d::iir {

constexpr int gpu_sections = 2;  // most sections in one pass
constexpr int gpu_passes = 4;    // most passes in one launch
constexpr int gpu_tile = 16;     // samples of a row that a warp keeps in shared memory at a time

// A section of a pass. The step runs with the coefficients as the precision rounds them; the start state is
// made from the exact ones, in double.
struct GpuSection {
    double step_b[3];
    double step_a[2];
    double b[3];
    double a[2];
    double start_b[3];
    double gain;       // at frequency zero, of the exact section
    double step_gain;  // the same of the rounded one
    std::int32_t order;
    std::int32_t padding;
};

// One array of planes. Addresses are device addresses; strides are in elements.
struct GpuPlanes {
    std::uint64_t data;
    std::int64_t row_stride;
    std::int64_t plane_stride;
};

constexpr int gpu_end_samples = 4;  // most samples that the end of a transposed pass adds to

// One sweep of every line, in one direction.
struct GpuPass {
    GpuPlanes in;
    GpuPlanes out;               // may be `in`
    GpuPlanes add;               // added to what is written; data 0: nothing
    double constant;             // what the input line reads outside under Border::constant
    std::int64_t warmup;         // samples before a segment that its state is made from; -1: exact carries
    std::int64_t history_steps;  // of a steady start under a periodic border
    std::int32_t close_period;   // whether the history's steps are one whole period
    std::int32_t reversed;
    double carry[16];   // the matrix, row by row, that takes the sections' state over one segment
    double closing[4];  // (I - M^period)^-1, M the first section's: read if close_period. Of a transposed
                        // pass: from the costate that the history leaves to the one that the pass begins with
    GpuSection sections[gpu_sections];
    // Of a transposed pass: the samples, in its order, that its end adds to, and the weights of the costates
    // l[0] and l[1] that its sections end with.
    std::int64_t end_index[gpu_end_samples];
    double end_weight[gpu_end_samples][2 * gpu_sections];
    std::int64_t image_steps;  // of a mirror's image that the pass goes on over
    std::int32_t end_count;
    std::int32_t padding;
};

// All passes of one axis. A block runs every pass over 32 lines; its warps share each line in segments.
struct GpuAxis {
    std::int64_t length;       // samples of a line
    std::int64_t lines;        // lines of a plane
    std::int64_t groups;       // blocks of a plane: lines / 32, rounded up
    std::int64_t first_block;  // of this launch
    std::int64_t segment;      // samples of a line for each warp; segment * warps >= length
    std::int64_t before[4];    // where the line reads x[-1] to x[-4]; -1: the border constant
    std::int32_t border;
    std::int32_t steady;
    std::int32_t pass_count;
    std::int32_t padding;
    GpuPass passes[gpu_passes];
};

// Filters in tiles (gpu_tiles.h). A block has a tile, which it goes through in squares of `gpu_square`
// samples; what a tile leaves to the next along the rows, and to the next down the columns, is its carries.
constexpr int gpu_square = 64;
constexpr int gpu_tile_powers = 8;  // a tile has at most 2^8 columns

// One axis: one pass over lines that begin with samples of the first square.
struct GpuTileAxis {
    std::int64_t before[4];  // where the line reads x[-1] to x[-4]; -1: the border constant
    double constant;
    GpuSection sections[gpu_sections];
};

// Describes how planes are cut into tiles, and where the carries are: elements of the arithmetic's type, in
// the workspace. Of rows, tile (x, y) of a plane has place (y (tiles_x - 1) + x), of columns y tiles_x + x;
// the last tile of a line leaves none. In its place each number of a state has an array: of rows `row_pitch`
// long, one element a row and then one for each number of a column's state, of columns `tile_width` long.
struct GpuTileGrid {
    std::int64_t width;
    std::int64_t height;
    std::int64_t tiles_x;
    std::int64_t tiles_y;
    std::int64_t tile_width;   // whole squares
    std::int64_t tile_height;  // likewise
    std::int64_t row_pitch;
    std::uint64_t row_carries;
    std::uint64_t column_carries;
};

// Describes a pass of both axes over tiles. Against the direction of memory addresses are those of the
// planes' last samples, and strides of rows and the step are negative.
struct GpuTiles {
    GpuPlanes in;
    GpuPlanes out;  // may be `in`
    GpuTileGrid grid;
    std::int64_t first_block;  // of this launch
    std::int64_t blocks;       // of all launches
    std::int32_t steady;
    std::int32_t step;    // from a sample of a row to the next, 1 or -1
    std::int32_t packed;  // whether all of `in` is read in whole, aligned 16 bytes
    GpuTileAxis rows;
    GpuTileAxis columns;
};

// Makes carries of tiles from rest into carries of all that lies before, along one axis.
struct GpuCarries {
    GpuTileGrid grid;
    std::int64_t first_block;
    std::int64_t groups;  // blocks of 32 lines for each tile across the lines
    std::int32_t columns;
    double over_tile[16];  // the matrix, row by row, that takes a state over one tile
    // Of columns: what a row's state puts out at once, and the matrices that take it over 1, 2, 4, ...
    // samples.
    double output[4];
    double over_samples[gpu_tile_powers][16];
};

}  // namespace iir2d::iir
