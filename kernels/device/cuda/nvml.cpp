// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/nvml.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/device/cuda/driver_types.h"
#include "kernels/support/shared_library.h"

namespace iir2d::cuda {

namespace {

// nvml.h's names and values (NVML API reference).
using NvmlDevice = struct NvmlDeviceHandle*;
enum Clock : unsigned { sm_clock = 1, memory_clock = 2 };
constexpr unsigned gpu_temperature = 0;
struct NvmlMemory {
    unsigned long long total, free, used;
};

struct NvmlTemperature {
    unsigned version = sizeof(NvmlTemperature) | 1U << 24;
    unsigned sensor = gpu_temperature;
    int celsius = 0;
};

struct Nvml {
    int (*init)() = nullptr;
    const char* (*error_text)(int code) = nullptr;
    int (*driver_version)(char* text, unsigned size) = nullptr;
    int (*device)(const char* pci, NvmlDevice* device) = nullptr;
    int (*device_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
    int (*memory)(NvmlDevice device, NvmlMemory* memory) = nullptr;
    int (*clock)(NvmlDevice device, unsigned which, unsigned* mhz) = nullptr;
    int (*clock_max)(NvmlDevice device, unsigned which, unsigned* mhz) = nullptr;
    int (*temperature)(NvmlDevice device, unsigned sensor, unsigned* celsius) = nullptr;
    int (*temperature_v)(NvmlDevice device, NvmlTemperature* temperature) = nullptr;
    int (*power)(NvmlDevice device, unsigned* milliwatts) = nullptr;
    int (*power_limit)(NvmlDevice device, unsigned* milliwatts) = nullptr;
    int (*pcie_generation)(NvmlDevice device, unsigned* generation) = nullptr;
    int (*pcie_width)(NvmlDevice device, unsigned* lanes) = nullptr;
    int (*ecc)(NvmlDevice device, unsigned* current, unsigned* pending) = nullptr;
    int (*mig)(NvmlDevice device, unsigned* current, unsigned* pending) = nullptr;
    int (*throttle)(NvmlDevice device, unsigned long long* reasons) = nullptr;
};

std::unexpected<Error> nothing(std::string why) {
    return std::unexpected(Error{ErrorCode::cuda_error, std::move(why)});
}

Result<Nvml> open_library() {
    const support::SharedLibrary library {
#if defined(_WIN32)
        "nvml.dll"
#else
        "libnvidia-ml.so.1"
#endif
    };
    if (!library) return nothing("NVIDIA's management library (NVML) is not installed");
    Nvml n;
    const auto find = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
    };
    find("nvmlInit_v2", n.init);
    find("nvmlErrorString", n.error_text);
    find("nvmlSystemGetDriverVersion", n.driver_version);
    find("nvmlDeviceGetHandleByPciBusId_v2", n.device);
    find("nvmlDeviceGetHandleByUUID", n.device_by_uuid);
    find("nvmlDeviceGetMemoryInfo", n.memory);
    find("nvmlDeviceGetClockInfo", n.clock);
    find("nvmlDeviceGetMaxClockInfo", n.clock_max);
    find("nvmlDeviceGetTemperature", n.temperature);
    find("nvmlDeviceGetTemperatureV", n.temperature_v);
    find("nvmlDeviceGetPowerUsage", n.power);
    find("nvmlDeviceGetPowerManagementLimit", n.power_limit);
    find("nvmlDeviceGetCurrPcieLinkGeneration", n.pcie_generation);
    find("nvmlDeviceGetCurrPcieLinkWidth", n.pcie_width);
    find("nvmlDeviceGetEccMode", n.ecc);
    find("nvmlDeviceGetMigMode", n.mig);
    find("nvmlDeviceGetCurrentClocksEventReasons", n.throttle);  // the old name is deprecated
    if (n.throttle == nullptr) find("nvmlDeviceGetCurrentClocksThrottleReasons", n.throttle);
    if (n.init == nullptr || n.error_text == nullptr || n.device == nullptr)
        return nothing("NVIDIA's management library (NVML) is too old");
    if (const int code = n.init(); code != 0)
        return nothing(std::string("NVIDIA's management library (NVML) does not start: ") +
                       n.error_text(code));
    return n;
}

// f(out...) answers 0 when it wrote them; a function that the library lacks answers nothing.
template <class T, class F, class... Rest>
std::optional<T> ask(F function, NvmlDevice device, Rest... rest) {
    T value{};
    if (function == nullptr || function(device, rest..., &value) != 0) return std::nullopt;
    return value;
}

// The older function is deprecated from CUDA 13 on; the newer one is not there before.
std::optional<unsigned> temperature_of(const Nvml& n, NvmlDevice device) {
    if (const auto celsius = ask<unsigned>(n.temperature, device, gpu_temperature)) return celsius;
    NvmlTemperature t;
    if (n.temperature_v == nullptr || n.temperature_v(device, &t) != 0 || t.celsius < 0) return std::nullopt;
    return static_cast<unsigned>(t.celsius);
}

template <class F>
std::optional<bool> mode(F function, NvmlDevice device) {
    unsigned current = 0;
    unsigned pending = 0;
    if (function == nullptr || function(device, &current, &pending) != 0) return std::nullopt;
    return current != 0;
}

std::optional<double> watts(std::optional<unsigned> milliwatts) {
    return milliwatts ? std::optional(*milliwatts / 1000.0) : std::nullopt;
}

constexpr const char* no_value = "NVML has no value for this GPU";

Result<const Nvml*> library() {
    static const Result<Nvml> opened = open_library();
    if (!opened) return std::unexpected(opened.error());
    return &*opened;
}

Result<NvmlDevice> find_device(const Nvml& n, const GpuName& name) {
    NvmlDevice device = nullptr;
    const int code = n.device(name.pci_bus_id.c_str(), &device);
    if (code == 0) return device;
    if (n.device_by_uuid != nullptr && !name.uuid.empty() &&
        n.device_by_uuid(name.uuid.c_str(), &device) == 0)
        return device;
    return nothing(std::string("NVML does not know the GPU: ") + n.error_text(code));
}

// Looking a GPU up takes longer than asking it: those that were found are kept.
class FoundDevices {
  public:
    Result<NvmlDevice> get(const Nvml& n, const GpuName& name) {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_devices.find(key(name)); found != m_devices.end()) return found->second;
        const auto device = find_device(n, name);
        if (device) m_devices.emplace(key(name), *device);
        return device;
    }
    // A GPU that was removed and put back is another one to NVML.
    void forget(const GpuName& name) {
        const std::lock_guard lock(m_mutex);
        m_devices.erase(key(name));
    }

  private:
    // Either may be unknown.
    static std::pair<std::string, std::string> key(const GpuName& name) {
        return {name.pci_bus_id, name.uuid};
    }

    std::mutex m_mutex;
    std::map<std::pair<std::string, std::string>, NvmlDevice> m_devices;
};

}  // namespace

Result<NvmlFacts> nvml_facts(const GpuName& name) {
    const auto opened = library();
    if (!opened) return std::unexpected(opened.error());
    const Nvml& n = **opened;
    const auto found = find_device(n, name);
    if (!found) return std::unexpected(found.error());
    NvmlDevice device = *found;
    NvmlFacts facts;
    char version[96] = {};
    if (n.driver_version != nullptr && n.driver_version(version, sizeof version) == 0)
        facts.driver_version = version;
    if (const auto memory = ask<NvmlMemory>(n.memory, device)) facts.memory_free_bytes = memory->free;
    facts.sm_clock_mhz = ask<unsigned>(n.clock, device, sm_clock);
    facts.sm_clock_max_mhz = ask<unsigned>(n.clock_max, device, sm_clock);
    facts.memory_clock_mhz = ask<unsigned>(n.clock, device, memory_clock);
    facts.temperature_c = temperature_of(n, device);
    facts.power_w = watts(ask<unsigned>(n.power, device));
    facts.power_limit_w = watts(ask<unsigned>(n.power_limit, device));
    facts.pcie_generation = ask<unsigned>(n.pcie_generation, device);
    facts.pcie_width = ask<unsigned>(n.pcie_width, device);
    facts.ecc = mode(n.ecc, device);
    facts.mig = mode(n.mig, device);
    if (const auto reasons = ask<unsigned long long>(n.throttle, device)) facts.throttle_reasons = *reasons;
    return facts;
}

DeviceState nvml_state(const GpuName& name) {
    static FoundDevices devices;
    const auto opened = library();
    if (!opened) return {.reason = opened.error().message};
    const Nvml& n = **opened;
    const auto device = devices.get(n, name);
    if (!device) return {.reason = device.error().message};
    DeviceState state;
    state.sm_clock_mhz = ask<unsigned>(n.clock, *device, sm_clock);
    state.temperature_c = temperature_of(n, *device);
    state.power_w = watts(ask<unsigned>(n.power, *device));
    if (const auto reasons = ask<unsigned long long>(n.throttle, *device)) state.throttle_reasons = *reasons;
    if (!state.sm_clock_mhz || !state.temperature_c || !state.power_w || !state.throttle_reasons)
        state.reason = no_value;
    if (!state.sm_clock_mhz && !state.temperature_c && !state.power_w && !state.throttle_reasons)
        devices.forget(name);
    return state;
}

}  // namespace iir2d::cuda

std::vector<std::string> iir2d::throttle_words(std::uint64_t reasons) {
    static constexpr std::pair<std::uint64_t, const char*> names[] = {{0x1, "idle"},
                                                                      {0x2, "application clocks"},
                                                                      {0x4, "power cap"},
                                                                      {0x8, "hardware slowdown"},
                                                                      {0x10, "sync boost"},
                                                                      {0x20, "thermal, software"},
                                                                      {0x40, "thermal, hardware"},
                                                                      {0x80, "power brake"},
                                                                      {0x100, "display clocks"}};
    std::vector<std::string> words;
    for (const auto& [bit, name] : names) {
        if ((reasons & bit) != 0) words.emplace_back(name);
        reasons &= ~bit;
    }
    if (reasons != 0) {  // of a driver newer than this list
        char text[32];
        std::snprintf(text, sizeof text, "reason 0x%llx", static_cast<unsigned long long>(reasons));
        words.emplace_back(text);
    }
    return words;
}
