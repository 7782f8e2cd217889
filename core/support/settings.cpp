// SPDX-License-Identifier: MIT
#include "core/support/settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/files.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int settings_schema = 1;
constexpr std::size_t most_recent_files = 10;
constexpr const char* theme_names[] = {"system", "light", "dark"};

fs::path settings_path() {
    return config_directory() / "settings.json";
}

// A value of the wrong type is as good as none.
void take(const nlohmann::json& json, const char* key, std::string& value) {
    if (const auto found = json.find(key); found != json.end() && found->is_string())
        value = found->get<std::string>();
}

}  // namespace

void Settings::add_recent_file(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    const std::string name = (error ? path : whole).lexically_normal().string();
    std::erase(recent_files, name);
    recent_files.insert(recent_files.begin(), name);
    if (recent_files.size() > most_recent_files) recent_files.resize(most_recent_files);
}

Settings load_settings() {
    Settings settings;
    const fs::path path = settings_path();
    std::error_code error;
    if (!fs::exists(path, error)) return settings;
    const auto text = read_file(path, settings_json_limits.bytes);
    const auto parsed = text ? parse_json_strictly(*text, settings_json_limits)
                             : Result<nlohmann::json>(std::unexpected(text.error()));
    if (!parsed || !parsed->is_object()) {
        fs::path aside = path;
        aside += ".damaged";
        fs::rename(path, aside, error);
        return settings;
    }
    const nlohmann::json& json = *parsed;
    take(json, "device", settings.device);
    take(json, "last_release", settings.last_release);
    take(json, "window_geometry", settings.window_geometry);
    take(json, "window_state", settings.window_state);
    take(json, "last_directory", settings.last_directory);
    take(json, "export_directory", settings.export_directory);
    take(json, "record_directory", settings.record_directory);
    take(json, "history_file", settings.history_file);
    if (const auto threads = json.find("threads"); threads != json.end() && threads->is_number_integer()) {
        settings.threads = static_cast<int>(std::clamp<std::int64_t>(threads->get<std::int64_t>(), 0, 1024));
    }
    std::string theme;
    take(json, "theme", theme);
    for (int i = 0; i < 3; ++i) {
        if (theme == theme_names[i]) settings.theme = static_cast<Theme>(i);
    }
    if (const auto recent = json.find("recent_files"); recent != json.end() && recent->is_array()) {
        for (const auto& file : *recent) {
            if (file.is_string() && settings.recent_files.size() < most_recent_files) {
                settings.recent_files.push_back(file.get<std::string>());
            }
        }
    }
    return settings;
}

Result<void> save_settings(const Settings& settings) {
    Json json;
    json["schema_version"] = settings_schema;
    json["recent_files"] = settings.recent_files;
    json["device"] = settings.device;
    json["last_release"] = settings.last_release;
    json["threads"] = settings.threads;
    json["theme"] = theme_names[static_cast<int>(settings.theme)];
    json["window_geometry"] = settings.window_geometry;
    json["window_state"] = settings.window_state;
    json["last_directory"] = settings.last_directory;
    json["export_directory"] = settings.export_directory;
    json["record_directory"] = settings.record_directory;
    json["history_file"] = settings.history_file;
    std::error_code error;
    fs::create_directories(config_directory(), error);
    return write_file_atomically(settings_path(),
                                 json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace workbench
