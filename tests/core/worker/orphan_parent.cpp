// SPDX-License-Identifier: MIT
// A program with two workers, idle and busy, that waits to be killed. Prints the numbers of their processes.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "core/worker/shared_memory.h"
#include "tests/core/worker/worker_testing.h"

int main() {
    using namespace workbench::worker;
    using namespace workbench::worker::testing;
    WorkerPool pool(options());
    auto idle = pool.borrow();
    auto busy = pool.borrow();
    auto memory = SharedMemory::create(1 << 20);
    if (!idle || !busy || !memory || !busy->begin(request(Action::use_processor), {})) return 1;
    std::printf("%d %d\n", idle->process_id(), busy->process_id());
    std::fflush(stdout);
    for (;;) ::pause();
}
