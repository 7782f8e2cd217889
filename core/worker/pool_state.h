// SPDX-License-Identifier: MIT
// Inside core/worker only: what a pool and its leases share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "core/worker/child.h"
#include "core/worker/fork_server.h"
#include "core/worker/pool.h"

namespace workbench::worker {

struct WorkerPool::State {
    explicit State(PoolOptions chosen);

    // Returns a server that is prepared; starts it if need be.
    Outcome<std::shared_ptr<ForkServer>> prepared_server(const std::stop_token& stop,
                                                         Protections* protections);
    // Returns a child that can take a request, warm or new.
    Outcome<std::unique_ptr<Child>> child(const std::stop_token& stop);
    void give_back(std::unique_ptr<Child> child);  // one session less; null for one that is gone
    // Ends it and counts that.
    enum class Cause { died, killed, replaced };
    std::optional<ChildEnd> end(Child& child, Cause cause);

    const PoolOptions options;
    const std::size_t most_sessions;
    mutable std::mutex mutex;  // of all below; never held while a process is waited for
    std::condition_variable_any one_less;
    std::size_t borrowed = 0;
    std::vector<std::unique_ptr<Child>> idle;
    std::shared_ptr<ForkServer> server;
    PoolStatistics statistics;
};

}  // namespace workbench::worker
