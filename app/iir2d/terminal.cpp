// SPDX-License-Identifier: MIT
#include "app/iir2d/terminal.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

#include "core/support/atomic_file.h"
#include "core/support/text.h"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#endif

namespace app {

namespace {

std::atomic<int> interruptions{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_interrupt(int signal_number) {
    int received = signal_number;
#if defined(SIGBREAK)
    if (received == SIGBREAK) received = SIGINT;
#endif
    if (interruptions.fetch_add(1) > 0) std::_Exit(128 + received);
    std::signal(signal_number, on_interrupt);  // System V semantics reset the handler
}

#if defined(__GLIBC__)
// Writes to a terminal, pipe or file. Whether there is room is asked first and often: in write() itself a
// signal that another thread gets would go unnoticed. 0, or the system's error number; EINTR: interrupted.
int write_watched(int descriptor, std::string_view text) {
    constexpr int between_looks = 100;  // ms
    while (!text.empty()) {
        pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
        const int ready = poll(&room, 1, between_looks);
        if (ready < 0 && errno != EINTR) return errno;
        if (ready <= 0) {
            if (interruptions.load() > 0) return EINTR;
            continue;
        }
        // Where there is room at all, there is room for so much.
        const ssize_t written = write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int output_failure = 0;  // of standard output, as write_watched() gives it

ssize_t watched_write(void*, const char* text, std::size_t size) {
    // A piece of a text that lost another piece is worth nothing.
    if (output_failure == 0) output_failure = write_watched(STDOUT_FILENO, {text, size});
    return output_failure == 0 ? static_cast<ssize_t>(size) : 0;
}

// Lines that begin with "libpng " go nowhere, everything else to stderr at once. libpng writes a line's
// beginning in one piece.
struct LineFilter {
    bool at_start = true;
    bool dropping = false;
};

ssize_t filtered_write(void* cookie, const char* text, std::size_t size) {
    auto& filter = *static_cast<LineFilter*>(cookie);
    std::string_view left(text, size);
    while (!left.empty()) {
        if (filter.at_start) filter.dropping = left.starts_with("libpng ");
        const auto end = left.find('\n');
        const std::string_view line = left.substr(0, end == std::string_view::npos ? end : end + 1);
        filter.at_start = end != std::string_view::npos;
        left.remove_prefix(line.size());
        if (!filter.dropping && write_watched(STDERR_FILENO, line) != 0) return 0;
    }
    return static_cast<ssize_t>(size);
}

// A stream of our own in the place of one of glibc's, whose names are variables for this.
void replace_stream(std::FILE*& stream, cookie_write_function_t* write, void* cookie, int buffering) {
    std::FILE* own =
        fopencookie(cookie, "w", {.read = nullptr, .write = write, .seek = nullptr, .close = nullptr});
    if (own == nullptr) return;
    std::setvbuf(own, nullptr, buffering, BUFSIZ);
    stream = own;
}
#endif

bool is_terminal(std::FILE* stream, [[maybe_unused]] int descriptor) {
#if defined(_WIN32)
    return _isatty(_fileno(stream)) != 0;
#else
    static_cast<void>(stream);
    return isatty(descriptor) != 0;
#endif
}

constexpr auto default_grace = std::chrono::milliseconds(500);

// Ends the process from another thread than the command's, which may be waiting anywhere.
[[noreturn]] void end_interrupted() {
    workbench::discard_temporaries();
    constexpr std::string_view line = "iir2d: error: interrupted\n";
    const std::string_view all = is_terminal(stderr, 2) ? "\r\x1b[Kiir2d: error: interrupted\n" : line;
#if defined(__GLIBC__)
    static_cast<void>(write_watched(STDERR_FILENO, all));
#else
    std::fwrite(all.data(), 1, all.size(), stderr);
#endif
    std::_Exit(workbench::exit_code(workbench::ErrorKind::cancelled));
}

}  // namespace

// request_stop() may not be called from a signal handler, so a thread looks at the handler's flag.
struct Interruption::Impl {
    std::stop_source source;
    std::atomic<std::chrono::milliseconds> grace{default_grace};
    std::jthread watcher;

    void watch(const std::stop_token& ended) {
        using Clock = std::chrono::steady_clock;
        std::optional<Clock::time_point> asked;
        while (!ended.stop_requested()) {
            if (!asked && interruptions.load() > 0) {
                asked = Clock::now();
                source.request_stop();
            }
            if (asked && Clock::now() - *asked > grace.load()) end_interrupted();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
};

Interruption::Interruption() : m_impl(std::make_unique<Impl>()) {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
#if defined(SIGBREAK)
    std::signal(SIGBREAK, on_interrupt);  // Ctrl+Break, and a console that is closed
#endif
    m_impl->watcher = std::jthread([this](const std::stop_token& ended) { m_impl->watch(ended); });
}

Interruption::~Interruption() = default;

std::stop_token Interruption::token() const {
    return m_impl->source.get_token();
}

void Interruption::give_time(std::chrono::seconds grace) const {
    m_impl->grace = grace;
}

void outlive_readers() {
#if !defined(_WIN32)
    std::signal(SIGPIPE, SIG_IGN);
#endif
}

Progress::Progress(std::stop_token stop, bool quiet)
    : m_stop(std::move(stop)), m_shown(!quiet && is_terminal(stderr, 2)) {}

Progress::~Progress() {
    clear();
}

workbench::TaskControl Progress::control() {
    workbench::TaskControl control{.stop = m_stop, .progress = {}};
    if (m_shown) control.progress = [this](double fraction, std::string_view what) { draw(fraction, what); };
    return control;
}

void Progress::draw(double fraction, std::string_view what) {
    const int percent = static_cast<int>(fraction * 100.0);
    if (percent == m_last_percent && what == m_last_what) return;
    m_last_percent = percent;
    m_last_what = what;
    const std::string text = workbench::one_line(what);
    constexpr int width = 30;
    const int filled = percent * width / 100;
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r\x1b[K[%s] %3d%% %.60s", bar.c_str(), percent, text.c_str());
    std::fflush(stderr);
}

void Progress::clear() {
    if (m_last_percent < 0) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    m_last_percent = -1;
}

void prepare_standard_streams() {
#if defined(_WIN32)
    // The same bytes as elsewhere: no line ends that are turned into others, and texts in UTF-8.
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    DWORD mode = 0;
    const HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    if (GetConsoleMode(console, &mode) != 0)
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);  // progress moves the cursor
#else
    // Read-only for the outputs: writing to them fails, as it would have. open() takes the lowest free
    // number.
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDONLY));
    }
#endif
#if defined(__GLIBC__)
    static LineFilter filter;
    replace_stream(stderr, filtered_write, &filter, _IONBF);
    replace_stream(stdout, watched_write, nullptr, is_terminal(stdout, STDOUT_FILENO) ? _IOLBF : _IOFBF);
#endif
}

workbench::Result<void> finish_standard_output() {
    errno = 0;
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return {};
#if defined(__GLIBC__)
    const int failure = output_failure;
#else
    const int failure = errno;
#endif
    if (failure == EINTR)
        return workbench::fail(workbench::ErrorKind::cancelled,
                               "interrupted while standard output waits for its reader");
    return workbench::fail(workbench::ErrorKind::unwritable_output,
                           "standard output could not be written" +
                               (failure != 0 ? ": " + workbench::system_words(failure) : std::string()));
}

std::string shown(const std::string& text) {
    return workbench::one_line(text);
}

std::string shown(const std::filesystem::path& path) {
    return workbench::one_line(workbench::utf8_path(path));
}

void print_text(std::string_view text) {
    const std::string safe = is_terminal(stdout, 1) ? workbench::printable_utf8(text) : std::string();
    const std::string_view printed = safe.empty() ? text : std::string_view(safe);
    std::fwrite(printed.data(), 1, printed.size(), stdout);
}

int report(const workbench::Error& error) {
    // One line that moves no cursor, whatever a library or a stranger's file put into its sentence.
    std::string line = workbench::one_line(error.message);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    std::fprintf(stderr, "iir2d: error: %s\n", line.c_str());
    return workbench::exit_code(error.kind);
}

void note(std::string_view message, bool quiet) {
    if (!quiet) std::fprintf(stderr, "iir2d: %s\n", workbench::one_line(message).c_str());
}

}  // namespace app
