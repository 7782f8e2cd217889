// SPDX-License-Identifier: MIT
#include "core/support/text.h"

#include <algorithm>
#include <cstddef>

namespace workbench {

namespace {

// How many bytes the well-formed sequence at the start of `text` has; 0 when there is none. Unicode standard,
// table 3-7.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto within = [](unsigned value, unsigned low, unsigned high) {
        return value >= low && value <= high;
    };
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

}  // namespace

std::string printable_utf8(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            result += "\xEF\xBF\xBD";
            text.remove_prefix(1);
            continue;
        }
        const auto first = static_cast<unsigned char>(text.front());
        const bool high_control = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        const bool control =
            high_control || first == 0x7F || (first < 0x20 && first != '\t' && first != '\n');
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

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
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
    return "\"" + printable_utf8(utf8_path(path)) + "\"";
}

}  // namespace workbench
