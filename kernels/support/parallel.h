// SPDX-License-Identifier: MIT
// The thread pool adapter: oneTBB where the build has it, one thread where not. Backends know nothing else of
// threads.
#pragma once

#include <cstdint>
#include <functional>

#include "iir2d/device.h"

namespace iir2d::support {

// Checks how many threads a caller asks for: 0 is all of them.
Result<void> check_threads(int threads);

// True when the build has threads.
bool has_threads();
// Threads that the process may use now: its affinity, or a caller's own oneTBB limit when that is lower.
int available_threads();

// Which part of a run's progress a loop accounts for.
struct ProgressRange {
    double from = 0.0;
    double to = 1.0;
};

// Calls body(i) once for each i in [0, count), on at most `threads` threads, in no particular order. Bodies
// write to disjoint places, so the result does not depend on the threads. Before each body
// and at the end control.stop is looked at: false means that it asked, and some bodies may not have run.
// control.progress is called from the calling thread only. count <= 1 or threads == 1 runs on the calling
// thread.
bool parallel_for(int threads, std::int64_t count, const RunControl& control, ProgressRange range,
                  const std::function<void(std::int64_t)>& body);

// Calls a caller's function in the middle of a body: if it uses threads of its own, the thread that waits for
// them takes up no other body meanwhile, which might wait for this one.
void call_out(const std::function<void()>& function);

}  // namespace iir2d::support
