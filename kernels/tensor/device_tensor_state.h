// SPDX-License-Identifier: MIT
// The state behind a DeviceTensor's handle, for the backends.
#pragma once

#include <string_view>

#include "iir2d/device_tensor.h"
#include "kernels/device/cuda/context.h"

namespace iir2d {

struct DeviceTensor::State {
    struct Memory {
        Memory() = default;
        // A pool gives memory back to the system when a stream is waited for, not when a buffer is freed.
        ~Memory() {
            if (!context) return;
            buffer = {};
            static_cast<void>(context->synchronize(stream.get()));
        }
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        std::shared_ptr<cuda::Context> context;
        cuda::Stream stream;  // in whose order the memory comes and goes; idle in between
        cuda::DeviceBuffer buffer;
    };
    Device device;
    ElementType type = ElementType::f32;
    Shape shape = {};
    std::shared_ptr<const Memory> memory;
    cuda::DevicePointer address = 0;

    TensorView view() const;
};

// Checks that a tensor called `name` can be used on `device`: it is there, and so is its memory.
Result<void> check_tensor(std::string_view name, const DeviceTensor& tensor, const Device& device);

}  // namespace iir2d
