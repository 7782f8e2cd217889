// SPDX-License-Identifier: MIT
// Records on disk: where they go, and writing one whole.
#include <cctype>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "core/benchmark/utc_time.h"
#include "core/record/derived.h"
#include "core/record/environment.h"
#include "core/record/record.h"
#include "core/record/record_json.h"
#include "core/record/signature_file.h"
#include "core/support/files.h"

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

// "2025-03-09T17:05:00Z" as "20250309-170500".
std::string compact(const std::string& utc) {
    std::string text;
    for (const char c : utc) {
        if (c == 'T') text += '-';
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) text += c;
    }
    return text;
}

}  // namespace

Result<void> write_record(const Record& record, const std::filesystem::path& directory,
                          const std::optional<SigningKey>& key) {
    const std::string json = record_to_json(record);
    const auto parsed = parse_record(json);
    if (!parsed) return std::unexpected(parsed.error());
    auto derived = derived_files(json, *parsed);
    if (!derived) return std::unexpected(derived.error());
    std::map<std::string, std::string> files = std::move(*derived);
    files["record.json"] = json;
    std::string sums;
    for (const auto& [name, content] : files) sums += sha256_hex(content) + "  " + name + "\n";
    files["SHA256SUMS"] = sums;
    if (key) {
        auto signature = signature_file_text(*key, sums);
        if (!signature) return std::unexpected(signature.error());
        files[std::string(signature_name)] = std::move(*signature);
    }
    return write_directory_atomically(directory, [&](const std::filesystem::path& folder) -> Result<void> {
        for (const auto& [name, content] : files) {
            if (auto written = write_file_atomically(folder / name, content); !written) return written;
        }
        return {};
    });
}

Result<std::string> record_id_of(std::string_view json) {
    const auto record = parse_record(json);
    if (!record) return std::unexpected(record.error());
    return record_id(*record);
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
