// SPDX-License-Identifier: MIT
#include "kernels/support/cpu_target.h"

#include <cstdint>
#include <cstdlib>

#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// That one has to be first.
#include <hwy/highway.h>
#endif

namespace iir2d::support {

namespace {

#if defined(IIR2D_HAVE_HIGHWAY)

Result<std::string> choose_target() {
    const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
    const char* wanted = std::getenv("IIR2D_CPU_TARGET");
    std::string known;
    std::int64_t chosen = supported & -supported;  // the lowest bit is the best target
    if (wanted != nullptr && *wanted != '\0') {
        chosen = 0;
        for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
            const std::int64_t target = rest & -rest;
            const std::string name = hwy::TargetName(target);
            known += (known.empty() ? "" : ", ") + name;
            if (name == wanted) chosen = target;
        }
        if (chosen == 0) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         std::string("IIR2D_CPU_TARGET is \"") + wanted +
                                             "\", which this machine or build has not: use one of " + known});
        }
        hwy::SetSupportedTargetsForTest(chosen);
        hwy::GetChosenTarget().Update(chosen);
    }
    return std::string(hwy::TargetName(chosen));
}

#else

Result<std::string> choose_target() {
    const char* wanted = std::getenv("IIR2D_CPU_TARGET");
    if (wanted == nullptr || *wanted == '\0') return IIR2D_CPU_BASELINE;
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 std::string("IIR2D_CPU_TARGET is \"") + wanted +
                                     "\", and this build, which has no Highway, has nothing to choose from"});
}

#endif

}  // namespace

Result<std::string> cpu_target() {
    static const Result<std::string> target = choose_target();
    return target;
}

}  // namespace iir2d::support
