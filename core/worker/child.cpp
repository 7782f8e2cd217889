// SPDX-License-Identifier: MIT
#include "core/worker/child.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/support/try.h"
#include "core/worker/limits.h"

namespace workbench::worker {

using namespace std::chrono_literals;

Child::Child(std::shared_ptr<ForkServer> server, FileHandle connection, SharedMemory page, FileHandle wake,
             std::size_t frame_limit)
    : m_server(std::move(server)),
      m_channel(std::move(connection), frame_limit, Channel::Handles::refused),
      m_page(std::move(page)),
      m_wake(std::move(wake)) {}

Child::~Child() {
    end();
}

Outcome<std::unique_ptr<Child>> Child::fork(std::shared_ptr<ForkServer> server, const PoolOptions& options,
                                            const std::stop_token& stop) {
    const auto refused = [](const std::string& why) {
        return failed(FailureKind::could_not_start, "could not be started: " + why);
    };
    auto page = SharedMemory::create(sizeof(StatusPage));
    if (!page) return refused(page.error().message);
    auto their_page = page->share();
    if (!their_page) return refused(their_page.error().message);
    page->close_handle();
    FileHandle wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    auto sockets = connected_sockets();
    if (!wake || !sockets) return refused(std::generic_category().message(errno));

    std::unique_ptr<Child> child(new Child(std::move(server), std::move(sockets->first), std::move(*page),
                                           std::move(wake), options.frame_limit));
    IIR2D_TRY(const auto process_id,
              child->m_server->fork_child(std::move(sockets->second), std::move(*their_page)));
    child->m_process_id = process_id;
    IIR2D_RETURN_IF_ERROR(child->wait_until_ready(options, stop));
    child->m_bytes_at_start = private_bytes(process_id).value_or(0);
    return child;
}

Outcome<void> Child::wait_until_ready(const PoolOptions& options, const std::stop_token& stop) {
    const auto deadline = Channel::Clock::now() + options.start_patience;
    Channel::Arrived arrived;
    for (;;) {
        const auto progress = m_channel.read_now(arrived, Channel::Clock::now() + 20ms);
        if (progress == Channel::Progress::done && arrived.frame.type == child_ready) return {};
        if (progress != Channel::Progress::waiting) break;
        if (stop.stop_requested()) return failed(FailureKind::cancelled, "was not needed any more");
        if (Channel::Clock::now() > deadline)
            return failed(FailureKind::could_not_start,
                          "could not be started: it was not ready after " +
                              std::to_string(options.start_patience.count() / 1000) + " s");
    }
    std::string what = "could not be started";
    if (const auto end = this->end()) what += ": its process " + describe_end(end->wait_status);
    Failure failure{.kind = FailureKind::could_not_start, .what = std::move(what)};
    failure.output = m_server->output();
    return std::unexpected(std::move(failure));
}

bool Child::serves_again(const PoolOptions& options) const {
    return options.most_requests == 0 || m_requests < options.most_requests;
}

bool Child::fresh(const PoolOptions& options) const {
    if (m_ended || m_server->gone() || !serves_again(options)) return false;
    // Between requests a child says nothing: bytes are a fault, and the end of the connection is its own.
    pollfd socket{m_channel.descriptor(), POLLIN, 0};
    if (::poll(&socket, 1, 0) != 0) return false;
    const auto bytes = private_bytes(m_process_id);
    return bytes && *bytes <= m_bytes_at_start + options.most_kept_bytes;
}

std::optional<ChildEnd> Child::end() {
    if (m_ended || m_process_id < 0) return std::nullopt;
    m_ended = true;
    return m_server->end_child(m_process_id);
}

}  // namespace workbench::worker
