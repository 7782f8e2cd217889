// SPDX-License-Identifier: MIT
// Inside core/worker only: a borrowed child with its request, its limits and its clocks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/worker/child.h"
#include "core/worker/pool_state.h"

namespace workbench::worker {

struct Lease::State {
    State(WorkerPool::State& from, std::unique_ptr<Child> borrowed, std::stop_token token);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Outcome<void> begin(Frame request, const Limits& limits);
    Outcome<void> send(Frame frame);
    Outcome<Frame> receive();
    Outcome<void> apply(const Limits& limits);

    WorkerPool::State& pool;
    std::unique_ptr<Child> child;  // never null; ended after a Failure
    bool under_way = false;        // a request without its answer
    bool answered = false;         // the last frame was the answer

  private:
    using Clock = Channel::Clock;
    using Cause = WorkerPool::State::Cause;
    void hold(std::unique_ptr<Child> next);
    Outcome<void> replace_child();
    Outcome<void> start(FrameKind kind, Frame frame);
    Outcome<void> finish_writing();
    Outcome<Frame> take(Channel::Arrived arrived);
    // Returns when the socket is ready; a Failure when it is not worth waiting any longer.
    Outcome<void> wait_for(short events, Clock::time_point since);
    Outcome<void> check_processor_time();

    std::unexpected<Failure> cancel();  // asks the child to stop, waits a little, kills it
    std::unexpected<Failure> end(FailureKind kind, std::string what, Cause cause);
    std::unexpected<Failure> unreachable();
    std::unexpected<Failure> died();

    std::stop_token m_stop;
    std::optional<std::stop_callback<std::function<void()>>> m_on_stop;
    Limits m_limits;
    std::chrono::nanoseconds m_processor_time_at_limit{0};
    Clock::time_point m_last_look{};
};

}  // namespace workbench::worker
