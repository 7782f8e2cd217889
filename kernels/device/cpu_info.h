// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "iir2d/device.h"

namespace iir2d::device {

// Returns the processor's own name; "CPU" when the system does not say.
std::string cpu_name();

// Everything `list_devices` says of the CPU.
DeviceInfo cpu_info();

}  // namespace iir2d::device
