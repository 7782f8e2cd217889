// SPDX-License-Identifier: MIT
#include "kernels/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>

#if defined(IIR2D_HAVE_TBB)
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#if defined(__linux__)
#include <sched.h>
#elif defined(_WIN32)
#include <windows.h>

#include <bit>
#endif
#endif

namespace iir2d::support {

#if defined(IIR2D_HAVE_TBB)
namespace {

int affinity_threads() {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#elif defined(_WIN32)
    // Of the processor group that this process is in: 64 processors at most.
    DWORD_PTR own = 0;
    DWORD_PTR machine = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &machine) != 0 && own != 0)
        return std::popcount(static_cast<unsigned long long>(own));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The calling thread's arena of that size. It is kept: what an arena has taken is not all given back when it
// goes, some kilobytes each time. Threads do not share theirs, or one would wait for room in it.
tbb::task_arena& arena_of(int threads) {
    thread_local std::map<int, tbb::task_arena> arenas;
    return arenas.try_emplace(threads, threads).first->second;
}

}  // namespace
#endif

Result<void> check_threads(int threads) {
    if (threads >= 0 && threads <= 1024) return {};
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 "threads is " + std::to_string(threads) + ": give 1 to 1024, or 0 for all"});
}

bool has_threads() {
#if defined(IIR2D_HAVE_TBB)
    return true;
#else
    return false;
#endif
}

int available_threads() {
#if defined(IIR2D_HAVE_TBB)
    return std::min(affinity_threads(), std::max(1, tbb::this_task_arena::max_concurrency()));
#else
    return 1;
#endif
}

void call_out(const std::function<void()>& function) {
#if defined(IIR2D_HAVE_TBB)
    tbb::this_task_arena::isolate(function);
#else
    function();
#endif
}

bool parallel_for(int threads, std::int64_t count, const RunControl& control, ProgressRange range,
                  const std::function<void(std::int64_t)>& body) {
    const auto caller = std::this_thread::get_id();
    std::atomic<std::int64_t> done{0};
    const auto step = [&](std::int64_t i) {
        if (control.stop.stop_requested()) return;
        body(i);
        const std::int64_t finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
        if (control.progress && std::this_thread::get_id() == caller) {
            const double fraction = static_cast<double>(finished) / static_cast<double>(count);
            control.progress(range.from + (range.to - range.from) * fraction);
        }
    };
#if defined(IIR2D_HAVE_TBB)
    if (threads > 1 && count > 1) {
        // An arena of the asked size keeps the limit whatever the process's other oneTBB users do; isolation
        // keeps a caller's outer tasks from being run inside ours while we wait.
        arena_of(threads).execute([&] {
            tbb::this_task_arena::isolate(
                [&] { tbb::parallel_for(std::int64_t{0}, count, step, tbb::simple_partitioner{}); });
        });
        return !control.stop.stop_requested();
    }
#else
    static_cast<void>(threads);
#endif
    for (std::int64_t i = 0; i < count; ++i) step(i);
    return !control.stop.stop_requested();
}

}  // namespace iir2d::support
