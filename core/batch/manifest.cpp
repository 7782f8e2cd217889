// SPDX-License-Identifier: MIT
#include "core/batch/manifest.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/atomic_file.h"
#include "core/support/file_lock.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = ".iir2d-batch.json";
constexpr const char* lock_name = ".iir2d-batch.lock";
constexpr int manifest_schema = 1;
// Another process holds the lock for as long as a file takes to be written.
constexpr auto patience = std::chrono::minutes(1);

// A file name as a key of JSON, which is UTF-8: itself where it is that. Else "/", which is in no file name,
// and the bytes, with % and those above ASCII as %XX.
std::string key_of(const std::string& name) {
    if (is_utf8(name)) return name;
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string key = "/";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && c != '%') {
            key += c;
        } else {
            key += '%';
            key += digits[byte >> 4];
            key += digits[byte & 15];
        }
    }
    return key;
}

}  // namespace

Manifest::Manifest(fs::path folder) : m_folder(std::move(folder)) {
    static_cast<void>(read());
}

std::optional<ManifestEntry> Manifest::entry(const std::string& name) const {
    const auto found = m_entries.find(key_of(name));
    return found == m_entries.end() ? std::nullopt : std::optional(found->second);
}

Result<void> Manifest::set(const std::string& name, const std::optional<ManifestEntry>& entry,
                           const std::stop_token& stop) {
    IIR2D_TRY(const auto lock, FileLock::acquire(m_folder / lock_name, patience, stop));
    IIR2D_TRY(const auto found, read());
    if (found == Found::damaged) {
        std::error_code error;
        const fs::path manifest = m_folder / manifest_name;
        fs::rename(manifest, manifest.string() + ".damaged", error);
        if (error) return unwritable(manifest, error.message());
    }
    if (entry) {
        m_entries[key_of(name)] = *entry;
    } else if (m_entries.erase(key_of(name)) == 0) {
        return {};
    }
    return write();
}

Result<Manifest::Found> Manifest::read() {
    m_entries.clear();
    std::error_code error;
    if (fs::status(m_folder / manifest_name, error).type() == fs::file_type::not_found) return Found::nothing;
    IIR2D_TRY(const auto text, read_file(m_folder / manifest_name, record_json_limits.bytes));
    const auto json = parse_json_strictly(text, record_json_limits);
    if (!json || !json->is_object()) return Found::damaged;
    const auto schema = json->find("schema_version");
    if (schema == json->end() || *schema != manifest_schema) return Found::damaged;
    const auto files = json->find("files");
    if (files == json->end() || !files->is_object()) return Found::damaged;
    for (const auto& [key, file] : files->items()) {
        const auto text_of = [&file](const char* field) {
            const auto found = file.is_object() ? file.find(field) : file.end();
            return found != file.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        m_entries[key] = {.work = text_of("work_sha256"),
                          .input = text_of("input_sha256"),
                          .output = text_of("output_sha256")};
    }
    return Found::entries;
}

Result<void> Manifest::write() const {
    nlohmann::ordered_json json;
    json["schema_version"] = manifest_schema;
    json["files"] = nlohmann::ordered_json::object();
    for (const auto& [key, entry] : m_entries) {
        json["files"][key] = {
            {"work_sha256", entry.work}, {"input_sha256", entry.input}, {"output_sha256", entry.output}};
    }
    using Json = nlohmann::ordered_json;
    return write_file_atomically(m_folder / manifest_name,
                                 json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace workbench
