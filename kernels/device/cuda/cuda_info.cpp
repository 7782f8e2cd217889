// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/cuda_info.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/kernel_library.h"
#include "kernels/device/cuda/nvml.h"
#include "kernels/support/describe.h"

namespace iir2d::cuda {

namespace {

struct Properties {
    std::vector<DeviceProperty> list;

    void add(const char* key, const char* label, std::string value, const char* unit = "") {
        list.push_back({.key = key, .label = label, .value = std::move(value), .unit = unit, .reason = ""});
    }
    void missing(const char* key, const char* label, const std::string& reason, const char* unit = "") {
        list.push_back({.key = key, .label = label, .value = std::nullopt, .unit = unit, .reason = reason});
    }
};

std::string uuid_text(const Uuid& uuid, bool is_mig) {
    std::string text = is_mig ? "MIG-" : "GPU-";
    for (int i = 0; i < 16; ++i) {
        char hex[3];
        std::snprintf(hex, sizeof hex, "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += hex;
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

// Where MIG is on, the devices that the driver counts are instances, and so are their UUIDs.
void add_driver_facts(const Driver& d, DeviceHandle device, const Facts& facts, bool is_mig, Properties& p) {
    Uuid uuid{};
    if (auto done = IIR2D_CUDA_CHECKED(d, cuDeviceGetUuid, &uuid, device)) {
        p.add("uuid", "UUID", uuid_text(uuid, is_mig));
    } else {
        p.missing("uuid", "UUID", done.error().message);
    }
    p.add("compute_capability", "Compute capability",
          std::to_string(facts.capability_major) + "." + std::to_string(facts.capability_minor));
    p.add("multiprocessors", "Multiprocessors", std::to_string(facts.multiprocessors));
    p.add("l2_cache", "L2 cache", std::to_string(facts.l2_bytes >> 10), "KiB");
    p.add("shared_memory_per_block", "Shared memory of a block",
          std::to_string(facts.shared_bytes_per_block >> 10), "KiB");
    std::size_t total = 0;
    if (auto done = IIR2D_CUDA_CHECKED(d, cuDeviceTotalMem, &total, device)) {
        p.add("memory_total", "Memory", std::to_string(total >> 20), "MiB");
    } else {
        p.missing("memory_total", "Memory", done.error().message, "MiB");
    }
    int clock = 0;
    int bits = 0;
    const bool known = d.cuDeviceGetAttribute(&clock, memory_clock_rate_khz, device) == success &&
                       d.cuDeviceGetAttribute(&bits, memory_bus_width_bits, device) == success && clock > 0 &&
                       bits > 0;
    if (known) {
        p.add("memory_bus_width", "Memory bus", std::to_string(bits), "bit");
        // Two transfers a clock.
        p.add("memory_bandwidth", "Memory bandwidth by the bus",
              support::describe(2.0 * clock * 1e3 * bits / 8 / 1e9), "GB/s");
    } else {
        p.missing("memory_bandwidth", "Memory bandwidth by the bus",
                  "the driver does not tell clock and width", "GB/s");
    }
    p.add("cuda_driver_version", "CUDA of the driver", version_text(d.version));
    p.missing("cuda_runtime_version", "CUDA runtime",
              "the driver is called without the CUDA runtime library");
    if (*toolkit_version() != '\0') {
        p.add("nvcc_release", "CUDA toolkit of the kernels", toolkit_version());
        p.add("kernel_architectures", "Kernels for", architectures());
    } else {
        p.missing("nvcc_release", "CUDA toolkit of the kernels", "built without CUDA kernels");
    }
}

// Values that the driver does not give stay empty.
GpuName name_of(const Driver& d, DeviceHandle device) {
    GpuName name;
    char pci[64] = {};
    if (d.cuDeviceGetPCIBusId(pci, sizeof pci, device) == success) name.pci_bus_id = pci;
    Uuid uuid{};
    if (d.cuDeviceGetUuid(&uuid, device) == success) name.uuid = uuid_text(uuid, false);
    return name;
}

// "none", or the words with commas between.
std::string throttle_text(std::uint64_t reasons) {
    std::string text;
    for (const std::string& word : throttle_words(reasons)) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none" : text;
}

void add_nvml_facts(const Result<NvmlFacts>& found, Properties& p) {
    const NvmlFacts facts = found ? *found : NvmlFacts{};
    const std::string why = found ? "NVML has no value for this GPU" : found.error().message;
    const auto add = [&](const char* key, const char* label, const auto& value, const char* unit) {
        if (!value) {
            p.missing(key, label, why, unit);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(*value)>, double>) {
            p.add(key, label, support::describe(*value), unit);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(*value)>, bool>) {
            p.add(key, label, *value ? "on" : "off", unit);
        } else {
            p.add(key, label, std::to_string(*value), unit);
        }
    };
    if (facts.driver_version.empty()) {
        p.missing("driver_version", "Driver", why);
    } else {
        p.add("driver_version", "Driver", facts.driver_version);
    }
    std::optional<std::uint64_t> free_mib;
    if (facts.memory_free_bytes) free_mib = *facts.memory_free_bytes >> 20;
    add("memory_free", "Memory available", free_mib, "MiB");
    add("sm_clock", "SM clock", facts.sm_clock_mhz, "MHz");
    add("sm_clock_max", "SM clock at most", facts.sm_clock_max_mhz, "MHz");
    add("memory_clock", "Memory clock", facts.memory_clock_mhz, "MHz");
    add("temperature", "Temperature", facts.temperature_c, "°C");
    add("power", "Power", facts.power_w, "W");
    add("power_limit", "Power limit", facts.power_limit_w, "W");
    add("pcie_generation", "PCIe generation", facts.pcie_generation, "");
    add("pcie_width", "PCIe lanes", facts.pcie_width, "");
    add("ecc", "ECC", facts.ecc, "");
    add("mig", "MIG", facts.mig, "");
    if (facts.throttle_reasons) {
        p.add("throttle_reasons", "Clocks held back by", throttle_text(*facts.throttle_reasons));
    } else {
        p.missing("throttle_reasons", "Clocks held back by", why);
    }
}

DeviceInfo describe_gpu(const Driver& d, int index) {
    DeviceInfo info{.id = "cuda:" + std::to_string(index), .name = "", .backend = Backend::cuda};
    const auto usable = check_usable(index);
    info.usable = usable.has_value();
    if (!usable) info.why_not = usable.error().message;
    const auto facts = facts_of(d, index);
    DeviceHandle device = 0;
    if (!facts || d.cuDeviceGet(&device, index) != success) {
        if (info.why_not.empty())
            info.why_not = facts ? "the driver does not give the device" : facts.error().message;
        info.usable = false;
        return info;
    }
    info.name = facts->name;
    Properties properties;
    const GpuName name = name_of(d, device);
    const auto nvml = nvml_facts(name);
    add_driver_facts(d, device, *facts, nvml && nvml->mig.value_or(false), properties);
    if (name.pci_bus_id.empty()) {
        properties.missing("pci", "PCI address", "the driver does not tell it");
    } else {
        properties.add("pci", "PCI address", name.pci_bus_id);
    }
    add_nvml_facts(nvml, properties);
    info.properties = std::move(properties.list);
    return info;
}

}  // namespace

std::vector<DeviceInfo> list_gpus() {
    const auto opened = driver();
    if (!opened) {
        return {{.id = "cuda",
                 .name = "",
                 .backend = Backend::cuda,
                 .usable = false,
                 .why_not = opened.error().message,
                 .properties = {}}};
    }
    std::vector<DeviceInfo> gpus;
    for (int i = 0; i < (*opened)->device_count; ++i) gpus.push_back(describe_gpu(**opened, i));
    return gpus;
}

DeviceState gpu_state(int index) {
    const auto opened = driver();
    if (!opened) return {.reason = opened.error().message};
    const Driver& d = **opened;
    DeviceHandle device = 0;
    if (auto done = IIR2D_CUDA_CHECKED(d, cuDeviceGet, &device, index); !done)
        return {.reason = done.error().message};
    return nvml_state(name_of(d, device));
}

}  // namespace iir2d::cuda
