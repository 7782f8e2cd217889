// SPDX-License-Identifier: MIT
#include "core/support/memory.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace workbench {

namespace {

using Bytes = std::optional<std::uint64_t>;

Bytes less(Bytes a, Bytes b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

Bytes number_of(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc{} && end == text.data() + text.size() ? Bytes(number) : std::nullopt;
}

#if defined(_WIN32)

Bytes free_memory() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (!GlobalMemoryStatusEx(&status)) return std::nullopt;
    return std::min(status.ullAvailPhys, status.ullAvailVirtual);
}

#else

Bytes free_memory_of_machine() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (file >> key >> kibibytes && std::getline(file, unit)) {
        if (key == "MemAvailable:") return kibibytes * 1024;
    }
    return std::nullopt;
}

Bytes left_of(Bytes limit, Bytes used) {
    if (!limit || !used) return std::nullopt;
    return *limit - std::min(*limit, *used);
}

// What the process may still map.
Bytes free_address_space() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    if (!(file >> pages)) return std::nullopt;
    return left_of(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

Bytes number_in(const std::filesystem::path& name) {
    std::ifstream file(name);
    std::string text;
    return file >> text ? number_of(text) : std::nullopt;  // "max" is no number: no limit
}

// Of one control group (version 2), with the files that it could drop from its cache.
Bytes free_in_group(const std::filesystem::path& group) {
    const Bytes limit = number_in(group / "memory.max");
    Bytes used = number_in(group / "memory.current");
    if (!limit || !used) return std::nullopt;
    std::ifstream file(group / "memory.stat");
    std::string key;
    std::uint64_t bytes = 0;
    while (file >> key >> bytes) {
        if (key == "inactive_file") used = *used - std::min(*used, bytes);
    }
    return left_of(limit, used);
}

// Of the process's control group and those it is in.
Bytes free_in_groups() {
    std::ifstream file("/proc/self/cgroup");
    Bytes least;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("0::/")) continue;
        const std::filesystem::path root = "/sys/fs/cgroup";
        std::filesystem::path group = root / line.substr(4);
        for (;; group = group.parent_path()) {
            least = less(least, free_in_group(group));
            if (group == root || !group.has_relative_path()) break;
        }
    }
    return least;
}

Bytes free_memory() {
    return less(less(free_memory_of_machine(), free_address_space()), free_in_groups());
}

#endif

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

std::optional<std::uint64_t> available_memory_bytes() {
    const char* limit = std::getenv("IIR2D_MEMORY_LIMIT");  // NOLINT(concurrency-mt-unsafe): never set here
    return less(free_memory(), limit != nullptr ? number_of(limit) : std::nullopt);
}

std::shared_ptr<void> memory_block(std::size_t bytes) {
    if (bytes < 2 * huge_page)
        return {::operator new(bytes), [](void* memory) { ::operator delete(memory); }};
    constexpr std::align_val_t alignment{huge_page};
    std::shared_ptr<void> block(::operator new(bytes, alignment), [](void* memory) {
        ::operator delete (memory, std::align_val_t{huge_page});
    });
    prefer_huge_pages(block.get(), bytes);
    return block;
}

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr std::uintptr_t page = 4096;
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (start + page - 1) / page * page, last = (start + bytes) / page * page;
    if (last >= first + 2 * huge_page) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace workbench
