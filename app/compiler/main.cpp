// SPDX-License-Identifier: MIT
// The compiler process: one question after the other from standard input, each answered on standard output.
// Started by the programs, never by hand.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "app/compiler/requests.h"
#include "core/compile/wire.h"
#include "core/support/file_handle.h"

namespace {

using workbench::FileHandle;
using workbench::compile::length_bytes;

constexpr rlim_t most_memory = rlim_t{4} << 30;
constexpr int first_beyond_standard = 3;

bool read_all(int from, char* to, std::size_t count) {
    while (count > 0) {
        const ssize_t got = ::read(from, to, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int to, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t put = ::send(to, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        sent += static_cast<std::size_t>(put);
    }
    return true;
}

// Beyond it an allocation fails. No core file: 1 byte is too small for one.
void limit_itself() {
    rlimit limits{};
    ::getrlimit(RLIMIT_DATA, &limits);
    limits.rlim_cur = limits.rlim_max == RLIM_INFINITY ? most_memory : std::min(most_memory, limits.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limits);
    const rlimit none{1, 1};
    ::setrlimit(RLIMIT_CORE, &none);
}

// Takes the connection from standard input and output, where sources could reach it.
FileHandle take_connection() {
    struct stat facts {};
    if (::fstat(0, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return {};
    FileHandle connection = FileHandle::duplicate(0, first_beyond_standard);
    const FileHandle nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing || ::dup2(nothing.get(), 0) < 0 || ::dup2(nothing.get(), 1) < 0) return {};
    return connection;
}

// Nothing outlives the program, also when it is killed while something is compiled.
void end_with_the_program(int connection) {
    std::thread([connection] {
        pollfd socket{connection, POLLRDHUP, 0};
        while (::poll(&socket, 1, -1) <= 0) continue;
        ::_exit(0);
    }).detach();
}

// Answers questions until the program is gone. What is thrown, such as want of memory, ends the process: the
// client says so.
int serve(int connection) {
    std::array<char, length_bytes> head{};
    while (read_all(connection, head.data(), head.size())) {
        const auto length = workbench::compile::length_of(head);
        if (!length) return 1;
        std::string text(static_cast<std::size_t>(*length), '\0');
        if (!read_all(connection, text.data(), text.size())) return 1;
        const auto message = workbench::compile::unframed(text);
        if (!message) return 1;
        const auto question = nlohmann::json::parse(message->json, nullptr, false);
        if (question.is_discarded()) return 1;
        workbench::compile::Parcel parcel;
        nlohmann::json made = app::answer_to(question, message->bytes, parcel);
        made["id"] = question.value("id", 0);
        const std::string answer = made.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (!write_all(connection, workbench::compile::framed(answer, parcel.bytes()))) return 1;
    }
    return 0;
}

}  // namespace

int main() try {
    const FileHandle connection = take_connection();
    if (!connection) {
        std::fputs("iir2d: error: the compiler process is started by the programs, not by hand\n", stderr);
        return 2;
    }
    limit_itself();
    end_with_the_program(connection.get());
    ::_exit(serve(connection.get()));  // what LLVM and NVRTC hold is not taken down
} catch (const std::exception&) {
    std::abort();
}
