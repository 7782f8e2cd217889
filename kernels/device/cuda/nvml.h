// SPDX-License-Identifier: MIT
// What NVIDIA's management library knows of a GPU beyond the driver: clocks, power, temperature, links.
// Opened at run time. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// Of the GPU at a PCI address as the driver writes it. An error says why there is nothing.
Result<NvmlFacts> nvml_facts(const std::string& pci_bus_id);

// "none", or the bits' names with commas between.
std::string throttle_text(std::uint64_t reasons);

}  // namespace iir2d::cuda
