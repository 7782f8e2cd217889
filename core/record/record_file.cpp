// SPDX-License-Identifier: MIT
// Records: measuring one, where it goes, and writing it whole.
#include <cctype>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "core/benchmark/utc_time.h"
#include "core/record/derived.h"
#include "core/record/environment.h"
#include "core/record/record.h"
#include "core/record/record_directory.h"
#include "core/record/signature_file.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench {

namespace {

std::string file_name_part(const std::string& text) {
    std::string part;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
        if (part.size() < 64) part += plain ? c : '-';
    }
    return part;
}

// Returns "20250309-170500" of "2025-03-09T17:05:00Z".
std::string compact(const std::string& utc) {
    std::string text;
    for (const char c : utc) {
        if (c == 'T') text += '-';
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) text += c;
    }
    return text;
}

}  // namespace

Result<void> write_record_directory(const std::filesystem::path& directory,
                                    std::map<std::string, std::string> files,
                                    const std::optional<SigningKey>& key) {
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

Result<void> write_record(const Record& record, const std::filesystem::path& directory,
                          const std::optional<SigningKey>& key) {
    const std::string json = record_to_json(record);
    // As a reader finds it, so that the other files are those that verifying makes.
    const auto read = record_from_json(json);
    if (!read)
        return fail(
            ErrorKind::unwritable_output,
            "the record could not be written: no reader would take it, since it " + read.error().message);
    std::map<std::string, std::string> files = derived_files(json, *read);
    files["record.json"] = json;
    return write_record_directory(directory, std::move(files), key);
}

Result<Record> measure_record(const BenchmarkMatrix& matrix, const std::string& image_path,
                              const std::string& recipe_path, const TaskControl& control,
                              const std::function<void(const CaseResult&)>& on_result) {
    Record record;
    record.environment = capture_environment(matrix.threads);
    record.command_line = bench_command_line(matrix, image_path, recipe_path);
    IIR2D_TRY(auto run, run_benchmark(matrix, control, on_result));
    finish_environment(record.environment);
    record.environment.threads = run.threads;
    record.run = std::move(run);
    // As a reader finds it: bytes that are no text are replaced. What no reader takes, no writer writes: the
    // figures are not lost for that.
    auto read = record_from_json(record_to_json(record));
    return read ? std::move(*read) : std::move(record);
}

bool is_of_this_machine(const Record& record) {
    const Environment& e = record.environment;
    return e.host && e.cpu_model && host_name().value == e.host.value &&
           processor_model().value == e.cpu_model.value;
}

std::filesystem::path new_record_directory(const std::filesystem::path& base) {
    const std::string host = file_name_part(host_name().value.value_or(""));
    const std::string name = compact(utc_now()) + "-" + (host.empty() ? "local" : host);
    std::filesystem::path path = base / name;
    std::error_code error;
    for (int i = 2;
         std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::not_found; ++i) {
        if (i > 10'000) break;  // a folder that cannot be looked into: writing will say so
        path = base / (name + "-" + std::to_string(i));
    }
    return path;
}

}  // namespace workbench
