// SPDX-License-Identifier: MIT
// What an IIR kernel is compared with: copies of the same plane, and the loop that one writes without
// thinking.
#pragma once

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

// A square plane that starts on a cache line.
template <class S>
class Plane {
  public:
    Plane(std::int64_t size, bool noise)
        : m_size(static_cast<std::size_t>(size)), m_storage(m_size * m_size + 64 / sizeof(S)) {
        m_data = m_storage.data();
        while (reinterpret_cast<std::uintptr_t>(m_data) % 64 != 0) ++m_data;
        std::uint32_t state = 1;
        for (std::size_t i = 0; i < count() && noise; ++i) {
            state = state * 1664525U + 1013904223U;
            m_data[i] = static_cast<S>(state >> 8) * static_cast<S>(0x1p-24);
        }
    }
    Plane(const Plane&) = delete;
    Plane& operator=(const Plane&) = delete;

    std::size_t size() const { return m_size; }
    std::size_t count() const { return m_size * m_size; }
    S* data() { return m_data; }
    const S* data() const { return m_data; }

  private:
    std::size_t m_size;
    std::vector<S> m_storage;
    S* m_data = nullptr;
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
