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

struct LogEntry {
    std::string utc;
    nlohmann::json event;  // an object with "type"
    std::string hash;      // SHA-256 of its line
};

// Lines of canonical JSON: {"event":...,"previous":hash,"seq":n,"utc":...}. bad_input names the line that is
// not as it was written.
Result<std::vector<LogEntry>> parse_log(std::string_view text);

// The line that follows `log`, with its end.
std::string log_line(const std::vector<LogEntry>& log, const std::string& utc, const nlohmann::json& event);

}  // namespace workbench
