// SPDX-License-Identifier: MIT
// Reads from NVIDIA's management library (NVML) what the driver does not give: clocks, power, temperature,
// links. Opened at run time. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "iir2d/device.h"
#include "iir2d/error.h"

namespace iir2d::cuda {

// Each value is absent when the library has none for this GPU.
struct NvmlFacts {
    std::string driver_version;  // of the package, "580.65.06"
    std::optional<std::uint64_t> memory_free_bytes;
    std::optional<unsigned> sm_clock_mhz;
    std::optional<unsigned> sm_clock_max_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<unsigned> temperature_c;
    std::optional<double> power_w;
    std::optional<double> power_limit_w;
    std::optional<unsigned> pcie_generation;
    std::optional<unsigned> pcie_width;
    std::optional<bool> ecc;
    std::optional<bool> mig;
    std::optional<std::uint64_t> throttle_reasons;  // bits of nvmlClocksEventReasons
};

// How the driver names a GPU: NVML is asked by PCI address, and by UUID where it does not know that. Its own
// numbers would not do: CUDA_VISIBLE_DEVICES changes the driver's and not NVML's.
struct GpuName {
    std::string pci_bus_id;  // "0000:01:00.0"
    std::string uuid;        // "GPU-..."; may be empty
};

// An error says why there is nothing.
Result<NvmlFacts> nvml_facts(const GpuName& name);

// Returns the few of these that change while a GPU works. What fails is in the state's reason.
DeviceState nvml_state(const GpuName& name);

}  // namespace iir2d::cuda
