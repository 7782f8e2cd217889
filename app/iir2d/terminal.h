// SPDX-License-Identifier: MIT
// What the command line shares with the terminal: interruption, progress, messages.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/support/task.h"

namespace app {

// Ctrl+C and SIGTERM ask the running command to stop. A command that has not ended after its grace period, in
// whatever it waits, is ended with exit code 130 and its temporary files are removed; a second signal ends it
// at once. One per process.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    std::stop_token token() const;
    // Says how long a command that keeps what it has done so far gets to write that. The others lose
    // nothing, and get half a second.
    void give_time(std::chrono::seconds grace) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// Lets a command write its files to the end: whoever reads its standard output or error may go away, and the
// files are written all the same.
void outlive_readers();

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
// later does not get its number and our messages with it; keeps off stderr what libpng prints there by
// itself, which would stand beside our one line; and makes waiting for a reader of either stream end when the
// command is interrupted.
void prepare_standard_streams();

// Waits until all of standard output has been written. Else an error: unwritable_output, or cancelled when
// waiting for its reader was interrupted.
workbench::Result<void> finish_standard_output();

// Text from a file, an argument or a name, for one line on a terminal: without control characters.
std::string shown(const std::string& text);
std::string shown(const std::filesystem::path& path);
// Text of many lines to standard output: byte for byte, except that a terminal gets no control characters.
void print_text(std::string_view text);

// "iir2d: error: ..." on stderr; the exit code that belongs to it.
int report(const workbench::Error& error);
// "iir2d: ..." on stderr, on one line, unless silenced.
void note(std::string_view message, bool quiet);

}  // namespace app
