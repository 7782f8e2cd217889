// SPDX-License-Identifier: MIT
// Lists every pooling kernel once: X(name, parameter type, body, most threads of a block), as in
// kernels/iir/gpu_kernel_list.h, and fewest blocks of a multiprocessor, which registers are held down for: 64
// of a thread for 4, 80 for 3. Names are op, element type, and "wide" where sums are made in f64 beside a
// narrower element.
#pragma once

#include "kernels/pool/gpu_pool.h"
#include "kernels/pool/gpu_pool_backward.h"

#define IIR2D_POOL_FORWARD(X, name, op, T, Acc, blocks) \
    X(name, iir2d::pool::GpuPool, (iir2d::pool::gpu_pool<iir2d::pool::WindowOp::op, T, Acc>), 256, blocks)
#define IIR2D_POOL_BACKWARD(X, name, op, T, Acc, blocks) \
    X(name, iir2d::pool::GpuPoolBackward,                \
      (iir2d::pool::gpu_pool_backward<iir2d::pool::GradientOp::op, T, Acc>), 256, blocks)

// Lists the kernels of an element type whose arithmetic is Acc.
#define IIR2D_POOL_ELEMENT(X, suffix, T, Acc, blocks)                         \
    IIR2D_POOL_FORWARD(X, pool_max_##suffix, max, T, Acc, blocks)             \
    IIR2D_POOL_FORWARD(X, pool_max_index_##suffix, max_index, T, Acc, blocks) \
    IIR2D_POOL_FORWARD(X, pool_avg_##suffix, avg, T, Acc, blocks)             \
    IIR2D_POOL_FORWARD(X, pool_lp_p1_##suffix, lp1, T, Acc, blocks)           \
    IIR2D_POOL_FORWARD(X, pool_lp_p2_##suffix, lp2, T, Acc, blocks)           \
    IIR2D_POOL_FORWARD(X, pool_lp_power_##suffix, lp_power, T, double, 1)     \
    IIR2D_POOL_BACKWARD(X, pool_max_backward_##suffix, max, T, Acc, 3)        \
    IIR2D_POOL_BACKWARD(X, pool_avg_backward_##suffix, avg, T, Acc, 3)        \
    IIR2D_POOL_BACKWARD(X, pool_lp_p1_backward_##suffix, lp1, T, double, 3)   \
    IIR2D_POOL_BACKWARD(X, pool_lp_power_backward_##suffix, lp_power, T, double, 1)

// Lists the kernels of an element type whose arithmetic is f32, and the same with sums in f64.
#define IIR2D_POOL_NARROW(X, suffix, T)                                          \
    IIR2D_POOL_ELEMENT(X, suffix, T, float, 4)                                   \
    IIR2D_POOL_FORWARD(X, pool_avg_##suffix##_wide, avg, T, double, 3)           \
    IIR2D_POOL_FORWARD(X, pool_lp_p1_##suffix##_wide, lp1, T, double, 3)         \
    IIR2D_POOL_FORWARD(X, pool_lp_p2_##suffix##_wide, lp2, T, double, 3)         \
    IIR2D_POOL_BACKWARD(X, pool_max_backward_##suffix##_wide, max, T, double, 3) \
    IIR2D_POOL_BACKWARD(X, pool_avg_backward_##suffix##_wide, avg, T, double, 3) \
    IIR2D_POOL_BACKWARD(X, pool_lp_p2_backward_##suffix, lp2, T, double, 3)

#define IIR2D_POOL_2X2(X, name, op) \
    X(name, iir2d::pool::GpuPool, (iir2d::pool::gpu_pool_2x2<iir2d::pool::WindowOp::op>), 256)

#define IIR2D_POOL_KERNELS(X)                     \
    IIR2D_POOL_NARROW(X, f32, float)              \
    IIR2D_POOL_NARROW(X, f16, iir2d::Float16)     \
    IIR2D_POOL_NARROW(X, bf16, iir2d::BFloat16)   \
    IIR2D_POOL_ELEMENT(X, f64, double, double, 3) \
    IIR2D_POOL_2X2(X, pool_max_2x2_f32, max)      \
    IIR2D_POOL_2X2(X, pool_avg_2x2_f32, avg)      \
    IIR2D_POOL_2X2(X, pool_lp_p2_2x2_f32, lp2)
