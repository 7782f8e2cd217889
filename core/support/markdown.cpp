// SPDX-License-Identifier: MIT
#include "core/support/markdown.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "core/support/listed.h"
#include "core/support/text.h"

namespace workbench {

std::string markdown_escaped(std::string_view text) {
    constexpr std::string_view special = "\\|`*_<>[]";
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            out += ' ';
            continue;
        }
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return printable_utf8(out);
}

std::string markdown_row(const std::vector<std::string>& cells) {
    return "| " + joined(cells, " | ") + " |\n";
}

std::string brief_number(double value) {
    char text[64];
    const double magnitude = std::abs(value);
    const bool plain = value == 0 || (magnitude >= 1e-3 && magnitude < 1e6);
    const int decimals =
        value == 0 ? 0 : std::clamp(3 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 6);
    const auto end = plain
                         ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals)
                         : std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 2);
    return {text, end.ptr};
}

std::string markdown_code_block(const std::string& text) {
    std::size_t longest = 2;
    for (std::size_t i = 0, run = 0; i < text.size(); ++i) {
        run = text[i] == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fence + "\n" + text + "\n" + fence + "\n";
}

}  // namespace workbench
