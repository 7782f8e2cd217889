// SPDX-License-Identifier: MIT
#include "core/worker/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "core/support/file_handle.h"

namespace workbench::worker {

namespace {

bool limit(int process_id, __rlimit_resource resource, std::uint64_t value) {
    rlimit limits{};
    if (::prlimit(process_id, resource, nullptr, &limits) != 0) return false;
    // The soft limit only: a hard one could not be raised again for the next request.
    limits.rlim_cur = value == 0 ? limits.rlim_max : std::min<rlim_t>(value, limits.rlim_max);
    return ::prlimit(process_id, resource, &limits, nullptr) == 0;
}

}  // namespace

std::optional<std::uint64_t> private_bytes(int process_id) {
    const std::string path = "/proc/" + std::to_string(process_id) + "/statm";
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 256> text{};
    const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
    if (size <= 0) return std::nullopt;
    // Sixth of: size resident shared text lib data
    std::string_view rest(text.data(), static_cast<std::size_t>(size));
    for (int i = 0; i < 5; ++i) {
        const std::size_t blank = rest.find(' ');
        if (blank == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(blank + 1);
    }
    std::uint64_t pages = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), pages).ec != std::errc{}) return std::nullopt;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::chrono::nanoseconds> processor_time(int process_id) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(process_id, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
        return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool limit_private_bytes(int process_id, std::uint64_t bytes) {
    return limit(process_id, RLIMIT_DATA, bytes);
}

bool limit_processor_seconds(int process_id, std::uint64_t seconds) {
    return limit(process_id, RLIMIT_CPU, seconds);
}

}  // namespace workbench::worker
