// SPDX-License-Identifier: MIT
#include "app/iir2d/terminal.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "core/support/text.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace app {

namespace {

std::atomic<int> interruptions{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_interrupt(int signal_number) {
    if (interruptions.fetch_add(1) > 0) std::_Exit(128 + signal_number);
    std::signal(signal_number, on_interrupt);  // System V semantics reset the handler
}

#if defined(__GLIBC__)
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
        for (std::string_view rest = filter.dropping ? std::string_view{} : line; !rest.empty();) {
            const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
            if (written <= 0) return 0;
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    return static_cast<ssize_t>(size);
}
#endif

bool stderr_is_terminal() {
#if defined(_WIN32)
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace

// request_stop() may not be called from a signal handler, so a thread looks at the handler's flag.
struct Interruption::Impl {
    std::stop_source source;
    std::jthread watcher;
};

Interruption::Interruption() : m_impl(std::make_unique<Impl>()) {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    m_impl->watcher = std::jthread([source = m_impl->source](std::stop_token ended) mutable {
        while (!ended.stop_requested()) {
            if (interruptions.load() > 0) {
                source.request_stop();
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    });
}

Interruption::~Interruption() = default;

std::stop_token Interruption::token() const {
    return m_impl->source.get_token();
}

Progress::Progress(std::stop_token stop, bool quiet)
    : m_stop(std::move(stop)), m_shown(!quiet && stderr_is_terminal()) {}

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
    constexpr int width = 30;
    const int filled = percent * width / 100;
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r\x1b[K[%s] %3d%% %.60s", bar.c_str(), percent, m_last_what.c_str());
    std::fflush(stderr);
}

void Progress::clear() {
    if (m_last_percent < 0) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    m_last_percent = -1;
}

void prepare_standard_streams() {
#if !defined(_WIN32)
    // Read-only for the outputs: writing to them fails, as it would have. open() takes the lowest free
    // number.
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDONLY));
    }
#endif
#if defined(__GLIBC__)
    static LineFilter filter;
    std::FILE* filtered = fopencookie(
        &filter, "w", {.read = nullptr, .write = filtered_write, .seek = nullptr, .close = nullptr});
    if (!filtered) return;
    std::setvbuf(filtered, nullptr, _IONBF, 0);
    stderr = filtered;  // glibc's is a variable, for this
#endif
}

int report(const workbench::Error& error) {
    // One line that moves no cursor, whatever a library or a stranger's file put into its sentence.
    std::string line = workbench::one_line(error.message);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    std::fprintf(stderr, "iir2d: error: %s\n", line.c_str());
    return workbench::exit_code(error.kind);
}

void note(std::string_view message, bool quiet) {
    if (!quiet) std::fprintf(stderr, "iir2d: %.*s\n", static_cast<int>(message.size()), message.data());
}

}  // namespace app
