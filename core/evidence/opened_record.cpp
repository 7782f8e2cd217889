// SPDX-License-Identifier: MIT
#include "core/evidence/opened_record.h"

#include "core/record/record_json.h"
#include "core/record/record_results.h"
#include "core/record/verified_record.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

Result<OpenedRecord> opened(MeasuredRecord measured, std::string text, const nlohmann::json& document) {
    auto results = results_of_record(document);
    if (!results) return std::unexpected(results.error());
    const auto& image = value_of(document.at("matrix").at("image"));
    return OpenedRecord{.json = std::move(text),
                        .measured = std::move(measured),
                        .results = std::move(*results),
                        .image = image.is_object() ? cell_text(image.at("path")) : std::string()};
}

std::unexpected<Error> stopped() {
    return fail(ErrorKind::cancelled, "opening the record was cancelled");
}

}  // namespace

Result<OpenedRecord> open_record(const fs::path& path, const TaskControl& control) {
    control.report(0, "verifying the record");
    auto verified = read_verified_record(path);
    if (!verified) return std::unexpected(verified.error());
    if (control.cancelled()) return stopped();
    control.report(0.6, "reading the record");
    auto measured = measured_record_of(*verified);
    if (!measured) return std::unexpected(measured.error());
    auto record = opened(std::move(*measured), std::move(verified->text), verified->json);
    if (record && control.cancelled()) return stopped();
    return record;
}

Result<OpenedRecord> opened_record_of(const Record& record) {
    return opened_record_from_json(record_to_json(record));
}

Result<OpenedRecord> opened_record_from_json(std::string text) {
    const auto json = parse_record(text);
    if (!json) return std::unexpected(json.error());
    auto measured = measured_record_from_json(text);
    if (!measured) return std::unexpected(measured.error());
    return opened(std::move(*measured), std::move(text), *json);
}

bool is_of_this_machine(const MeasuredRecord& record) {
    return !record.host.empty() && !record.processor.empty() && host_name().value == record.host &&
           processor_model().value == record.processor;
}

}  // namespace workbench
