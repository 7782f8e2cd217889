// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace iir2d::iir {

// A double for each of some lanes, 0 at first. Of few lanes, as when a plan is made, it takes no memory of
// its own: a call for a small image would else spend most of its time on that.
class LaneValues {
  public:
    LaneValues() = default;
    explicit LaneValues(std::size_t count) : m_count(count), m_many(count > few ? count : 0) {}

    std::size_t size() const { return m_count; }
    double* data() { return m_count > few ? m_many.data() : m_few.data(); }
    const double* data() const { return m_count > few ? m_many.data() : m_few.data(); }
    double& operator[](std::size_t lane) { return data()[lane]; }
    const double& operator[](std::size_t lane) const { return data()[lane]; }
    double* begin() { return data(); }
    double* end() { return data() + m_count; }
    const double* begin() const { return data(); }
    const double* end() const { return data() + m_count; }
    void swap(LaneValues& other) noexcept { std::swap(*this, other); }

  private:
    // As many as a plan's start asks about: up to eight samples, and none of them.
    static constexpr std::size_t few = 10;
    std::size_t m_count = 0;
    std::array<double, few> m_few{};
    std::vector<double> m_many;
};

}  // namespace iir2d::iir
