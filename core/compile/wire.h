// SPDX-License-Identifier: MIT
// Frames what a program and the compiler process send each other: JSON, then the bytes that it points into,
// so that texts and arrays go as they are. Two lengths of 8 bytes stand before them, of all that follows the
// first and of the JSON (the machine's byte order: both ends are one build on one machine).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace workbench::compile {

inline constexpr std::uint64_t longest_message = std::uint64_t{1} << 30;
inline constexpr std::size_t length_bytes = sizeof(std::uint64_t);

// Holds bytes beside a JSON, which has the place of each piece as [begin, size].
class Parcel {
  public:
    using Place = std::array<std::uint64_t, 2>;
    Place put(std::string_view piece);
    Place put(std::span<const std::byte> piece);
    const std::string& bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};
// Returns a piece of the bytes. Absent where the bytes have no such place.
std::optional<std::string_view> piece_of(std::string_view bytes, const Parcel::Place& place);

std::string framed(std::string_view json, std::string_view bytes);
struct Message {
    std::string_view json;
    std::string_view bytes;
};
// Takes apart what follows the first length; absent when it is damaged.
std::optional<Message> unframed(std::string_view body);
// Returns how long the message is whose length is read; absent when it is longer than any.
std::optional<std::uint64_t> length_of(std::span<const char, length_bytes> head);

std::string to_base64(std::span<const std::byte> bytes);

}  // namespace workbench::compile
