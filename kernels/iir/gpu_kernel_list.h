// SPDX-License-Identifier: MIT
// Every IIR kernel, once: X(name, parameter type, body, most threads of a block). gpu_kernels.cu makes entry
// points of it, the tests' executor a table. Storage and arithmetic by precision; the order of the sections
// and how many run in one sweep; rows or columns.
#pragma once

#include "kernels/iir/gpu_axis.h"

#define IIR2D_IIR_KERNELS_OF(X, precision, S, A, threads)                                                  \
    X(iir_rows_##precision##_order1_x1, iir2d::iir::GpuAxis, (iir2d::iir::gpu_run_axis<S, A, 1, 1, true>), \
      threads)                                                                                             \
    X(iir_rows_##precision##_order1_x2, iir2d::iir::GpuAxis, (iir2d::iir::gpu_run_axis<S, A, 1, 2, true>), \
      threads)                                                                                             \
    X(iir_rows_##precision##_order2_x1, iir2d::iir::GpuAxis, (iir2d::iir::gpu_run_axis<S, A, 2, 1, true>), \
      threads)                                                                                             \
    X(iir_rows_##precision##_order2_x2, iir2d::iir::GpuAxis, (iir2d::iir::gpu_run_axis<S, A, 2, 2, true>), \
      threads)                                                                                             \
    X(iir_columns_##precision##_order1_x1, iir2d::iir::GpuAxis,                                            \
      (iir2d::iir::gpu_run_axis<S, A, 1, 1, false>), threads)                                              \
    X(iir_columns_##precision##_order1_x2, iir2d::iir::GpuAxis,                                            \
      (iir2d::iir::gpu_run_axis<S, A, 1, 2, false>), threads)                                              \
    X(iir_columns_##precision##_order2_x1, iir2d::iir::GpuAxis,                                            \
      (iir2d::iir::gpu_run_axis<S, A, 2, 1, false>), threads)                                              \
    X(iir_columns_##precision##_order2_x2, iir2d::iir::GpuAxis,                                            \
      (iir2d::iir::gpu_run_axis<S, A, 2, 2, false>), threads)

#define IIR2D_IIR_KERNELS(X)                           \
    IIR2D_IIR_KERNELS_OF(X, f32, float, float, 512)    \
    IIR2D_IIR_KERNELS_OF(X, mixed, float, double, 256) \
    IIR2D_IIR_KERNELS_OF(X, f64, double, double, 256)
