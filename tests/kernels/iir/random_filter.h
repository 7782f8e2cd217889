// SPDX-License-Identifier: MIT
// Random filters and sizes, for the library and for the contract's second reading alike.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "iir2d/filter.h"
#include "tests/kernels/iir/contract.h"

namespace iir_test {

// The standard library's distributions differ between implementations; the cases here must not.
class Random {
  public:
    explicit Random(unsigned seed) : m_engine(seed) {}
    double real(double from, double to) {
        return from + (to - from) * (static_cast<double>(m_engine() >> 11) * 0x1p-53);
    }
    std::int64_t integer(std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(to - from + 1));
    }
    bool coin() { return integer(0, 1) == 1; }

  private:
    std::mt19937_64 m_engine;
};

constexpr std::array<const char*, 10> coefficient_names{
    "b0", "b1", "b2", "a1", "a2", "second_b0", "second_b1", "second_b2", "second_a1", "second_a2"};

// A filter anywhere in its range, poles up to 0.95; the defaults every third time.
inline std::pair<ContractFilter, iir2d::FilterSpec> random_filter(Random& random) {
    ContractFilter filter{.id = static_cast<int>(random.integer(1, 8))};
    iir2d::FilterSpec spec{.id = filter.id};
    const bool defaults = random.integer(0, 2) == 0;
    const auto choose = [&](const char* name, double standard, double from, double to) {
        filter.values[0] = defaults ? standard : random.real(from, to);
        if (!defaults) spec.parameters.emplace_back(name, filter.values[0]);
    };
    switch (filter.id) {
        case 1:
        case 7:
            choose("alpha", 0.85, 0.0, 0.99);
            break;
        case 2:
            choose("a", 0.75, 0.0, 0.98);
            break;
        case 5:
            choose("alpha", 0.6, 0.0, 0.98);
            break;
        case 6:
            choose("sigma", 2.0, 0.3, 20.0);
            filter.compat_1_0 = random.coin();
            if (filter.compat_1_0) spec.parameters.emplace_back("compat_1_0", 1.0);
            break;
        default:
            filter.values = {0.2, 0.2, 0.2, 0.3, -0.1, 0.3, 0.1, 0.1, 0.2, -0.05};
            for (std::size_t k = 0; k < (filter.id == 4 ? 10U : 5U) && !defaults; k += 5) {
                const double p = random.real(-0.95, 0.95);
                const double q = random.real(-0.95, 0.95);
                // Two real poles p and q, or a pair at radius |p|.
                const std::array<double, 2> a =
                    random.coin() ? std::array{p + q, -p * q} : std::array{2 * std::abs(p) * q, -p * p};
                for (std::size_t j = 0; j < 3; ++j) filter.values[k + j] = random.real(-1, 1);
                filter.values[k + 3] = a[0];
                filter.values[k + 4] = a[1];
                for (std::size_t j = k; j < k + 5; ++j)
                    spec.parameters.emplace_back(coefficient_names[j], filter.values[j]);
            }
    }
    return {filter, spec};
}

inline std::int64_t random_size(Random& random) {
    const std::int64_t kind = random.integer(0, 9);
    return kind < 3 ? random.integer(1, 4) : kind < 9 ? random.integer(5, 60) : random.integer(250, 600);
}

}  // namespace iir_test
