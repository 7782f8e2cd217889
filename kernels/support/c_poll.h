// SPDX-License-Identifier: MIT
// A caller's poll function as the control of a run.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "kernels/support/denormals.h"

namespace iir2d::support {

// Calls the function once before the run and then every few milliseconds; where it asks to stop, the run's
// stop token does, and the run is cancelled even if nothing was left to do. It must outlive the run. The
// function computes as its caller does, with subnormal numbers although the run flushes them.
class Poll {
  public:
    using Function = int (*)(void* user, double fraction);

    Poll(Function function, void* user)
        : m_function(function),
          m_user(user),
          m_stop(function != nullptr ? std::stop_source() : std::stop_source(std::nostopstate)) {}
    Poll(const Poll&) = delete;
    Poll& operator=(const Poll&) = delete;

    // Calls run(control), unless the function asks to stop before.
    template <class RunIt>
    Result<void> during(const char* subject, const RunIt& run) {
        RunControl control;
        if (m_function == nullptr) return run(control);
        ask(0.0);
        if (m_stop.stop_requested()) return cancelled(subject, " was cancelled before it began");
        control.stop = m_stop.get_token();
        control.progress = [this](double fraction) {
            if (std::chrono::steady_clock::now() - m_asked >= interval && !m_stop.stop_requested())
                ask(fraction);
        };
        const Result<void> done = run(control);
        return done && m_stop.stop_requested() ? cancelled(subject, " was cancelled") : done;
    }

  private:
    static constexpr std::chrono::milliseconds interval{2};

    static Result<void> cancelled(const char* subject, const char* predicate) {
        return std::unexpected(Error{ErrorCode::cancelled, std::string(subject) + predicate});
    }

    void ask(double fraction) {
        const ScopedFloatControl as_caller(m_control);
        if (m_function(m_user, fraction) != 0) m_stop.request_stop();
        m_asked = std::chrono::steady_clock::now();
    }

    Function m_function;
    void* m_user;
    FloatControl m_control = float_control();
    std::stop_source m_stop;
    std::chrono::steady_clock::time_point m_asked;
};

}  // namespace iir2d::support
