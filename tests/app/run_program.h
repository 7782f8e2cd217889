// SPDX-License-Identifier: MIT
// Runs one of our programs as a user would and keeps everything it said.
#pragma once

#include <chrono>
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
    std::vector<std::string> environment;                      // NAME=value, on top of our own
    std::optional<std::chrono::milliseconds> interrupt_after;  // of handling SIGINT: send it then
    std::string stdout_file;                                   // instead of catching standard output
};

Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                    const RunOptions& options = {});

// The lines of `text` that start with "iir2d: error: ".
std::vector<std::string> error_lines(const std::string& text);

}  // namespace app_test
