// SPDX-License-Identifier: MIT
// Bytes and numbers as lower-case hexadecimal digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace workbench {

std::string to_hex(std::span<const unsigned char> bytes);

// Returns the last `digits` hexadecimal digits of the number, zeros in front.
std::string to_hex(std::uint32_t number, int digits);

// Returns whether there is nothing but lower-case hexadecimal digits in the text. True for an empty one.
bool is_hex(std::string_view text);

// Returns whether the text can be a SHA-256: 64 lower-case hexadecimal digits.
bool is_sha256(std::string_view text);

// Fills `bytes` from as many pairs of digits. False, with `bytes` as they were, when the text is anything
// else.
bool from_hex(std::string_view text, std::span<unsigned char> bytes);

}  // namespace workbench
