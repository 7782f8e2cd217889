// SPDX-License-Identifier: MIT
// A worker program that does, on request, what workers must never do.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/worker/payload.h"
#include "core/worker/serve.h"
#include "core/worker/shared_memory.h"
#include "tests/core/worker/actions.h"

namespace {

using namespace workbench::worker;
using testing::Action;

Frame text(std::string words) {
    return {.type = 0, .payload = std::move(words), .handles = {}};
}

// "0", or the error number of a call that returned something below 0.
Frame outcome(long result) {
    return text(result >= 0 ? "0" : std::to_string(errno));
}

// Outlives the optimiser.
volatile int sink = 0;

[[noreturn]] void spin() {
    for (;;) sink = sink + 1;
}

[[noreturn]] void sleep_forever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// The socket of the child: the only one that is open.
int connection() {
    for (int descriptor = 3; descriptor < 64; ++descriptor) {
        struct stat facts {};
        if (::fstat(descriptor, &facts) == 0 && S_ISSOCK(facts.st_mode)) return descriptor;
    }
    return -1;
}

void send_raw(const void* bytes, std::size_t size) {
    static_cast<void>(!::send(connection(), bytes, size, MSG_NOSIGNAL));
}

void pass_a_file() {
    char byte[16] = {};
    iovec place{byte, sizeof byte};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = 0;
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    ::sendmsg(connection(), &message, MSG_NOSIGNAL);
}

Frame start_threads(std::uint32_t count) {
    std::vector<std::jthread> threads;
    try {
        for (std::uint32_t i = 0; i < count; ++i)
            threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    } catch (const std::system_error&) {
    }
    return text(std::to_string(threads.size()));
}

Frame start_program() {
    char name[] = "/bin/true";
    char* words[] = {name, nullptr};
    pid_t child = 0;
    errno = ::posix_spawn(&child, name, nullptr, nullptr, words, nullptr);
    return outcome(errno == 0 ? 0 : -1);
}

Frame new_code() {
    void* page =
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return outcome(page == MAP_FAILED ? -1 : 0);
}

Frame share_new_memory() {
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) return text("0");
    return outcome(::memfd_create("more", 0));
}

Frame raise_limits() {
    const rlimit limits{RLIM_INFINITY, RLIM_INFINITY};
    return outcome(::setrlimit(RLIMIT_DATA, &limits));
}

Frame list_open_files() {
    std::string names;
    for (int descriptor = 0; descriptor < 1024; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) >= 0) names += std::to_string(descriptor) + " ";
    }
    return text(names);
}

Frame fill_shared(Frame& request) {
    PayloadReader reader(request.payload);
    const auto size = static_cast<std::size_t>(reader.number<std::uint64_t>());
    auto memory = SharedMemory::map(std::move(request.handles.at(0)), size);
    if (!memory) throw std::runtime_error(memory.error().message);
    for (std::byte& byte : memory->bytes()) byte = static_cast<std::byte>(std::to_integer<int>(byte) + 1);
    return {};
}

// What a decoder of a hostile file might be made to do.
Frame misbehave(Action action, const std::string& payload) {
    switch (action) {
        case Action::write_file:
            return outcome(::open(payload.c_str(), O_WRONLY | O_CREAT, 0600));
        case Action::read_file:
            return outcome(::open(payload.c_str(), O_RDONLY));
        case Action::remove_file:
            return outcome(::unlink(payload.c_str()));
        case Action::open_socket:
            return outcome(::socket(AF_UNIX, SOCK_STREAM, 0));
        case Action::start_program:
            return start_program();
        case Action::fork_process: {
            const pid_t child = ::fork();
            if (child == 0) ::_exit(0);
            return outcome(child);
        }
        case Action::signal_parent:
            return outcome(::kill(::getppid(), SIGTERM));
        case Action::share_new_memory:
            return share_new_memory();
        case Action::new_code:
            return new_code();
        case Action::raise_limits:
            return raise_limits();
        case Action::own_a_file:
            return outcome(::fcntl(connection(), F_SETOWN, ::getppid()));
        default:
            return list_open_files();
    }
}

Frame serve(Frame request, Conversation& program) {
    PayloadReader reader(request.payload);
    switch (static_cast<Action>(request.type)) {
        case Action::echo:
            return text(std::move(request.payload));
        case Action::echo_after_messages:
            for (auto left = reader.number<std::uint32_t>(); left > 0; --left) program.send(text("message"));
            return text("answer");
        case Action::converse:
            program.send(text("more?"));
            return program.receive();
        case Action::segmentation_fault:
            ::signal(SIGSEGV, SIG_DFL);  // not a sanitizer's
            ::raise(SIGSEGV);
            return {};
        case Action::abort_process:
            std::abort();
        case Action::leave:
            ::_exit(reader.number<std::int32_t>());
        case Action::throw_error:
            throw std::runtime_error(request.payload);
        case Action::sleep_forever:
            sleep_forever();
        case Action::wait_for_frame:
            return program.receive();
        case Action::sleep_politely:
            while (!program.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return {};
        case Action::talk_for_ever:
            for (;;) {
                program.send(text("still here"));
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        case Action::use_processor:
            spin();
        case Action::take_memory: {
            const auto size = static_cast<std::size_t>(reader.number<std::uint64_t>());
            const std::vector<char> memory(size, 'x');
            return text(std::to_string(memory.back()));
        }
        case Action::take_heap: {
            const auto size = static_cast<std::size_t>(reader.number<std::uint64_t>());
            const std::unique_ptr<void, void (*)(void*)> memory(std::malloc(size), std::free);
            if (memory) std::memset(memory.get(), 1, size);
            return text(memory ? "had it" : "none");
        }
        case Action::threads:
            return start_threads(reader.number<std::uint32_t>());
        case Action::huge_frame: {
            const std::uint64_t header[2] = {0, std::uint64_t{1} << 60};
            send_raw(header, sizeof header);
            sleep_forever();
        }
        case Action::garbage: {
            const std::string bytes(4096, '\xa5');
            send_raw(bytes.data(), bytes.size());
            sleep_forever();
        }
        case Action::pass_a_file:
            pass_a_file();
            sleep_forever();
        case Action::close_connection:
            ::close(connection());
            sleep_forever();
        case Action::fill_shared:
            return fill_shared(request);
        case Action::print:
            std::fputs(request.payload.c_str(), stderr);
            return {};
        default:
            return misbehave(static_cast<Action>(request.type), request.payload);
    }
}

workbench::Result<void> nothing_to_prepare(std::span<const std::string>) {
    return {};
}

workbench::Result<void> fail_to_prepare(std::span<const std::string> arguments) {
    return workbench::fail(workbench::ErrorKind::device_failure, "a library is missing: " + arguments[0]);
}

workbench::Result<void> crash_in_preparation(std::span<const std::string>) {
    std::abort();
}

workbench::Result<void> hang_in_preparation(std::span<const std::string>) {
    sleep_forever();
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Role> roles{{.name = "actions", .prepare = nothing_to_prepare, .serve = serve},
                                  {.name = "unprepared", .prepare = fail_to_prepare, .serve = serve},
                                  {.name = "crashing", .prepare = crash_in_preparation, .serve = serve},
                                  {.name = "hanging", .prepare = hang_in_preparation, .serve = serve}};
    return run_worker(roles, argc, argv);
}
