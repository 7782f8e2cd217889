// SPDX-License-Identifier: MIT
// Apart from copy_probe.cpp, which also runs where there is no libiir2d.
#include "core/benchmark/copy_probe.h"

namespace workbench {

Result<double> copy_on_gpu(const iir2d::Device& device, std::size_t from_bytes, std::size_t to_bytes) {
    return from_kernel(iir2d::time_device_copy(device, (from_bytes + to_bytes) / 2));
}

}  // namespace workbench
