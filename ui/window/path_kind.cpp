// SPDX-License-Identifier: MIT
#include "ui/window/path_kind.h"

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

}  // namespace

PathKind kind_of(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        if (fs::exists(path / "log.jsonl", error) && fs::exists(path / "release.json", error))
            return PathKind::release;
        return fs::exists(path / "record.json", error) || is_duel_record(path) ? PathKind::record
                                                                               : PathKind::folder;
    }
    if (!begins_an_object(beginning_of(path, 64))) return PathKind::image;
    const std::string text = beginning_of(path, recipe_json_limits.bytes + 1);
    if (text.size() > recipe_json_limits.bytes) return PathKind::record;  // too large for a recipe
    // Not read as JSON: of a damaged record its own reader says what is wrong.
    return text.find("\"iir2d-workbench/record") != std::string::npos ||
                   text.find("\"iir2d-workbench/duel") != std::string::npos
               ? PathKind::record
               : PathKind::recipe;
}

}  // namespace workbench
