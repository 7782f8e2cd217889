// SPDX-License-Identifier: MIT
#include "core/compile/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/compile/wire.h"
#include "core/support/text.h"
#include "core/worker/fork_server.h"
#include "core/worker/program.h"
#include "core/worker/spawn_plan.h"

namespace workbench::compile {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto between_looks = std::chrono::milliseconds(20);
constexpr int first_beyond_standard = 3;

std::unexpected<Error> not_started(const std::string& why) {
    return fail(ErrorKind::device_failure, "the compiler process could not be started: " + why);
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start() {
    const std::string program = worker::find_worker_program("iir2d-compiler").string();
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return not_started(std::generic_category().message(errno));
    FileHandle own(ends[0]);
    const FileHandle first(ends[1]);
    // Its number must be none of those that it becomes.
    const FileHandle theirs = FileHandle::duplicate(first.get(), first_beyond_standard);
    if (!theirs || ::fcntl(own.get(), F_SETFL, O_NONBLOCK) != 0)
        return not_started(std::generic_category().message(errno));
    SpawnPlan plan;
    plan.pass(theirs.get(), 0);
    plan.pass(theirs.get(), 1);
    plan.open(2, "/dev/null", O_WRONLY);
    plan.close_from(first_beyond_standard);
    int process = -1;
    if (const int code = plan.run(process, {program}); code != 0)
        return not_started(printable_utf8(program) + ": " + std::generic_category().message(code));
    return std::unique_ptr<Process>(new Process(std::move(own), process));
}

Process::~Process() {
    end();
}

std::string Process::end() {
    if (m_process_id < 0) return "has ended";
    int status = 0;
    // One that ended by itself is asked first: being killed is not how it ended.
    const auto deadline = Clock::now() + std::chrono::milliseconds(m_connection ? 0 : 500);
    pid_t ended = 0;
    while ((ended = ::waitpid(m_process_id, &status, WNOHANG)) == 0 && Clock::now() < deadline)
        ::poll(nullptr, 0, 1);
    if (ended != m_process_id) {
        ::kill(-m_process_id, SIGKILL);
        while (::waitpid(m_process_id, &status, 0) < 0 && errno == EINTR) continue;
    }
    m_process_id = -1;
    m_connection.close();
    return worker::describe_end(status);
}

std::expected<std::string, NoAnswer> Process::ask(const std::string& message,
                                                  std::chrono::milliseconds patience,
                                                  const std::stop_token& stop) {
    const auto deadline = Clock::now() + patience;
    const auto lost = [&] {
        m_connection.close();
        return std::unexpected(NoAnswer{NoAnswer::Why::died, end()});
    };
    std::size_t sent = 0;
    std::string answer;
    std::optional<std::size_t> wanted;
    std::array<char, std::size_t{1} << 16> block{};
    while (m_connection) {
        pollfd socket{m_connection.get(),
                      static_cast<short>(sent < message.size() ? POLLIN | POLLOUT : POLLIN), 0};
        ::poll(&socket, 1, static_cast<int>(between_looks.count()));
        if (stop.stop_requested()) {
            end();
            return std::unexpected(NoAnswer{NoAnswer::Why::cancelled, "is not needed any more"});
        }
        if (Clock::now() > deadline) {
            end();
            return std::unexpected(NoAnswer{
                NoAnswer::Why::late, "took more than " + std::to_string(patience.count() / 1000) + " s"});
        }
        if ((socket.revents & POLLOUT) != 0 && sent < message.size()) {
            const ssize_t count =
                ::send(m_connection.get(), message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
            if (count < 0 && errno != EAGAIN && errno != EINTR) return lost();
            sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        }
        if ((socket.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
        const ssize_t count = ::recv(m_connection.get(), block.data(), block.size(), 0);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (count <= 0) return lost();
        answer.append(block.data(), static_cast<std::size_t>(count));
        if (!wanted && answer.size() >= length_bytes) {
            const auto length = length_of(std::span<const char, length_bytes>(answer.data(), length_bytes));
            if (!length) return lost();
            wanted = length_bytes + static_cast<std::size_t>(*length);
            answer.reserve(*wanted);
        }
        if (wanted && answer.size() > *wanted) return lost();  // nothing was asked that it answers
        if (wanted && answer.size() == *wanted) {
            answer.erase(0, length_bytes);
            return answer;
        }
    }
    return lost();
}

}  // namespace workbench::compile
