// SPDX-License-Identifier: MIT
#include "core/benchmark/gpu_watch.h"

#include <ranges>

#include "core/support/listed.h"

namespace workbench {

void GpuWatch::sample() {
    const iir2d::DeviceState state = m_source();
    m_last = std::chrono::steady_clock::now();
    ++m_samples;
    if (state.sm_clock_mhz) m_clock_mhz.push_back(*state.sm_clock_mhz);
    if (state.temperature_c) m_temperature_c.push_back(*state.temperature_c);
    if (state.power_w) m_power_w.push_back(*state.power_w);
    if (state.throttle_reasons) m_throttle_reasons = m_throttle_reasons.value_or(0) | *state.throttle_reasons;
    if (!state.reason.empty()) m_reason = state.reason;
}

Fact<GpuStates> GpuWatch::states() const {
    const auto course = [this](const std::vector<double>& samples) {
        return samples.empty() ? Fact<GpuCourse>::absent(m_reason) : Fact(course_of(samples));
    };
    GpuStates states{.samples = m_samples,
                     .sm_clock_mhz = course(m_clock_mhz),
                     .temperature_c = course(m_temperature_c),
                     .power_w = course(m_power_w),
                     .throttle_reasons = {m_throttle_reasons, m_throttle_reasons ? "" : m_reason}};
    if (states.sm_clock_mhz || states.temperature_c || states.power_w || states.throttle_reasons)
        return states;
    return Fact<GpuStates>::absent(m_reason);
}

void GpuWatch::sample_when_due() {
    if (std::chrono::steady_clock::now() - m_last >= interval) sample();
}

bool is_throttling(std::string_view word) {
    return word != "idle";
}

std::string throttled_by(const CaseResult& result) {
    if (!result.gpu) return {};
    const auto words = iir2d::throttle_words(result.gpu->throttle_reasons.value_or(0));
    return joined(words | std::views::filter(is_throttling), ", ");
}

}  // namespace workbench
