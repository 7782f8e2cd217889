// SPDX-License-Identifier: MIT
// The program's side: workers to borrow.
//
// A pool runs one program with one role. Started at the first need, that process (the fork server) prepares
// the role once, e.g. loads libraries, and then only forks: each child serves one borrower at a time, request
// after request. A child that crashes, hangs or exceeds a limit costs its request and a fork, not a new
// preparation; a server that dies is started again. Nothing outlives the program: children die with their
// server, the server with its connection to the program, also when the program is killed.
//
//     auto lease = pool.borrow(stop);
//     if (!lease) ...
//     if (auto sent = lease->begin({.type = 1, .payload = path}, limits); !sent) ...
//     for (;;) {
//         auto frame = lease->receive();
//         if (!frame) ...                      // Failure; the child is gone, the pool is fine
//         if (lease->answered()) break;        // *frame is the answer
//         ... lease->send(...)                 // in the middle of a request, when the role converses
//     }
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/worker/failure.h"
#include "core/worker/frame.h"
#include "core/worker/protections.h"

namespace workbench::worker {

// For one request; 0 is no limit. They hold from the moment they are set.
struct Limits {
    // Private memory that the child may take beyond what it has (heap, stacks of threads, tables). Memory
    // that the program shares with it is not counted. An allocation beyond it fails in the child.
    std::uint64_t memory_bytes = 0;
    std::chrono::milliseconds processor_time{0};  // of all the child's threads together
    std::chrono::milliseconds silence{0};         // longest wait for a frame from the child
};

struct PoolOptions {
    std::filesystem::path program;  // empty: find_worker_program()
    std::string role;
    std::vector<std::string> arguments;  // after the role
    std::size_t most_sessions = 0;       // children at once; 0: the machine's threads
    std::size_t frame_limit = default_frame_limit;
    std::chrono::milliseconds start_patience{30000};  // until the role is prepared
    // How long a child that was asked to stop may take to answer before it is killed. Only the thread that
    // cancels waits for it, and only where the child could serve again (most_requests).
    std::chrono::milliseconds cancel_grace{200};
    // A child that has served so many is replaced by a new one; 0: never. 1: what one request did to a child,
    // e.g. a damaged file to its heap, cannot reach the next.
    std::uint64_t most_requests = 0;
    // A child that kept more private memory than this after a request is replaced.
    std::uint64_t most_kept_bytes = std::uint64_t{64} << 20;
};

// Counts since the pool was made.
struct PoolStatistics {
    std::uint64_t servers_started = 0;
    std::uint64_t children_forked = 0;
    std::uint64_t requests = 0;
    std::uint64_t children_died = 0;          // by themselves: crash, exit, end of memory
    std::uint64_t children_killed = 0;        // by the pool: time, silence, protocol, cancelled too slowly
    std::uint64_t peak_child_bytes = 0;       // the largest resident memory of a child that has ended
    std::chrono::microseconds last_start{0};  // spawning and preparing the server
    std::chrono::microseconds last_fork{0};   // asking for a child until it is ready
};

class Lease;

// Thread-safe.
class WorkerPool {
  public:
    explicit WorkerPool(PoolOptions options);
    ~WorkerPool();  // ends every process; no lease may be left
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Returns a child for the caller alone, warm or new; waits while most_sessions are borrowed. Fails with
    // could_not_start or cancelled. `stop` also ends every wait of the lease.
    Outcome<Lease> borrow(std::stop_token stop = {});

    // Starts the server, so that the first borrow() finds it prepared; does nothing when it runs. Returns
    // what is in force there. Fails with could_not_start or, when `stop` asks meanwhile, cancelled.
    Outcome<Protections> start(const std::stop_token& stop = {});

    PoolStatistics statistics() const;

  private:
    friend class Lease;
    struct State;
    std::unique_ptr<State> m_state;
};

// A child while it is borrowed. For one thread at a time. Destroyed in the middle of a request, or after a
// Failure, it ends the child; else the child goes back to the pool, warm.
class Lease {
  public:
    ~Lease();
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) noexcept;

    // Sends a request under these limits. Precondition: the request before was answered. A warm child that
    // died since its last request is replaced without a word.
    Outcome<void> begin(Frame request, const Limits& limits);

    // Sends another frame of the request under way.
    Outcome<void> send(Frame frame);

    // Returns the next frame of the request under way. Every frame is a sign of life. After the first Failure
    // the lease is of no more use: borrow again. When the stop token is asked, at once: the child's
    // Conversation::cancelled() becomes true; if it answers within the pool's cancel_grace it stays warm,
    // else it is killed; the result is `cancelled` either way.
    Outcome<Frame> receive();

    // Returns whether the frame received last was the answer, which ends the request.
    bool answered() const;

    // New limits, from now on, for the rest of the request: once its header told what it needs.
    Outcome<void> limit(const Limits& limits);

    int process_id() const;  // of the child, for a log

  private:
    friend class WorkerPool;
    struct State;
    explicit Lease(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace workbench::worker
