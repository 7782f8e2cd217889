// SPDX-License-Identifier: MIT
#include "core/worker/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "core/support/text.h"
#include "core/worker/payload.h"
#include "core/worker/protocol.h"
#include "core/worker/spawn_plan.h"

namespace workbench::worker {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kept_output = 4096;
// A server only forks and waits for children that were killed: longer than this, it hangs.
constexpr auto call_patience = 10s;

std::string words_of(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "segmentation fault";
        case SIGABRT:
            return "aborted";
        case SIGBUS:
            return "bus error";
        case SIGFPE:
            return "arithmetic fault";
        case SIGILL:
            return "illegal instruction";
        case SIGKILL:
            return "killed";
        case SIGSYS:
            return "forbidden system call";
        case SIGXCPU:
            return "processor time used up";
        case SIGTERM:
            return "asked to end";
        default:
            return "";
    }
}

}  // namespace

std::string describe_end(int wait_status) {
    if (WIFEXITED(wait_status))
        return "ended by itself with exit code " + std::to_string(WEXITSTATUS(wait_status));
    const int signal = WTERMSIG(wait_status);
    const std::string words = words_of(signal);
    const std::string number = "signal " + std::to_string(signal);
    if (signal == SIGKILL || signal == SIGTERM)
        return "was ended from outside (" + number + ", " + words + ")";
    return "crashed (" + number + (words.empty() ? "" : ", " + words) + ")";
}

Outcome<std::shared_ptr<ForkServer>> ForkServer::spawn(const std::filesystem::path& program,
                                                       const std::string& role,
                                                       const std::vector<std::string>& arguments) {
    const auto refused = [&](int code) {
        return failed(FailureKind::could_not_start,
                      "could not be started: " + printable_utf8(utf8_path(program)) + ": " +
                          std::generic_category().message(code));
    };
    auto sockets = connected_sockets();
    if (!sockets) return refused(errno);
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return refused(errno);
    FileHandle output(ends[0]);
    const FileHandle output_end(ends[1]);
    // Numbers above those that the new process gets.
    constexpr int least = connection_descriptor + 1;
    const FileHandle their_socket = FileHandle::duplicate(sockets->second.get(), least);
    const FileHandle their_output = FileHandle::duplicate(output_end.get(), least);
    if (!their_socket || !their_output) return refused(errno);

    SpawnPlan plan;
    plan.open(0, "/dev/null", O_RDONLY);
    plan.pass(their_output.get(), 1);
    plan.pass(their_output.get(), 2);
    plan.pass(their_socket.get(), connection_descriptor);
    plan.close_from(connection_descriptor + 1);
    std::vector<std::string> words{program.string(), role};
    words.insert(words.end(), arguments.begin(), arguments.end());
    int process_id = -1;
    if (const int code = plan.run(process_id, std::move(words)); code != 0) return refused(code);
    return std::shared_ptr<ForkServer>(
        new ForkServer(std::move(sockets->first), std::move(output), process_id));
}

ForkServer::ForkServer(FileHandle connection, FileHandle output, int process_id)
    : m_channel(std::move(connection), default_frame_limit, Channel::Handles::refused),
      m_process_id(process_id),
      m_output_pipe(std::move(output)) {}

ForkServer::~ForkServer() {
    if (m_collected) return;
    // One that is still preparing has no children and takes no frames.
    if (!m_gone && m_hello) {
        // It ends its children and collects them, so that none is left for others to collect.
        static_cast<void>(m_channel.write_now(
            FrameKind::request,
            {.type = static_cast<std::uint32_t>(ServerCall::end), .payload = {}, .handles = {}},
            Channel::Clock::now() + 100ms));
        if (collect(2s)) return;
    }
    ::kill(m_process_id, SIGKILL);
    collect(2s);
}

// Waits for the server's own end. Nothing when it still runs.
std::optional<int> ForkServer::collect(std::chrono::milliseconds patience) {
    const auto deadline = Channel::Clock::now() + patience;
    for (auto pause = 100us;; pause = std::min<std::chrono::microseconds>(pause * 2, 10ms)) {
        int status = 0;
        const pid_t ended = ::waitpid(m_process_id, &status, WNOHANG);
        if (ended == m_process_id || (ended < 0 && errno == ECHILD)) {
            m_collected = true;
            return ended < 0 ? 0 : status;
        }
        if (Channel::Clock::now() >= deadline) return std::nullopt;
        std::this_thread::sleep_for(pause);
    }
}

// Called with the mutex of the connection held.
std::unexpected<Failure> ForkServer::lost(std::string doing) {
    m_gone = true;
    if (!m_collected) {
        // Its own end comes just after that of its connection; whoever only closed that is ended.
        auto status = collect(50ms);
        if (!status) {
            ::kill(m_process_id, SIGKILL);
            status = collect(2s);
        }
        if (status) doing += ": its process " + describe_end(*status);
    }
    Failure failure{.kind = FailureKind::could_not_start, .what = std::move(doing)};
    failure.output = output();
    return std::unexpected(std::move(failure));
}

Outcome<void> ForkServer::read_hello(const Channel::Arrived& arrived) {
    PayloadReader reader(arrived.frame.payload);
    const auto version = reader.number<std::uint32_t>();
    if (arrived.frame.type != static_cast<std::uint32_t>(ServerCall::hello) || version != protocol_version)
        return lost("could not be started: the worker program is of another build");
    const bool prepared = reader.boolean();
    const std::string error = reader.text();
    Protections protections{};
    protections.memory_limit = reader.boolean();
    protections.processor_limit = true;
    protections.system_call_filter = reader.boolean();
    protections.ends_with_program = reader.boolean();
    if (!reader.complete()) return lost("could not be started: the worker program is of another build");
    if (!prepared) {
        m_gone = true;
        ::kill(m_process_id, SIGKILL);
        collect(2s);
        Failure failure{.kind = FailureKind::could_not_start,
                        .what = "could not be started: " + one_line(error)};
        failure.output = output();
        return std::unexpected(std::move(failure));
    }
    m_start_time = std::chrono::duration_cast<std::chrono::microseconds>(Channel::Clock::now() - m_spawned);
    m_hello = protections;
    return {};
}

Outcome<Protections> ForkServer::wait_until_prepared(std::chrono::milliseconds patience,
                                                     const std::stop_token& stop) {
    // Others may wait at the same time; each looks at its own stop token between short waits.
    const auto deadline = m_spawned + patience;
    for (;;) {
        if (stop.stop_requested()) return failed(FailureKind::cancelled, "was not needed any more");
        const std::lock_guard lock(m_mutex);
        if (m_hello) return *m_hello;
        if (m_gone) return failed(FailureKind::could_not_start, "could not be started");
        Channel::Arrived arrived;
        const auto progress = m_channel.read_now(arrived, Channel::Clock::now() + 20ms);
        if (progress == Channel::Progress::done) {
            if (auto read = read_hello(arrived); !read) {
                m_hello = std::unexpected(read.error());
            }
        } else if (progress != Channel::Progress::waiting) {
            m_hello = lost("could not be started");
        } else if (Channel::Clock::now() > deadline) {
            m_hello = lost("could not be started: it was not ready after " +
                           std::to_string(patience.count() / 1000) + " s");
        }
    }
}

Outcome<std::string> ForkServer::call(std::uint32_t type, std::string payload,
                                      std::vector<FileHandle> handles) {
    const std::lock_guard lock(m_mutex);
    if (m_gone) return failed(FailureKind::could_not_start, "could not be started: its server has ended");
    const auto deadline = Channel::Clock::now() + call_patience;
    Frame frame{.type = type, .payload = std::move(payload), .handles = std::move(handles)};
    Channel::Arrived arrived;
    if (m_channel.write_now(FrameKind::request, std::move(frame), deadline) != Channel::Progress::done ||
        m_channel.read_now(arrived, deadline) != Channel::Progress::done || arrived.frame.type != type) {
        return lost("could not be started: its server has ended");
    }
    return std::move(arrived.frame.payload);
}

Outcome<int> ForkServer::fork_child(FileHandle connection, FileHandle status_page) {
    std::vector<FileHandle> handles;
    handles.push_back(std::move(connection));
    handles.push_back(std::move(status_page));
    const auto answer = call(static_cast<std::uint32_t>(ServerCall::fork_child), {}, std::move(handles));
    if (!answer) return std::unexpected(answer.error());  // not IIR2D_TRY: GCC 12 takes the moved string
    PayloadReader reader(*answer);                        // for one that is not initialised
    const auto process_id = reader.number<std::int64_t>();
    const std::string error = reader.text();
    if (!reader.complete() || process_id <= 0)
        return failed(FailureKind::could_not_start, "could not be started: " + one_line(error));
    return static_cast<int>(process_id);
}

std::optional<ChildEnd> ForkServer::end_child(int process_id) {
    if (m_gone) return std::nullopt;
    // Without effect on how it ended, when it is ending by itself.
    ::kill(process_id, SIGKILL);
    const auto answer = call(static_cast<std::uint32_t>(ServerCall::reap),
                             PayloadWriter().put(static_cast<std::int64_t>(process_id)).take());
    if (!answer) return std::nullopt;
    PayloadReader reader(*answer);
    const bool ended = reader.boolean();
    const ChildEnd end{.wait_status = reader.number<std::int32_t>(),
                       .peak_bytes = reader.number<std::uint64_t>()};
    if (!reader.complete() || !ended) return std::nullopt;
    return end;
}

std::string ForkServer::output() {
    const std::lock_guard lock(m_output_mutex);
    std::array<char, 4096> bytes{};
    // A pipe holds 64 KiB; a child that writes without end does not keep the reader here.
    for (int i = 0; i < 32; ++i) {
        const ssize_t got = ::read(m_output_pipe.get(), bytes.data(), bytes.size());
        if (got <= 0) break;
        m_output.append(bytes.data(), static_cast<std::size_t>(got));
        if (m_output.size() > kept_output) m_output.erase(0, m_output.size() - kept_output);
    }
    return m_output;
}

}  // namespace workbench::worker
