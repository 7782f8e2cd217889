// SPDX-License-Identifier: MIT
// Of Windows itself, never of files: where wine runs the program, /proc is another system's.
#include <windows.h>

#include <cpuid.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/device/cpu_facts.h"

namespace iir2d::device {

namespace {

// Calls `look` with each record of how the processors are made.
template <class Look>
bool for_each_relation(LOGICAL_PROCESSOR_RELATIONSHIP kind, Look look) {
    DWORD size = 0;
    GetLogicalProcessorInformationEx(kind, nullptr, &size);
    std::vector<std::byte> memory(size);
    auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data());
    if (size == 0 || GetLogicalProcessorInformationEx(kind, first, &size) == 0) return false;
    for (DWORD at = 0; at < size;) {
        const auto* const one =
            reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data() + at);
        look(*one);
        at += one->Size;
    }
    return true;
}

}  // namespace

// The brand that the processor has in itself.
std::optional<std::string> processor_name() {
    constexpr unsigned first = 0x80000002;
    unsigned words[12] = {};
    for (unsigned i = 0; i < 3; ++i) {
        unsigned* const part = words + 4 * i;
        if (__get_cpuid(first + i, part, part + 1, part + 2, part + 3) == 0) return std::nullopt;
    }
    char text[sizeof words + 1] = {};
    std::memcpy(text, words, sizeof words);
    const std::string_view name = text;
    const auto start = name.find_first_not_of(' ');
    if (start == std::string_view::npos) return std::nullopt;
    return std::string(name.substr(start, name.find_last_not_of(' ') + 1 - start));
}

std::optional<std::string> physical_cores() {
    int cores = 0;
    const bool told = for_each_relation(RelationProcessorCore, [&](const auto&) { ++cores; });
    return told && cores > 0 ? std::optional(std::to_string(cores)) : std::nullopt;
}

std::optional<std::string> cache_size(int level) {
    std::uint64_t bytes = 0;
    for_each_relation(RelationCache, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
        const auto wanted = level == 1 ? CacheData : CacheUnified;
        if (bytes == 0 && one.Cache.Level == level && one.Cache.Type == wanted) bytes = one.Cache.CacheSize;
    });
    return bytes == 0 ? std::nullopt : std::optional(std::to_string(bytes >> 10) + "K");
}

std::optional<std::string> simd_features() {
    __builtin_cpu_init();
    std::string found;
    // The names that Linux has for them.
    const auto add = [&found](bool has, const char* name) {
        if (has) found += (found.empty() ? "" : " ") + std::string(name);
    };
    add(__builtin_cpu_supports("sse2") != 0, "sse2");
    add(__builtin_cpu_supports("ssse3") != 0, "ssse3");
    add(__builtin_cpu_supports("sse4.1") != 0, "sse4_1");
    add(__builtin_cpu_supports("sse4.2") != 0, "sse4_2");
    add(__builtin_cpu_supports("avx") != 0, "avx");
    add(__builtin_cpu_supports("f16c") != 0, "f16c");
    add(__builtin_cpu_supports("fma") != 0, "fma");
    add(__builtin_cpu_supports("avx2") != 0, "avx2");
    add(__builtin_cpu_supports("avx512f") != 0, "avx512f");
    add(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
    add(__builtin_cpu_supports("avx512vl") != 0, "avx512vl");
    add(__builtin_cpu_supports("avx512fp16") != 0, "avx512_fp16");
    return found.empty() ? std::nullopt : std::optional(found);
}

MemoryMebibytes memory_mebibytes() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (GlobalMemoryStatusEx(&status) == 0) return {};
    return {std::to_string(status.ullTotalPhys >> 20), std::to_string(status.ullAvailPhys >> 20)};
}

}  // namespace iir2d::device
