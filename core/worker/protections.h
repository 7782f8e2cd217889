// SPDX-License-Identifier: MIT
// What stands between a worker's children and the machine; for About, `--version` and the documentation.
#pragma once

#include <string>
#include <vector>

namespace workbench::worker {

// Returns whether workers exist at all on this system. Where not (Windows, for now), a pool's borrow() fails
// with could_not_start and the caller does the work in its own process, which it says.
bool workers_available();

// As reported by a running worker: what is in force there, not what was meant to be.
struct Protections {
    bool memory_limit = false;        // RLIMIT_DATA, set for each request
    bool processor_limit = false;     // watched by the program; RLIMIT_CPU behind it
    bool system_call_filter = false;  // seccomp
    bool ends_with_program = false;   // PR_SET_PDEATHSIG beside the end of the connection
    bool operator==(const Protections&) const = default;
};

// Returns one line each: "memory: limited for each request", "system calls: not filtered, built without
// libseccomp".
std::vector<std::string> describe(const Protections& protections);

}  // namespace workbench::worker
