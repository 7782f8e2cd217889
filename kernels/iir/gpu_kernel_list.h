// SPDX-License-Identifier: MIT
// Lists every IIR kernel once: X(name, parameter type, body, most threads of a block). gpu_kernels.cu makes
// entry points of it, the tests' executor a table. A kernel is the filter's or its adjoint's, with storage
// and arithmetic by precision, for the order of the sections and how many run in one sweep, over rows or
// columns. Then filters in tiles, and the parameters' gradient.
#pragma once

#include "kernels/iir/gpu_axis.h"
#include "kernels/iir/gpu_carries.h"
#include "kernels/iir/gpu_gradient.h"
#include "kernels/iir/gpu_gradient_ends.h"
#include "kernels/iir/gpu_tiles.h"

#define IIR2D_IIR_KERNELS_OF(X, kind, S, A, transposed, threads)          \
    X(iir_rows_##kind##_order1_x1, iir2d::iir::GpuAxis,                   \
      (iir2d::iir::gpu_run_axis<S, A, 1, 1, true, transposed>), threads)  \
    X(iir_rows_##kind##_order1_x2, iir2d::iir::GpuAxis,                   \
      (iir2d::iir::gpu_run_axis<S, A, 1, 2, true, transposed>), threads)  \
    X(iir_rows_##kind##_order2_x1, iir2d::iir::GpuAxis,                   \
      (iir2d::iir::gpu_run_axis<S, A, 2, 1, true, transposed>), threads)  \
    X(iir_rows_##kind##_order2_x2, iir2d::iir::GpuAxis,                   \
      (iir2d::iir::gpu_run_axis<S, A, 2, 2, true, transposed>), threads)  \
    X(iir_columns_##kind##_order1_x1, iir2d::iir::GpuAxis,                \
      (iir2d::iir::gpu_run_axis<S, A, 1, 1, false, transposed>), threads) \
    X(iir_columns_##kind##_order1_x2, iir2d::iir::GpuAxis,                \
      (iir2d::iir::gpu_run_axis<S, A, 1, 2, false, transposed>), threads) \
    X(iir_columns_##kind##_order2_x1, iir2d::iir::GpuAxis,                \
      (iir2d::iir::gpu_run_axis<S, A, 2, 1, false, transposed>), threads) \
    X(iir_columns_##kind##_order2_x2, iir2d::iir::GpuAxis,                \
      (iir2d::iir::gpu_run_axis<S, A, 2, 2, false, transposed>), threads)

// Lists the kernels of tiles: those that leave carries, with one warp more for the states of rows, and those
// that write results.
#define IIR2D_TILE_KERNELS_OF(X, kind, S, A)                                                                 \
    X(iir_tile_carries_##kind##_order1_x1, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 1, 1, true>), 96)                                                      \
    X(iir_tile_carries_##kind##_order1_x2, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 1, 2, true>), 96)                                                      \
    X(iir_tile_carries_##kind##_order2_x1, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 2, 1, true>), 96)                                                      \
    X(iir_tile_carries_##kind##_order2_x2, iir2d::iir::GpuTiles,                                             \
      (iir2d::iir::gpu_run_tile<S, A, 2, 2, true>), 96)                                                      \
    X(iir_tiles_##kind##_order1_x1, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 1, 1, false>), 64) \
    X(iir_tiles_##kind##_order1_x2, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 1, 2, false>), 64) \
    X(iir_tiles_##kind##_order2_x1, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 2, 1, false>), 64) \
    X(iir_tiles_##kind##_order2_x2, iir2d::iir::GpuTiles, (iir2d::iir::gpu_run_tile<S, A, 2, 2, false>), 64)

#define IIR2D_IIR_KERNELS(X)                                                                           \
    IIR2D_IIR_KERNELS_OF(X, f32, float, float, false, 512)                                             \
    IIR2D_IIR_KERNELS_OF(X, mixed, float, double, false, 256)                                          \
    IIR2D_IIR_KERNELS_OF(X, f64, double, double, false, 256)                                           \
    IIR2D_IIR_KERNELS_OF(X, adjoint_f32, float, float, true, 512)                                      \
    IIR2D_IIR_KERNELS_OF(X, adjoint_mixed, float, double, true, 256)                                   \
    IIR2D_IIR_KERNELS_OF(X, adjoint_f64, double, double, true, 256)                                    \
    IIR2D_TILE_KERNELS_OF(X, f32, float, float)                                                        \
    IIR2D_TILE_KERNELS_OF(X, mixed, float, double)                                                     \
    IIR2D_TILE_KERNELS_OF(X, f64, double, double)                                                      \
    X(iir_add_carries_f32, iir2d::iir::GpuCarries, (iir2d::iir::gpu_add_carries<float>), 32)           \
    X(iir_add_carries_f64, iir2d::iir::GpuCarries, (iir2d::iir::gpu_add_carries<double>), 32)          \
    X(iir_gradient_products, iir2d::iir::GpuProducts, (iir2d::iir::gpu_gradient_products), 256)        \
    X(iir_gradient_ends_rows, iir2d::iir::GpuEnds, (iir2d::iir::gpu_gradient_ends<true>), 32)          \
    X(iir_gradient_ends_columns, iir2d::iir::GpuEnds, (iir2d::iir::gpu_gradient_ends<false>), 32)      \
    X(iir_gradient_of_plane, iir2d::iir::GpuGradientOfPlane, (iir2d::iir::gpu_gradient_of_plane), 256) \
    X(iir_gradient_sum, iir2d::iir::GpuGradientSum, (iir2d::iir::gpu_gradient_sum), 32)
