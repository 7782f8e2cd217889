// SPDX-License-Identifier: MIT
#include "core/worker/pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/support/try.h"
#include "core/worker/lease_state.h"
#include "core/worker/pool_state.h"
#include "core/worker/program.h"

namespace workbench::worker {

namespace {

PoolOptions completed(PoolOptions options) {
    if (options.program.empty()) options.program = find_worker_program();
    return options;
}

}  // namespace

WorkerPool::State::State(PoolOptions chosen)
    : options(completed(std::move(chosen))),
      most_sessions(options.most_sessions != 0 ? options.most_sessions
                                               : std::max(1U, std::thread::hardware_concurrency())) {}

Outcome<std::shared_ptr<ForkServer>> WorkerPool::State::prepared_server(const std::stop_token& stop,
                                                                        Protections* protections) {
    std::shared_ptr<ForkServer> chosen;
    bool started = false;
    {
        const std::lock_guard lock(mutex);
        if (server == nullptr || server->gone()) {
            IIR2D_TRY(auto spawned, ForkServer::spawn(options.program, options.role, options.arguments));
            server = std::move(spawned);
            started = true;
            ++statistics.servers_started;
        }
        chosen = server;
    }
    IIR2D_TRY(const auto prepared, chosen->wait_until_prepared(options.start_patience, stop));
    if (protections != nullptr) *protections = prepared;
    if (started) {
        const std::lock_guard lock(mutex);
        statistics.last_start = chosen->start_time();
    }
    return chosen;
}

Outcome<std::unique_ptr<Child>> WorkerPool::State::child(const std::stop_token& stop) {
    for (;;) {
        std::unique_ptr<Child> warm;
        {
            const std::lock_guard lock(mutex);
            if (idle.empty()) break;
            warm = std::move(idle.back());
            idle.pop_back();
        }
        if (warm->fresh(options)) return warm;
        end(*warm, Cause::replaced);
    }
    // A server can end at any time, even between being prepared and being asked; twice in a row is a fault.
    for (bool again = true;; again = false) {
        IIR2D_TRY(auto prepared, prepared_server(stop, nullptr));
        const auto begin = Channel::Clock::now();
        auto forked = Child::fork(prepared, options, stop);
        if (!forked && again && forked.error().kind == FailureKind::could_not_start && prepared->gone())
            continue;
        if (forked) {
            const std::lock_guard lock(mutex);
            ++statistics.children_forked;
            statistics.last_fork =
                std::chrono::duration_cast<std::chrono::microseconds>(Channel::Clock::now() - begin);
        }
        return forked;
    }
}

void WorkerPool::State::give_back(std::unique_ptr<Child> child) {
    if (child != nullptr && !child->fresh(options)) {
        end(*child, Cause::replaced);
        child.reset();
    }
    {
        const std::lock_guard lock(mutex);
        --borrowed;
        if (child != nullptr) idle.push_back(std::move(child));
    }
    one_less.notify_one();
}

std::optional<ChildEnd> WorkerPool::State::end(Child& child, Cause cause) {
    if (child.ended()) return std::nullopt;
    const auto how = child.end();
    const std::lock_guard lock(mutex);
    if (cause == Cause::died) ++statistics.children_died;
    if (cause == Cause::killed) ++statistics.children_killed;
    if (how) statistics.peak_child_bytes = std::max(statistics.peak_child_bytes, how->peak_bytes);
    return how;
}

WorkerPool::WorkerPool(PoolOptions options) : m_state(std::make_unique<State>(std::move(options))) {}

WorkerPool::~WorkerPool() = default;

Outcome<Lease> WorkerPool::borrow(std::stop_token stop) {
    {
        std::unique_lock lock(m_state->mutex);
        const bool free =
            m_state->one_less.wait(lock, stop, [this] { return m_state->borrowed < m_state->most_sessions; });
        if (!free || stop.stop_requested()) return failed(FailureKind::cancelled, "was not needed any more");
        ++m_state->borrowed;
    }
    auto child = m_state->child(stop);
    if (!child) {
        m_state->give_back(nullptr);
        return std::unexpected(child.error());
    }
    return Lease(std::make_unique<Lease::State>(*m_state, std::move(*child), std::move(stop)));
}

Outcome<Protections> WorkerPool::start(const std::stop_token& stop) {
    Protections protections;
    IIR2D_RETURN_IF_ERROR(m_state->prepared_server(stop, &protections));
    return protections;
}

PoolStatistics WorkerPool::statistics() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->statistics;
}

}  // namespace workbench::worker
