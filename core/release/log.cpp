// SPDX-License-Identifier: MIT
#include "core/release/log.h"

#include <algorithm>
#include <utility>

#include "core/support/canonical_json.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace {

using nlohmann::json;

std::string previous_of(const std::vector<LogEntry>& log) {
    return log.empty() ? sha256_hex("iir2d release log 1") : log.back().hash;
}

bool is_text(const json& entry, const char* key) {
    return entry.contains(key) && entry.at(key).is_string();
}

// Adds the line to the log; returns what is wrong with it instead, if anything is.
std::string add_line(std::string_view line, std::vector<LogEntry>& log) {
    const auto parsed = parse_json_strictly(line, record_json_limits);
    if (!parsed) return "it " + parsed.error().message;
    const json& entry = *parsed;
    if (canonical_json(entry) != line) return "it is not written as the program writes it";
    const std::size_t members = entry.is_object() && entry.contains("clock") ? 5 : 4;
    if (!entry.is_object() || entry.size() != members || !entry.contains("event") || !is_text(entry, "utc") ||
        (members == 5 && !is_text(entry, "clock")) || !entry.contains("previous") || !entry.contains("seq") ||
        !entry.at("event").is_object() || !is_text(entry.at("event"), "type"))
        return "it is not an entry";
    if (entry.at("seq") != log.size() + 1) return "it is not number " + std::to_string(log.size() + 1);
    if (entry.at("previous") != previous_of(log))
        return "the entry before it is not the one it was written after";
    EntryTime time{entry.at("utc").get<std::string>(), entry.at("utc").get<std::string>()};
    if (members == 5) time.clock = entry.at("clock").get<std::string>();
    if (members == 5 && time.clock == time.utc) return "it is not written as the program writes it";
    log.push_back({std::move(time), entry.at("event"), sha256_hex(line)});
    return {};
}

}  // namespace

Result<std::vector<LogEntry>> parse_log(std::string_view text) {
    std::vector<LogEntry> log;
    if (text.empty()) return fail(ErrorKind::bad_input, "log.jsonl: it is empty");
    while (!text.empty()) {
        const std::string place = "log.jsonl: line " + std::to_string(log.size() + 1) + ": ";
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return fail(ErrorKind::bad_input, place + "it does not end");
        if (auto wrong = add_line(text.substr(0, end), log); !wrong.empty())
            return fail(ErrorKind::bad_input, place + wrong);
        text.remove_prefix(end + 1);
    }
    return log;
}

EntryTime time_after(const std::vector<LogEntry>& log, const std::string& clock) {
    return {log.empty() ? clock : std::max(log.back().time.utc, clock), clock};
}

std::string log_line(const std::vector<LogEntry>& log, const std::string& clock, const json& event) {
    const EntryTime time = time_after(log, clock);
    json entry{{"event", event}, {"previous", previous_of(log)}, {"seq", log.size() + 1}, {"utc", time.utc}};
    if (time.clock != time.utc) entry["clock"] = time.clock;
    return canonical_json(entry) + "\n";
}

}  // namespace workbench
