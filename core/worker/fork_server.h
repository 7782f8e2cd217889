// SPDX-License-Identifier: MIT
// Inside core/worker only: the program's handle of one fork server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/worker/channel.h"
#include "core/worker/failure.h"
#include "core/worker/protections.h"

namespace workbench::worker {

// How a child ended.
struct ChildEnd {
    int wait_status = 0;
    std::uint64_t peak_bytes = 0;
};

// Thread-safe. Ends its process, and so the children, when destroyed.
class ForkServer {
  public:
    static Outcome<std::shared_ptr<ForkServer>> spawn(const std::filesystem::path& program,
                                                      const std::string& role,
                                                      const std::vector<std::string>& arguments);
    ~ForkServer();
    ForkServer(const ForkServer&) = delete;
    ForkServer& operator=(const ForkServer&) = delete;

    // Waits until the role is prepared, at most `patience` from the spawning. Then what is in force.
    Outcome<Protections> wait_until_prepared(std::chrono::milliseconds patience, const std::stop_token& stop);

    // Forks a child and returns its process id.
    Outcome<int> fork_child(FileHandle connection, FileHandle status_page);

    // Kills the child where it still runs and learns how it ended; the process id is not given to another
    // process before. Absent when the server is gone or the child does not end.
    std::optional<ChildEnd> end_child(int process_id);

    bool gone() const { return m_gone; }
    int process_id() const { return m_process_id; }
    std::chrono::microseconds start_time() const { return m_start_time; }

    // Returns the end of what the server and its children wrote on standard output and error so far.
    std::string output();

  private:
    ForkServer(FileHandle connection, FileHandle output, int process_id);
    Outcome<void> read_hello(const Channel::Arrived& arrived);
    Outcome<std::string> call(std::uint32_t type, std::string payload, std::vector<FileHandle> handles = {});
    std::unexpected<Failure> lost(std::string doing);
    std::optional<int> collect(std::chrono::milliseconds patience);

    std::mutex m_mutex;  // of the connection
    Channel m_channel;
    std::optional<Outcome<Protections>> m_hello;
    const Channel::Clock::time_point m_spawned = Channel::Clock::now();
    std::chrono::microseconds m_start_time{0};

    const int m_process_id;
    bool m_collected = false;
    std::atomic<bool> m_gone = false;

    std::mutex m_output_mutex;
    FileHandle m_output_pipe;
    std::string m_output;
};

// "crashed (signal 11, segmentation fault)", "ended by itself with exit code 3".
std::string describe_end(int wait_status);

}  // namespace workbench::worker
