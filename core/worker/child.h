// SPDX-License-Identifier: MIT
// Inside core/worker only: one child of a fork server, as its pool and its borrower hold it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/worker/channel.h"
#include "core/worker/fork_server.h"
#include "core/worker/pool.h"
#include "core/worker/protocol.h"
#include "core/worker/shared_memory.h"

namespace workbench::worker {

// For one thread at a time. Ends its process when destroyed.
class Child {
  public:
    // Forks and waits until it can take requests.
    static Outcome<std::unique_ptr<Child>> fork(std::shared_ptr<ForkServer> server,
                                                const PoolOptions& options, const std::stop_token& stop);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Returns whether it can take another request: alive, silent, and within what the options let it keep
    // and serve.
    bool fresh(const PoolOptions& options) const;
    // Returns whether it may take another request by the number of those it has had.
    bool serves_again(const PoolOptions& options) const;
    bool ended() const { return m_ended; }
    void count_request() { ++m_requests; }

    // Returns how it ended; ends it first where needed. Once.
    std::optional<ChildEnd> end();

    Channel& channel() { return m_channel; }
    StatusPage& status() { return *reinterpret_cast<StatusPage*>(m_page.data()); }
    const StatusPage& status() const { return *reinterpret_cast<const StatusPage*>(m_page.data()); }
    ForkServer& server() { return *m_server; }
    int process_id() const { return m_process_id; }
    int wake_descriptor() const { return m_wake.get(); }  // an eventfd, for the stop token

  private:
    Child(std::shared_ptr<ForkServer> server, FileHandle connection, SharedMemory page, FileHandle wake,
          std::size_t frame_limit);
    Outcome<void> wait_until_ready(const PoolOptions& options, const std::stop_token& stop);

    std::shared_ptr<ForkServer> m_server;
    Channel m_channel;
    SharedMemory m_page;
    FileHandle m_wake;
    int m_process_id = -1;
    bool m_ended = false;
    std::uint64_t m_bytes_at_start = 0;
    std::uint64_t m_requests = 0;
};

}  // namespace workbench::worker
