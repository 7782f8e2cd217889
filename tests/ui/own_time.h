// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

namespace workbench {

// Milliseconds for which this thread has computed. Where other programs have the processor they do not count.
inline double ownMilliseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace workbench
