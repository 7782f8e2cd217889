// SPDX-License-Identifier: MIT
#include "core/compile/wire.h"

#include <array>
#include <cstring>

namespace workbench::compile {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Parcel::Place Parcel::put(std::string_view piece) {
    const Place made{m_bytes.size(), piece.size()};
    m_bytes += piece;
    return made;
}

Parcel::Place Parcel::put(std::span<const std::byte> piece) {
    return put(std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size()));
}

std::optional<std::string_view> piece_of(std::string_view bytes, const Parcel::Place& place) {
    if (place[0] > bytes.size() || place[1] > bytes.size() - place[0]) return std::nullopt;
    return bytes.substr(place[0], place[1]);
}

std::string framed(std::string_view json, std::string_view bytes) {
    const std::array<std::uint64_t, 2> lengths{length_bytes + json.size() + bytes.size(), json.size()};
    std::string made;
    made.reserve(length_bytes + lengths[0]);
    made.append(reinterpret_cast<const char*>(lengths.data()), sizeof lengths);
    made += json;
    made += bytes;
    return made;
}

std::optional<Message> unframed(std::string_view body) {
    std::uint64_t length = 0;
    if (body.size() < length_bytes) return std::nullopt;
    std::memcpy(&length, body.data(), length_bytes);
    body.remove_prefix(length_bytes);
    if (length > body.size()) return std::nullopt;
    return Message{body.substr(0, length), body.substr(length)};
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

}  // namespace workbench::compile
