// SPDX-License-Identifier: MIT
#include "core/support/devices.h"

#include <string>

namespace workbench {

Result<iir2d::DeviceChoice> choose_device(std::string_view spec, int threads) {
    return from_kernel(iir2d::choose_device(spec, threads));
}

iir2d::DeviceChoice cpu_device(int threads, std::string_view reason) {
    auto device = iir2d::Device::cpu(threads);
    // All threads are always allowed; a number that is not, from a settings file, becomes all.
    if (!device) device = iir2d::Device::cpu(0);
    return {.device = *device, .reason = std::string(reason)};
}

std::vector<iir2d::DeviceInfo> list_devices() {
    return iir2d::list_devices();
}

}  // namespace workbench
