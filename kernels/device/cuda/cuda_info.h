// SPDX-License-Identifier: MIT
// Every GPU of the machine as list_devices() and sample_device() tell it.
#pragma once

#include <vector>

#include "iir2d/device.h"

namespace iir2d::cuda {

// Usable or not; one row "cuda" that says why when there is no driver or no GPU.
std::vector<DeviceInfo> list_gpus();

// Returns what sample_device() returns, for GPU `index`.
DeviceState gpu_state(int index);

}  // namespace iir2d::cuda
