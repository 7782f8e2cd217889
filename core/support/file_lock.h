// SPDX-License-Identifier: MIT
// One writer at a time, across processes.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "core/support/error.h"

namespace workbench {

// Held from acquire() until destroyed; the system gives it up when its process ends, however it ends.
// Advisory: for those who ask. On a file system without locks (some network file systems) everybody is given
// one at once: the last writer wins there, and what is written stays whole.
class FileLock {
  public:
    // Locks the file `path`, creates it when it is missing, and waits while another holds it.
    // unwritable_output when it cannot be created, or is still held after `patience`; cancelled when `stop`
    // asks meanwhile.
    static Result<FileLock> acquire(const std::filesystem::path& path,
                                    std::chrono::milliseconds patience = std::chrono::seconds(10),
                                    const std::stop_token& stop = {});
    // Locks a folder that is there, and leaves nothing in it. unwritable_output at once while another process
    // holds it. On Windows, which locks no folders, everybody is given one.
    static Result<FileLock> of_folder(const std::filesystem::path& folder);
    ~FileLock();
    FileLock(FileLock&&) noexcept;
    FileLock& operator=(FileLock&&) noexcept;

  private:
    struct State;
    explicit FileLock(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace workbench
