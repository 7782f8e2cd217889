// SPDX-License-Identifier: MIT
// The body of the kernels that convert between element types: as static_cast does, rounding to nearest.
#pragma once

#include <cstdint>

#include "kernels/support/warp.h"

namespace iir2d::convert {

// Dense elements at device addresses.
struct GpuConvert {
    std::uint64_t x;
    std::uint64_t y;
    std::int64_t count;
};

constexpr int threads = 256;
constexpr int steps_of_a_warp = 8;
constexpr std::int64_t elements_of_a_block = threads * steps_of_a_warp;

template <class From, class To>
IIR2D_DEVICE void gpu_convert(const GpuConvert& job, const gpu::Block& block) {
    const auto* x = reinterpret_cast<const From*>(job.x);
    auto* y = reinterpret_cast<To*>(job.y);
    const std::int64_t first = block.index() * elements_of_a_block +
                               std::int64_t{block.warp()} * (gpu::warp_lanes * steps_of_a_warp);
    gpu::for_lanes([&](int lane) {
        IIR2D_UNROLL
        for (int step = 0; step < steps_of_a_warp; ++step) {
            const std::int64_t i = first + step * gpu::warp_lanes + lane;
            if (i < job.count) y[i] = static_cast<To>(x[i]);
        }
    });
}

}  // namespace iir2d::convert
