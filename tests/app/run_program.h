// SPDX-License-Identifier: MIT
// Runs one of our programs as a user would and keeps everything it said.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace app_test {

struct Outcome {
    int code = -1;  // the exit code; 128 + n when signal n ended it
    std::string out;
    std::string err;
};

struct RunOptions {
    std::vector<std::string> environment = {};  // NAME=value, on top of our own
    // Of handling SIGINT: send `signal` then. One that ended by itself by then is not waited for.
    std::optional<std::chrono::milliseconds> interrupt_after = {};
    // Once it handles SIGINT: send `signal` as soon as this is true of its process number.
    std::function<bool(int)> interrupt_when = {};
    int signal = SIGINT;
    std::string stdout_file = {};  // instead of catching standard output
    int stdout_descriptor = -1;    // the same, open already
};

// Whether the process has this file open, through whatever name.
bool has_open(int process, const std::string& file);

Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                    const RunOptions& options = {});

// The lines of `text` that start with "iir2d: error: ".
std::vector<std::string> error_lines(const std::string& text);

}  // namespace app_test
