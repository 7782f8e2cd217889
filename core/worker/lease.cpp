// SPDX-License-Identifier: MIT
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>

#include "core/support/counted.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/worker/lease_state.h"
#include "core/worker/limits.h"

namespace workbench::worker {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds look_interval = 100ms;  // how often a child's processor time is read

std::string seconds(std::chrono::milliseconds time) {
    const std::int64_t tenths = (time.count() + 99) / 100;
    return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " s";
}

std::string beyond_memory(const Limits& limits) {
    if (limits.memory_bytes == 0) return "needed more memory than there is";
    return "needed more memory than the " + mebibytes(limits.memory_bytes) + " that it may take";
}

std::string beyond_processor_time(const Limits& limits) {
    return "took more than the " + seconds(limits.processor_time) + " of processor time that it may take";
}

}  // namespace

Lease::State::State(WorkerPool::State& from, std::unique_ptr<Child> borrowed, std::stop_token token)
    : pool(from), m_stop(std::move(token)) {
    hold(std::move(borrowed));
}

Lease::State::~State() {
    m_on_stop.reset();
    if (under_way) pool.end(*child, Cause::killed);
    if (child->ended()) child.reset();
    pool.give_back(std::move(child));
}

void Lease::State::hold(std::unique_ptr<Child> next) {
    m_on_stop.reset();  // it writes to the child's descriptor
    child = std::move(next);
    std::uint64_t count = 0;  // left by the borrower before
    static_cast<void>(!::read(child->wake_descriptor(), &count, sizeof count));
    m_on_stop.emplace(m_stop, [wake = child->wake_descriptor()] {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(wake, &one, sizeof one));
    });
}

Outcome<void> Lease::State::replace_child() {
    pool.end(*child, Cause::replaced);
    IIR2D_TRY(auto next, pool.child(m_stop));
    hold(std::move(next));
    return {};
}

Outcome<void> Lease::State::apply(const Limits& limits) {
    m_limits = limits;
    const int process_id = child->process_id();
    const auto bytes_now = private_bytes(process_id);
    const std::uint64_t most = limits.memory_bytes == 0 ? 0 : bytes_now.value_or(0) + limits.memory_bytes;
    // A process that has just ended has no limits; its end is found at the next frame.
    if (bytes_now && !limit_private_bytes(process_id, most) && ::kill(process_id, 0) == 0)
        return end(FailureKind::could_not_start, "could not be given a limit of memory", Cause::killed);

    m_processor_time_at_limit = processor_time(process_id).value_or(0ns);
    m_last_look = Clock::now();
    // The pool looks itself, in less than whole seconds; the system's limit is for a program that is stopped.
    std::chrono::seconds last_resort{0};
    if (limits.processor_time.count() != 0)
        last_resort =
            2s + std::chrono::ceil<std::chrono::seconds>(m_processor_time_at_limit + limits.processor_time);
    limit_processor_seconds(process_id, static_cast<std::uint64_t>(last_resort.count()));
    return {};
}

Outcome<void> Lease::State::begin(Frame request, const Limits& limits) {
    if (m_stop.stop_requested()) return failed(FailureKind::cancelled, "was not needed any more");
    if (child->ended() || !child->fresh(pool.options)) {
        IIR2D_RETURN_IF_ERROR(replace_child());
    }
    for (bool again = true;; again = false) {
        child->status().cancelled = 0;
        child->status().allocation_failed = 0;
        under_way = true;
        answered = false;
        child->count_request();
        IIR2D_RETURN_IF_ERROR(apply(limits));
        child->channel().begin_write(FrameKind::request, std::move(request));
        const bool gone = child->channel().write() == Channel::Progress::closed;
        auto unsent = gone && again ? child->channel().take_back() : std::nullopt;
        if (!unsent) break;
        // A warm child that ended in this moment: the request is not at fault.
        request = std::move(*unsent);
        IIR2D_RETURN_IF_ERROR(replace_child());
    }
    {
        const std::lock_guard lock(pool.mutex);
        ++pool.statistics.requests;
    }
    return finish_writing();
}

Outcome<void> Lease::State::send(Frame frame) {
    child->channel().begin_write(FrameKind::message, std::move(frame));
    return finish_writing();
}

Outcome<void> Lease::State::finish_writing() {
    const auto since = Clock::now();
    while (child->channel().writing()) {
        const auto progress = child->channel().write();
        if (progress == Channel::Progress::closed) return died();
        if (progress == Channel::Progress::failed) return unreachable();
        if (progress == Channel::Progress::waiting) IIR2D_RETURN_IF_ERROR(wait_for(POLLOUT, since));
    }
    return {};
}

Outcome<Frame> Lease::State::receive() {
    const auto since = Clock::now();
    for (;;) {
        if (m_stop.stop_requested()) return cancel();
        IIR2D_RETURN_IF_ERROR(check_processor_time());
        Channel::Arrived arrived;
        switch (child->channel().read(arrived)) {
            case Channel::Progress::done:
                return take(std::move(arrived));
            case Channel::Progress::closed:
                return died();
            case Channel::Progress::failed:
                return unreachable();
            case Channel::Progress::broken:
                return end(FailureKind::protocol, "was ended: " + child->channel().fault(), Cause::killed);
            case Channel::Progress::waiting:
                IIR2D_RETURN_IF_ERROR(wait_for(POLLIN, since));
        }
    }
}

Outcome<Frame> Lease::State::take(Channel::Arrived arrived) {
    switch (arrived.kind) {
        case FrameKind::message:
            return std::move(arrived.frame);
        case FrameKind::answer:
            under_way = false;
            answered = true;
            return std::move(arrived.frame);
        case FrameKind::out_of_memory:
            return end(FailureKind::out_of_memory, beyond_memory(m_limits), Cause::died);
        case FrameKind::threw:
            return end(FailureKind::threw, "failed: " + one_line(arrived.frame.payload), Cause::died);
        default:
            return end(FailureKind::protocol, "was ended: it sent a frame that only the program sends",
                       Cause::killed);
    }
}

Outcome<void> Lease::State::check_processor_time() {
    const auto now = Clock::now();
    if (m_limits.processor_time.count() == 0 || now - m_last_look < look_interval) return {};
    m_last_look = now;
    const auto used = processor_time(child->process_id());
    if (!used || *used - m_processor_time_at_limit <= m_limits.processor_time) return {};
    return end(FailureKind::processor_time, beyond_processor_time(m_limits), Cause::killed);
}

Outcome<void> Lease::State::wait_for(short events, Clock::time_point since) {
    for (;;) {
        if (m_stop.stop_requested()) return cancel();
        IIR2D_RETURN_IF_ERROR(check_processor_time());
        auto patience = m_limits.processor_time.count() != 0 ? look_interval : std::chrono::milliseconds(1h);
        if (m_limits.silence.count() != 0) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(since + m_limits.silence - Clock::now());
            patience = std::clamp(left, 0ms, patience);
        }
        pollfd both[2] = {{child->channel().descriptor(), events, 0}, {child->wake_descriptor(), POLLIN, 0}};
        ::poll(both, 2, static_cast<int>(patience.count()));
        // What has arrived counts, even when this process was stopped itself until after the deadline.
        if (both[0].revents != 0) return {};
        if (m_limits.silence.count() != 0 && Clock::now() >= since + m_limits.silence)
            return end(FailureKind::silent, "gave no sign of life for " + seconds(m_limits.silence),
                       Cause::killed);
    }
}

std::unexpected<Failure> Lease::State::cancel() {
    constexpr const char* what = "was stopped";
    // Waiting for an answer pays only where it keeps a warm child.
    if (!child->serves_again(pool.options)) return end(FailureKind::cancelled, what, Cause::killed);
    child->status().cancelled = 1;
    // For a child that waits for a frame. No harm when it cannot be written: then the child is killed.
    Channel& channel = child->channel();
    if (!channel.writing()) channel.begin_write(FrameKind::cancel, {});
    channel.write();
    const auto deadline = Clock::now() + pool.options.cancel_grace;
    Channel::Arrived arrived;
    while (Clock::now() < deadline && channel.read_now(arrived, deadline) == Channel::Progress::done) {
        if (arrived.kind == FrameKind::message) continue;
        if (arrived.kind != FrameKind::answer || channel.writing()) break;
        under_way = false;
        return failed(FailureKind::cancelled, what);
    }
    return end(FailureKind::cancelled, what, Cause::killed);
}

std::unexpected<Failure> Lease::State::end(FailureKind kind, std::string what, Cause cause) {
    pool.end(*child, cause);
    under_way = false;
    Failure failure{.kind = kind, .what = std::move(what)};
    failure.output = child->server().output();
    return std::unexpected(std::move(failure));
}

std::unexpected<Failure> Lease::State::unreachable() {
    return end(FailureKind::unreachable, "could not be reached: " + child->channel().fault(), Cause::killed);
}

std::unexpected<Failure> Lease::State::died() {
    const bool out_of_memory = child->status().allocation_failed != 0;
    const auto how = pool.end(*child, Cause::died);
    under_way = false;
    Failure failure{.kind = FailureKind::died,
                    .what = "was ended together with the process that starts workers"};
    if (how) {
        failure.what = describe_end(how->wait_status);
        if (WIFSIGNALED(how->wait_status)) failure.signal = WTERMSIG(how->wait_status);
        if (WIFEXITED(how->wait_status)) failure.exit_status = WEXITSTATUS(how->wait_status);
    }
    if (failure.signal == SIGXCPU) {
        failure.kind = FailureKind::processor_time;
        failure.what = beyond_processor_time(m_limits);
    }
    if (out_of_memory) {
        failure.kind = FailureKind::out_of_memory;
        failure.what = beyond_memory(m_limits);
    }
    failure.output = child->server().output();
    return std::unexpected(std::move(failure));
}

Lease::Lease(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Lease::~Lease() = default;
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;

Outcome<void> Lease::begin(Frame request, const Limits& limits) {
    return m_state->begin(std::move(request), limits);
}
Outcome<void> Lease::send(Frame frame) {
    return m_state->send(std::move(frame));
}
Outcome<Frame> Lease::receive() {
    return m_state->receive();
}
bool Lease::answered() const {
    return m_state->answered;
}
Outcome<void> Lease::limit(const Limits& limits) {
    return m_state->apply(limits);
}
int Lease::process_id() const {
    return m_state->child->process_id();
}

}  // namespace workbench::worker
