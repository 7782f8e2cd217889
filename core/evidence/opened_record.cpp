// SPDX-License-Identifier: MIT
#include "core/evidence/opened_record.h"

#include "core/record/record_json.h"
#include "core/record/record_results.h"
#include "core/support/files.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_json = std::size_t{1} << 26;

Result<OpenedRecord> opened(std::string json) {
    auto measured = measured_record_from_json(json);
    if (!measured) return std::unexpected(measured.error());
    const auto parsed = parse_record(json);
    if (!parsed) return std::unexpected(parsed.error());
    auto results = results_of_record(*parsed);
    if (!results) return std::unexpected(results.error());
    const auto& image = value_of(parsed->at("matrix").at("image"));
    return OpenedRecord{.json = std::move(json),
                        .measured = std::move(*measured),
                        .results = std::move(*results),
                        .image = image.is_object() ? cell_text(image.at("path")) : std::string()};
}

std::unexpected<Error> stopped() {
    return fail(ErrorKind::cancelled, "opening the record was cancelled");
}

}  // namespace

Result<OpenedRecord> open_record(const fs::path& path, const TaskControl& control) {
    control.report(0, "verifying the record");
    const auto verified = load_measured_record(path);
    if (!verified) return std::unexpected(verified.error());
    if (control.cancelled()) return stopped();
    control.report(0.6, "reading the record");
    std::error_code error;
    auto text = read_file(fs::is_directory(path, error) ? path / "record.json" : path, largest_json);
    if (!text) return std::unexpected(text.error());
    auto record = opened(std::move(*text));
    if (!record) return record;
    if (control.cancelled()) return stopped();
    // The file may have changed since it was verified.
    if (record->measured.record_id != verified->record_id)
        return fail(ErrorKind::bad_input, "the record " + quoted(path) + " changed while it was read");
    record->measured.path = utf8_path(path);
    return record;
}

Result<OpenedRecord> opened_record_of(const Record& record) {
    return opened(record_to_json(record));
}

bool is_of_this_machine(const MeasuredRecord& record) {
    return !record.host.empty() && !record.processor.empty() && host_name().value == record.host &&
           processor_model().value == record.processor;
}

}  // namespace workbench
