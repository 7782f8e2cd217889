// SPDX-License-Identifier: MIT
// Prints what the library says of the machine's devices, a line for each fact: tests run it beside stand-ins
// for the driver, a process for each scenario, because a process opens the driver once.
//
//   tell_devices            list_devices()
//   tell_devices SPEC       choose_device(SPEC)
#include <cstdio>

#include "iir2d/device.h"

int main(int argc, char** argv) {
    if (argc > 1) {
        const auto choice = iir2d::choose_device(argv[1]);
        if (!choice) {
            std::printf("refused: %s\n", choice.error().message.c_str());
            return 0;
        }
        std::printf("chosen: %s, %s, because: %s\n", choice->device.id().c_str(),
                    choice->device.name().c_str(), choice->reason.c_str());
        return 0;
    }
    for (const iir2d::DeviceInfo& device : iir2d::list_devices()) {
        std::printf("%s | %s | %s\n", device.id.c_str(), device.name.c_str(),
                    device.usable ? "usable" : device.why_not.c_str());
        for (const auto& p : device.properties)
            std::printf("%s %s = %s %s\n", device.id.c_str(), p.key.c_str(),
                        p.value ? p.value->c_str() : ("null: " + p.reason).c_str(), p.unit.c_str());
    }
    return 0;
}
