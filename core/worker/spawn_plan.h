// SPDX-License-Identifier: MIT
// How a process is started: with the default signals, in a group of its own, so that Ctrl+C in a terminal is
// for the program alone, and with no open files but those that are passed to it.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace workbench {

class SpawnPlan {
  public:
    SpawnPlan();
    ~SpawnPlan();
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    // Opens a file as the process's `descriptor`, with open()'s flags.
    void open(int descriptor, const std::string& path, int flags);
    // Passes this program's `own` descriptor as `descriptor`, which is another number.
    void pass(int own, int descriptor);
    // Closes every descriptor from `first` on. Called last.
    void close_from(int first);

    // Starts words[0], found as a shell finds it, with the variables of this program and `more`
    // ("NAME=value"). Returns the system's error number; 0 when it was started.
    int run(int& process, std::vector<std::string> words, std::vector<std::string> more = {}) const;

  private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

}  // namespace workbench
