// SPDX-License-Identifier: MIT
#include "core/support/settings.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/file_lock.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr int settings_schema = 1;
constexpr std::size_t most_recent_files = 10;
constexpr const char* theme_names[] = {"system", "light", "dark"};

fs::path settings_path() {
    return config_directory() / "settings.json";
}

// Held while the file is read and written again: other windows save theirs too.
Result<FileLock> lock_settings() {
    std::error_code error;
    fs::create_directories(config_directory(), error);
    return FileLock::acquire(config_directory() / "settings.lock");
}

// What the file says: null when there is none, discarded when it is damaged.
Json read_settings(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return nullptr;
    const auto text = read_file(path, settings_json_limits.bytes);
    if (!text) return Json(Json::value_t::discarded);
    const auto json = parse_json_strictly(*text, settings_json_limits);
    return json && json->is_object() ? *json : Json(Json::value_t::discarded);
}

// For a holder of the lock: another window may have written a good file since.
Json read_or_set_aside(const fs::path& path) {
    Json json = read_settings(path);
    if (!json.is_discarded()) return json;
    fs::path aside = path;
    aside += ".damaged";
    std::error_code error;
    fs::rename(path, aside, error);
    return nullptr;
}

// A value of the wrong type is as good as none.
void take(const nlohmann::json& json, const char* key, std::string& value) {
    if (const auto found = json.find(key); found != json.end() && found->is_string())
        value = found->get<std::string>();
}

struct TextKey {
    const char* key;
    std::string Settings::*member;
};
constexpr TextKey text_keys[] = {{"device", &Settings::device},
                                 {"tune_mode", &Settings::tune_mode},
                                 {"last_release", &Settings::last_release},
                                 {"window_geometry", &Settings::window_geometry},
                                 {"window_state", &Settings::window_state},
                                 {"last_directory", &Settings::last_directory},
                                 {"export_directory", &Settings::export_directory},
                                 {"record_directory", &Settings::record_directory},
                                 {"history_file", &Settings::history_file},
                                 {"duel_source", &Settings::duel_source},
                                 {"signing_key", &Settings::signing_key},
                                 {"solve_choices", &Settings::solve_choices}};

struct FilesKey {
    const char* key;
    std::vector<std::string> Settings::*member;
};
constexpr FilesKey files_keys[] = {{"recent_files", &Settings::recent_files},
                                   {"duel_bases", &Settings::duel_bases}};

Settings settings_from(const Json& json) {
    Settings settings;
    if (!json.is_object()) return settings;
    for (const TextKey& each : text_keys) take(json, each.key, settings.*each.member);
    if (const auto threads = json.find("threads"); threads != json.end() && threads->is_number_integer()) {
        settings.threads = static_cast<int>(std::clamp<std::int64_t>(threads->get<std::int64_t>(), 0, 1024));
    }
    std::string theme;
    take(json, "theme", theme);
    for (int i = 0; i < 3; ++i) {
        if (theme == theme_names[i]) settings.theme = static_cast<Theme>(i);
    }
    for (const FilesKey& each : files_keys) {
        std::vector<std::string>& files = settings.*each.member;
        const auto listed = json.find(each.key);
        if (listed == json.end() || !listed->is_array()) continue;
        for (const auto& file : *listed) {
            if (file.is_string() && files.size() < most_recent_files)
                files.push_back(file.get<std::string>());
        }
    }
    return settings;
}

bool contains(const std::vector<std::string>& files, const std::string& file) {
    return std::ranges::find(files, file) != files.end();
}

// The list in the file after what was done to `base` to make it `now`: files taken away, and files opened,
// which stand in front.
std::vector<std::string> merged_files(std::vector<std::string> stored, const std::vector<std::string>& base,
                                      const std::vector<std::string>& now) {
    for (const std::string& file : base) {
        if (!contains(now, file)) std::erase(stored, file);
    }
    // The end of `now` that stands in the order of `base` is what was not opened since.
    auto opened_end = now.end();
    auto place = base.end();
    while (opened_end != now.begin()) {
        const auto before = std::find(std::make_reverse_iterator(place), base.rend(), *std::prev(opened_end));
        if (before == base.rend()) break;
        place = std::prev(before.base());
        --opened_end;
    }
    for (auto file = opened_end; file != now.begin();) {
        --file;
        std::erase(stored, *file);
        stored.insert(stored.begin(), *file);
    }
    if (stored.size() > most_recent_files) stored.resize(most_recent_files);
    return stored;
}

void put_in_front(std::vector<std::string>& files, const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    const std::string name = (error ? path : whole).lexically_normal().string();
    std::erase(files, name);
    files.insert(files.begin(), name);
    if (files.size() > most_recent_files) files.resize(most_recent_files);
}

}  // namespace

void Settings::add_recent_file(const fs::path& path) {
    put_in_front(recent_files, path);
}

void Settings::add_duel_base(const fs::path& path) {
    put_in_front(duel_bases, path);
}

Settings load_settings() {
    Json json = read_settings(settings_path());
    if (json.is_discarded()) {
        const auto lock = lock_settings();
        json = lock ? read_or_set_aside(settings_path()) : Json();
    }
    return settings_from(json);
}

Result<void> save_settings(const Settings& settings, const Settings& base) {
    IIR2D_TRY(const auto lock, lock_settings());
    Json json = read_or_set_aside(settings_path());
    const bool is_new = json.is_null();
    const Settings stored = settings_from(json);
    if (is_new) json["schema_version"] = settings_schema;
    const auto put = [&](const char* key, const auto& value, bool changed) {
        if (changed || is_new) json[key] = value;
    };
    for (const FilesKey& each : files_keys) {
        const auto& before = base.*each.member;
        const auto& now = settings.*each.member;
        put(each.key, merged_files(stored.*each.member, before, now), now != before);
    }
    for (const TextKey& each : text_keys)
        put(each.key, settings.*each.member, settings.*each.member != base.*each.member);
    put("threads", settings.threads, settings.threads != base.threads);
    put("theme", theme_names[static_cast<int>(settings.theme)], settings.theme != base.theme);
    return write_file_atomically(settings_path(),
                                 json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace workbench
