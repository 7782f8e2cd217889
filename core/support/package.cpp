// SPDX-License-Identifier: MIT
#include "core/support/package.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "core/support/files.h"
#include "iir2d/iir2d_core.h"

namespace workbench {

namespace {

constexpr std::array<std::string_view, 6> kinds{"deb", "appimage", "portable", "nsis", "zip", "none"};
constexpr std::size_t longest_version = 100;

bool is_version(std::string_view text) {
    return !text.empty() && text.size() <= longest_version && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
               c == '-' || c == '+' || c == '~';
    });
}

}  // namespace

std::string package_line(std::string_view version) {
    std::ifstream file(resource_directory() / "package.txt", std::ios::binary);
    std::array<char, 2 * longest_version> bytes{};
    file.read(bytes.data(), bytes.size());
    std::string_view line(bytes.data(), static_cast<std::size_t>(file.gcount()));
    if (line.ends_with('\n')) line.remove_suffix(1);
    const std::size_t space = std::min(line.find(' '), line.size());
    const bool known = std::ranges::find(kinds, line.substr(0, space)) != kinds.end();
    if (!known || space == line.size() || !is_version(line.substr(space + 1)))
        return "package: none " + std::string(version);
    return "package: " + std::string(line);
}

std::string library_version() {
    return std::to_string(iir2d_api_version_major()) + "." + std::to_string(iir2d_api_version_minor()) + "." +
           std::to_string(iir2d_api_version_patch());
}

std::string version_text(std::string_view program) {
    const std::string version = library_version();
    return std::string(program) + " " + version + "\n" + iir2d_build_fingerprint() + "\n" +
           package_line(version);
}

}  // namespace workbench
