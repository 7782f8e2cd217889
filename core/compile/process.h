// SPDX-License-Identifier: MIT
// Inside core/compile only: runs one compiler process and holds the connection to it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/support/error.h"
#include "core/support/file_handle.h"

namespace workbench::compile {

// Says why there is no answer.
struct NoAnswer {
    enum class Why { died, late, cancelled } why = Why::died;
    std::string what;  // a clause: "crashed (signal 11, segmentation fault)"
};

// For one thread at a time. Ends its process when destroyed.
class Process {
  public:
    // Starts the program. device_failure: there is no such program, or the system refuses a process.
    static Result<std::unique_ptr<Process>> start();
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Sends a message and waits for the one that answers it. After a NoAnswer the process has ended.
    // `message` is framed; what is returned is what unframed() takes.
    std::expected<std::string, NoAnswer> ask(const std::string& message, std::chrono::milliseconds patience,
                                             const std::stop_token& stop);

    int process_id() const { return m_process_id; }

  private:
    Process(FileHandle connection, int process_id)
        : m_connection(std::move(connection)), m_process_id(process_id) {}
    // Returns how it ended; ends it first where needed.
    std::string end();

    FileHandle m_connection;
    int m_process_id = -1;
};

}  // namespace workbench::compile
