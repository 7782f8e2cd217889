// SPDX-License-Identifier: MIT
// A recipe for a smaller picture. docs/recipes.md, "On a proxy", says what each parameter becomes.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>

#include "core/recipe/recipe.h"
#include "iir2d/reference.h"

namespace workbench {

namespace {

// Pixels of the image that an operation sees at full size, per pixel it sees in the proxy.
struct Factor {
    double h = 1.0;
    double w = 1.0;
    // Filters have one set of parameters for both axes.
    double mean() const { return std::sqrt(h * w); }
};

class FilterScaler {
  public:
    FilterScaler(const FilterOperation& filter, const iir2d::FilterRow& row, double factor)
        : m_scaled(filter), m_row(row), m_factor(factor) {}

    FilterOperation scaled() {
        using enum iir2d::ParameterScaling;
        const bool one_way = runs_one_way();
        for (auto rest = m_row.parameters; !rest.empty();) {
            const iir2d::FilterParameter& p = rest.front();
            if (p.scaling == decay) {
                set(p, one_way ? same_delay(get(p)) : std::pow(get(p), m_factor));
                start_from_nothing();
            } else if (p.scaling == length) {
                set(p, get(p) / m_factor);
                if (m_factor >= 3.0) start_from_nothing();
            } else if (p.scaling == section) {
                scale_section(rest.first<section_size>());
            }
            rest = rest.subspan(p.scaling == section ? section_size : 1);
        }
        return std::move(m_scaled);
    }

  private:
    static constexpr std::size_t section_size = 5;  // b0, b1, b2, a1, a2

    double get(const iir2d::FilterParameter& p) const {
        const auto given = m_scaled.parameters.find(std::string(p.name));
        return given != m_scaled.parameters.end() ? given->second : p.default_value;
    }
    void set(const iir2d::FilterParameter& p, double value) {
        m_scaled.parameters[std::string(p.name)] = std::clamp(value, p.minimum, p.maximum);
    }

    bool runs_one_way() const {
        const auto data = iir2d::make_filter(filter_spec(m_scaled));
        return data && std::ranges::all_of(data->horizontal.stages, [](const iir2d::Stage& stage) {
                   return stage.kind == iir2d::Stage::Kind::causal;
               });
    }

    // A causal average shifts the picture by alpha / (1 - alpha) pixels, which is seen before its width is.
    double same_delay(double alpha) const {
        const double delay = alpha / (1.0 - alpha) / m_factor;
        return delay / (1.0 + delay);
    }

    // The truncated start knows a few samples of the border, next to nothing of a wide filter's history:
    // edges darken. A few of the proxy's samples are `factor` times as many, and the edges would stay light;
    // none at all comes nearer.
    void start_from_nothing() {
        if (m_scaled.start != iir2d::Start::truncated || m_factor < 1.0) return;
        m_scaled.border = iir2d::Border::constant;
        m_scaled.border_const = 0.0;
    }

    // A pole decays and turns `factor` times as fast; what would turn faster than the proxy's samples can
    // show turns as fast as they can.
    std::complex<double> scaled_pole(std::complex<double> pole) const {
        const double radius = std::pow(std::abs(pole), m_factor);
        const double angle = std::min(std::abs(std::arg(pole)) * m_factor, std::numbers::pi);
        return std::polar(radius, angle);
    }

    // The weights as they fall on the proxy's samples: tap k lies k / factor of them back.
    std::array<double, 3> scaled_taps(const std::array<double, 3>& taps) const {
        std::array<double, 3> out{};
        for (std::size_t k = 0; k < taps.size(); ++k) {
            const double at = std::min(static_cast<double>(k) / m_factor, 2.0);
            const auto left = std::min(static_cast<std::size_t>(at), std::size_t{1});
            const double share = at - static_cast<double>(left);
            out[left] += taps[k] * (1.0 - share);
            out[left + 1] += taps[k] * share;
        }
        return out;
    }

    void scale_section(std::span<const iir2d::FilterParameter, section_size> of) {
        const double a1 = get(of[3]);
        const double a2 = get(of[4]);
        // Poles: the roots of z^2 - a1 z - a2, two real ones or a conjugate pair.
        const double discriminant = a1 * a1 + 4.0 * a2;
        double new_a1 = 0.0;
        double new_a2 = 0.0;
        if (discriminant >= 0.0) {
            const double root = std::sqrt(discriminant);
            const double p = scaled_pole((a1 + root) / 2.0).real();
            const double q = scaled_pole((a1 - root) / 2.0).real();
            new_a1 = p + q;
            new_a2 = -p * q;
        } else {
            const auto p = scaled_pole({a1 / 2.0, std::sqrt(-discriminant) / 2.0});
            new_a1 = 2.0 * p.real();
            new_a2 = -std::norm(p);
        }
        // The gain at frequency zero is sum(b) / (1 - sum(a)); scaled_taps keeps sum(b).
        const double keep_gain = (1.0 - new_a1 - new_a2) / (1.0 - a1 - a2);
        const auto taps = scaled_taps({get(of[0]), get(of[1]), get(of[2])});
        for (std::size_t k = 0; k < taps.size(); ++k) set(of[k], taps[k] * keep_gain);
        set(of[3], new_a1);
        set(of[4], new_a2);
    }

    FilterOperation m_scaled;
    iir2d::FilterRow m_row;
    double m_factor;
};

FilterOperation scaled_filter(const FilterOperation& filter, double factor) {
    const auto row = iir2d::filter_row(filter.filter_id);
    if (!row) return filter;
    FilterOperation scaled = FilterScaler(filter, *row, factor).scaled();
    // At the very edge of stability or of a gain of zero rounding can step over it.
    return iir2d::make_filter(filter_spec(scaled)) ? scaled : filter;
}

// A length in whole pixels, at least one.
std::int64_t rounded(double length) {
    constexpr double largest = 1 << 30;
    return static_cast<std::int64_t>(std::clamp(std::round(length), 1.0, largest));
}

// One axis of a pooling operation.
struct PoolAxis {
    std::int64_t window = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;

    PoolAxis scaled(double factor) const {
        PoolAxis out{.stride = rounded(static_cast<double>(stride) / factor),
                     .dilation = rounded(static_cast<double>(dilation) / factor)};
        // What a window covers, each tap counted as wide as the step to the next one.
        const double cover = static_cast<double>(window) * static_cast<double>(dilation);
        out.window = rounded(cover / factor / static_cast<double>(out.dilation));
        if (padding > 0)
            out.padding = std::min(rounded(static_cast<double>(padding) / factor), out.window / 2);
        return out;
    }

    // Inside a line of `length` samples.
    PoolAxis fitted(std::int64_t length) const {
        PoolAxis out = *this;
        if ((window - 1) * dilation + 1 <= length + 2 * padding) return out;
        out.padding = 0;
        out.dilation = std::min(dilation, length);
        out.window = std::min(window, (length - 1) / out.dilation + 1);
        return out;
    }
};

struct ScaledPool {
    PoolOperation pool;
    Factor factor;      // of what follows
    double gain = 1.0;  // that the proxy's result still needs
};

// Where a window's samples are added up, fewer of them give less.
double gain_needed(const PoolOperation& full, const PoolOperation& proxy) {
    const auto taps = [](const PoolOperation& p) {
        return static_cast<double>(p.window.h) * static_cast<double>(p.window.w);
    };
    const double ratio = taps(full) / taps(proxy);
    if (full.op == iir2d::PoolOp::lp) return std::pow(ratio, 1.0 / full.p);
    return full.op == iir2d::PoolOp::avg && full.divisor_override ? ratio : 1.0;
}

// Fewer outputs, each of as much of the picture.
ScaledPool scaled_adaptive(const PoolOperation& pool, Factor factor) {
    ScaledPool out{.pool = pool, .factor = {}};
    out.pool.output = {rounded(static_cast<double>(pool.output.h) / factor.h),
                       rounded(static_cast<double>(pool.output.w) / factor.w)};
    out.factor = {static_cast<double>(pool.output.h) / static_cast<double>(out.pool.output.h),
                  static_cast<double>(pool.output.w) / static_cast<double>(out.pool.output.w)};
    return out;
}

ScaledPool scaled_pool(const PoolOperation& pool, Factor factor, iir2d::Shape proxy) {
    if (is_adaptive(pool.op)) return scaled_adaptive(pool, factor);
    const iir2d::Extent stride = pool.stride.value_or(pool.window);
    PoolAxis y = PoolAxis{pool.window.h, stride.h, pool.padding.h, pool.dilation.h}.scaled(factor.h);
    PoolAxis x = PoolAxis{pool.window.w, stride.w, pool.padding.w, pool.dilation.w}.scaled(factor.w);
    if (proxy.w != 0) {
        y = y.fitted(proxy.h);
        x = x.fitted(proxy.w);
    }
    ScaledPool out{.pool = pool,
                   .factor = {factor.h * static_cast<double>(y.stride) / static_cast<double>(stride.h),
                              factor.w * static_cast<double>(x.stride) / static_cast<double>(stride.w)}};
    out.pool.window = {y.window, x.window};
    out.pool.stride = {y.stride, x.stride};
    out.pool.padding = {y.padding, x.padding};
    out.pool.dilation = {y.dilation, x.dilation};
    out.gain = gain_needed(pool, out.pool);
    return out;
}

// Filters that multiply: a biquad without memory, which works along both axes, so each has the root.
void append_gain(std::vector<Operation>& operations, double gain) {
    constexpr double largest = 4.0;  // a coefficient's range
    constexpr int most = 8;
    for (int i = 0; i < most && std::isfinite(gain) && std::abs(gain - 1.0) > 1e-6; ++i) {
        const double axis = std::min(std::sqrt(gain), largest);
        FilterOperation filter{
            .filter_id = 3, .parameters = {{"b0", axis}, {"b1", 0.0}, {"b2", 0.0}, {"a1", 0.0}, {"a2", 0.0}}};
        operations.push_back({.what = std::move(filter)});
        gain /= axis * axis;
    }
}

}  // namespace

Recipe scaled(const Recipe& recipe, double factor, iir2d::Shape proxy) {
    if (!std::isfinite(factor) || factor <= 0.0 || factor == 1.0) return recipe;
    Recipe out{.name = recipe.name, .keep_alpha = recipe.keep_alpha};
    Factor here{factor, factor};
    for (const Operation& operation : recipe.operations) {
        if (!operation.enabled || !validate(operation, {.w = 0})) {
            out.operations.push_back(operation);
        } else if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
            out.operations.push_back({.what = scaled_filter(*filter, here.mean())});
        } else {
            ScaledPool next = scaled_pool(std::get<PoolOperation>(operation.what), here, proxy);
            out.operations.push_back({.what = next.pool});
            if (proxy.w != 0) proxy = validate(out.operations.back(), proxy).value_or(proxy);
            append_gain(out.operations, next.gain);
            here = next.factor;
        }
    }
    return out;
}

}  // namespace workbench
