// SPDX-License-Identifier: MIT
#include "core/release/log.h"

#include <exception>

#include "core/record/record_json.h"
#include "core/support/canonical_json.h"
#include "core/support/files.h"

namespace workbench {

namespace {

using nlohmann::json;

std::string previous_of(const std::vector<LogEntry>& log) {
    return log.empty() ? sha256_hex("iir2d release log 1") : log.back().hash;
}

// "2025-03-09T17:05:00Z" in form, so that times can be compared and shown.
bool is_utc(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    if (text.size() != form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
    }
    return true;
}

// What is wrong with a line; empty: nothing, and it was added.
std::string add_line(std::string_view line, std::vector<LogEntry>& log) {
    const auto parsed = parse_strictly(line);
    if (!parsed) return parsed.error().message;
    const json& entry = *parsed;
    if (canonical_json(entry) != line) return "it is not written as the program writes it";
    if (!entry.is_object() || entry.size() != 4 || !entry.contains("event") || !entry.contains("utc") ||
        !entry.contains("previous") || !entry.contains("seq"))
        return "it is not an entry";
    if (entry.at("seq") != log.size() + 1) return "it is not number " + std::to_string(log.size() + 1);
    if (entry.at("previous") != previous_of(log))
        return "the entry before it is not the one it was written after";
    if (!entry.at("utc").is_string() || !is_utc(entry.at("utc").get<std::string>()) ||
        !entry.at("event").is_object() || !entry.at("event").contains("type") ||
        !entry.at("event").at("type").is_string())
        return "it is not an entry";
    log.push_back({entry.at("utc").get<std::string>(), entry.at("event"), sha256_hex(line)});
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

std::string log_line(const std::vector<LogEntry>& log, const std::string& utc, const json& event) {
    const json entry{{"event", event}, {"previous", previous_of(log)}, {"seq", log.size() + 1}, {"utc", utc}};
    return canonical_json(entry) + "\n";
}

}  // namespace workbench
