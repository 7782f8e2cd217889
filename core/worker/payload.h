// SPDX-License-Identifier: MIT
// Numbers and texts in a frame's payload. The reader never trusts what it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace workbench::worker {

class PayloadWriter {
  public:
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) PayloadWriter& put(T value) {
        append(&value, sizeof value);
        return *this;
    }
    PayloadWriter& put(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        append(text.data(), text.size());
        return *this;
    }
    PayloadWriter& put(const char* text) { return put(std::string_view(text)); }
    std::string take();

  private:
    void append(const void* bytes, std::size_t size);

    std::string m_bytes;
};

// Reads in the order of writing. The first value that is not there makes ok() false for good, and every
// further value zero or empty: so a message is read to its end and judged once, with complete().
class PayloadReader {
  public:
    explicit PayloadReader(std::string_view bytes) : m_bytes(bytes) {}

    // Enumerations and bool can hold anything afterwards: use number() and check the range for those.
    template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) T number() {
        T value{};
        if (const std::string_view bytes = take(sizeof value); m_ok)
            bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
        return value;
    }
    bool boolean() { return number<std::uint8_t>() != 0; }
    std::string text(std::size_t most = std::size_t{1} << 20) {
        const auto size = number<std::uint64_t>();
        if (size > most) m_ok = false;
        return std::string(take(static_cast<std::size_t>(size)));
    }
    // Returns the length of a list that follows, each element of at least `element_bytes`: never more than
    // can follow, so that memory may be reserved for it. ok() is false when more was claimed.
    std::size_t count(std::size_t element_bytes) {
        const auto claimed = number<std::uint64_t>();
        if (element_bytes == 0 || claimed > m_bytes.size() / element_bytes) m_ok = false;
        return m_ok ? static_cast<std::size_t>(claimed) : 0;
    }

    bool ok() const { return m_ok; }
    bool complete() const { return m_ok && m_bytes.empty(); }  // everything read and nothing left

  private:
    std::string_view take(std::size_t size) {
        if (!m_ok || size > m_bytes.size()) {
            m_ok = false;
            return {};
        }
        const std::string_view bytes = m_bytes.substr(0, size);
        m_bytes.remove_prefix(size);
        return bytes;
    }

    std::string_view m_bytes;
    bool m_ok = true;
};

}  // namespace workbench::worker
