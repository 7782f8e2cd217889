// SPDX-License-Identifier: MIT
// A pooling job as launches: a pure function of the descriptor and its geometry.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "iir2d/plan.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_parameters.h"

namespace iir2d::pool {

struct GpuPooling {
    std::string kernel;        // without the argmax
    std::string index_kernel;  // with it; "" where there is none
    std::string
        two_by_two_kernel;  // in place of `kernel` where the memory allows it; "" where windows do not
    ElementType accumulator = ElementType::f32;
    std::int64_t output_rows = 0;  // of all planes
    GpuPool job = {};              // without what a launch adds
};

GpuPooling make_gpu_pooling(const PoolDesc& desc, const PoolGeometry& geometry);

// One array of planes. The address is a device address, strides are in elements.
struct GpuPlanes {
    std::uint64_t data;
    std::int64_t row_stride;
    std::int64_t plane_stride;
};

struct GpuLaunch {
    const char* kernel;
    unsigned blocks;
    unsigned threads;
    const GpuPool& parameters;
};

// The launches in order, with addresses. argmax 0: not wanted. Stops where `launch` returns false. Allocates
// nothing.
void for_each_launch(const GpuPooling& pooling, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t argmax,
                     const std::function<bool(const GpuLaunch&)>& launch);

}  // namespace iir2d::pool
