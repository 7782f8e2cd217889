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

bool is_named_as_library(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".so") || name.find(".so.") != std::string::npos || name.ends_with(".dylib") ||
           name.ends_with(".dll");
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
