// SPDX-License-Identifier: MIT
// Holds what the ways to a plane's gradient share: memory for a band of rows, and sums of parts of a plane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/iir/axis_gradient.h"
#include "kernels/iir/lane_rows.h"
#include "kernels/support/aligned_array.h"

namespace iir2d::iir {

// Rows that go through at once: vectors enough to hide the latency of one chain, and few enough that what is
// kept of them stays in cache.
inline constexpr std::int64_t gradient_rows = 16;

// Returns how many threads go through so many bands: each has memory for a band, so that all of them together
// must be a small part of a plane.
inline int threads_for_bands(std::int64_t bands, int threads) {
    return static_cast<int>(std::clamp<std::int64_t>(bands / 4, 1, std::max(threads, 1)));
}

// Sums of strips or bands, which are added in their order, whoever found them.
class Parts {
  public:
    Parts(std::int64_t count, std::size_t sums)
        : m_count(sums),
          m_sums(static_cast<std::size_t>(count) * sums),
          m_constants(static_cast<std::size_t>(count)) {}

    std::span<double> sums(std::int64_t part) {
        return std::span(m_sums).subspan(static_cast<std::size_t>(part) * m_count, m_count);
    }
    double& constant(std::int64_t part) { return m_constants[static_cast<std::size_t>(part)]; }

    void add_to(std::span<double> sums, double& constant) const {
        for (std::size_t i = 0; i < m_sums.size(); ++i) sums[i % m_count] += m_sums[i];
        for (const double c : m_constants) constant += c;
    }

  private:
    std::size_t m_count;
    std::vector<double> m_sums;
    std::vector<double> m_constants;
};

// Holds one thread's memory for neighbouring rows, samples of one column beside each other.
template <class S, class A>
class Band {
  public:
    Band(const GradientAxis& axis, std::int64_t rows)
        : m_rows(rows), m_gradient(axis, rows), m_u(size(axis)), m_g(size(axis)) {}

    AxisGradient<S, A>& gradient() { return m_gradient; }
    // Return the axis's input, and the gradient of its output.
    LaneRows<S> u() const { return {m_u.data(), m_rows}; }
    LaneRows<S> g() const { return {m_g.data(), m_rows}; }

  private:
    std::size_t size(const GradientAxis& axis) const { return static_cast<std::size_t>(axis.n * m_rows); }

    std::int64_t m_rows;
    AxisGradient<S, A> m_gradient;
    support::AlignedArray<S> m_u;
    support::AlignedArray<S> m_g;
};

}  // namespace iir2d::iir
