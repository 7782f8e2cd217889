// SPDX-License-Identifier: MIT
#include "kernels/device/cpu_info.h"

#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "kernels/support/parallel.h"

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

std::optional<std::string> cache_size(std::string_view level, std::string_view type) {
    for (int i = 0; i < 8; ++i) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        if (read_line(folder + "level") == level && read_line(folder + "type") == type)
            return read_line(folder + "size");
    }
    return std::nullopt;
}

// Returns those of the instruction sets in use here that this processor has.
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

std::optional<std::string> memory_mebibytes(std::string_view key) {
    const auto value = first_value("/proc/meminfo", key);
    if (!value) return std::nullopt;
    return std::to_string(std::stoull(*value) / 1024);
}

}  // namespace

std::string cpu_name() {
    return first_value("/proc/cpuinfo", "model name").value_or("CPU");
}

DeviceInfo cpu_info() {
    DeviceInfo info{.id = "cpu", .name = cpu_name(), .backend = Backend::cpu, .usable = true};
    const auto add = [&info](const char* key, const char* label, std::optional<std::string> value,
                             const char* unit, const char* reason) {
        info.properties.push_back(
            {.key = key, .label = label, .value = std::move(value), .unit = unit, .reason = reason});
        if (info.properties.back().value) info.properties.back().reason.clear();
    };
    const char* not_said = "the operating system does not say";
    add("architecture", "Compiled for", std::string(IIR2D_CPU_BASELINE), "", "");
    add("logical_cores", "Logical cores", std::to_string(std::thread::hardware_concurrency()), "", not_said);
    add("physical_cores", "Physical cores", physical_cores(), "", not_said);
    add("threads", "Threads available", std::to_string(support::available_threads()), "", "");
    add("threading", "Threading",
        std::string(support::has_threads() ? "oneTBB" : "none: built without oneTBB"), "", "");
    add("simd", "SIMD", simd_features(), "", not_said);
    add("l1d_cache", "L1 data cache", cache_size("1", "Data"), "", not_said);
    add("l2_cache", "L2 cache", cache_size("2", "Unified"), "", not_said);
    add("l3_cache", "L3 cache", cache_size("3", "Unified"), "", not_said);
    add("memory_total", "Memory", memory_mebibytes("MemTotal"), "MiB", not_said);
    add("memory_available", "Memory available", memory_mebibytes("MemAvailable"), "MiB", not_said);
    return info;
}

}  // namespace iir2d::device
