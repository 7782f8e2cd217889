// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <stop_token>

#include "core/support/error.h"

namespace workbench {

// Says until when work may go on: until somebody asks to stop, or until `deadline`; by default there is none.
// Thread-safe.
struct TimeLimit {
    using Clock = std::chrono::steady_clock;

    std::stop_token stop = {};
    Clock::time_point deadline = Clock::time_point::max();

    bool has_deadline() const { return deadline != Clock::time_point::max(); }
    bool is_late() const { return has_deadline() && Clock::now() >= deadline; }
    bool is_over() const { return stop.stop_requested() || is_late(); }

    // cancelled: somebody asked; bad_input: it is late, which is the fault of what was worked on.
    Result<void> check() const {
        if (stop.stop_requested()) return fail(ErrorKind::cancelled, "cancelled");
        if (is_late()) return fail(ErrorKind::bad_input, "it took longer than it may");
        return {};
    }
};

}  // namespace workbench
