// SPDX-License-Identifier: MIT
#include "core/worker/protections.h"

namespace workbench::worker {

bool workers_available() {
#if defined(__linux__)
    return true;
#else
    return false;
#endif
}

std::vector<std::string> describe(const Protections& protections) {
    return {std::string("memory: ") + (protections.memory_limit ? "limited for each request" : "not limited"),
            std::string("processor time: ") +
                (protections.processor_limit ? "limited for each request" : "not limited"),
            std::string("system calls: ") + (protections.system_call_filter
                                                 ? "filtered: no files written, nothing started, no network"
                                                 : "not filtered"),
            std::string("end of the program: ") +
                (protections.ends_with_program ? "ends every worker" : "ends every worker that notices it")};
}

}  // namespace workbench::worker
