// SPDX-License-Identifier: MIT
// The fork server: prepares a role, then forks children as the program asks, and tells how they ended. It has
// one thread and never runs what a request brings.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "core/worker/channel.h"
#include "core/worker/child_loop.h"
#include "core/worker/payload.h"
#include "core/worker/protocol.h"
#include "core/worker/serve.h"
#include "core/worker/shared_memory.h"
#include "core/worker/system_calls.h"

namespace workbench::worker {

namespace {

constexpr int exit_bad_argument = 2;
constexpr int exit_lost = 1;

bool is_socket(int descriptor) {
    struct stat facts {};
    return ::fstat(descriptor, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

// Before memory gets so short that the system ends somebody, it is to be a worker, not the program.
void offer_to_be_ended_first() {
    if (std::FILE* file = std::fopen("/proc/self/oom_score_adj", "w")) {
        std::fputs("1000", file);
        std::fclose(file);
    }
}

void write_no_core_files() {
    // 1 byte: too small for a core file, and the size at which a program that collects them is not started.
    rlimit limits{1, 1};
    ::setrlimit(RLIMIT_CORE, &limits);
}

class Server {
  public:
    Server(const Role& role, FileHandle connection)
        : m_role(role), m_channel(std::move(connection), default_frame_limit, Channel::Handles::taken) {
        ::sigemptyset(&m_child_signal);
        ::sigaddset(&m_child_signal, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &m_child_signal, nullptr);
    }

    void prepare(std::span<const std::string> arguments) {
        std::string error;
        try {
            if (m_role.prepare) {
                if (auto prepared = m_role.prepare(arguments); !prepared) error = prepared.error().message;
            }
        } catch (const std::exception& thrown) {
            error = thrown.what();
        }
        if (auto filter = SystemCallFilter::make()) m_filter = std::move(*filter);
        if (m_filter && !filter_works()) m_filter.reset();
        PayloadWriter hello;
        hello.put(protocol_version).put(std::uint8_t{error.empty()}).put(error);
        hello.put(std::uint8_t{1}).put(std::uint8_t{m_filter.has_value()}).put(std::uint8_t{1});
        answer(ServerCall::hello, hello.take());
    }

    void run() {
        Channel::Arrived arrived;
        while (m_channel.read_now(arrived) == Channel::Progress::done) {
            switch (static_cast<ServerCall>(arrived.frame.type)) {
                case ServerCall::fork_child:
                    fork_child(std::move(arrived.frame));
                    break;
                case ServerCall::reap:
                    reap(arrived.frame);
                    break;
                default:
                    return;
            }
        }
    }

    // For the end: nobody else would collect the children where the system's first process does not.
    void end_children() {
        for (const pid_t child : m_children) ::kill(child, SIGKILL);
        for (const pid_t child : m_children) static_cast<void>(wait_for(child, std::chrono::seconds(1)));
    }

  private:
    void answer(ServerCall call, std::string payload) {
        Frame frame{.type = static_cast<std::uint32_t>(call), .payload = std::move(payload), .handles = {}};
        static_cast<void>(m_channel.write_now(FrameKind::answer, std::move(frame)));
    }

    void answer_fork(std::int64_t process_id, const std::string& error) {
        answer(ServerCall::fork_child, PayloadWriter().put(process_id).put(error).take());
    }

    void fork_child(Frame request) {
        if (request.handles.size() != 2) return answer_fork(-1, "its connection is missing");
        std::erase_if(m_late, [](pid_t late) { return ::waitpid(late, nullptr, WNOHANG) == late; });
        const pid_t server = ::getpid();
        const pid_t child = ::fork();
        if (child < 0) return answer_fork(-1, std::generic_category().message(errno));
        if (child > 0) {
            m_children.push_back(child);
            request.handles.clear();
            return answer_fork(child, "");
        }
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != server) ::_exit(exit_lost);  // it ended before that was asked for
        ::sigprocmask(SIG_UNBLOCK, &m_child_signal, nullptr);
        // The end of the program is seen when the server closes its end; nobody else may hold it.
        { const Channel closed = std::move(m_channel); }
        auto page = SharedMemory::map(std::move(request.handles[1]), sizeof(StatusPage));
        if (!page) ::_exit(exit_lost);
        serve_requests(m_role, std::move(request.handles[0]), std::move(*page),
                       m_filter ? &*m_filter : nullptr);
    }

    struct End {
        int status = 0;
        rusage usage{};
    };
    // For a child that was killed. It may take long in the system, e.g. at a drive that is gone.
    std::optional<End> wait_for(pid_t child, std::chrono::milliseconds patience) {
        const auto deadline = Channel::Clock::now() + patience;
        for (;;) {
            End end;
            const pid_t ended = ::wait4(child, &end.status, WNOHANG, &end.usage);
            if (ended == child) return end;
            const auto left =
                std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Channel::Clock::now());
            if (ended < 0 || left.count() <= 0) return std::nullopt;
            // Woken by the end of any child, also of one that was collected before.
            const timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
            ::sigtimedwait(&m_child_signal, nullptr, &time);
        }
    }

    void reap(const Frame& request) {
        PayloadReader reader(request.payload);
        const auto child = static_cast<pid_t>(reader.number<std::int64_t>());
        std::optional<End> end;
        if (const auto found = std::ranges::find(m_children, child); found != m_children.end()) {
            end = wait_for(child, std::chrono::seconds(1));
            // The program asks once; one that did not end yet is collected later.
            if (!end) m_late.push_back(child);
            m_children.erase(found);
        }
        PayloadWriter payload;
        payload.put(std::uint8_t{end.has_value()}).put(std::int32_t{end ? end->status : 0});
        payload.put(end ? static_cast<std::uint64_t>(end->usage.ru_maxrss) * 1024 : std::uint64_t{0});
        answer(ServerCall::reap, payload.take());
    }

    // Tried in a child, because it cannot be taken off again: some systems have no filters.
    bool filter_works() {
        const pid_t child = ::fork();
        if (child < 0) return false;
        if (child == 0) ::_exit(m_filter->install() ? 0 : 1);
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

    const Role& m_role;
    Channel m_channel;
    sigset_t m_child_signal{};
    std::optional<SystemCallFilter> m_filter;
    std::vector<pid_t> m_children;
    std::vector<pid_t> m_late;  // killed, but not ended in time
};

}  // namespace

int run_worker(std::span<const Role> roles, int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const auto role = std::ranges::find(roles, words.empty() ? std::string() : words.front(), &Role::name);
    if (role == roles.end() || !is_socket(connection_descriptor)) {
        std::fputs("iir2d: error: a worker is started by the programs, not by hand\n", stderr);
        return exit_bad_argument;
    }
    write_no_core_files();
    offer_to_be_ended_first();
    Server server(*role, FileHandle(connection_descriptor));
    server.prepare(std::span(words).subspan(1));
    server.run();
    server.end_children();
    // The role's libraries are not taken down: nothing of theirs outlives the process anyway.
    ::_exit(0);
}

}  // namespace workbench::worker
