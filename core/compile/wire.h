// SPDX-License-Identifier: MIT
// What a program and the compiler process send each other: JSON, behind its length in 8 bytes (the machine's
// byte order: both ends are one build on one machine). Bytes go as base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace workbench::compile {

inline constexpr std::uint64_t longest_message = std::uint64_t{1} << 30;
inline constexpr std::size_t length_bytes = sizeof(std::uint64_t);

std::string framed(std::string_view json);
// Returns how long the message is whose length is read; absent when it is longer than any.
std::optional<std::uint64_t> length_of(std::span<const char, length_bytes> head);

std::string to_base64(std::span<const std::byte> bytes);
// Absent when the text is no base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace workbench::compile
