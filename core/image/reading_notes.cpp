// SPDX-License-Identifier: MIT
#include "core/image/reading_notes.h"

#include <algorithm>

namespace workbench {

namespace {

// "jpeg:ColorSpace", "tiff:ColorSpace": the inks that the file says it holds.
bool says_cmyk(const ImageInfo& info) {
    return std::ranges::any_of(info.metadata, [](const auto& one) {
        const auto& [name, value] = one;
        return name.ends_with(":ColorSpace") && (value == "CMYK" || value == "YCbCrK");
    });
}

}  // namespace

std::vector<std::string> reading_notes(const ImageInfo& info) {
    std::vector<std::string> notes;
    // Read as it is, its first channel is C.
    const bool is_rgb = info.channel_names.size() >= 3 && info.channel_names.front() == "R";
    if (is_rgb && says_cmyk(info)) {
        notes.emplace_back(
            "the file holds CMYK, which was converted to RGB without a colour profile: colours are near "
            "those "
            "of the print, not the same, and the inks are not kept");
    }
    return notes;
}

}  // namespace workbench
