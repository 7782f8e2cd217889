// SPDX-License-Identifier: MIT
// Facts from /proc, /sys and POSIX.
#if !defined(_WIN32)
#include <dlfcn.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <type_traits>
#include <vector>

#include "core/record/proc_text.h"
#include "core/record/system_facts.h"
#include "iir2d/iir2d_core.h"
#include "iir2d_build_info.h"

namespace workbench::system_facts {

namespace {

template <class T>
Fact<T> known(std::optional<T> value, std::string reason) {
    if (value) return {std::move(value), {}};
    return {std::nullopt, std::move(reason)};
}

// Returns what `read` finds in a file, or the reason why there is nothing.
template <class Read>
auto fact_from(const std::filesystem::path& path, std::string_view what, Read read)
    -> Fact<typename std::invoke_result_t<Read, std::string_view>::value_type> {
    const auto text = proc_file_text(path);
    if (!text) return {std::nullopt, path.string() + " cannot be read on this system"};
    return known(read(std::string_view(*text)), path.string() + " does not say the " + std::string(what));
}

}  // namespace

Names names() {
    Names all{.os = IIR2D_BUILD_SYSTEM, .kernel = IIR2D_BUILD_SYSTEM, .platform = IIR2D_BUILD_SYSTEM};
    utsname said{};
    if (uname(&said) == 0) {
        all.kernel = std::string(said.sysname) + " " + said.release;
        all.platform = std::string(said.sysname) + "-" + said.release + "-" + said.machine;
        all.os = said.sysname;
    }
    if (const auto text = proc_file_text("/etc/os-release")) all.os = os_release_name(*text).value_or(all.os);
    return all;
}

Fact<std::string> host() {
    char name[256] = {};
    const bool named = gethostname(name, sizeof name - 1) == 0 && name[0] != '\0';
    return known(named ? std::optional<std::string>(name) : std::nullopt, "the system has no host name");
}

Fact<std::string> processor() {
    return fact_from("/proc/cpuinfo", "processor's model", cpuinfo_model);
}

Fact<int> physical_cores() {
    return fact_from("/proc/cpuinfo", "number of physical cores", cpuinfo_physical_cores);
}

Fact<std::uint64_t> total_memory() {
    return fact_from("/proc/meminfo", "total memory",
                     [](std::string_view text) { return meminfo_bytes(text, "MemTotal"); });
}

Fact<std::uint64_t> available_memory() {
    return fact_from("/proc/meminfo", "available memory",
                     [](std::string_view text) { return meminfo_bytes(text, "MemAvailable"); });
}

Fact<double> load() {
    return fact_from("/proc/loadavg", "load", loadavg_one_minute);
}

Fact<std::string> governor() {
    const std::filesystem::path root = "/sys/devices/system/cpu";
    std::vector<std::string> governors;
    std::error_code error;
    for (std::filesystem::directory_iterator i(root, error), end; !error && i != end; i.increment(error)) {
        if (auto text = proc_file_text(i->path() / "cpufreq" / "scaling_governor"))
            governors.push_back(*text);
    }
    return known(combined_governor(governors),
                 "no processor has a readable cpufreq/scaling_governor, as in most virtual machines");
}

Fact<std::string> library() {
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

}  // namespace workbench::system_facts
#endif
