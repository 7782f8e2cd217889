// SPDX-License-Identifier: MIT
#include "core/worker/child_loop.h"

#include <unistd.h>

#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "core/worker/protocol.h"

namespace workbench::worker {

namespace {

// Exit codes of a child; a program sees them in the Failure.
constexpr int connection_closed = 0;
constexpr int not_protected = 70;

// No destructors: the libraries of the server, of which this is a copy, are not to be taken down twice.
[[noreturn]] void leave(int code) {
    ::_exit(code);
}

// Thrown in a handler that waits for a frame that will not come.
struct Cancelled {};

std::atomic<std::uint32_t>* allocation_failed = nullptr;

void note_and_throw() {
    allocation_failed->store(1);
    throw std::bad_alloc();
}

class ToProgram final : public Conversation {
  public:
    ToProgram(Channel& channel, const StatusPage& page) : m_channel(channel), m_page(page) {}

    void send(const Frame& frame) override { send(FrameKind::message, frame); }

    void send(FrameKind kind, const Frame& frame) {
        const std::lock_guard lock(m_sending);
        Frame copy{.type = frame.type, .payload = frame.payload, .handles = {}};
        if (m_channel.write_now(kind, std::move(copy)) != Channel::Progress::done) leave(connection_closed);
    }

    Frame receive() override {
        Channel::Arrived arrived = next();
        if (arrived.kind != FrameKind::message) throw Cancelled();
        return std::move(arrived.frame);
    }

    bool cancelled() const override { return m_page.cancelled.load(std::memory_order_relaxed) != 0; }

    Channel::Arrived next() {
        Channel::Arrived arrived;
        if (m_channel.read_now(arrived) != Channel::Progress::done) leave(connection_closed);
        return arrived;
    }

  private:
    Channel& m_channel;
    const StatusPage& m_page;
    std::mutex m_sending;
};

void serve_one(const Role& role, Frame request, ToProgram& program) {
    try {
        program.send(FrameKind::answer, role.serve(std::move(request), program));
    } catch (const Cancelled&) {
        program.send(FrameKind::answer, {});
    } catch (const std::bad_alloc&) {
        program.send(FrameKind::out_of_memory, {});
    } catch (const std::exception& error) {
        program.send(FrameKind::threw, {.type = 0, .payload = error.what(), .handles = {}});
    } catch (...) {
        program.send(FrameKind::threw,
                     {.type = 0, .payload = "an exception of an unknown type", .handles = {}});
    }
}

}  // namespace

void serve_requests(const Role& role, FileHandle connection, SharedMemory status_page,
                    const SystemCallFilter* filter) {
    auto& page = *reinterpret_cast<StatusPage*>(status_page.data());
    allocation_failed = &page.allocation_failed;
    std::set_new_handler(note_and_throw);
    if (role.begin_child) role.begin_child();
    if (filter != nullptr && !filter->install()) leave(not_protected);

    Channel channel(std::move(connection), role.frame_limit, Channel::Handles::taken);
    ToProgram program(channel, page);
    program.send(FrameKind::message, {.type = child_ready, .payload = {}, .handles = {}});
    for (;;) {
        Channel::Arrived arrived = program.next();
        // Frames of a request that has its answer already, e.g. that it is not wanted any more.
        if (arrived.kind != FrameKind::request) continue;
        serve_one(role, std::move(arrived.frame), program);
    }
}

}  // namespace workbench::worker
