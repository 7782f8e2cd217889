// SPDX-License-Identifier: MIT
#include "kernels/convert/cuda.h"

#include <string>

#include "kernels/convert/gpu_convert.h"

namespace iir2d::convert {

namespace {

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

}  // namespace iir2d::convert
