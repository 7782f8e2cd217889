// SPDX-License-Identifier: MIT
// Keeps learned entries: which config was measured to be the best for a problem on a machine.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "iir2d/config.h"

namespace iir2d::tune {

struct LearnedPlace {
    std::string machine;
    std::string kernels;
    std::string key;
    friend auto operator<=>(const LearnedPlace&, const LearnedPlace&) = default;
};
struct LearnedEntry {
    Config config;
    double ratio = 1;  // of its time to static's
    std::int64_t runs = 0;
    std::string utc;    // "2026-11-23T17:00:00Z": in this form text order is time's
    bool here = false;  // learned in this process
};
using Learned = std::map<LearnedPlace, LearnedEntry>;

// Adds lines; the newest of a place stays. Returns how many are none.
std::size_t add_lines(std::string_view lines, Learned& learned);
void add_entry(LearnedPlace place, LearnedEntry entry, Learned& learned);
// Leaves the 10,000 newest.
void limit(Learned& learned);
std::string lines_of(const Learned& learned, bool here_only);

// Returns the time as the entries have it.
std::string utc_now();

}  // namespace iir2d::tune
