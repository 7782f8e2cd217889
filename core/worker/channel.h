// SPDX-License-Identifier: MIT
// Inside core/worker only: frames over a socket. Reading and writing do not wait; the caller does, for the
// socket and whatever else it waits for.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/worker/frame.h"

namespace workbench::worker {

enum class FrameKind : std::uint8_t {
    message = 0,        // either way, within a request
    request = 1,        // program to worker
    answer = 2,         // worker to program; ends the request, like the next two
    out_of_memory = 3,  // the payload is a text
    threw = 4,          // the payload is a text
    cancel = 5,         // program to worker: no answer is wanted
};

// For one reader and one writer at a time. read() and write() never block.
class Channel {
  public:
    enum class Handles { taken, refused };  // whether the other side may pass any

    Channel(FileHandle socket, std::size_t frame_limit, Handles handles)
        : m_socket(std::move(socket)), m_limit(frame_limit), m_takes_handles(handles == Handles::taken) {}

    enum class Progress {
        done,
        waiting,  // for the socket; call again when it is ready
        closed,   // the other side is gone
        broken,   // it sent what no build of this sends; fault() says what
        failed,   // the system refused for another reason, e.g. want of memory; fault() says which
    };

    struct Arrived {
        FrameKind kind = FrameKind::message;
        Frame frame;
    };
    // Reads what has come. done: a whole frame is in `arrived`.
    Progress read(Arrived& arrived);

    // Begins a frame; write() until done. Precondition: the one before is done.
    void begin_write(FrameKind kind, Frame frame);
    Progress write();
    bool writing() const { return m_writing; }
    // Returns a frame of which nothing was written, because the other side was gone.
    std::optional<Frame> take_back();

    // Both wait as long as it takes, or return `waiting` at the deadline.
    using Clock = std::chrono::steady_clock;
    Progress read_now(Arrived& arrived, std::optional<Clock::time_point> deadline = {});
    Progress write_now(FrameKind kind, Frame frame, std::optional<Clock::time_point> deadline = {});

    int descriptor() const { return m_socket.get(); }
    const std::string& fault() const { return m_fault; }

  private:
    struct Header {
        std::uint32_t type = 0;
        std::uint8_t kind = 0;
        std::uint8_t handle_count = 0;
        std::uint16_t reserved = 0;
        std::uint64_t length = 0;
    };
    static_assert(sizeof(Header) == 16);

    Progress read_header();
    Progress check_header();
    Progress read_payload();
    Progress write_header();
    bool wait_for(short events, std::optional<Clock::time_point> deadline) const;
    Progress after_error(const char* doing);
    Progress break_with(std::string fault);

    FileHandle m_socket;
    std::size_t m_limit;
    bool m_takes_handles;
    std::string m_fault;
    bool m_broken = false;

    Header m_in_header;
    std::size_t m_in_header_bytes = 0;
    std::size_t m_in_payload_bytes = 0;
    Frame m_in;

    Header m_out_header;
    std::size_t m_out_header_bytes = 0;
    std::size_t m_out_payload_bytes = 0;
    Frame m_out;
    bool m_writing = false;
};

// Two connected ends, closed on exec.
std::optional<std::pair<FileHandle, FileHandle>> connected_sockets();

}  // namespace workbench::worker
