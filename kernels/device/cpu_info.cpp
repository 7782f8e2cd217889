// SPDX-License-Identifier: MIT
#include "kernels/device/cpu_info.h"

#include <optional>
#include <thread>
#include <utility>

#include "kernels/device/cpu_facts.h"
#include "kernels/support/parallel.h"

namespace iir2d::device {

std::string cpu_name() {
    return processor_name().value_or("CPU");
}

DeviceInfo cpu_info() {
    DeviceInfo info{.id = "cpu", .name = cpu_name(), .backend = Backend::cpu, .usable = true};
    const auto add = [&info](const char* key, const char* label, std::optional<std::string> value,
                             const char* unit, const char* reason) {
        info.properties.push_back(
            {.key = key, .label = label, .value = std::move(value), .unit = unit, .reason = reason});
        if (info.properties.back().value) info.properties.back().reason.clear();
    };
    MemoryMebibytes memory = memory_mebibytes();
    const char* not_said = "the operating system does not say";
    add("architecture", "Compiled for", std::string(IIR2D_CPU_BASELINE), "", "");
    add("logical_cores", "Logical cores", std::to_string(std::thread::hardware_concurrency()), "", not_said);
    add("physical_cores", "Physical cores", physical_cores(), "", not_said);
    add("threads", "Threads available", std::to_string(support::available_threads()), "", "");
    add("threading", "Threading",
        std::string(support::has_threads() ? "oneTBB" : "none: built without oneTBB"), "", "");
    add("simd", "SIMD", simd_features(), "", not_said);
    add("l1d_cache", "L1 data cache", cache_size(1), "", not_said);
    add("l2_cache", "L2 cache", cache_size(2), "", not_said);
    add("l3_cache", "L3 cache", cache_size(3), "", not_said);
    add("memory_total", "Memory", std::move(memory.total), "MiB", not_said);
    add("memory_available", "Memory available", std::move(memory.available), "MiB", not_said);
    return info;
}

}  // namespace iir2d::device
