// SPDX-License-Identifier: MIT
// What the tests of core/worker share: a pool on the tests' worker program, and requests in one line.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/worker/payload.h"
#include "core/worker/pool.h"
#include "tests/core/worker/actions.h"
#include "tests/sanitized.h"

namespace workbench::worker::testing {

inline PoolOptions options(std::string role = "actions") {
    return {.program = IIR2D_TEST_WORKER, .role = std::move(role), .arguments = {"argument"}};
}

template <class... Values>
Frame request(Action action, Values... values) {
    PayloadWriter payload;
    (payload.put(values), ...);
    return {.type = static_cast<std::uint32_t>(action), .payload = payload.take(), .handles = {}};
}

// With the payload as it is.
inline Frame request_text(Action action, std::string payload) {
    return {.type = static_cast<std::uint32_t>(action), .payload = std::move(payload), .handles = {}};
}

// The answer of one request on this lease.
inline Outcome<std::string> ask(Lease& lease, Frame frame, const Limits& limits = {}) {
    if (auto begun = lease.begin(std::move(frame), limits); !begun) return std::unexpected(begun.error());
    for (;;) {
        auto got = lease.receive();
        if (!got) return std::unexpected(got.error());
        if (lease.answered()) return std::move(got->payload);
    }
}

inline Outcome<std::string> ask(WorkerPool& pool, Frame frame, const Limits& limits = {},
                                std::stop_token stop = {}) {
    auto lease = pool.borrow(std::move(stop));
    if (!lease) return std::unexpected(lease.error());
    return ask(*lease, std::move(frame), limits);
}

// A failure as text, for a test's message.
inline std::string words(const Outcome<std::string>& outcome) {
    return outcome ? "answer: " + *outcome : outcome.error().what + "\n" + outcome.error().output;
}

}  // namespace workbench::worker::testing
