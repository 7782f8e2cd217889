// SPDX-License-Identifier: MIT
// From a record to the text of record.json, by the table of its members.
#include "core/record/record_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/record/layout_writer.h"
#include "core/record/record_layout.h"
#include "core/support/canonical_json.h"

namespace workbench {

using layout::Json;
using layout::sealed_text;
using layout::Writer;

namespace {

std::string scalar_text(const Json& value) {
    if (value.is_number_float()) return canonical_number(value.get<double>());
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Writes it indented by two, but lists of scalars and small objects of scalars on one line: thousands of
// samples are then a line, not pages.
void write_pretty(const Json& value, std::size_t indent, std::string& out) {
    if (!value.is_structured()) {
        out += scalar_text(value);
        return;
    }
    const bool object = value.is_object();
    const bool flat = std::ranges::none_of(value, [](const Json& v) { return v.is_structured(); }) &&
                      (!object || value.size() <= 2);
    const std::string line = "\n" + std::string(indent, ' ');
    out += object ? '{' : '[';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        if (!first) out += flat ? ", " : ",";
        if (!flat) out += line + "  ";
        first = false;
        if (object) out += scalar_text(Json(key)) + ": ";
        write_pretty(item, indent + 2, out);
    }
    if (!flat) out += line;
    out += object ? '}' : ']';
}

}  // namespace

namespace layout {

SealedText sealed_text(Json json) {
    SealedText result;
    write_pretty(json, 0, result.text);
    // Of the values as a reader finds them: bytes that are no text have been replaced.
    result.record_id = canonical_sha256_without(nlohmann::json::parse(result.text), seal_name);
    json[seal_name] = result.record_id;
    result.text.clear();
    write_pretty(json, 0, result.text);
    result.text += '\n';
    return result;
}

}  // namespace layout

std::string record_to_json(const Record& record) {
    return sealed_text(Writer::json_of(record)).text;
}

std::string record_id_of(const Record& record) {
    return sealed_text(Writer::json_of(record)).record_id;
}

std::string matrix_to_json(const Record& record) {
    return Writer::json_of(record.run.matrix).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace workbench
