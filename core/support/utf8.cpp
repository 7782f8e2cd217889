// SPDX-License-Identifier: MIT
#include "core/support/utf8.h"

#include <algorithm>

namespace workbench {

std::size_t utf8_character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto within = [](unsigned value, unsigned low, unsigned high) {
        return value >= low && value <= high;
    };
    if (text.empty()) return 0;
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const auto continued = [&](std::size_t i) { return within(byte(i), 0x80, 0xBF); };
    if (within(first, 0xC2, 0xDF)) return continued(1) ? 2 : 0;
    if (within(first, 0xE0, 0xEF)) {
        const unsigned low = first == 0xE0 ? 0xA0 : 0x80;   // no overlong form
        const unsigned high = first == 0xED ? 0x9F : 0xBF;  // no surrogate
        return within(byte(1), low, high) && continued(2) ? 3 : 0;
    }
    if (within(first, 0xF0, 0xF4)) {
        const unsigned low = first == 0xF0 ? 0x90 : 0x80;
        const unsigned high = first == 0xF4 ? 0x8F : 0xBF;  // nothing above U+10FFFF
        return within(byte(1), low, high) && continued(2) && continued(3) ? 4 : 0;
    }
    return 0;
}

std::size_t utf8_character_count(std::string_view text) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

bool is_utf8_control(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
    if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;  // U+0080 to U+009F
    if (character.size() != 3 || byte(0) != 0xE2) return false;
    return (byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||  // U+2028 to U+202E
           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);    // U+2066 to U+2069
}

}  // namespace workbench
