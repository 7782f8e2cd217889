// SPDX-License-Identifier: MIT
// Included before everything else in builds for Windows by libstdc++ (cmake/Utf8Paths.cmake): paths are made
// of narrow texts as UTF-8, which all of ours are. libstdc++ takes the bytes through the C library's locale
// instead, and msvcrt has none of UTF-8; the other way, path::string(), it gives UTF-8 already.
#pragma once

#include <filesystem>
#include <string_view>

template <>
inline auto std::filesystem::path::_S_convert<char>(const char* first, const char* last) {
    return std::filesystem::__detail::__wstr_from_utf8(
        std::string_view(first, static_cast<std::size_t>(last - first)));
}
