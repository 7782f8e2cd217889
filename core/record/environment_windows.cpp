// SPDX-License-Identifier: MIT
// Facts from Windows itself, never from files: where wine runs the program, /proc is another system's.
#if defined(_WIN32)
#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/record/system_facts.h"
#include "core/support/text.h"

namespace workbench::system_facts {

namespace {

std::string utf8_of(const wchar_t* text) {
    return utf8_path(std::filesystem::path(text));
}

std::string registry_text(const wchar_t* key, const wchar_t* name) {
    wchar_t text[256] = {};
    DWORD size = sizeof text - sizeof(wchar_t);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text, &size) != ERROR_SUCCESS)
        return {};
    std::string found = utf8_of(text);
    const auto start = std::min(found.find_first_not_of(' '), found.size());
    return found.substr(start, found.find_last_not_of(' ') + 1 - start);
}

constexpr const wchar_t* of_windows = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
constexpr const wchar_t* of_processor = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";

MEMORYSTATUSEX memory_status() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) != 0 ? status : MEMORYSTATUSEX{};
}

Fact<std::uint64_t> bytes(std::uint64_t count) {
    if (count == 0) return {std::nullopt, "Windows does not say it"};
    return {count, {}};
}

}  // namespace

Names names() {
    // The version that Windows tells everybody is 8's; this one is its own.
    using Version = LONG(WINAPI*)(OSVERSIONINFOW*);
    OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    if (const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll")) {
        const auto ask =
            reinterpret_cast<Version>(reinterpret_cast<void*>(GetProcAddress(ntdll, "RtlGetVersion")));
        if (ask != nullptr) ask(&version);
    }
    const std::string number = std::to_string(version.dwMajorVersion) + "." +
                               std::to_string(version.dwMinorVersion) + "." +
                               std::to_string(version.dwBuildNumber);
    const std::string product = registry_text(of_windows, L"ProductName");
    return {.os = (product.empty() ? std::string("Windows") : product) + " (build " +
                  std::to_string(version.dwBuildNumber) + ")",
            .kernel = "Windows " + number,
            .platform = "Windows-" + number + "-x86_64"};
}

Fact<std::string> host() {
    wchar_t text[256] = {};
    DWORD size = 256;
    if (GetComputerNameExW(ComputerNameDnsHostname, text, &size) == 0 || text[0] == L'\0')
        return {std::nullopt, "the system has no host name"};
    return {utf8_of(text), {}};
}

Fact<std::string> processor() {
    std::string name = registry_text(of_processor, L"ProcessorNameString");
    if (name.empty()) return {std::nullopt, "Windows does not say the processor's model"};
    return {std::move(name), {}};
}

Fact<int> physical_cores() {
    DWORD size = 0;
    GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &size);
    std::vector<std::byte> memory(size);
    auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data());
    int cores = 0;
    if (size > 0 && GetLogicalProcessorInformationEx(RelationProcessorCore, first, &size) != 0) {
        for (DWORD at = 0; at < size; ++cores)
            at += reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data() + at)->Size;
    }
    if (cores == 0) return {std::nullopt, "Windows does not say the number of physical cores"};
    return {cores, {}};
}

Fact<std::uint64_t> total_memory() {
    return bytes(memory_status().ullTotalPhys);
}

Fact<std::uint64_t> available_memory() {
    return bytes(memory_status().ullAvailPhys);
}

Fact<double> load() {
    return {std::nullopt, "Windows keeps no load average"};
}

Fact<std::string> governor() {
    return {std::nullopt, "Windows has power plans, not a governor of each processor"};
}

Fact<std::string> library() {
    const HMODULE module = GetModuleHandleW(L"iir2d.dll");
    std::wstring name(32768, L'\0');
    const DWORD size =
        module == nullptr ? 0 : GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
    if (size == 0) return {std::nullopt, "Windows does not say which file iir2d.dll came from"};
    return {utf8_path(std::filesystem::path(name.substr(0, size))), {}};
}

}  // namespace workbench::system_facts
#endif
