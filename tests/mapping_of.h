// SPDX-License-Identifier: MIT
// Where an address of this process is mapped, as Linux tells it.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

struct Mapping {
    std::string access;      // as "r-xp"; empty: there is none
    std::uint64_t file = 0;  // its inode; 0: memory without a file
};

inline Mapping mapping_of(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        Mapping found;
        std::string offset, device;
        words >> std::hex >> first >> dash >> end >> found.access >> offset >> device >> std::dec >>
            found.file;
        if (words && first <= wanted && wanted < end) return found;
    }
    return {};
}
