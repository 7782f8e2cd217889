// SPDX-License-Identifier: MIT
// The last lines of what a program did, in memory: for the report of a crash. Thread-safe.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace workbench::event_log {

inline constexpr int most_lines = 50;
inline constexpr int most_bytes = 240;  // of a line

// Adds a line, with the time. Line breaks become spaces; what is too long is cut. Allocates nothing.
void add(std::string_view text);

// Returns the lines, the oldest first: "12:05:01.250 page: benchmark".
std::vector<std::string> lines();

// Calls `visit(text, size)` for each line, the oldest first. May be called in a signal handler: it takes no
// lock, and a line that is being written at that moment may come out mixed.
void visit_in_signal_handler(void (*visit)(const char* text, std::size_t size));

}  // namespace workbench::event_log
