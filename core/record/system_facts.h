// SPDX-License-Identifier: MIT
// What the system says of itself: absent, with a reason, where it does not.
#pragma once

#include <cstdint>
#include <string>

#include "core/support/fact.h"

namespace workbench::system_facts {

struct Names {
    std::string os;        // "Debian GNU/Linux 12 (bookworm)", "Windows 10 Pro (build 19045)"
    std::string kernel;    // "Linux 6.1.0-...", "Windows 10.0.19045"
    std::string platform;  // one token for old readers: "Linux-6.1.0-x86_64"
};
Names names();
Fact<std::string> host();
Fact<std::string> processor();
Fact<int> physical_cores();
Fact<std::uint64_t> total_memory();
Fact<std::uint64_t> available_memory();
Fact<double> load();
Fact<std::string> governor();
// The file of the libiir2d that this program runs with.
Fact<std::string> library();

}  // namespace workbench::system_facts
