// SPDX-License-Identifier: MIT
// What kernels are compared with: copies of the same plane, the loop that one writes without thinking, and
// for pooling a read of the input and a write of the output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/bench/team.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bench {

// Elements that start on a cache line.
template <class S>
class Buffer {
  public:
    Buffer(std::size_t count, bool noise) : m_count(count), m_storage(count + 64 / sizeof(S)) {
        m_data = m_storage.data();
        while (reinterpret_cast<std::uintptr_t>(m_data) % 64 != 0) ++m_data;
        std::uint32_t state = 1;
        for (std::size_t i = 0; i < count && noise; ++i) {
            state = state * 1664525U + 1013904223U;
            m_data[i] = static_cast<S>(state >> 8) * static_cast<S>(0x1p-24);
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::size_t count() const { return m_count; }
    S* data() { return m_data; }
    const S* data() const { return m_data; }

  private:
    std::size_t m_count;
    std::vector<S> m_storage;
    S* m_data = nullptr;
};

// A square plane.
template <class S>
class Plane : public Buffer<S> {
  public:
    Plane(std::int64_t size, bool noise)
        : Buffer<S>(static_cast<std::size_t>(size * size), noise), m_size(static_cast<std::size_t>(size)) {}
    std::size_t size() const { return m_size; }

  private:
    std::size_t m_size;
};

// A member's share of `count` things, from first to behind last.
inline std::pair<std::size_t, std::size_t> share(std::size_t count, const Team& team, int member) {
    const auto members = static_cast<std::size_t>(team.members());
    const auto i = static_cast<std::size_t>(member);
    return {count * i / members, count * (i + 1) / members};
}

template <class S>
double memory_copy(Team& team, const Plane<S>& x, Plane<S>& y) {
    return team.seconds([&](int member) {
        const auto [first, last] = share(x.size(), team, member);
        std::memcpy(y.data() + first * x.size(), x.data() + first * x.size(),
                    (last - first) * x.size() * sizeof(S));
    });
}

// A copy whose stores go past the caches, so that it writes without reading first. The same as memory_copy
// where there are no such stores.
template <class S>
double stream_copy(Team& team, const Plane<S>& x, Plane<S>& y) {
#if defined(__SSE2__)
    return team.seconds([&](int member) {
        const auto [first, last] = share(x.size(), team, member);
        const auto* from = reinterpret_cast<const __m128i*>(x.data() + first * x.size());
        auto* to = reinterpret_cast<__m128i*>(y.data() + first * x.size());
        const std::size_t blocks = (last - first) * x.size() * sizeof(S) / sizeof(__m128i);
        for (std::size_t i = 0; i < blocks; i += 4) {
            const __m128i a = _mm_load_si128(from + i);
            const __m128i b = _mm_load_si128(from + i + 1);
            const __m128i c = _mm_load_si128(from + i + 2);
            const __m128i d = _mm_load_si128(from + i + 3);
            _mm_stream_si128(to + i, a);
            _mm_stream_si128(to + i + 1, b);
            _mm_stream_si128(to + i + 2, c);
            _mm_stream_si128(to + i + 3, d);
        }
        _mm_sfence();
    });
#else
    return memory_copy(team, x, y);
#endif
}

// Reads x once and writes y and z once, but for the last few elements that do not fill a cache line, in step
// and past the caches. Through the caches where there are no such stores.
inline double read_and_write(Team& team, const Buffer<float>& x, Buffer<float>& y, Buffer<float>& z) {
    constexpr std::size_t line = 16;
    const std::size_t lines_of_y = y.count() / line;
    const std::size_t lines = lines_of_y + z.count() / line;
    const std::size_t read_each = x.count() / line / lines;
    const std::size_t read_rest = x.count() / line % lines;
    return team.seconds([&](int member) {
        const auto [first, last] = share(lines, team, member);
        const float* from = x.data() + first * read_each * line + first * read_rest / lines * line;
        std::size_t rest = first * read_rest % lines;
#if defined(__SSE2__)
        __m128 seen = _mm_setzero_ps();
#else
        float seen = 0.0F;
#endif
        for (std::size_t i = first; i < last; ++i) {
            std::size_t reads = read_each;
            rest += read_rest;
            if (rest >= lines) {
                rest -= lines;
                ++reads;
            }
            for (std::size_t r = 0; r < reads; ++r, from += line) {
#if defined(__SSE2__)
                for (std::size_t k = 0; k < line; k += 4) seen = _mm_or_ps(seen, _mm_load_ps(from + k));
#else
                for (std::size_t k = 0; k < line; ++k) seen = std::max(seen, from[k]);
#endif
            }
            float* to = i < lines_of_y ? y.data() + i * line : z.data() + (i - lines_of_y) * line;
            for (std::size_t k = 0; k < line; k += 4) {
#if defined(__SSE2__)
                _mm_stream_ps(to + k, seen);
#else
                std::fill_n(to + k, 4, seen);
#endif
            }
        }
#if defined(__SSE2__)
        _mm_sfence();
#endif
    });
}

// Filter 1 at its defaults under mirror: rows one after the other, columns vectorised over x by the compiler.
inline double plain_filter_1(Team& team, const Plane<float>& x, Plane<float>& y) {
    constexpr float a = 0.85F;
    constexpr float b = 0.15F;
    const std::size_t n = x.size();
    const double rows = team.seconds([&](int member) {
        const auto [first, last] = share(n, team, member);
        for (std::size_t r = first; r < last; ++r) {
            const float* in = x.data() + r * n;
            float* out = y.data() + r * n;
            float s = b * in[0];
            for (std::size_t c = 0; c < n; ++c) out[c] = s = b * in[c] + a * s;
        }
    });
    const double columns = team.seconds([&](int member) {
        const auto [first, last] = share(n, team, member);
        float* top = y.data();
        for (std::size_t c = first; c < last; ++c) top[c] = b * top[c] + a * (b * top[c]);
        for (std::size_t r = 1; r < n; ++r) {
            float* out = y.data() + r * n;
            const float* above = out - n;
            for (std::size_t c = first; c < last; ++c) out[c] = b * out[c] + a * above[c];
        }
    });
    return rows + columns;
}

}  // namespace bench
