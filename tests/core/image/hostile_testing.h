// SPDX-License-Identifier: MIT
// What the tests of damaged and hostile files share.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>

#include "core/support/error.h"

namespace workbench::testing {

// One line that names the file, with nothing of ours or of the worker's in it.
inline void expect_refused(const Error& error, const std::filesystem::path& path) {
    EXPECT_EQ(error.kind, ErrorKind::bad_input);
    EXPECT_THAT(error.message, ::testing::HasSubstr(path.filename().string()));
    EXPECT_THAT(error.message, ::testing::Not(::testing::HasSubstr("\n")));
    EXPECT_THAT(error.message, ::testing::Not(::testing::HasSubstr("/proc/")));
}

// Marsaglia's xorshift64: the same changes every time.
class Xorshift {
  public:
    explicit Xorshift(std::uint64_t seed) : m_state(0x9E3779B97F4A7C15U + seed) {}
    std::uint64_t operator()() {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return m_state;
    }

  private:
    std::uint64_t m_state;
};

inline constexpr std::uint64_t small_limit = std::uint64_t{64} << 20;  // of memory, for a small image

}  // namespace workbench::testing
