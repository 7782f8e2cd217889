// SPDX-License-Identifier: MIT
#include "app/workbench/stop_signals.h"

#include <QSocketNotifier>

#ifdef Q_OS_UNIX
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#endif

namespace workbench {

#ifdef Q_OS_UNIX
namespace {

std::array<int, 2> ends = {-1, -1};  // the handler writes to the first

// Only what is safe in a signal handler.
void tell(int /*signal*/) {
    const int kept = errno;
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(ends[0], &byte, 1);
    errno = kept;
}

}  // namespace

StopSignals::StopSignals() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) return;
    m_notifier = std::make_unique<QSocketNotifier>(ends[1], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        while (::read(ends[1], &byte, 1) > 0) {
        }
        Q_EMIT received();
    });
    for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
        struct sigaction before = {};
        ::sigaction(signal, nullptr, &before);
        if (before.sa_handler == SIG_IGN) continue;  // nohup, or a job in the background
        struct sigaction action = {};
        action.sa_handler = tell;
        action.sa_flags = SA_RESTART | int(SA_RESETHAND);
        ::sigemptyset(&action.sa_mask);
        ::sigaction(signal, &action, nullptr);
    }
}

StopSignals::~StopSignals() {
    if (!m_notifier) return;
    for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
        struct sigaction now = {};
        ::sigaction(signal, nullptr, &now);
        if (now.sa_handler == tell) std::signal(signal, SIG_DFL);
    }
    m_notifier.reset();
    for (const int end : ends) ::close(end);
}
#else
StopSignals::StopSignals() = default;
StopSignals::~StopSignals() = default;
#endif

}  // namespace workbench
