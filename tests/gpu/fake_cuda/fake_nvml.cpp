// SPDX-License-Identifier: MIT
// The management library's interface, with figures that are easy to recognise. Scenarios: scenario.h.
#include <cstdio>
#include <cstring>

#include "tests/gpu/fake_cuda/scenario.h"

#define FAKE_NVML extern "C" __attribute__((visibility("default")))

namespace {

constexpr int not_supported = 3;

int give(unsigned* to, unsigned value) {
    *to = value;
    return 0;
}

}  // namespace

FAKE_NVML int nvmlInit_v2() {
    return fake_cuda::number("nvml", 1) != 0 ? 0 : 9;
}
FAKE_NVML const char* nvmlErrorString(int code) {
    return code == 9 ? "Driver Not Loaded" : "Not Supported";
}
FAKE_NVML int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::snprintf(text, size, "580.00.01");
    return 0;
}
FAKE_NVML int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
    *device = nullptr;
    return std::strncmp(pci, "0000:", 5) == 0 ? 0 : 6;
}
struct Memory {
    unsigned long long total, free, used;
};
FAKE_NVML int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
    *memory = {8ULL << 30, 6ULL << 30, 2ULL << 30};
    return 0;
}
FAKE_NVML int nvmlDeviceGetClockInfo(void*, unsigned which, unsigned* mhz) {
    return give(mhz, which == 1 ? 1410 : 1215);
}
FAKE_NVML int nvmlDeviceGetMaxClockInfo(void*, unsigned, unsigned* mhz) {
    return give(mhz, 1980);
}
FAKE_NVML int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
    return give(celsius, 41);
}
FAKE_NVML int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    return give(milliwatts, 72500);
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
FAKE_NVML int nvmlDeviceGetMigMode(void*, unsigned*, unsigned*) {
    return not_supported;
}
FAKE_NVML int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
    *reasons = 0x4;
    return 0;
}
