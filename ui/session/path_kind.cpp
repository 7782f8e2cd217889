// SPDX-License-Identifier: MIT
#include "ui/session/path_kind.h"

#include <string>

#include "core/duel/duel_record.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

bool begins_an_object(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

// libiir2d.so.1.2.0: a version follows, and nothing else.
bool ends_as_versioned_library(const std::string& name) {
    const auto dot = name.rfind(".so.");
    if (dot == std::string::npos) return false;
    const std::string version = name.substr(dot + 4);
    return !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos;
}

bool is_named_as_library(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".so") || name.ends_with(".dylib") || name.ends_with(".dll") ||
           ends_as_versioned_library(name);
}

PathKind kind_of_folder(const fs::path& path) {
    std::error_code error;
    if (fs::exists(path / "log.jsonl", error) && fs::exists(path / "release.json", error))
        return PathKind::release;
    return fs::exists(path / "record.json", error) ? PathKind::record : PathKind::folder;
}

}  // namespace

PathKind kind_of(const fs::path& path) {
    std::error_code error;
    if (is_duel_record(path)) return PathKind::duel;
    if (fs::is_directory(path, error)) return kind_of_folder(path);
    if (is_named_as_library(path)) return PathKind::library;
    if (!begins_an_object(beginning_of(path, 64))) return PathKind::image;
    // Not read as JSON: of a damaged record its own reader says what is wrong.
    const std::string text = beginning_of(path, recipe_json_limits.bytes + 1);
    if (text.find("\"iir2d-workbench/duel") != std::string::npos) return PathKind::duel;
    return text.size() > recipe_json_limits.bytes ||  // too large for a recipe
                   text.find("\"iir2d-workbench/record") != std::string::npos
               ? PathKind::record
               : PathKind::recipe;
}

}  // namespace workbench
