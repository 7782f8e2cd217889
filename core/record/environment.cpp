// SPDX-License-Identifier: MIT
#include "core/record/environment.h"

#include <algorithm>
#include <string_view>
#include <thread>

#include "core/record/system_facts.h"
#include "core/support/files.h"
#include "iir2d/iir2d_core.h"
#include "iir2d_build_info.h"

namespace workbench {

namespace {

void capture_system(Environment& e) {
    const auto names = system_facts::names();
    e.os = names.os;
    e.kernel = names.kernel;
    e.platform = names.platform;
}

void capture_hardware(Environment& e) {
    e.cpu_model = processor_model();
    e.physical_cores = system_facts::physical_cores();
    e.logical_cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    e.governor = system_facts::governor();
    e.memory_total_bytes = system_facts::total_memory();
    e.memory_available_bytes = system_facts::available_memory();
}

void capture_build(Environment& e) {
    e.compiler = IIR2D_BUILD_COMPILER;
    e.compile_flags = IIR2D_BUILD_FLAGS;
    if (const std::string_view sanitizers = IIR2D_BUILD_SANITIZE; !sanitizers.empty()) {
        e.compile_flags += " (sanitizers: " + std::string(sanitizers) + ")";
    }
    e.build_type = IIR2D_BUILD_TYPE;
    e.version = IIR2D_BUILD_VERSION;
    e.build_fingerprint = iir2d_build_fingerprint();
    if (const std::string_view commit = IIR2D_BUILD_COMMIT; !commit.empty()) {
        e.commit = {std::string(commit), {}};
        e.dirty = {IIR2D_BUILD_DIRTY != 0, {}};
    } else {
        const std::string reason = "the program was built from sources without their git history";
        e.commit.reason = reason;
        e.dirty.reason = reason;
    }
}

void capture_library(Environment& e) {
    e.library_path = own_library_path();
    if (!e.library_path.value) {
        e.library_sha256.reason = e.library_path.reason;
    } else if (auto hash = sha256_of_file(*e.library_path.value)) {
        e.library_sha256.value = std::move(*hash);
    } else {
        e.library_sha256.reason = hash.error().message;
    }
}

void capture_gpus(Environment& e) {
    for (auto& device : iir2d::list_devices()) {
        if (device.backend != iir2d::Backend::cuda) continue;
        if (device.usable) {
            e.gpus.push_back(std::move(device));
        } else if (e.gpu_reason.empty()) {
            e.gpu_reason = device.why_not;
        }
    }
    if (!e.gpus.empty()) {
        e.gpu_reason.clear();
    } else if (e.gpu_reason.empty()) {
        e.gpu_reason = "the library lists no CUDA device";
    }
}

}  // namespace

Fact<std::string> own_library_path() {
    return system_facts::library();
}

Fact<std::string> host_name() {
    return system_facts::host();
}

Fact<std::string> processor_model() {
    return system_facts::processor();
}

Environment capture_environment(int threads) {
    Environment e;
    e.host = host_name();
    capture_system(e);
    capture_hardware(e);
    e.load_before = system_facts::load();
    e.load_after.reason = "the environment was captured before the run and not after it";
    capture_build(e);
    capture_library(e);
    e.threads = threads;
    capture_gpus(e);
    return e;
}

void finish_environment(Environment& environment) {
    environment.load_after = system_facts::load();
}

}  // namespace workbench
