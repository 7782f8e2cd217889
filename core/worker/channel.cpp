// SPDX-License-Identifier: MIT
#include "core/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

namespace workbench::worker {

namespace {

using Progress = Channel::Progress;

// A frame's memory grows as its bytes come: a header that claims much costs nothing.
constexpr std::size_t piece = std::size_t{1} << 20;

// Space for the control message that carries the handles.
union HandleSpace {
    std::array<char, CMSG_SPACE(sizeof(int) * most_handles)> bytes;
    cmsghdr alignment;
};

std::vector<FileHandle> handles_in(const msghdr& message) {
    std::vector<FileHandle> handles;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
            handles.emplace_back(descriptor);
        }
    }
    return handles;
}

}  // namespace

std::optional<std::pair<FileHandle, FileHandle>> connected_sockets() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
    return std::pair{FileHandle(ends[0]), FileHandle(ends[1])};
}

Progress Channel::break_with(std::string fault) {
    m_fault = std::move(fault);
    m_broken = true;
    return Progress::broken;
}

Progress Channel::after_error(const char* doing) {
    switch (const int error = errno) {
        case EINTR:
        case EAGAIN:
#if EWOULDBLOCK != EAGAIN
        case EWOULDBLOCK:
#endif
            return Progress::waiting;
        case EPIPE:
        case ECONNRESET:
        case ENOTCONN:
            return Progress::closed;
        default:
            m_fault = std::string(doing) + ": " + std::generic_category().message(error);
            return Progress::failed;
    }
}

Progress Channel::read_header() {
    // One byte of the message carries the handles; the header is read by itself, so none is missed.
    iovec place{reinterpret_cast<char*>(&m_in_header) + m_in_header_bytes,
                sizeof m_in_header - m_in_header_bytes};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    HandleSpace space{};
    if (m_takes_handles) {
        message.msg_control = space.bytes.data();
        message.msg_controllen = space.bytes.size();
    }
    const ssize_t got = ::recvmsg(m_socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return after_error("a frame could not be received");
    if (got == 0) return Progress::closed;
    for (FileHandle& handle : handles_in(message)) m_in.handles.push_back(std::move(handle));
    if ((message.msg_flags & MSG_CTRUNC) != 0)
        return break_with(m_takes_handles ? "handles were lost: too many files are open"
                                          : "it passed files, which it may not");
    m_in_header_bytes += static_cast<std::size_t>(got);
    return Progress::done;
}

Progress Channel::check_header() {
    if (m_in_header.kind > static_cast<std::uint8_t>(FrameKind::cancel) || m_in_header.reserved != 0)
        return break_with("it sent bytes that are not a frame");
    if (m_in_header.handle_count != m_in.handles.size())
        return break_with("it sent another number of files than it said");
    if (m_in_header.length > m_limit)
        return break_with("it sent a frame of " + std::to_string(m_in_header.length) + " bytes, where " +
                          std::to_string(m_limit) + " are allowed");
    m_in.type = m_in_header.type;
    return Progress::done;
}

Progress Channel::read_payload() {
    const auto length = static_cast<std::size_t>(m_in_header.length);
    if (m_in.payload.size() == m_in_payload_bytes)
        m_in.payload.resize(m_in_payload_bytes + std::min(piece, length - m_in_payload_bytes));
    const ssize_t got = ::recv(m_socket.get(), m_in.payload.data() + m_in_payload_bytes,
                               m_in.payload.size() - m_in_payload_bytes, MSG_DONTWAIT);
    if (got < 0) return after_error("a frame could not be received");
    if (got == 0) return Progress::closed;
    m_in_payload_bytes += static_cast<std::size_t>(got);
    return Progress::done;
}

Progress Channel::read(Arrived& arrived) {
    if (m_broken) return Progress::broken;
    while (m_in_header_bytes < sizeof m_in_header) {
        if (const Progress progress = read_header(); progress != Progress::done) return progress;
        if (m_in_header_bytes < sizeof m_in_header) continue;
        if (const Progress progress = check_header(); progress != Progress::done) return progress;
    }
    while (m_in_payload_bytes < m_in_header.length) {
        if (const Progress progress = read_payload(); progress != Progress::done) return progress;
    }
    arrived.kind = static_cast<FrameKind>(m_in_header.kind);
    arrived.frame = std::exchange(m_in, {});
    m_in_header_bytes = 0;
    m_in_payload_bytes = 0;
    return Progress::done;
}

void Channel::begin_write(FrameKind kind, Frame frame) {
    m_out = std::move(frame);
    m_out_header = {.type = m_out.type,
                    .kind = static_cast<std::uint8_t>(kind),
                    .handle_count = static_cast<std::uint8_t>(std::min(m_out.handles.size(), most_handles)),
                    .length = m_out.payload.size()};
    m_out_header_bytes = 0;
    m_out_payload_bytes = 0;
    m_writing = true;
}

std::optional<Frame> Channel::take_back() {
    if (!m_writing || m_out_header_bytes != 0) return std::nullopt;
    m_writing = false;
    return std::exchange(m_out, {});
}

Progress Channel::write_header() {
    // The header and as much of the payload as goes with it in one call.
    iovec parts[2] = {{reinterpret_cast<char*>(&m_out_header) + m_out_header_bytes,
                       sizeof m_out_header - m_out_header_bytes},
                      {m_out.payload.data(), m_out.payload.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    HandleSpace space{};
    if (!m_out.handles.empty()) {
        const std::size_t size = sizeof(int) * m_out_header.handle_count;
        message.msg_control = space.bytes.data();
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(size);
        for (std::size_t i = 0; i < m_out_header.handle_count; ++i) {
            const int descriptor = m_out.handles[i].get();
            std::memcpy(CMSG_DATA(part) + i * sizeof(int), &descriptor, sizeof(int));
        }
    }
    const ssize_t put = ::sendmsg(m_socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return after_error("a frame could not be sent");
    m_out.handles.clear();
    const std::size_t of_header =
        std::min(static_cast<std::size_t>(put), sizeof m_out_header - m_out_header_bytes);
    m_out_header_bytes += of_header;
    m_out_payload_bytes += static_cast<std::size_t>(put) - of_header;
    return Progress::done;
}

Progress Channel::write() {
    while (m_out_header_bytes < sizeof m_out_header) {
        if (const Progress progress = write_header(); progress != Progress::done) return progress;
    }
    while (m_out_payload_bytes < m_out.payload.size()) {
        const ssize_t put = ::send(m_socket.get(), m_out.payload.data() + m_out_payload_bytes,
                                   m_out.payload.size() - m_out_payload_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0) return after_error("a frame could not be sent");
        m_out_payload_bytes += static_cast<std::size_t>(put);
    }
    m_out = {};
    m_writing = false;
    return Progress::done;
}

bool Channel::wait_for(short events, std::optional<Clock::time_point> deadline) const {
    int patience = -1;
    if (deadline) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
        if (left <= 0) return false;
        patience = static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max()));
    }
    pollfd socket{m_socket.get(), events, 0};
    return ::poll(&socket, 1, patience) != 0;
}

Progress Channel::read_now(Arrived& arrived, std::optional<Clock::time_point> deadline) {
    for (;;) {
        const Progress progress = read(arrived);
        if (progress != Progress::waiting || !wait_for(POLLIN, deadline)) return progress;
    }
}

Progress Channel::write_now(FrameKind kind, Frame frame, std::optional<Clock::time_point> deadline) {
    begin_write(kind, std::move(frame));
    for (;;) {
        const Progress progress = write();
        if (progress != Progress::waiting || !wait_for(POLLOUT, deadline)) return progress;
    }
}

}  // namespace workbench::worker
