// SPDX-License-Identifier: MIT
#include "core/support/escaped.h"

#include "core/support/hex.h"
#include "core/support/utf8.h"

namespace workbench {

namespace {

std::string escape_of(std::string_view control) {
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(control[i]));
    };
    switch (control.front()) {
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        default:
            break;
    }
    if (control.size() == 1) return "\\x" + to_hex(byte(0), 2);
    if (control.size() == 2) return "\\u" + to_hex((byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU), 4);
    return "\\u" + to_hex((byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU), 4);
}

}  // namespace

std::string escaped(std::string_view text, std::size_t longest) {
    std::string line;
    while (!text.empty()) {
        const std::size_t length = utf8_character_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        std::string shown(character);
        if (length == 0) {
            shown = "\\x" + to_hex(static_cast<unsigned char>(character.front()), 2);
        } else if (is_utf8_control(character)) {
            shown = escape_of(character);
        }
        if (line.size() + shown.size() > longest) return line + "...";
        line += shown;
        text.remove_prefix(character.size());
    }
    return line;
}

}  // namespace workbench
