// SPDX-License-Identifier: MIT
#include "core/evidence/measured_record.h"

#include <exception>

#include "core/record/record_json.h"
#include "core/record/verified_record.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_of(const json& fact) {
    return cell_text(value_of(fact));
}

std::optional<std::string> hash_of(const json& fact) {
    const json& value = value_of(fact);
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

MeasuredCase case_of(const json& one) {
    MeasuredCase c;
    c.key = cell_text(one.at("key"));
    c.width = one.at("width").get<std::int64_t>();
    c.height = one.at("height").get<std::int64_t>();
    const json& operation = one.at("operation");
    for (const char* name : {"precision", "element"}) {  // of a filter, of pooling
        if (operation.contains(name)) c.precision = cell_text(operation.at(name));
    }
    c.input_sha256 = hash_of(one.at("input_sha256"));
    c.output_sha256 = hash_of(one.at("output_sha256"));
    const json& parity = value_of(one.at("parity"));
    c.parity_passed = parity.is_object() && parity.at("passed") == true;
    const json& timing = value_of(one.at("timing"));
    if (timing.is_null()) {
        c.why_not_timed = cell_text(one.at("timing").at("reason"));
        return c;
    }
    c.samples_ms = timing.at("samples_ms").get<std::vector<double>>();
    c.copy_samples_ms = timing.at("copy_samples_ms").get<std::vector<double>>();
    c.preempted = timing.at("preempted").size();
    c.throttled_by = throttled_by(one);
    c.inconclusive = text_of(timing.at("inconclusive"));
    return c;
}

MeasuredRecord record_of(const json& record) {
    MeasuredRecord r;
    r.record_id = record_id(record);
    r.started_utc = cell_text(record.at("started_utc"));
    const json& e = record.at("environment");
    r.host = text_of(e.at("host"));
    r.processor = text_of(e.at("cpu_model"));
    const json& device = record.at("device");
    r.device_id = cell_text(device.at("id"));
    r.device_name = cell_text(device.at("name"));
    r.backend = cell_text(device.at("backend"));
    r.threads = device.at("threads").get<int>();
    r.version = cell_text(e.at("version"));
    r.commit = text_of(e.at("commit"));
    if (const json& dirty = value_of(e.at("dirty")); dirty.is_boolean()) r.dirty = dirty.get<bool>();
    r.library_sha256 = text_of(e.at("library_sha256"));
    r.command_line = cell_text(record.at("command_line"));
    r.protocol = text_of(record.at("matrix").at("protocol"));
    r.reproduces = text_of(record.at("reproduces"));
    r.cancelled = record.at("cancelled") == true;
    r.case_total = record.at("case_total").get<std::int64_t>();
    for (const json& one : record.at("cases")) r.cases.push_back(case_of(one));
    return r;
}

Result<MeasuredRecord> measured(const json& record) {
    try {
        return record_of(record);
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input, std::string("the record cannot be read: ") + error.what());
    }
}

}  // namespace

Result<MeasuredRecord> measured_record_from_json(std::string_view text) {
    const auto record = parse_record(text);
    if (!record) return std::unexpected(record.error());
    return measured(*record);
}

Result<MeasuredRecord> measured_record_of(const VerifiedRecord& verified) {
    auto record = measured(verified.json);
    if (!record) return record;
    record->path = utf8_path(verified.path);
    record->signer = verified.signer;
    return record;
}

Result<MeasuredRecord> load_measured_record(const fs::path& path) {
    const auto verified = read_verified_record(path);
    if (!verified) return std::unexpected(verified.error());
    return measured_record_of(*verified);
}

std::string short_id(const std::string& hash) {
    return hash.substr(0, 12);
}

}  // namespace workbench
