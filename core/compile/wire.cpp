// SPDX-License-Identifier: MIT
#include "core/compile/wire.h"

#include <array>
#include <cstring>

namespace workbench::compile {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int16_t, 256> values_of_digits() {
    std::array<std::int16_t, 256> made{};
    made.fill(-1);
    for (std::size_t k = 0; k < digits.size(); ++k)
        made[static_cast<unsigned char>(digits[k])] = static_cast<std::int16_t>(k);
    return made;
}
constexpr std::array<std::int16_t, 256> value_of = values_of_digits();

}  // namespace

std::string framed(std::string_view json) {
    const std::uint64_t length = json.size();
    std::string made(length_bytes, '\0');
    std::memcpy(made.data(), &length, length_bytes);
    made += json;
    return made;
}

std::optional<std::uint64_t> length_of(std::span<const char, length_bytes> head) {
    std::uint64_t length = 0;
    std::memcpy(&length, head.data(), length_bytes);
    if (length > longest_message) return std::nullopt;
    return length;
}

std::string to_base64(std::span<const std::byte> bytes) {
    std::string made;
    made.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (at + k < bytes.size() ? static_cast<std::uint32_t>(bytes[at + k]) : 0U);
        for (int k = 3; k >= 0; --k) made += digits[group >> (6 * k) & 63U];
    }
    if (const std::size_t rest = bytes.size() % 3; rest != 0)
        made.replace(made.size() - (3 - rest), 3 - rest, 3 - rest, '=');
    return made;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::vector<std::byte> made;
    made.reserve(text.size() * 3 / 4);
    std::uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        const std::int32_t value = value_of[static_cast<unsigned char>(c)];
        if (value < 0) return std::nullopt;
        group = group << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            made.push_back(static_cast<std::byte>(group >> bits & 255U));
        }
    }
    return made;
}

}  // namespace workbench::compile
