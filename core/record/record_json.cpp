// SPDX-License-Identifier: MIT
#include "core/record/record_json.h"

#include <exception>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/record/record.h"
#include "core/record/schema.h"

namespace workbench {

namespace {

using nlohmann::json;

// A record nests about ten levels; what handles a value recurses once a level.
constexpr int deepest = 32;

// Follows the parser: refuses a key that its object already has, and too many levels.
class Watcher {
  public:
    bool operator()(int depth, json::parse_event_t event, json& parsed) {
        using Event = json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) {
            if (depth >= deepest) {
                throw std::length_error("it nests more than " + std::to_string(deepest) + " levels deep");
            }
            m_keys.emplace_back();
        } else if (event == Event::object_end || event == Event::array_end) {
            m_keys.pop_back();
        } else if (event == Event::key) {
            const auto key = parsed.get<std::string>();
            if (!m_keys.back().insert(key).second) {
                throw std::invalid_argument("the key \"" + key.substr(0, 100) +
                                            "\" appears twice in one object");
            }
        }
        return true;
    }

  private:
    std::vector<std::set<std::string>> m_keys;  // of each open object or array
};

// The library's messages start with "[json.exception.parse_error.101] ", which helps nobody.
std::string readable(std::string message) {
    if (const auto end = message.find("] "); message.starts_with('[') && end != std::string::npos) {
        message.erase(0, end + 2);
    }
    constexpr std::size_t longest = 300;
    return message.size() > longest ? message.substr(0, longest) + "..." : message;
}

}  // namespace

Result<json> parse_strictly(std::string_view text) {
    try {
        Watcher watcher;
        return json::parse(text, [&watcher](int depth, json::parse_event_t event, json& parsed) {
            return watcher(depth, event, parsed);
        });
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input, "the JSON cannot be read: " + readable(error.what()));
    }
}

Result<json> parse_record(std::string_view text) {
    auto record = parse_strictly(text);
    if (!record) return record;
    if (!record->is_object())
        return fail(ErrorKind::bad_input, "the JSON is not a record: it is not an object");
    const auto version = record->find("schema_version");
    if (version != record->end() && version->is_number_integer() &&
        version->get<std::int64_t>() > record_schema_version) {
        return fail(ErrorKind::bad_input, "the record has schema version " + version->dump() +
                                              ", newer than the version " +
                                              std::to_string(record_schema_version) + " that is known here");
    }
    // An older record is held to what records were then.
    const bool older =
        version != record->end() && version->is_number_integer() && version->get<std::int64_t>() >= 1;
    const std::int64_t schema = older ? version->get<std::int64_t>() : record_schema_version;
    if (auto valid = check_schema(*record, "record-" + std::to_string(schema)); !valid) {
        return std::unexpected(valid.error());
    }
    return record;
}

const json& value_of(const json& fact) {
    return fact.at("value");
}

std::string cell_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    return {};
}

std::string throttled_by(const nlohmann::json& one) {
    std::string text;
    if (!one.contains("gpu_state") || value_of(one.at("gpu_state")).is_null()) return text;
    for (const auto& word : value_of(value_of(one.at("gpu_state")).at("throttle_reasons"))) {
        if (is_throttling(cell_text(word))) text += (text.empty() ? "" : ", ") + cell_text(word);
    }
    return text;
}

}  // namespace workbench
