// SPDX-License-Identifier: MIT
// Samples a GPU while a case is timed on it.
#pragma once

#include <chrono>
#include <functional>

#include "core/benchmark/benchmark.h"
#include "iir2d/device.h"

namespace workbench {

// On the thread that measures, and only when it is told to: between two measurements. A sample can so never
// run beside what is timed, which a thread of its own could not promise. For one thread.
class GpuWatch {
  public:
    using Source = std::function<iir2d::DeviceState()>;
    static constexpr auto interval = std::chrono::milliseconds(100);

    explicit GpuWatch(Source source) : m_source(std::move(source)) {}

    void sample();
    void sample_when_due();  // when the last sample is `interval` old
    const GpuStates& states() const { return m_states; }

  private:
    Source m_source;
    std::chrono::steady_clock::time_point m_last = {};
    GpuStates m_states;
};

}  // namespace workbench
