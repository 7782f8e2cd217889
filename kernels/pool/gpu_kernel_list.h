// SPDX-License-Identifier: MIT
// Every pooling kernel, once: X(name, parameter type, body, most threads of a block), as in
// kernels/iir/gpu_kernel_list.h.
#pragma once

#include "kernels/pool/gpu_pool.h"

#define IIR2D_POOL_KERNEL(X, name, body) X(name, iir2d::pool::GpuPool, body, 256)

#define IIR2D_POOL_KERNELS(X)                                                                               \
    IIR2D_POOL_KERNEL(X, pool_max, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::max, float>))             \
    IIR2D_POOL_KERNEL(X, pool_max_index, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::max_index, float>)) \
    IIR2D_POOL_KERNEL(X, pool_max_2x2, (iir2d::pool::gpu_pool_2x2<iir2d::pool::GpuPoolOp::max>))            \
    IIR2D_POOL_KERNEL(X, pool_avg_f32_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::avg, float>))     \
    IIR2D_POOL_KERNEL(X, pool_avg_f64_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::avg, double>))    \
    IIR2D_POOL_KERNEL(X, pool_avg_2x2, (iir2d::pool::gpu_pool_2x2<iir2d::pool::GpuPoolOp::avg>))            \
    IIR2D_POOL_KERNEL(X, pool_lp_p1_f32_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::lp1, float>))   \
    IIR2D_POOL_KERNEL(X, pool_lp_p1_f64_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::lp1, double>))  \
    IIR2D_POOL_KERNEL(X, pool_lp_p2_f32_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::lp2, float>))   \
    IIR2D_POOL_KERNEL(X, pool_lp_p2_f64_sum, (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::lp2, double>))  \
    IIR2D_POOL_KERNEL(X, pool_lp_p2_2x2, (iir2d::pool::gpu_pool_2x2<iir2d::pool::GpuPoolOp::lp2>))          \
    IIR2D_POOL_KERNEL(X, pool_lp_power_f64_sum,                                                             \
                      (iir2d::pool::gpu_pool<iir2d::pool::GpuPoolOp::lp_power, double>))
