// SPDX-License-Identifier: MIT
#include "core/benchmark/gpu_watch.h"

namespace workbench {

void GpuWatch::sample() {
    const iir2d::DeviceState state = m_source();
    m_last = std::chrono::steady_clock::now();
    ++m_states.samples;
    if (state.sm_clock_mhz) m_states.sm_clock_mhz.push_back(*state.sm_clock_mhz);
    if (state.temperature_c) m_states.temperature_c.push_back(*state.temperature_c);
    if (state.power_w) m_states.power_w.push_back(*state.power_w);
    if (state.throttle_reasons)
        m_states.throttle_reasons = m_states.throttle_reasons.value_or(0) | *state.throttle_reasons;
    if (!state.reason.empty()) m_states.reason = state.reason;
}

void GpuWatch::sample_when_due() {
    if (std::chrono::steady_clock::now() - m_last >= interval) sample();
}

bool is_throttling(std::string_view word) {
    return word != "idle";
}

std::string throttled_by(const CaseResult& result) {
    std::string text;
    if (!result.gpu) return text;
    for (const std::string& word : iir2d::throttle_words(result.gpu->throttle_reasons.value_or(0))) {
        if (is_throttling(word)) text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

}  // namespace workbench
