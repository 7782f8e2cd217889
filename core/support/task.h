// SPDX-License-Identifier: MIT
// How a long job is watched and stopped.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace workbench {

// `progress` is called from the thread that runs the job, with a fraction in [0, 1] and what is being done.
struct TaskControl {
    std::stop_token stop = {};
    std::function<void(double fraction, std::string_view what)> progress = {};

    bool cancelled() const { return stop.stop_requested(); }
    void report(double fraction, std::string_view what) const {
        if (progress) progress(fraction, what);
    }
};

}  // namespace workbench
