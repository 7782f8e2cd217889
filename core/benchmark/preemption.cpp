// SPDX-License-Identifier: MIT
#include "core/benchmark/preemption.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#define WORKBENCH_HAVE_RUSAGE 1
#endif

namespace workbench {

std::optional<std::int64_t> involuntary_switches([[maybe_unused]] PreemptionScope scope) {
#if defined(WORKBENCH_HAVE_RUSAGE)
    int who = RUSAGE_SELF;
#if defined(RUSAGE_THREAD)
    if (scope == PreemptionScope::thread) who = RUSAGE_THREAD;
#endif
    rusage usage{};
    if (getrusage(who, &usage) != 0) return std::nullopt;
    return usage.ru_nivcsw;
#else
    return std::nullopt;
#endif
}

std::string_view preemption_counter([[maybe_unused]] PreemptionScope scope) {
#if defined(WORKBENCH_HAVE_RUSAGE)
#if defined(RUSAGE_THREAD)
    if (scope == PreemptionScope::thread) return "getrusage(RUSAGE_THREAD)";
#endif
    return "getrusage(RUSAGE_SELF)";
#else
    return "";
#endif
}

}  // namespace workbench
