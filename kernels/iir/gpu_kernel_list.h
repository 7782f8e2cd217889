// SPDX-License-Identifier: MIT
// Lists every IIR kernel once: X(name, parameter type, body, most threads of a block), as
// kernels/gpu_kernel_list.h says. A kernel is the filter's or its adjoint's, with storage and arithmetic by
// precision, for the order of the sections and how many run in one sweep, over rows or columns. Then filters
// in tiles, and the parameters' gradient.
#pragma once

#include "kernels/iir/gpu_axis.h"
#include "kernels/iir/gpu_carries.h"
#include "kernels/iir/gpu_gradient.h"
#include "kernels/iir/gpu_gradient_ends.h"
#include "kernels/iir/gpu_tiles.h"

#define IIR2D_IIR_KERNELS_OF(X, kind, S, A, transposed, ...)                  \
    X(iir_rows_##kind##_order1_x1, iir2d::iir::GpuAxis,                       \
      (iir2d::iir::gpu_run_axis<S, A, 1, 1, true, transposed>), __VA_ARGS__)  \
    X(iir_rows_##kind##_order1_x2, iir2d::iir::GpuAxis,                       \
      (iir2d::iir::gpu_run_axis<S, A, 1, 2, true, transposed>), __VA_ARGS__)  \
    X(iir_rows_##kind##_order2_x1, iir2d::iir::GpuAxis,                       \
      (iir2d::iir::gpu_run_axis<S, A, 2, 1, true, transposed>), __VA_ARGS__)  \
    X(iir_rows_##kind##_order2_x2, iir2d::iir::GpuAxis,                       \
      (iir2d::iir::gpu_run_axis<S, A, 2, 2, true, transposed>), __VA_ARGS__)  \
    X(iir_columns_##kind##_order1_x1, iir2d::iir::GpuAxis,                    \
      (iir2d::iir::gpu_run_axis<S, A, 1, 1, false, transposed>), __VA_ARGS__) \
    X(iir_columns_##kind##_order1_x2, iir2d::iir::GpuAxis,                    \
      (iir2d::iir::gpu_run_axis<S, A, 1, 2, false, transposed>), __VA_ARGS__) \
    X(iir_columns_##kind##_order2_x1, iir2d::iir::GpuAxis,                    \
      (iir2d::iir::gpu_run_axis<S, A, 2, 1, false, transposed>), __VA_ARGS__) \
    X(iir_columns_##kind##_order2_x2, iir2d::iir::GpuAxis,                    \
      (iir2d::iir::gpu_run_axis<S, A, 2, 2, false, transposed>), __VA_ARGS__)

// Lists the kernels of tiles: those that leave carries, with one warp more for the states of rows, and those
// that write results. As many blocks as have their shared memory at once are to have registers, too.
#define IIR2D_TILE_KERNELS_OF(X, kind, S, A, blocks, blocks_of_carries)                                      \
    X(iir_tile_carries_##kind##_order1_x1, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 1, 1, true>), 96, blocks_of_carries)                                   \
    X(iir_tile_carries_##kind##_order1_x2, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 1, 2, true>), 96, blocks_of_carries)                                   \
    X(iir_tile_carries_##kind##_order2_x1, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 2, 1, true>), 96, blocks_of_carries)                                   \
    X(iir_tile_carries_##kind##_order2_x2, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 2, 2, true>), 96, blocks_of_carries)                                   \
    X(iir_tiles_##kind##_order1_x1, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 1, 1, false>), 64, \
      blocks)                                                                                                \
    X(iir_tiles_##kind##_order1_x2, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 1, 2, false>), 64, \
      blocks)                                                                                                \
    X(iir_tiles_##kind##_order2_x1, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 2, 1, false>), 64, \
      blocks)                                                                                                \
    X(iir_tiles_##kind##_order2_x2, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 2, 2, false>), 64, \
      blocks)

// Lists the kernels that add carries up, by the numbers of a line's state.
#define IIR2D_CARRY_KERNELS_OF(X, kind, A)                                                               \
    X(iir_add_carries_##kind##_states1, iir2d::iir::GpuCarries, (iir2d::iir::gpu_add_carries<A, 1>), 32) \
    X(iir_add_carries_##kind##_states2, iir2d::iir::GpuCarries, (iir2d::iir::gpu_add_carries<A, 2>), 32) \
    X(iir_add_carries_##kind##_states4, iir2d::iir::GpuCarries, (iir2d::iir::gpu_add_carries<A, 4>), 32)

#define IIR2D_IIR_KERNELS(X)                                                                           \
    IIR2D_IIR_KERNELS_OF(X, f32, float, float, false, 512)                                             \
    IIR2D_IIR_KERNELS_OF(X, mixed, float, double, false, 256, 2)                                       \
    IIR2D_IIR_KERNELS_OF(X, f64, double, double, false, 256, 2)                                        \
    IIR2D_IIR_KERNELS_OF(X, adjoint_f32, float, float, true, 512)                                      \
    IIR2D_IIR_KERNELS_OF(X, adjoint_mixed, float, double, true, 256, 2)                                \
    IIR2D_IIR_KERNELS_OF(X, adjoint_f64, double, double, true, 256, 2)                                 \
    IIR2D_TILE_KERNELS_OF(X, f32, float, float, 12, 8)                                                 \
    IIR2D_TILE_KERNELS_OF(X, mixed, float, double, 6, 5)                                               \
    IIR2D_TILE_KERNELS_OF(X, f64, double, double, 6, 5)                                                \
    IIR2D_CARRY_KERNELS_OF(X, f32, float)                                                              \
    IIR2D_CARRY_KERNELS_OF(X, f64, double)                                                             \
    X(iir_gradient_products, iir2d::iir::GpuProducts, (iir2d::iir::gpu_gradient_products), 256)        \
    X(iir_gradient_ends_rows, iir2d::iir::GpuEnds, (iir2d::iir::gpu_gradient_ends<true>), 32)          \
    X(iir_gradient_ends_columns, iir2d::iir::GpuEnds, (iir2d::iir::gpu_gradient_ends<false>), 32)      \
    X(iir_gradient_of_plane, iir2d::iir::GpuGradientOfPlane, (iir2d::iir::gpu_gradient_of_plane), 256) \
    X(iir_gradient_sum, iir2d::iir::GpuGradientSum, (iir2d::iir::gpu_gradient_sum), 32)
