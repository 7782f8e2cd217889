// SPDX-License-Identifier: MIT
#include "kernels/convert/cuda.h"

#include <algorithm>
#include <string>

#include "kernels/convert/gpu_convert.h"

namespace iir2d::convert {

namespace {

const char* planes_kernel(ElementType from, ElementType to) {
    if (to == ElementType::f64) {
        switch (from) {
            case ElementType::f16:
                return "convert_planes_f16_f64";
            case ElementType::bf16:
                return "convert_planes_bf16_f64";
            case ElementType::f32:
                return "convert_planes_f32_f64";
            case ElementType::f64:
                return "convert_planes_f64_f64";
        }
    }
    if (from == ElementType::f32)
        return to == ElementType::f16 ? "convert_planes_f32_f16" : "convert_planes_f32_bf16";
    return from == ElementType::f16 ? "convert_planes_f16_f32" : "convert_planes_bf16_f32";
}

template <class View>
GpuPlanesAt planes_at(const View& view) {
    return {reinterpret_cast<std::uintptr_t>(view.data), view.row_stride, view.plane_stride,
            view.image_stride};
}

const char* kernel_between(ElementType from, ElementType to) {
    if (from == ElementType::f32 && to == ElementType::f64) return "convert_f32_f64";
    if (from == ElementType::f64 && to == ElementType::f32) return "convert_f64_f32";
    return nullptr;
}

}  // namespace

Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, ElementType from,
                     cuda::DevicePointer x, ElementType to, cuda::DevicePointer y, std::int64_t count) {
    if (from == to) {
        if (x == y) return {};
        return context.copy(stream, y, x, static_cast<std::size_t>(count) * element_size(from));
    }
    const char* kernel = kernel_between(from, to);
    if (kernel == nullptr) {
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "elements are not converted from " + std::string(name_of(from)) +
                                         " to " + std::string(name_of(to)) + " on a GPU"});
    }
    // A grid of 2^31 - 1 blocks holds more elements than any GPU's memory.
    const std::int64_t blocks = (count + elements_of_a_block - 1) / elements_of_a_block;
    const GpuConvert job{x, y, count};
    return context.launch(stream, {.kernel = kernel,
                                   .grid = {static_cast<unsigned>(blocks), 1, 1},
                                   .block = {threads, 1, 1},
                                   .parameters = &job});
}

Result<void> enqueue_planes(const ConstTensorView& x, const TensorView& y, const cuda::LaunchOne& launch) {
    constexpr std::int64_t most_blocks = 0x7fffffff;
    const Shape& shape = x.shape;
    const std::int64_t pieces = (shape.w + elements_of_a_warp - 1) / elements_of_a_warp;
    GpuConvertPlanes job{.x = planes_at(x),
                         .y = planes_at(y),
                         .channels = shape.c,
                         .height = shape.h,
                         .width = shape.w,
                         .pieces = pieces,
                         .count = shape.n * shape.c * shape.h * pieces,
                         .first_block = 0};
    const std::int64_t blocks = (job.count + warps_of_a_block - 1) / warps_of_a_block;
    for (; job.first_block < blocks; job.first_block += most_blocks) {
        const auto grid = static_cast<unsigned>(std::min(blocks - job.first_block, most_blocks));
        auto done = launch({.kernel = planes_kernel(x.type, y.type),
                            .grid = {grid, 1, 1},
                            .block = {threads, 1, 1},
                            .parameters = &job});
        if (!done) return done;
    }
    return {};
}

}  // namespace iir2d::convert
