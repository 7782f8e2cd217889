// SPDX-License-Identifier: MIT
// What a figure was measured on. Whatever could not be had is absent, with a reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/support/fact.h"
#include "iir2d/device.h"

namespace workbench {

struct Environment {
    Fact<std::string> host;
    std::string os;        // "Debian GNU/Linux 12 (bookworm)"
    std::string kernel;    // "Linux 6.1.0-..."
    std::string platform;  // one token for old readers: "Linux-6.1.0-x86_64"
    Fact<std::string> cpu_model;
    int logical_cores = 1;
    Fact<int> physical_cores;
    Fact<std::string> governor;
    Fact<double> load_before;
    Fact<double> load_after;
    Fact<std::uint64_t> memory_total_bytes;
    Fact<std::uint64_t> memory_available_bytes;
    std::string compiler;
    std::string compile_flags;
    std::string build_type;
    std::string version;
    Fact<std::string> commit;
    Fact<bool> dirty;
    std::string build_fingerprint;
    Fact<std::string> library_path;
    Fact<std::string> library_sha256;
    int threads = 1;
    std::vector<iir2d::DeviceInfo> gpus;  // usable CUDA devices
    std::string gpu_reason;               // why there is none
};

Fact<std::string> host_name();
// Returns the model that the processor calls itself.
Fact<std::string> processor_model();

// Returns the file of the libiir2d that this program runs with.
Fact<std::string> own_library_path();

Environment capture_environment(int threads);
// Fills load_after.
void finish_environment(Environment& environment);

}  // namespace workbench
