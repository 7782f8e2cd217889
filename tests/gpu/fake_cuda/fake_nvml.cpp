// SPDX-License-Identifier: MIT
// The management library's interface, with figures that are easy to recognise. Scenarios: scenario.h.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/gpu/fake_cuda/scenario.h"

#define FAKE_NVML extern "C" __attribute__((visibility("default")))

namespace {

constexpr int not_supported = 3;
constexpr int not_found = 6;

int give(unsigned* to, unsigned value) {
    *to = value;
    return 0;
}

// A handle is the PCI bus. The GPU on the first has 41 degrees, each further one ten more.
unsigned degrees(void* device) {
    return 31 + 10 * static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device));
}

// Whether this library answers that it has no such value.
bool lacks(const char* what) {
    return fake_cuda::setting("nvml_lacks", "").find(what) != std::string::npos;
}

}  // namespace

FAKE_NVML int nvmlInit_v2() {
    return fake_cuda::number("nvml", 1) != 0 ? 0 : 9;
}
FAKE_NVML const char* nvmlErrorString(int code) {
    return code == 9 ? "Driver Not Loaded" : code == not_found ? "Not Found" : "Not Supported";
}
FAKE_NVML int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::snprintf(text, size, "580.00.01");
    return 0;
}
FAKE_NVML int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
    *device = nullptr;
    if (fake_cuda::number("nvml_pci", 1) == 0) return not_found;
    if (std::strncmp(pci, "0000:", 5) != 0) return not_found;
    *device = reinterpret_cast<void*>(std::strtoull(pci + 5, nullptr, 10));
    return 0;
}
FAKE_NVML int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    *device = reinterpret_cast<void*>(1);
    return std::strncmp(uuid, "GPU-00010203-", 13) == 0 ? 0 : not_found;
}
struct Memory {
    unsigned long long total, free, used;
};
FAKE_NVML int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
    *memory = {8ULL << 30, 6ULL << 30, 2ULL << 30};
    return 0;
}
FAKE_NVML int nvmlDeviceGetClockInfo(void*, unsigned which, unsigned* mhz) {
    static std::atomic<unsigned> asked = 0;
    if (lacks("clock")) return not_supported;
    if (which != 1) return give(mhz, 1215);
    return give(mhz, 1410 - asked++ * static_cast<unsigned>(fake_cuda::number("drift", 0)));
}
FAKE_NVML int nvmlDeviceGetMaxClockInfo(void*, unsigned, unsigned* mhz) {
    return give(mhz, 1980);
}
FAKE_NVML int nvmlDeviceGetTemperature(void* device, unsigned, unsigned* celsius) {
    const bool removed = fake_cuda::number("nvml_deprecated", 1) == 0;
    return removed || lacks("temperature") ? not_supported : give(celsius, degrees(device));
}
struct Temperature {
    unsigned version, sensor;
    int celsius;
};
FAKE_NVML int nvmlDeviceGetTemperatureV(void*, Temperature* temperature) {
    if (lacks("temperature") || temperature->version != 0x100000c || temperature->sensor != 0)
        return not_supported;
    temperature->celsius = 42;
    return 0;
}
FAKE_NVML int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    return lacks("power") ? not_supported : give(milliwatts, 72500);
}
FAKE_NVML int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
    return give(milliwatts, 300000);
}
FAKE_NVML int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
    return give(generation, 4);
}
FAKE_NVML int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
    return give(lanes, 16);
}
FAKE_NVML int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
    *pending = 0;
    return give(current, 1);
}
FAKE_NVML int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
    *pending = 0;
    return fake_cuda::number("mig", 0) == 0 ? not_supported : give(current, 1);
}
FAKE_NVML int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
    if (lacks("throttle")) return not_supported;
    *reasons = static_cast<unsigned long long>(fake_cuda::number("throttle", 0x4));
    return 0;
}
