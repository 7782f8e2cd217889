// SPDX-License-Identifier: MIT
// Average and lp pooling of rows: both are a sum over the window of something made of each element, and
// something made of that sum. The fast sum runs over whole rows; where a window's sum left the range in which
// it is accurate (overflow, underflow, infinity, NaN), that one output is computed again, slowly and exactly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/pool/cpu.h"
#include "kernels/pool/cpu_rows.h"

namespace iir2d::pool {

// The sums a formula trusts.
template <class Acc>
struct TrustedRange {
    Acc lowest;
    Acc highest;
    bool holds(Acc sum) const { return (sum >= lowest) & (sum <= highest); }
};

// One window, for the slow path.
template <class T>
struct WindowView {
    const T* plane;
    std::int64_t row_stride;
    Taps rows;
    Taps columns;

    template <class Visit>
    void visit(Visit visit_one) const {
        for (std::int64_t r = 0; r < rows.count; ++r) {
            const T* row = plane + (rows.first + r * rows.step) * row_stride + columns.first;
            for (std::int64_t c = 0; c < columns.count; ++c)
                visit_one(static_cast<double>(row[c * columns.step]));
        }
    }
};

// The window's sum over a divisor.
template <class Acc>
class AvgFormula {
  public:
    static constexpr bool costly_term = false;

    AvgFormula(const PoolDesc& desc, const PoolGeometry& geometry)
        : m_y(geometry.y), m_include_pad(desc.count_include_pad), m_override(desc.divisor_override) {
        const AxisWindows& x = geometry.x;
        m_columns.reserve(static_cast<std::size_t>(x.out));
        for (std::int64_t o = 0; o < x.out; ++o) m_columns.push_back(static_cast<Acc>(count(x, o)));
    }

    Acc term(Acc value) const { return value; }
    TrustedRange<Acc> trusted() const {
        return {std::numeric_limits<Acc>::lowest(), std::numeric_limits<Acc>::max()};
    }

    template <class T>
    void finish(std::int64_t oy, const Acc* sums, T* out) const {
        const auto width = m_columns.size();
        if (m_override) {
            const auto divisor = static_cast<Acc>(*m_override);
            for (std::size_t o = 0; o < width; ++o) out[o] = static_cast<T>(sums[o] / divisor);
            return;
        }
        const auto rows = static_cast<Acc>(count(m_y, oy));
        for (std::size_t o = 0; o < width; ++o) out[o] = static_cast<T>(sums[o] / (rows * m_columns[o]));
    }

    template <class T>
    double exact(std::int64_t oy, std::int64_t ox, const WindowView<T>& window) const {
        double sum = 0.0;
        window.visit([&](double value) { sum += value; });
        if (m_override) return sum / static_cast<double>(*m_override);
        return sum / (static_cast<double>(count(m_y, oy)) *
                      static_cast<double>(m_columns[static_cast<std::size_t>(ox)]));
    }

  private:
    // An empty window, which only dilation makes, has the sum 0 and here the divisor 1.
    std::int64_t count(const AxisWindows& axis, std::int64_t o) const {
        return m_include_pad ? axis.padded_count(o) : std::max<std::int64_t>(axis.taps(o).count, 1);
    }

    AxisWindows m_y;
    bool m_include_pad;
    std::optional<std::int64_t> m_override;
    std::vector<Acc> m_columns;  // taps along x of each window that count
};

// The window's norm from its scaled elements, in double: largest * (sum of (|x| / largest)^p)^(1/p).
template <class T>
double exact_norm(const WindowView<T>& window, double p) {
    double largest = 0.0;
    bool has_nan = false;
    window.visit([&](double value) {
        has_nan |= std::isnan(value);
        largest = std::fmax(largest, std::fabs(value));
    });
    if (has_nan) return std::numeric_limits<double>::quiet_NaN();
    if (largest == 0.0 || std::isinf(largest)) return largest;
    double sum = 0.0;
    window.visit([&](double value) {
        const double scaled = std::fabs(value) / largest;
        sum += p == 1.0 ? scaled : p == 2.0 ? scaled * scaled : std::pow(scaled, p);
    });
    return largest * (p == 1.0 ? sum : p == 2.0 ? std::sqrt(sum) : std::pow(sum, 1.0 / p));
}

enum class Norm { one, two, general };

template <class Acc, Norm norm>
class LpFormula {
  public:
    // Worth doing once for a whole row, before windows that share elements are summed.
    static constexpr bool costly_term = norm == Norm::general;

    LpFormula(double p, std::int64_t width) : m_p(p), m_width(static_cast<std::size_t>(width)) {}

    Acc term(Acc value) const {
        if constexpr (norm == Norm::one) return std::abs(value);
        if constexpr (norm == Norm::two) return value * value;
        return std::pow(std::abs(value), static_cast<Acc>(m_p));
    }

    TrustedRange<Acc> trusted() const {
        using Limits = std::numeric_limits<Acc>;
        // A magnitude cannot underflow.
        if constexpr (norm == Norm::one) return {Acc(0), Limits::max()};
        // The root of a very small p multiplies the rounding of the powers by 1 / p: trust none of them.
        constexpr double least_p = 1.0 / 16.0;
        if (m_p < least_p) return {Limits::infinity(), Acc(0)};
        // Below this, terms too small for a normal number could be a part of the sum.
        return {Limits::min() / (Limits::epsilon() * Limits::epsilon()), Limits::max()};
    }

    template <class T>
    void finish(std::int64_t, const Acc* sums, T* out) const {
        for (std::size_t o = 0; o < m_width; ++o) out[o] = static_cast<T>(root(sums[o]));
    }

    template <class T>
    double exact(std::int64_t, std::int64_t, const WindowView<T>& window) const {
        return exact_norm(window, m_p);
    }

  private:
    Acc root(Acc sum) const {
        if constexpr (norm == Norm::one) return sum;
        if constexpr (norm == Norm::two) return std::sqrt(sum);
        return std::pow(sum, static_cast<Acc>(1.0 / m_p));
    }

    double m_p;
    std::size_t m_width;
};

template <class T, class Acc, class Formula>
class SumKernel {
  public:
    SumKernel(const PoolGeometry& geometry, Planes<const T> x, Planes<T> y, Formula formula)
        : m_geometry(geometry),
          m_x(x),
          m_y(y),
          m_formula(std::move(formula)),
          m_sums(static_cast<std::size_t>(geometry.x.out)) {
        if constexpr (Formula::costly_term) m_terms.resize(static_cast<std::size_t>(geometry.x.in));
    }

    std::size_t row_bytes() const { return m_sums.size() * sizeof(Acc); }
    void allocate(std::size_t slots) { m_slots.resize(slots * m_sums.size()); }

    bool pool_row(std::int64_t plane, std::int64_t row, std::size_t slot, const std::stop_token& stop) {
        const T* in = m_x.row(plane, row);
        const auto term = [this](T value) { return m_formula.term(static_cast<Acc>(value)); };
        if constexpr (Formula::costly_term) {
            for (std::size_t i = 0; i < m_terms.size(); ++i) {
                if (i % 4096 == 4095 && stop.stop_requested()) return false;
                m_terms[i] = term(in[i]);
            }
            return sum_row(
                m_terms.data(), slot, [](Acc value) { return value; }, stop);
        } else {
            return sum_row(in, slot, term, stop);
        }
    }

    void begin() { std::fill(m_sums.begin(), m_sums.end(), Acc(0)); }

    void add(std::int64_t, std::size_t slot) {
        const Acc* row = slot_data(slot);
        Acc* sums = m_sums.data();
        for (std::size_t o = 0; o < m_sums.size(); ++o) sums[o] += row[o];
    }

    void finish(std::int64_t plane, std::int64_t oy) {
        T* out = m_y.row(plane, oy);
        m_formula.finish(oy, m_sums.data(), out);
        const TrustedRange<Acc> trusted = m_formula.trusted();
        if (all_within(trusted)) return;
        for (std::int64_t ox = 0; ox < m_geometry.x.out; ++ox) {
            if (trusted.holds(m_sums[static_cast<std::size_t>(ox)])) continue;
            const WindowView<T> window{m_x.row(plane, 0), m_x.row_stride, m_geometry.y.taps(oy),
                                       m_geometry.x.taps(ox)};
            out[ox] = static_cast<T>(m_formula.exact(oy, ox, window));
        }
    }

  private:
    template <class In, class Term>
    bool sum_row(const In* in, std::size_t slot, Term term, const std::stop_token& stop) {
        bool done = true;
        with_stride(m_geometry.x.stride, [&](auto stride) {
            done = reduce_row(
                stride, m_geometry.x, in, slot_data(slot), Acc(0), term, [](Acc a, Acc b) { return a + b; },
                stop);
        });
        return done;
    }

    bool all_within(TrustedRange<Acc> trusted) const {
        const Acc* sums = m_sums.data();
        int outside = 0;
        for (std::size_t o = 0; o < m_sums.size(); ++o) outside |= trusted.holds(sums[o]) ? 0 : 1;
        return outside == 0;
    }

    Acc* slot_data(std::size_t slot) { return m_slots.data() + slot * m_sums.size(); }

    PoolGeometry m_geometry;
    Planes<const T> m_x;
    Planes<T> m_y;
    Formula m_formula;
    std::vector<Acc> m_sums;
    std::vector<Acc> m_slots;
    std::vector<Acc> m_terms;
};

}  // namespace iir2d::pool
