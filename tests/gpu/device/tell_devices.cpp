// SPDX-License-Identifier: MIT
// Prints what the library says of the machine's devices, a line for each fact: tests run it beside stand-ins
// for the driver, a process for each scenario, because a process opens the driver once.
//
//   tell_devices            list_devices()
//   tell_devices SPEC       choose_device(SPEC)
//   tell_devices SPEC now   sample_device() of that
#include <cstdio>
#include <string>

#include "iir2d/device.h"

namespace {

template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? std::to_string(*value) : "null";
}

void tell_state(const iir2d::DeviceState& state) {
    std::string words;
    if (!state.throttle_reasons) words = "null";
    for (const auto& word : iir2d::throttle_words(state.throttle_reasons.value_or(0)))
        words += "[" + word + "]";
    std::printf("now: %s MHz, %s C, %s W, held back by %s; reason: %s.\n",
                text_of(state.sm_clock_mhz).c_str(), text_of(state.temperature_c).c_str(),
                text_of(state.power_w).c_str(), words.c_str(), state.reason.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        const auto choice = iir2d::choose_device(argv[1]);
        if (!choice) {
            std::printf("refused: %s\n", choice.error().message.c_str());
            return 0;
        }
        std::printf("chosen: %s, %s, because: %s\n", choice->device.id().c_str(),
                    choice->device.name().c_str(), choice->reason.c_str());
        if (argc > 2) tell_state(iir2d::sample_device(choice->device));
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
