// SPDX-License-Identifier: MIT
// The body of the kernels that convert between element types: as static_cast does, rounding to nearest.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/support/element.h"
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

// Planes of any distances, strides in elements.
struct GpuPlanesAt {
    std::uint64_t data;
    std::int64_t row_stride;
    std::int64_t plane_stride;
    std::int64_t image_stride;

    template <class T>
    IIR2D_BOTH T* row(std::int64_t image, std::int64_t plane, std::int64_t y) const {
        return reinterpret_cast<T*>(static_cast<std::uintptr_t>(data)) + image * image_stride +
               plane * plane_stride + y * row_stride;
    }
};

struct GpuConvertPlanes {
    GpuPlanesAt x;
    GpuPlanesAt y;
    std::int64_t channels;
    std::int64_t height;
    std::int64_t width;
    std::int64_t pieces;  // of a row, each of elements_of_a_warp
    std::int64_t count;   // of pieces in all
    std::int64_t first_block;
};

constexpr std::int64_t elements_of_a_warp = gpu::warp_lanes * steps_of_a_warp;
constexpr std::int64_t warps_of_a_block = threads / gpu::warp_lanes;

// A warp for each piece of a row. One of the two types is float, or `To` is double.
template <class From, class To>
IIR2D_DEVICE void gpu_convert_planes(const GpuConvertPlanes& job, const gpu::Block& block) {
    using Wide = std::conditional_t<std::is_same_v<To, double>, double, float>;
    const std::int64_t index = (job.first_block + block.index()) * warps_of_a_block + block.warp();
    if (index >= job.count) return;
    const std::int64_t row = index / job.pieces;
    const std::int64_t plane = row / job.height;
    const std::int64_t image = plane / job.channels;
    const std::int64_t y = row - plane * job.height;
    const std::int64_t channel = plane - image * job.channels;
    const From* from = job.x.row<From>(image, channel, y);
    To* to = job.y.row<To>(image, channel, y);
    const std::int64_t first = (index - row * job.pieces) * elements_of_a_warp;
    gpu::for_lanes([&](int lane) {
        IIR2D_UNROLL
        for (int step = 0; step < steps_of_a_warp; ++step) {
            const std::int64_t i = first + step * gpu::warp_lanes + lane;
            if (i < job.width) to[i] = element::store<To>(element::load<Wide>(from[i]));
        }
    });
}

}  // namespace iir2d::convert
