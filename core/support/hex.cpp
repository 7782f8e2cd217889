// SPDX-License-Identifier: MIT
#include "core/support/hex.h"

#include <cstddef>

namespace workbench {

namespace {

constexpr std::string_view digits_of_hex = "0123456789abcdef";

}  // namespace

std::string to_hex(std::span<const unsigned char> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const unsigned char byte : bytes) {
        text += digits_of_hex[byte >> 4];
        text += digits_of_hex[byte & 15];
    }
    return text;
}

std::string to_hex(std::uint32_t number, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += digits_of_hex[number >> shift & 15U];
    return text;
}

bool is_hex(std::string_view text) {
    return text.find_first_not_of(digits_of_hex) == std::string_view::npos;
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 && is_hex(text);
}

bool from_hex(std::string_view text, std::span<unsigned char> bytes) {
    if (text.size() != 2 * bytes.size() || !is_hex(text)) return false;
    const auto value = [&](std::size_t i) { return digits_of_hex.find(text[i]); };
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(value(2 * i) * 16 + value(2 * i + 1));
    return true;
}

}  // namespace workbench
