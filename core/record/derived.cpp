// SPDX-License-Identifier: MIT
#include "core/record/derived.h"

#include "core/record/record.h"

#include <utility>

#include "core/support/files.h"

namespace workbench {

std::map<std::string, std::string> derived_files(std::string_view text, const Record& record) {
    std::map<std::string, std::string> files = {{"record.csv", record_to_csv(record)},
                                                {"record.md", record_to_markdown(record)}};
    std::map<std::string, std::string> digests = {{"record.json", sha256_hex(text)}};
    for (const auto& [name, content] : files) digests[name] = sha256_hex(content);
    files[std::string(statement_name)] = statement_of(record, digests);
    for (const RecordChart chart : {RecordChart::latency, RecordChart::ratio_to_copy})
        files[std::string(file_name_of(chart))] = record_to_svg(record, chart);
    return files;
}

bool is_needed(std::string_view name) {
    return name == "record.csv" || name == "record.md" || name == statement_name;
}

bool is_record_file(std::string_view name) {
    return name == "record.json" || is_needed(name) || name == file_name_of(RecordChart::latency) ||
           name == file_name_of(RecordChart::ratio_to_copy);
}

std::string short_id(const std::string& hash) {
    return hash.substr(0, 12);
}

}  // namespace workbench
