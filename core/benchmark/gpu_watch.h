// SPDX-License-Identifier: MIT
// Samples a GPU while a case is timed on it.
#pragma once

#include <chrono>
#include <functional>

#include "core/benchmark/benchmark.h"
#include "iir2d/device.h"

namespace workbench {

// Samples on the thread that measures, when it is called: between two measurements. A sample can so never
// run beside what is timed, which a thread of its own could not promise. For one thread.
class GpuWatch {
  public:
    using Source = std::function<iir2d::DeviceState()>;
    static constexpr auto interval = std::chrono::milliseconds(100);

    explicit GpuWatch(Source source) : m_source(std::move(source)) {}

    void sample();
    void sample_when_due();  // when the last sample is `interval` old
    // Returns what was sampled. Absent, as each value of it is, with the reason where nothing was had.
    Fact<GpuStates> states() const;

  private:
    Source m_source;
    std::chrono::steady_clock::time_point m_last = {};
    int m_samples = 0;
    std::vector<double> m_clock_mhz, m_temperature_c, m_power_w;
    std::optional<std::uint64_t> m_throttle_reasons;
    std::string m_reason;  // why a value is missing
};

}  // namespace workbench
