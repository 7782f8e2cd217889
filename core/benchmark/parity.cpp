// SPDX-License-Identifier: MIT
#include "core/benchmark/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/support/try.h"
#include "iir2d/convert.h"

namespace workbench {

namespace {

// Distance in representable numbers, saturating; of the bits of two numbers.
template <class Bits>
std::int64_t bits_distance(Bits a, Bits b) {
    constexpr auto magnitude_mask = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto a_magnitude = static_cast<std::uint64_t>(a & magnitude_mask);
    const auto b_magnitude = static_cast<std::uint64_t>(b & magnitude_mask);
    const bool same_sign = (a & ~magnitude_mask) == (b & ~magnitude_mask);
    const std::uint64_t distance =
        same_sign ? std::max(a_magnitude, b_magnitude) - std::min(a_magnitude, b_magnitude)
                  : a_magnitude + b_magnitude;
    return static_cast<std::int64_t>(std::min(distance, limit));
}

bool has_16_bits(iir2d::ElementType type) {
    return iir2d::element_size(type) == 2;
}

// How samples of an image are stored: T itself, or one of 16 bits that T holds exactly.
template <class T>
class Storage {
  public:
    explicit Storage(std::optional<iir2d::ElementType> stored)
        : m_16_bits(stored && has_16_bits(*stored) ? stored : std::nullopt) {}

    T rounded(double value) const {
        if (!m_16_bits) return static_cast<T>(value);
        const std::uint16_t bits = bits_of(value);
        float back = 0;
        iir2d::convert_elements(&bits, *m_16_bits, &back, iir2d::ElementType::f32, 1);
        return static_cast<T>(back);
    }
    std::int64_t distance(T a, T b) const {
        if (m_16_bits) return bits_distance(bits_of(static_cast<double>(a)), bits_of(static_cast<double>(b)));
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        return bits_distance(std::bit_cast<Bits>(a), std::bit_cast<Bits>(b));
    }
    // Of 16 bits: the unit in the last place of a number of this magnitude.
    std::optional<double> unit(double magnitude) const {
        if (!m_16_bits) return std::nullopt;
        const bool half = *m_16_bits == iir2d::ElementType::f16;
        const int least = half ? -14 : -126;  // exponent of the least normal number
        const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), least) : least;
        return std::ldexp(1.0, exponent - (half ? 10 : 7));
    }

  private:
    std::uint16_t bits_of(double value) const {
        std::uint16_t bits = 0;
        iir2d::convert_elements(&value, iir2d::ElementType::f64, &bits, *m_16_bits, 1);
        return bits;
    }
    std::optional<iir2d::ElementType> m_16_bits;
};

// Absolute sum of a section's impulse response.
double absolute_gain(const iir2d::Section& s) {
    // Long enough for any pole that a stable filter of the table can have to have died away.
    constexpr int longest = 1 << 20;
    double sum = 0;
    double y1 = 0;
    double y2 = 0;
    for (int n = 0; n < longest; ++n) {
        const double x = n < 3 ? s.b[static_cast<std::size_t>(n)] : 0.0;
        const double y = x + s.a[0] * y1 + s.a[1] * y2;
        sum += std::abs(y);
        y2 = y1;
        y1 = y;
        if (n >= 3 && std::abs(y1) + std::abs(y2) < 1e-12 * sum) break;
    }
    return sum;
}

double absolute_gain(const std::vector<iir2d::Section>& cascade) {
    double gain = 1;
    for (const auto& section : cascade) gain *= absolute_gain(section);
    return gain;
}

double absolute_gain(const iir2d::AxisFilter& axis) {
    double gain = 1;
    for (const auto& stage : axis.stages) {
        gain *= stage.kind == iir2d::Stage::Kind::sum
                    ? absolute_gain(stage.causal) + absolute_gain(stage.anticausal)
                    : absolute_gain(stage.sections);
    }
    return gain;
}

double contract_bound(iir2d::Precision precision, const iir2d::FilterData& data) {
    constexpr double bounds[] = {1e-5, 1e-6, 1e-12};
    const double base = bounds[static_cast<std::size_t>(precision)];
    // Poles near 1 keep an error for 1 / (1 - radius) samples; the contract states the bounds up to 0.99.
    const double radius = std::max(iir2d::pole_radius(data.horizontal), iir2d::pole_radius(data.vertical));
    return radius > 0.99 ? base * 0.01 / std::max(1e-9, 1 - radius) : base;
}

// Pooling computes in float; doubles that reach it in a recipe are rounded first.
constexpr double pooling_bound = 2e-6;
constexpr double rounding_to_float = 6e-8;

Result<ErrorStep> filter_step(const FilterOperation& operation) {
    IIR2D_TRY(const auto data, from_kernel(iir2d::make_filter(filter_spec(operation))));
    IIR2D_TRY(const auto cpu, from_kernel(iir2d::Device::cpu(1)));
    IIR2D_TRY(const auto plan, from_kernel(iir2d::FilterPlan::make(cpu, filter_desc(operation, {}))));
    ErrorStep step;
    step.own = plan.precision().max_abs_error.value_or(contract_bound(operation.precision, data));
    step.gain = std::max(1.0, worst_gain(data));
    return step;
}

ErrorStep pool_step(const PoolOperation& operation, iir2d::ElementType element) {
    ErrorStep step;
    step.own_is_relative = true;
    const auto window = static_cast<double>(operation.window.h * operation.window.w);
    switch (operation.op) {
        case iir2d::PoolOp::max:
        case iir2d::PoolOp::adaptive_max:
            // Exact, and an error of the input passes through as it is.
            if (element == iir2d::ElementType::f64) step.own = rounding_to_float;
            break;
        case iir2d::PoolOp::avg:
        case iir2d::PoolOp::adaptive_avg:
            step.own = pooling_bound;
            if (operation.op == iir2d::PoolOp::avg && operation.divisor_override) {
                step.gain = window / std::abs(static_cast<double>(*operation.divisor_override));
            }
            break;
        case iir2d::PoolOp::lp:
            step.own = pooling_bound;
            step.gain = std::pow(window, 1.0 / operation.p);  // the norm of a constant window
            break;
    }
    return step;
}

}  // namespace

template <class T>
void ParityCheck::add(std::span<const T> result, std::int64_t width, int channel,
                      std::span<const double> reference, const Tolerance& tolerance) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Storage<T> storage(tolerance.stored);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const T got = result[i];
        const double wanted = reference[i];
        const T wanted_stored = storage.rounded(wanted);
        // Equal in storage covers infinities, and a finite reference that storage can only hold as one.
        const bool same = got == wanted_stored || (std::isnan(got) && std::isnan(wanted));
        double error =
            same && !std::isfinite(wanted_stored) ? 0.0 : std::abs(static_cast<double>(got) - wanted);
        if (std::isnan(error)) error = infinity;
        double allowed = 0.0;
        if (std::isfinite(wanted)) {
            const double magnitude = std::max(std::abs(wanted), tolerance.floor);
            allowed = tolerance.absolute + tolerance.relative * magnitude;
            if (tolerance.relative > 0)
                allowed = std::min(allowed, storage.unit(magnitude).value_or(allowed));
        }
        const bool outside = !(error <= allowed);
        if (outside) m_within = false;
        ++m_count;
        m_sum += error;
        if (std::isfinite(got) && std::isfinite(wanted_stored)) {
            m_parity.max_ulp = std::max(m_parity.max_ulp, storage.distance(got, wanted_stored));
            if (wanted != 0) {
                m_parity.max_relative_error = std::max(m_parity.max_relative_error, error / std::abs(wanted));
            }
        }
        // The worst place is a place that fails when there is one: with a relative tolerance the largest
        // absolute error need not.
        if ((outside && !m_worst_outside) || (outside == m_worst_outside && error > m_parity.worst_error)) {
            m_worst_outside = outside;
            m_parity.worst_error = error;
            const auto place = static_cast<std::int64_t>(i);
            m_parity.worst_x = place % width;
            m_parity.worst_y = place / width;
            m_parity.worst_channel = channel;
        }
        m_parity.max_abs_error = std::max(m_parity.max_abs_error, error);
    }
}

void ParityCheck::add_channel(const PlanarImage& result, int channel, std::span<const double> reference,
                              const Tolerance& tolerance) {
    if (tolerance.relative > 0) m_parity.bound_is_relative = true;
    m_parity.bound =
        std::max(m_parity.bound, tolerance.relative > 0 ? tolerance.relative : tolerance.absolute);
    if (reference.size() != static_cast<std::size_t>(result.plane_size())) {
        m_within = false;  // a result of another size agrees with nothing
        m_parity.max_abs_error = std::numeric_limits<double>::infinity();
        return;
    }
    if (result.type() == iir2d::ElementType::f64) {
        add(result.plane_f64(channel), result.width(), channel, reference, tolerance);
    } else {
        add(result.plane_f32(channel), result.width(), channel, reference, tolerance);
    }
}

Parity ParityCheck::parity() const {
    Parity parity = m_parity;
    parity.passed = m_within && m_count > 0;
    parity.mean_abs_error = m_count > 0 ? m_sum / static_cast<double>(m_count) : 0.0;
    return parity;
}

std::optional<std::string> parity_failure(const Parity& parity) {
    if (parity.passed) return std::nullopt;
    return fmt::format(
        "the result differs from the reference by {} at column {}, row {}, channel {}; {:g} {}",
        std::isfinite(parity.worst_error) ? fmt::format("{:g}", parity.worst_error)
                                          : "a NaN or an infinity that only one of them has",
        parity.worst_x, parity.worst_y, parity.worst_channel, parity.bound,
        parity.bound_is_relative ? "of the value is allowed" : "is allowed");
}

double largest_magnitude(std::span<const double> samples) {
    double largest = 0;
    for (const double v : samples) {
        if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    }
    return largest;
}

double pool_bound(const PoolOperation& pool, iir2d::ElementType element, PoolPass pass) {
    // A maximum is one of its samples; a gradient sums those of several windows.
    if (is_max(pool.op) && pass == PoolPass::forward) return 0;
    switch (element) {
        case iir2d::ElementType::f64:
            return 1e-12;
        case iir2d::ElementType::f16:
            return 0x1p-10;
        case iir2d::ElementType::bf16:
            return 0x1p-7;
        case iir2d::ElementType::f32:
            break;
    }
    return pooling_bound;
}

double worst_gain(const iir2d::FilterData& data) {
    return absolute_gain(data.horizontal) * absolute_gain(data.vertical);
}

Result<ErrorStep> error_step(const Operation& operation, iir2d::ElementType element) {
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) return filter_step(*filter);
    return pool_step(std::get<PoolOperation>(operation.what), element);
}

}  // namespace workbench
