// SPDX-License-Identifier: MIT
#include "core/record/environment.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>
#endif

#include "core/record/proc_text.h"
#include "core/support/files.h"
#include "iir2d/iir2d_core.h"
#include "iir2d_build_info.h"

namespace workbench {

namespace {

template <class T>
Fact<T> known(std::optional<T> value, std::string reason) {
    if (value) return {std::move(value), {}};
    return {std::nullopt, std::move(reason)};
}

// Files of /proc and /sys, whose size the system does not say beforehand.
std::optional<std::string> slurp(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// Returns what `read` finds in a file, or the reason why there is nothing.
template <class Read>
auto fact_from(const std::filesystem::path& path, std::string_view what, Read read)
    -> Fact<typename std::invoke_result_t<Read, std::string_view>::value_type> {
    const auto text = slurp(path);
    if (!text) return {std::nullopt, path.string() + " cannot be read on this system"};
    return known(read(std::string_view(*text)), path.string() + " does not say the " + std::string(what));
}

Fact<std::string> governor() {
    const std::filesystem::path root = "/sys/devices/system/cpu";
    std::vector<std::string> governors;
    std::error_code error;
    for (std::filesystem::directory_iterator i(root, error), end; !error && i != end; i.increment(error)) {
        if (auto text = slurp(i->path() / "cpufreq" / "scaling_governor")) governors.push_back(*text);
    }
    return known(combined_governor(governors),
                 "no processor has a readable cpufreq/scaling_governor, as in most virtual machines");
}

#if defined(__unix__) || defined(__APPLE__)

void capture_system(Environment& e) {
    utsname names{};
    if (uname(&names) == 0) {
        e.kernel = std::string(names.sysname) + " " + names.release;
        e.platform = std::string(names.sysname) + "-" + names.release + "-" + names.machine;
        e.os = names.sysname;
    } else {
        e.kernel = e.platform = e.os = IIR2D_BUILD_SYSTEM;
    }
    if (const auto text = slurp("/etc/os-release")) e.os = os_release_name(*text).value_or(e.os);
}

Fact<std::string> path_of_own_library() {
    // By name first: the address of a function may be a stub in the program itself.
    void* address = dlsym(RTLD_DEFAULT, "iir2d_build_fingerprint");
    if (address == nullptr) address = reinterpret_cast<void*>(&iir2d_build_fingerprint);
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return {std::nullopt, "the dynamic loader does not say which file libiir2d came from"};
    }
    std::error_code error;
    const auto path = std::filesystem::canonical(info.dli_fname, error);
    if (error) {
        return {std::nullopt, "the file that libiir2d came from (\"" + std::string(info.dli_fname) +
                                  "\") is no longer there"};
    }
    return {path.string(), {}};
}

#else

void capture_system(Environment& e) {
    e.os = e.kernel = e.platform = IIR2D_BUILD_SYSTEM;
}

Fact<std::string> path_of_own_library() {
    return {std::nullopt, "the library's path is read on Linux only"};
}

#endif

void capture_hardware(Environment& e) {
    e.cpu_model = processor_model();
    e.physical_cores = fact_from("/proc/cpuinfo", "number of physical cores", cpuinfo_physical_cores);
    e.logical_cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    e.governor = governor();
    e.memory_total_bytes = fact_from("/proc/meminfo", "total memory",
                                     [](std::string_view text) { return meminfo_bytes(text, "MemTotal"); });
    e.memory_available_bytes = fact_from("/proc/meminfo", "available memory", [](std::string_view text) {
        return meminfo_bytes(text, "MemAvailable");
    });
}

Fact<double> load_now() {
    return fact_from("/proc/loadavg", "load", loadavg_one_minute);
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
    return path_of_own_library();
}

Fact<std::string> host_name() {
#if defined(__unix__) || defined(__APPLE__)
    char host[256] = {};
    const bool named = gethostname(host, sizeof host - 1) == 0 && host[0] != '\0';
    return known(named ? std::optional<std::string>(host) : std::nullopt, "the system has no host name");
#else
    return {std::nullopt, "host names are read on Linux only"};
#endif
}

Fact<std::string> processor_model() {
    return fact_from("/proc/cpuinfo", "processor's model", cpuinfo_model);
}

Environment capture_environment(int threads) {
    Environment e;
    e.host = host_name();
    capture_system(e);
    capture_hardware(e);
    e.load_before = load_now();
    e.load_after.reason = "the environment was captured before the run and not after it";
    capture_build(e);
    capture_library(e);
    e.threads = threads;
    capture_gpus(e);
    return e;
}

void finish_environment(Environment& environment) {
    environment.load_after = load_now();
}

}  // namespace workbench
