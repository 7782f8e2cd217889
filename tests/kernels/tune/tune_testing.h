// SPDX-License-Identifier: MIT
// What the tests of configs share: planes at multiples of 64 bytes, with values that are hard to keep.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace tune_testing {

inline iir2d::Device cpu(int threads) {
    auto device = iir2d::Device::cpu(threads);
    EXPECT_TRUE(device) << device.error().message;
    return *device;
}

inline iir2d::Config config(const std::string& text) {
    auto read = iir2d::config_from_text(text);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(iir2d::Config{});
}

// Planes of any element type, rows at multiples of 64 bytes or, `dense`, one behind the other.
class Planes {
  public:
    Planes(iir2d::ElementType type, const iir2d::Shape& shape, bool dense = false)
        : m_type(type), m_shape(shape), m_size(iir2d::element_size(type)) {
        const auto width = static_cast<std::size_t>(shape.w) * m_size;
        m_row = dense ? width : (width + 63) / 64 * 64;
        m_memory.resize(m_row * static_cast<std::size_t>(shape.n * shape.c * shape.h) + 64);
        const auto address = reinterpret_cast<std::uintptr_t>(m_memory.data());
        m_first = m_memory.data() + (64 - address % 64) % 64;
    }

    iir2d::TensorView view() {
        const auto row = static_cast<std::int64_t>(m_row / m_size);
        return {m_first, m_type, m_shape, row, row * m_shape.h, row * m_shape.h * m_shape.c};
    }
    void fill(int byte) { std::memset(m_first, byte, m_memory.size() - 64); }
    bool operator==(const Planes& other) const {
        for (std::int64_t row = 0; row < m_shape.n * m_shape.c * m_shape.h; ++row) {
            const std::size_t at = static_cast<std::size_t>(row) * m_row;
            if (std::memcmp(m_first + at, other.m_first + at, static_cast<std::size_t>(m_shape.w) * m_size) !=
                0)
                return false;
        }
        return true;
    }
    template <class T>
    T& at(std::int64_t plane, std::int64_t y, std::int64_t x) {
        return reinterpret_cast<T*>(m_first + static_cast<std::size_t>(plane * m_shape.h + y) * m_row)[x];
    }

    // Values from -1 to 1, many of them equal; in the second plane NaNs, infinities and zeros of both signs
    // are spread, in the third zeros alone.
    void fill_with_hard_values(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const double special[] = {std::numeric_limits<double>::quiet_NaN(),
                                  -std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  0.0,
                                  -0.0};
        for (std::int64_t p = 0; p < m_shape.n * m_shape.c; ++p) {
            for (std::int64_t y = 0; y < m_shape.h; ++y) {
                for (std::int64_t x = 0; x < m_shape.w; ++x) {
                    const std::uint64_t r = random();
                    double value = static_cast<double>(r % 257) / 128.0 - 1.0;
                    if (p % 3 == 1 && r % 97 == 0) value = special[r / 97 % 6];
                    if (p % 3 == 2 && r % 5 < 2) value = special[4 + r % 2];
                    put(p, y, x, value);
                }
            }
        }
    }

  private:
    void put(std::int64_t p, std::int64_t y, std::int64_t x, double value) {
        switch (m_type) {
            case iir2d::ElementType::f32:
                at<float>(p, y, x) = static_cast<float>(value);
                return;
            case iir2d::ElementType::f64:
                at<double>(p, y, x) = value;
                return;
            case iir2d::ElementType::bf16:
                at<std::uint16_t>(p, y, x) = bf16_bits(value);
                return;
            case iir2d::ElementType::f16:
                break;
        }
        at<std::uint16_t>(p, y, x) = f16_bits(value);
    }
    static std::uint16_t bf16_bits(double value) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
    }
    // Of values that f16 has, or nearly: what is lost is cut off.
    static std::uint16_t f16_bits(double value) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        const std::uint32_t sign = bits >> 16 & 0x8000U;
        const auto exponent = static_cast<std::int32_t>(bits >> 23 & 0xFFU) - 127 + 15;
        if (exponent > 30) return static_cast<std::uint16_t>(sign | 0x7C00U | (bits >> 13 & 0x3FFU));
        if (exponent < 1) return static_cast<std::uint16_t>(sign);
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent) << 10 |
                                          (bits >> 13 & 0x3FFU));
    }

    iir2d::ElementType m_type;
    iir2d::Shape m_shape;
    std::size_t m_size;
    std::size_t m_row = 0;
    std::vector<std::byte> m_memory;
    std::byte* m_first = nullptr;
};

}  // namespace tune_testing
