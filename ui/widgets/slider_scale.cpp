// SPDX-License-Identifier: MIT
#include "ui/widgets/slider_scale.h"

#include <algorithm>
#include <cmath>

namespace workbench {
namespace {

constexpr int curved_positions = 1000;
constexpr int most_positions = 10000;

SliderScale::Kind kindFor(double minimum, double maximum) {
    if (minimum > 0 && maximum / minimum >= 50) return SliderScale::Kind::logarithmic;
    if (minimum >= 0 && minimum < 0.9 && maximum < 1 && maximum >= 0.99) {
        return SliderScale::Kind::towards_one;
    }
    return SliderScale::Kind::linear;
}

// A tenth of the decade that `magnitude` is in; exactly at a decade's edge, of the one being entered.
double decadeStep(double magnitude, bool growing) {
    const double nudge = growing ? 1 + 1e-9 : 1 - 1e-9;
    return std::pow(10.0, std::floor(std::log10(magnitude * nudge)) - 1);
}

}  // namespace

SliderScale::SliderScale(double minimum, double maximum, double step)
    : m_kind(kindFor(minimum, maximum)),
      m_minimum(minimum),
      m_maximum(std::max(minimum, maximum)),
      m_step(step > 0 ? step : (m_maximum - m_minimum) / curved_positions),
      m_last(curved_positions) {
    if (m_kind == Kind::linear && m_maximum > m_minimum) {
        m_last = int(std::clamp(std::round((m_maximum - m_minimum) / m_step), 1.0, double(most_positions)));
    }
}

double SliderScale::exactAt(double position) const {
    const double t = position / m_last;
    switch (m_kind) {
        case Kind::logarithmic:
            return m_minimum * std::pow(m_maximum / m_minimum, t);
        case Kind::towards_one:
            return 1 - (1 - m_minimum) * std::pow((1 - m_maximum) / (1 - m_minimum), t);
        case Kind::linear:
            break;
    }
    return m_minimum + t * (m_maximum - m_minimum);
}

double SliderScale::valueAt(int position) const {
    if (position <= 0) return m_minimum;
    if (position >= m_last) return m_maximum;
    const double value = exactAt(position);
    const double gap = std::min(exactAt(position + 1) - value, value - exactAt(position - 1));
    if (!(gap > 0)) return value;
    // Rounding to a quarter of the gap cannot reach a neighbour's half of it.
    const double digits = std::ceil(-std::log10(gap / 4));
    const double unit = std::pow(10.0, std::abs(digits));
    const double rounded = digits >= 0 ? std::round(value * unit) / unit : std::round(value / unit) * unit;
    return rounded == 0 ? 0.0 : rounded;  // never -0
}

int SliderScale::positionOf(double value) const {
    if (std::isnan(value) || value <= m_minimum) return 0;
    if (value >= m_maximum) return m_last;
    double t = 0;
    switch (m_kind) {
        case Kind::logarithmic:
            t = std::log(value / m_minimum) / std::log(m_maximum / m_minimum);
            break;
        case Kind::towards_one:
            t = std::log((1 - value) / (1 - m_minimum)) / std::log((1 - m_maximum) / (1 - m_minimum));
            break;
        case Kind::linear:
            t = (value - m_minimum) / (m_maximum - m_minimum);
            break;
    }
    return int(std::lround(t * m_last));
}

double SliderScale::stepAt(double value, bool up) const {
    switch (m_kind) {
        case Kind::logarithmic:
            return std::max(decadeStep(std::clamp(value, m_minimum, m_maximum), up), m_step / 10);
        case Kind::towards_one: {
            const double distance = 1 - std::clamp(value, m_minimum, m_maximum);
            return std::clamp(decadeStep(distance, !up), std::min(m_step, 1 - m_maximum), 0.01);
        }
        case Kind::linear:
            break;
    }
    return m_step;
}

}  // namespace workbench
