// SPDX-License-Identifier: MIT
#include "core/support/text.h"

#include <algorithm>
#include <cstddef>

#include "core/support/escaped.h"
#include "core/support/utf8.h"

namespace workbench {

std::string printable_utf8(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_character_length(text);
        if (length == 0) {
            result += "\xEF\xBF\xBD";
            text.remove_prefix(1);
            continue;
        }
        const char first = text.front();
        const bool control = is_utf8_control(text.substr(0, length)) && first != '\t' && first != '\n';
        if (!control) result += text.substr(0, length);
        text.remove_prefix(length);
    }
    return result;
}

std::string one_line(std::string_view text) {
    std::string line = printable_utf8(text);
    std::ranges::replace_if(
        line, [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return line;
}

std::string utf8_path(const std::filesystem::path& path) {
#if defined(_WIN32)
    const std::u8string text = path.u8string();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
#else
    return path.string();
#endif
}

std::string quoted(const std::filesystem::path& path) {
    constexpr std::size_t longest = 4096;  // as a path can be
    return "\"" + escaped(utf8_path(path), longest) + "\"";
}

}  // namespace workbench
