// SPDX-License-Identifier: MIT
// The kernel library's devices, for views that may not call it. Thread-safe; may take a while where a driver
// has to be woken, so call off the GUI thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "iir2d/device.h"

namespace workbench {

// iir2d::choose_device with core's errors.
Result<iir2d::DeviceChoice> choose_device(std::string_view spec, int threads = 0);

// Returns the CPU at once, without looking for anything else; `reason` is shown wherever the choice is.
iir2d::DeviceChoice cpu_device(int threads, std::string_view reason);

// Returns every device the kernel library knows of, usable or not, the CPU first.
std::vector<iir2d::DeviceInfo> list_devices();

}  // namespace workbench
