// SPDX-License-Identifier: MIT
#include "core/duel/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "core/support/counted.h"
#include "core/support/file_handle.h"
#include "core/support/memory.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/worker/fork_server.h"
#include "core/worker/program.h"
#include "core/worker/spawn_plan.h"

namespace workbench::duel {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto between_looks = std::chrono::milliseconds(20);

std::unexpected<LaunchError> launch_error(Participant who, std::string what) {
    return std::unexpected(LaunchError{.who = who, .what = std::move(what)});
}

std::size_t rounded_up(std::size_t bytes) {
    return (bytes + plane_step - 1) / plane_step * plane_step;
}

// Ends a participant with whatever its library started: all of its group, while its number is still its own.
// Returns how it ended.
int end_group(int& process) {
    ::kill(-process, SIGKILL);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    process = -1;
    return status;
}

template <std::size_t size>
std::string text_in(const char (&text)[size]) {
    return {text, ::strnlen(text, size)};
}

}  // namespace

Page& Launch::page_of(Participant who) const {
    auto* first = const_cast<std::byte*>(m_memory.data());
    return *reinterpret_cast<Page*>(first + static_cast<std::size_t>(who) * page_bytes);
}

LaunchResult<void> Launch::place(const PreparedCase& prepared) {
    m_call = prepared.call;
    std::size_t end = participant_count * page_bytes;
    const auto take = [&](std::size_t bytes) -> std::uint64_t {
        const std::size_t at = end + static_cast<std::size_t>(m_plan.alignment);
        end = rounded_up(at + bytes);
        return at;
    };
    struct Input {
        const std::vector<std::byte>& bytes;
        std::uint64_t& at;
        std::uint64_t& count;
    };
    const Input inputs[] = {{prepared.input, m_call.input_at, m_call.input_bytes},
                            {prepared.upstream, m_call.upstream_at, m_call.upstream_bytes},
                            {prepared.pooled, m_call.pooled_at, m_call.pooled_bytes},
                            {prepared.argmax, m_call.argmax_at, m_call.argmax_bytes}};
    for (const Input& one : inputs) {
        one.count = one.bytes.size();
        one.at = one.bytes.empty() ? 0 : take(one.bytes.size());
    }
    for (const auto who : m_plan.order)
        m_outputs[static_cast<std::size_t>(who)] = take(prepared.output_bytes);
    m_call.output_bytes = prepared.output_bytes;
    if (const auto available = available_memory_bytes(); available && *available < end) {
        return std::unexpected(LaunchError{.what = "the planes of the four participants need " +
                                                   mebibytes(end) + " of shared memory, and " +
                                                   mebibytes(*available) + " are available"});
    }
    auto memory = worker::SharedMemory::create(end);
    if (!memory) return std::unexpected(LaunchError{.what = memory.error().message});
    m_memory = std::move(*memory);
    for (const Input& one : inputs) {
        if (!one.bytes.empty()) std::memcpy(m_memory.data() + one.at, one.bytes.data(), one.count);
    }
    return {};
}

LaunchResult<void> Launch::spawn(Participant who) {
    auto shared = m_memory.share();
    if (!shared) return launch_error(who, shared.error().message);
    // Its number must not be one that the new process gets.
    const FileHandle memory = FileHandle::duplicate(shared->get(), shared_descriptor + 1);
    if (!memory) return launch_error(who, "the shared memory could not be passed on");
    const std::string program = worker::find_worker_program().string();
    SpawnPlan plan;
    plan.open(0, "/dev/null", O_RDONLY);
    plan.open(1, "/dev/null", O_WRONLY);
    plan.open(2, "/dev/null", O_WRONLY);
    plan.pass(memory.get(), shared_descriptor);
    plan.close_from(shared_descriptor + 1);
    const std::vector<std::string> words = {program, "duel", std::to_string(static_cast<int>(who)),
                                            std::to_string(m_memory.size()), std::to_string(::getpid())};
    const std::string addition = "IIR2D_DUEL_ROOM=" + std::string(m_plan.environment_bytes, 'x');
    if (const int code = plan.run(m_processes[static_cast<std::size_t>(who)], words, {addition}); code != 0) {
        m_processes[static_cast<std::size_t>(who)] = -1;
        return std::unexpected(
            LaunchError{.who = who,
                        .what = "its worker could not be started: " + printable_utf8(program) + ": " +
                                std::generic_category().message(code),
                        .of_all = ErrorKind::device_failure});
    }
    return {};
}

void Launch::ask(Participant who, Command command) {
    Page& page = page_of(who);
    page.command = command;
    page.asked.fetch_add(1, std::memory_order_release);
    wake(page.asked);
}

LaunchResult<void> Launch::wait_for(Participant who, const std::string& doing) {
    Page& page = page_of(who);
    int& process = m_processes[static_cast<std::size_t>(who)];
    const std::uint32_t asked = page.asked.load(std::memory_order_relaxed);
    const auto deadline = Clock::now() + m_plan.longest_call;
    for (;;) {
        if (m_control.cancelled())
            return std::unexpected(LaunchError{.who = who, .what = {}, .cancelled = true});
        const std::uint32_t answered = page.answered.load(std::memory_order_acquire);
        if (answered == asked) break;
        sleep_while(page.answered, answered, between_looks);
        if (page.answered.load(std::memory_order_acquire) == asked) break;
        siginfo_t ended{};
        if (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == process) {
            const int status = end_group(process);
            const bool crashed =
                WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM;
            return std::unexpected(LaunchError{.who = who,
                                               .what = worker::describe_end(status) + " while it " + doing,
                                               .by_itself = crashed});
        }
        if (Clock::now() > deadline) {
            return std::unexpected(LaunchError{.who = who,
                                               .what = "hung: it " + doing + " for more than " +
                                                       std::to_string(m_plan.longest_call.count() / 1000) +
                                                       " s",
                                               .by_itself = true});
        }
    }
    if (page.answer == Answer::library_failed)
        return std::unexpected(
            LaunchError{.who = who, .what = text_in(page.text), .of_all = ErrorKind::bad_input});
    if (page.answer != Answer::done) return launch_error(who, text_in(page.text));
    return {};
}

LaunchResult<void> Launch::load(Participant who) {
    Page& page = page_of(who);
    page.call = m_call;
    page.call.output_at = m_outputs[static_cast<std::size_t>(who)];
    page.threads = m_plan.threads;
    std::ranges::fill(page.processors, 0U);
    for (const int p : m_plan.processors) page.processors[p / 64] |= std::uint64_t{1} << (p % 64);
    page.begins_on = m_plan.processors.empty() ? -1 : m_plan.processors.front();
    if (who == Participant::copy) {
        page.call.kind = CallKind::copy;
    } else {
        const std::string path = (who == Participant::now ? m_plan.now : m_plan.base).string();
        if (path.size() >= path_bytes) return launch_error(who, "its library's path is too long");
        std::memcpy(page.library, path.c_str(), path.size() + 1);
    }
    ask(who, Command::load);
    return {};
}

LaunchResult<std::unique_ptr<Launch>> Launch::start(const PreparedCase& prepared, const LaunchPlan& plan,
                                                    const TaskControl& control) {
    std::unique_ptr<Launch> launch(new Launch(plan, control));
    IIR2D_RETURN_IF_ERROR(launch->place(prepared));
    for (const auto who : plan.order) IIR2D_RETURN_IF_ERROR(launch->spawn(who));
    // The one asks before the other is awake: what is asked lies in the memory.
    for (const auto who : plan.order) IIR2D_RETURN_IF_ERROR(launch->load(who));
    for (const auto who : all_participants) {
        auto opened = launch->wait_for(who, "opened its library");
        if (opened) continue;
        // A library that crashes or hangs before anything is asked of it does so in every case.
        LaunchError& why = opened.error();
        if (why.by_itself && who != Participant::copy) why.of_all = ErrorKind::bad_input;
        return std::unexpected(std::move(why));
    }
    return launch;
}

Launch::~Launch() {
    end_all();
}

// Threads that a library keeps may spin for a while after a call, where they would take the next one's
// processor: all processes but one are stopped, and have stopped before that one goes on.
LaunchResult<void> Launch::leave_running(Participant who) {
    for (const auto other : all_participants) {
        const auto index = static_cast<std::size_t>(other);
        if (other == who || m_stopped[index]) continue;
        ::kill(-m_processes[index], SIGSTOP);
        m_stopped[index] = true;
        IIR2D_RETURN_IF_ERROR(wait_until_stopped(other));
    }
    const auto index = static_cast<std::size_t>(who);
    if (m_stopped[index]) ::kill(-m_processes[index], SIGCONT);
    m_stopped[index] = false;
    return {};
}

// One that has ended counts as stopped: its own turn finds that out.
LaunchResult<void> Launch::wait_until_stopped(Participant who) {
    const auto process = static_cast<id_t>(m_processes[static_cast<std::size_t>(who)]);
    const auto deadline = Clock::now() + m_plan.longest_call;
    for (int tries = 0;; ++tries) {
        siginfo_t how{};
        if (::waitid(P_PID, process, &how, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid != 0)
            return {};
        if (m_control.cancelled())
            return std::unexpected(LaunchError{.who = who, .what = {}, .cancelled = true});
        if (Clock::now() > deadline)
            return launch_error(who, "its process could not be stopped after a call");
        // It takes some microseconds, and longer where other programs use the processors.
        if (tries > 100) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

// Whatever they do: what they computed is in the memory.
void Launch::end_all() {
    for (const int process : m_processes) {
        if (process > 0) ::kill(-process, SIGKILL);
    }
    for (int& process : m_processes) {
        if (process > 0) end_group(process);
    }
}

LaunchResult<CallSample> Launch::call(Participant who, int untimed, int timed, bool look_for_threads) {
    if (m_plan.threads > 1) IIR2D_RETURN_IF_ERROR(leave_running(who));
    Page& page = page_of(who);
    page.untimed = untimed;
    page.timed = timed;
    page.looks_for_threads = look_for_threads ? 1 : 0;
    ask(who, Command::call);
    IIR2D_RETURN_IF_ERROR(wait_for(who, "computed"));
    if (!(std::isfinite(page.milliseconds) && page.milliseconds > 0))
        return launch_error(who, "it gave a time that is not a number above 0");
    return CallSample{{page.milliseconds, page.preempted != 0}, page.has_threads != 0};
}

std::span<const std::byte> Launch::output_of(Participant who) const {
    return m_memory.bytes().subspan(m_outputs[static_cast<std::size_t>(who)], m_call.output_bytes);
}

std::string Launch::version_of(Participant who) const {
    const Page& page = page_of(who);
    return std::to_string(page.version[0]) + "." + std::to_string(page.version[1]) + "." +
           std::to_string(page.version[2]);
}

std::string Launch::fingerprint_of(Participant who) const {
    return printable_utf8(text_in(page_of(who).fingerprint));
}

}  // namespace workbench::duel
