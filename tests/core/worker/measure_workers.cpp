// SPDX-License-Identifier: MIT
// Prints what workers cost: start of a server, fork of a child, a request and its answer. Built by name
// (`ninja measure_workers`), not part of the tests.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/worker/worker_testing.h"

namespace {

using namespace workbench::worker;
using namespace workbench::worker::testing;
using Clock = std::chrono::steady_clock;

void print(const char* what, std::vector<double> microseconds) {
    std::ranges::sort(microseconds);
    std::printf("%-40s median %9.1f us, least %9.1f us, of %zu\n", what,
                microseconds[microseconds.size() / 2], microseconds.front(), microseconds.size());
}

double microseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

// measure_workers [PROGRAM ROLE [ARGUMENT...]]: another worker program, of which only start and fork are
// measured.
int main(int argc, char** argv) {
    PoolOptions chosen = options();
    if (argc >= 3) {
        chosen.program = argv[1];
        chosen.role = argv[2];
        chosen.arguments.assign(argv + 3, argv + argc);
    }
    std::vector<double> starts;
    for (int i = 0; i < 11; ++i) {
        WorkerPool pool(chosen);
        if (const auto started = pool.start(); !started) {
            std::fprintf(stderr, "%s\n", started.error().what.c_str());
            return 1;
        }
        starts.push_back(static_cast<double>(pool.statistics().last_start.count()));
    }
    print("start of a server", starts);

    chosen.most_sessions = 20;
    WorkerPool pool(chosen);
    std::vector<double> forks;
    std::vector<Lease> leases;
    for (int i = 0; i < (argc >= 3 ? 20 : 2); ++i) {
        auto lease = pool.borrow();
        if (!lease) return 1;
        forks.push_back(static_cast<double>(pool.statistics().last_fork.count()));
        leases.push_back(std::move(*lease));
    }
    print("fork of a child", forks);
    if (argc >= 3) return 0;

    std::vector<double> trips;
    for (int i = 0; i < 10'000; ++i) {
        const auto begin = Clock::now();
        if (!ask(leases[0], request_text(Action::echo, "x"), {.memory_bytes = 1 << 26})) return 1;
        trips.push_back(microseconds_since(begin));
    }
    print("request of 1 byte and its answer", trips);
    leases.clear();

    std::vector<double> crashes;
    for (int i = 0; i < 100; ++i) {
        const auto begin = Clock::now();
        static_cast<void>(ask(pool, request(Action::abort_process)));
        static_cast<void>(ask(pool, request_text(Action::echo, "x")));
        crashes.push_back(microseconds_since(begin));
    }
    print("a crash, and a request of another child", crashes);
    return 0;
}
