// SPDX-License-Identifier: MIT
// What became of the files that were read, format by format.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench::fuzz {

enum class End { read, refused, died, memory, time, other };
inline constexpr std::array<std::string_view, 6> end_names{"read",   "refused", "died",
                                                           "memory", "time",    "other"};

// By the sentence that the program says, as a user would know it.
End end_of(const Error& error);

// "signal 11" of a sentence that says so; empty otherwise.
std::string signal_of(const Error& error);

struct FormatCounts {
    std::array<std::uint64_t, end_names.size()> ends{};
    std::map<std::string, std::uint64_t> signals;
    std::uint64_t total() const;
    FormatCounts& operator+=(const FormatCounts& other);
};
using Counts = std::map<std::string, FormatCounts>;

std::string as_table(const Counts& counts);
std::string as_json(const Counts& counts);

}  // namespace workbench::fuzz
