// SPDX-License-Identifier: MIT
#include "core/duel/duel_record.h"

#include <exception>
#include <map>
#include <utility>

#include "core/duel/duel_layout.h"
#include "core/record/layout_reader.h"
#include "core/record/layout_writer.h"
#include "core/record/signature_file.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/shell.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// Takes an option and its value out of a command line.
void remove_bench_option(std::string& text, const std::string& option) {
    const auto at = text.find(" " + option + " ");
    if (at == std::string::npos) return;
    const auto value = at + option.size() + 2;
    text.erase(at, std::min(text.find(' ', value), text.size()) - at);
}

}  // namespace

std::string duel_command_line(const DuelSettings& settings, const std::string& base, const std::string& now,
                              std::optional<double> max_regression) {
    const BenchmarkMatrix& m = settings.matrix;
    std::string cases = bench_command_line(m, m.image_identity ? m.image_identity->path : "", "");
    cases.erase(0, std::string("iir2d bench").size());
    remove_bench_option(cases, "--warmup");
    remove_bench_option(cases, "--iters");
    const DuelSettings defaults;
    std::string text =
        "iir2d duel " + shell_quoted(base) + " " + shell_quoted(now) + cases + " --margin " +
        format_number(settings.rule.margin) + " --launches " + std::to_string(settings.launches) +
        " --pairs " + std::to_string(settings.rule.least_pairs) + ".." +
        std::to_string(settings.rule.most_pairs) + " --budget " + format_number(settings.budget_seconds);
    if (settings.longest_call_seconds != defaults.longest_call_seconds)
        text += " --longest-call " + format_number(settings.longest_call_seconds);
    if (max_regression) text += " --max-regression " + format_number(*max_regression);
    return text;
}

Result<DuelRecord> measure_duel_record(const DuelSettings& settings, const LibraryFile& base,
                                       const LibraryFile& now, std::optional<double> max_regression,
                                       const TaskControl& control, const DuelEvents& events) {
    DuelRecord record;
    record.environment = capture_environment(settings.matrix.threads);
    record.max_regression = max_regression;
    IIR2D_TRY(record.duel, run_duel(settings, base, now, control, events));
    finish_environment(record.environment);
    record.environment.threads = record.duel.threads;
    record.command_line =
        duel_command_line(record.duel.settings, base.path.string(), now.path.string(), max_regression);
    // As a reader finds it.
    auto read = duel_record_from_json(duel_record_to_json(record));
    return read ? std::move(*read) : std::move(record);
}

std::string duel_record_to_json(const DuelRecord& record) {
    return layout::sealed_text(layout::Writer::json_of(record)).text;
}

Result<DuelRecord> duel_record_from_json(std::string_view text) {
    IIR2D_TRY(const auto document, parse_strictly(text));
    if (document.is_object()) {
        const auto version = document.find("schema_version");
        if (version != document.end() && version->is_number_integer() && *version > duel_schema_version)
            return fail(ErrorKind::bad_input, "the duel's record has schema version " + version->dump() +
                                                  ", newer than the version " +
                                                  std::to_string(duel_schema_version) +
                                                  " that is known here");
    }
    try {
        DuelRecord record;
        layout::Reader reader;
        if (!reader.read_object(document, record, layout::Layout<DuelRecord>::rows)) {
            constexpr std::size_t longest = 400;
            return fail(ErrorKind::bad_input,
                        "not a valid record of a duel: " + escaped(reader.complaint(), longest));
        }
        IIR2D_RETURN_IF_ERROR(layout::check_seal(text, document, record.record_id));
        return record;
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    std::string("the duel's record cannot be read: ") + error.what());  // memory
    }
}

Result<void> write_duel_record(const DuelRecord& record, const std::filesystem::path& directory,
                               const std::optional<SigningKey>& key) {
    const std::string json = duel_record_to_json(record);
    const auto read = duel_record_from_json(json);
    if (!read)
        return fail(
            ErrorKind::unwritable_output,
            "the record could not be written: no reader would take it, since it is " + read.error().message);
    std::map<std::string, std::string> files = {{"duel.json", json},
                                                {"duel.md", duel_record_to_markdown(*read)}};
    std::string sums;
    for (const auto& [name, content] : files) sums += sha256_hex(content) + "  " + name + "\n";
    files["SHA256SUMS"] = sums;
    if (key) {
        IIR2D_TRY(files[std::string(signature_name)], signature_file_text(*key, sums));
    }
    return write_directory_atomically(directory, [&](const std::filesystem::path& folder) -> Result<void> {
        for (const auto& [name, content] : files) {
            IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / name, content));
        }
        return {};
    });
}

Result<History::Added> add_duel_to(History& history, const std::filesystem::path& path,
                                   std::string_view note) {
    IIR2D_TRY(const auto record, load_duel_record(path));
    return add_duel_to(history, record, note);
}

Result<History::Added> add_duel_to(History& history, const DuelRecord& record, std::string_view note) {
    DuelEntry entry{.record_id = record.record_id,
                    .started_utc = record.duel.started_utc,
                    .host = record.environment.host.value_or(""),
                    .base_commit = build_of(record.duel.base).commit,
                    .now_commit = build_of(record.duel.now).commit,
                    .note = std::string(note),
                    .changes = {}};
    for (const DuelCase& c : record.duel.cases) {
        const DuelLook* look = c.last();
        RelativeChange change{.key = c.what.key, .verdict = std::string(name_of(c.verdict)), .interval = {}};
        if (look != nullptr) {
            change.measured = true;
            change.ratio = look->effect.ratio;
            change.interval = look->effect.interval;
        }
        entry.changes.push_back(std::move(change));
    }
    return history.add_duel(entry, duel_record_to_json(record));
}

}  // namespace workbench
