// SPDX-License-Identifier: MIT
#include "core/support/memory.h"

#include <fstream>
#include <string>

#if defined(_WIN32)
#include <windows.h>
#endif

namespace workbench {

std::optional<std::uint64_t> available_memory_bytes() {
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (!GlobalMemoryStatusEx(&status)) return std::nullopt;
    return status.ullAvailPhys;
#else
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (file >> key >> kibibytes && std::getline(file, unit)) {
        if (key == "MemAvailable:") return kibibytes * 1024;
    }
    return std::nullopt;
#endif
}

}  // namespace workbench
