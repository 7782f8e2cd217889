// SPDX-License-Identifier: MIT
#include "core/record/derived.h"

#include <utility>

#include "core/record/record_json.h"
#include "core/support/files.h"

namespace workbench {

namespace {

// `make` of the record that the text is.
template <class Make>
Result<std::string> from_text(std::string_view text, Make make) {
    const auto record = parse_record(text);
    if (!record) return std::unexpected(record.error());
    return make(*record);
}

}  // namespace

Result<std::string> record_to_csv(std::string_view json) {
    return from_text(json, csv_of);
}

Result<std::string> record_to_markdown(std::string_view json) {
    return from_text(json, markdown_of);
}

Result<std::string> record_to_svg(std::string_view json, RecordChart chart) {
    return from_text(json, [chart](const nlohmann::json& record) { return svg_of(record, chart); });
}

Result<std::map<std::string, std::string>> derived_files(std::string_view text,
                                                         const nlohmann::json& record) {
    std::map<std::string, std::string> files;
    std::map<std::string, std::string> digests = {{"record.json", sha256_hex(text)}};
    for (auto& [name, made] : {std::pair{"record.csv", csv_of(record)}, {"record.md", markdown_of(record)}}) {
        if (!made) return std::unexpected(made.error());
        digests[name] = sha256_hex(*made);
        files[name] = *made;
    }
    auto statement = statement_of(record, digests);
    if (!statement) return std::unexpected(statement.error());
    files[std::string(statement_name)] = std::move(*statement);
    for (const RecordChart chart : {RecordChart::latency, RecordChart::ratio_to_copy}) {
        auto svg = svg_of(record, chart);
        if (!svg) return std::unexpected(svg.error());
        files[std::string(file_name_of(chart))] = std::move(*svg);
    }
    return files;
}

bool is_needed(std::string_view name) {
    return name == "record.csv" || name == "record.md" || name == statement_name;
}

bool is_record_file(std::string_view name) {
    return name == "record.json" || name == "record.csv" || name == "record.md" || name == statement_name ||
           name == file_name_of(RecordChart::latency) || name == file_name_of(RecordChart::ratio_to_copy);
}

}  // namespace workbench
