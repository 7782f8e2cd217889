// SPDX-License-Identifier: MIT
// Every converting kernel, once: X(name, parameter type, body, most threads of a block), as in
// kernels/iir/gpu_kernel_list.h.
#pragma once

#include "kernels/convert/gpu_convert.h"

#define IIR2D_CONVERT_KERNELS(X)                                                                      \
    X(convert_f32_f64, iir2d::convert::GpuConvert, (iir2d::convert::gpu_convert<float, double>), 256) \
    X(convert_f64_f32, iir2d::convert::GpuConvert, (iir2d::convert::gpu_convert<double, float>), 256) \
    X(convert_planes_f16_f32, iir2d::convert::GpuConvertPlanes,                                       \
      (iir2d::convert::gpu_convert_planes<iir2d::Float16, float>), 256)                               \
    X(convert_planes_bf16_f32, iir2d::convert::GpuConvertPlanes,                                      \
      (iir2d::convert::gpu_convert_planes<iir2d::BFloat16, float>), 256)                              \
    X(convert_planes_f16_f64, iir2d::convert::GpuConvertPlanes,                                       \
      (iir2d::convert::gpu_convert_planes<iir2d::Float16, double>), 256)                              \
    X(convert_planes_bf16_f64, iir2d::convert::GpuConvertPlanes,                                      \
      (iir2d::convert::gpu_convert_planes<iir2d::BFloat16, double>), 256)                             \
    X(convert_planes_f32_f64, iir2d::convert::GpuConvertPlanes,                                       \
      (iir2d::convert::gpu_convert_planes<float, double>), 256)                                       \
    X(convert_planes_f64_f64, iir2d::convert::GpuConvertPlanes,                                       \
      (iir2d::convert::gpu_convert_planes<double, double>), 256)                                      \
    X(convert_planes_f32_f16, iir2d::convert::GpuConvertPlanes,                                       \
      (iir2d::convert::gpu_convert_planes<float, iir2d::Float16>), 256)                               \
    X(convert_planes_f32_bf16, iir2d::convert::GpuConvertPlanes,                                      \
      (iir2d::convert::gpu_convert_planes<float, iir2d::BFloat16>), 256)
