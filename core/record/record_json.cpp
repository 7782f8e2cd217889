// SPDX-License-Identifier: MIT
#include "core/record/record_json.h"

#include <algorithm>

#include "core/benchmark/benchmark.h"
#include "core/record/record.h"
#include "core/record/schema.h"
#include "core/support/canonical_json.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"

namespace workbench {

using nlohmann::json;

namespace {

// A hash over the values finds every other value. What is spelled in another way has the same value, so that
// there is one way only.
Result<void> check_seal(std::string_view text, const json& record) {
    if (const auto at = first_uncanonical_spelling(text)) {
        const std::string_view before = text.substr(0, *at);
        return fail(ErrorKind::bad_input, "the JSON was changed: on line " +
                                              std::to_string(std::ranges::count(before, '\n') + 1) +
                                              " a number or text is not spelled as records spell it, " +
                                              escaped(text.substr(*at, 30)));
    }
    const std::string content = canonical_sha256_without(record, seal_name);
    if (record_id(record) == content) return {};
    return fail(ErrorKind::bad_input, "the JSON was changed: its content has the SHA-256 " + content +
                                          ", its content_sha256 is " + record_id(record));
}

}  // namespace

Result<json> parse_strictly(std::string_view text) {
    auto value = parse_json_strictly(text, record_json_limits);
    if (!value) value.error().message = "the JSON " + value.error().message;
    return value;
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
    if (auto valid = check_schema(*record, "record"); !valid) return std::unexpected(valid.error());
    if (auto sealed = check_seal(text, *record); !sealed) return std::unexpected(sealed.error());
    return record;
}

std::string record_id(const json& record) {
    return record.at(seal_name).get<std::string>();
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
    if (value_of(one.at("gpu_state")).is_null()) return text;
    for (const auto& word : value_of(value_of(one.at("gpu_state")).at("throttle_reasons"))) {
        if (is_throttling(cell_text(word))) text += (text.empty() ? "" : ", ") + cell_text(word);
    }
    return text;
}

}  // namespace workbench
