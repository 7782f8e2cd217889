// SPDX-License-Identifier: MIT
// Of /proc and /sys; nothing where there are none.
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "kernels/device/cpu_facts.h"

namespace iir2d::device {

namespace {

// "key : value" lines of /proc/cpuinfo and /proc/meminfo; empty where there is no such file.
std::optional<std::string> first_value(const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos || !line.starts_with(key)) continue;
        if (line.find_first_not_of(" \t", key.size()) != colon) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        if (start == std::string::npos) continue;
        return line.substr(start, line.find_last_not_of(" \t\r") + 1 - start);
    }
    return std::nullopt;
}

std::optional<std::string> read_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || line.empty()) return std::nullopt;
    return line;
}

std::optional<std::string> mebibytes_of(std::string_view key) {
    const auto value = first_value("/proc/meminfo", key);
    if (!value) return std::nullopt;
    return std::to_string(std::stoull(*value) / 1024);
}

}  // namespace

std::optional<std::string> processor_name() {
    return first_value("/proc/cpuinfo", "model name");
}

// Pairs of socket and core, as many as there are different ones.
std::optional<std::string> physical_cores() {
    std::ifstream file("/proc/cpuinfo");
    std::set<std::pair<std::string, std::string>> cores;
    std::string socket;
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        if (line.starts_with("physical id")) socket = line.substr(colon + 2);
        if (line.starts_with("core id")) cores.emplace(socket, line.substr(colon + 2));
    }
    if (cores.empty()) return std::nullopt;
    return std::to_string(cores.size());
}

std::optional<std::string> cache_size(int level) {
    const std::string_view type = level == 1 ? "Data" : "Unified";
    for (int i = 0; i < 8; ++i) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        if (read_line(folder + "level") == std::to_string(level) && read_line(folder + "type") == type)
            return read_line(folder + "size");
    }
    return std::nullopt;
}

std::optional<std::string> simd_features() {
    const auto flags = first_value("/proc/cpuinfo", "flags");
    if (!flags) return std::nullopt;
    std::istringstream words(*flags);
    std::set<std::string> all;
    for (std::string word; words >> word;) all.insert(word);
    std::string found;
    for (const char* name : {"sse2", "ssse3", "sse4_1", "sse4_2", "avx", "f16c", "fma", "avx2", "avx512f",
                             "avx512bw", "avx512vl", "avx512_fp16", "asimd", "sve"}) {
        if (all.contains(name)) found += (found.empty() ? "" : " ") + std::string(name);
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

MemoryMebibytes memory_mebibytes() {
    return {mebibytes_of("MemTotal"), mebibytes_of("MemAvailable")};
}

}  // namespace iir2d::device
