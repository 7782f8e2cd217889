// SPDX-License-Identifier: MIT
// The log of a release: each entry names the hash of the one before, so that none can be changed, left out or
// put in between without it showing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench {

// Says when an entry was written. Dates never go back: an entry that is written while the clock is behind the
// entry before it takes that one's date, and says what the clock showed.
struct EntryTime {
    std::string utc;    // its date: never before that of the entry before
    std::string clock;  // what the clock showed: `utc`, or less
};

struct LogEntry {
    EntryTime time;
    nlohmann::json event;  // an object with "type"
    std::string hash;      // SHA-256 of its line
};

// Reads lines of canonical JSON: {"event":...,"previous":hash,"seq":n,"utc":...}, with "clock" where that is
// another time. bad_input names the line that is not as it was written. What the entries say is replay()'s to
// judge.
Result<std::vector<LogEntry>> parse_log(std::string_view text);

// Returns the time of an entry that follows `log`, by a clock that shows `clock`.
EntryTime time_after(const std::vector<LogEntry>& log, const std::string& clock);

// Returns the line that follows `log`, with its line feed, by a clock that shows `clock`.
std::string log_line(const std::vector<LogEntry>& log, const std::string& clock, const nlohmann::json& event);

}  // namespace workbench
