// SPDX-License-Identifier: MIT
// What the command line shares with the terminal: interruption, progress, messages.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/support/task.h"

namespace app {

// Ctrl+C and SIGTERM ask the running job to stop; a second one ends the process at once. One per process.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    std::stop_token token() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// A progress bar on stderr, only when stderr is a terminal and not silenced. Erased at the end. The job must
// not outlive it.
class Progress {
  public:
    Progress(std::stop_token stop, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    workbench::TaskControl control();
    void clear();  // before printing something else to stderr

  private:
    void draw(double fraction, std::string_view what);
    std::stop_token m_stop;
    bool m_shown;
    int m_last_percent = -1;
    std::string m_last_what;
};

// Once, first thing in main(). Gives a closed standard stream a place to go, so that a file that is opened
// later does not get its number and our messages with it; and keeps off stderr what libpng prints there by
// itself, which would stand beside our one line.
void prepare_standard_streams();

// "iir2d: error: ..." on stderr; the exit code that belongs to it.
int report(const workbench::Error& error);
// "iir2d: ..." on stderr, unless silenced.
void note(std::string_view message, bool quiet);

}  // namespace app
