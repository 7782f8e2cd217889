// SPDX-License-Identifier: MIT
// What the workbench remembers between runs: one JSON file in config_directory(), written whole. An
// unreadable or damaged file gives defaults and is kept aside as settings.json.damaged. Several windows share
// the file: each writes only what it changed itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace workbench {

enum class Theme { system, light, dark };

struct Settings {
    std::vector<std::string> recent_files;  // newest first, at most 10
    std::string device = "auto";
    int threads = 0;  // 0: all
    Theme theme = Theme::system;
    std::string tune_mode;        // of what decides how kernels are executed; empty: the library's
    std::string last_release;     // its directory
    std::string window_geometry;  // base64 of what the toolkit saves
    std::string window_state;
    std::string last_directory;
    std::string export_directory;
    std::string record_directory;         // where records were opened last
    std::string history_file;             // empty: default_history_file()
    std::vector<std::string> duel_bases;  // libraries that were the base of a duel; newest first, at most 10
    std::string duel_source;              // the repository that revisions were duelled of last
    std::string signing_key;    // the private key's file that records of duels were signed with last
    std::string solve_choices;  // JSON: what page Solve was asked to solve last

    void add_recent_file(const std::filesystem::path& path);
    void add_duel_base(const std::filesystem::path& path);
    friend bool operator==(const Settings&, const Settings&) = default;
};

Settings load_settings();
// Writes what differs from `base`, which is what was loaded or saved last; the rest of the file, also keys
// that this version does not know, stays as it is. One writer at a time. Any thread.
Result<void> save_settings(const Settings& settings, const Settings& base);

}  // namespace workbench
