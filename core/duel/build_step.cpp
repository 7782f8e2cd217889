// SPDX-License-Identifier: MIT
#include "core/duel/build_step.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace workbench::duel {

namespace {

constexpr int bad_argument = 2;
constexpr int not_started = 127;
constexpr int interrupted = 130;

// Tells every child to end. Those of a child that has ended are this process's own by then.
void end_children() {
    const std::string self = std::to_string(::getpid());
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream stat(entry.path() / "stat");
        std::string text;
        std::getline(stat, text);
        // "12 (name, which may have anything) S 11 ...": the parent comes after the state.
        const auto close = text.rfind(')');
        if (close == std::string::npos || close + 4 >= text.size()) continue;
        const auto end = text.find(' ', close + 4);
        if (text.substr(close + 4, end - close - 4) == self)
            ::kill(static_cast<pid_t>(std::atoi(name.c_str())), SIGKILL);
    }
}

// Ends all descendants: a child's children come to this process when it ends.
void end_all() {
    for (;;) {
        end_children();
        int status = 0;
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
        }
        if (ended < 0 && errno == ECHILD) return;
        const timespec moment{.tv_sec = 0, .tv_nsec = 5'000'000};
        ::nanosleep(&moment, nullptr);
    }
}

}  // namespace

int run_build_step(int argc, char** argv) {
    int parent = 0;
    if (argc < 4) return bad_argument;
    const std::string_view text = argv[2];
    if (std::from_chars(text.data(), text.data() + text.size(), parent).ec != std::errc())
        return bad_argument;
    // Taken below, in turn: the program's end, and being asked to end.
    sigset_t awaited;
    sigset_t before;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGCHLD);
    ::sigaddset(&awaited, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &awaited, &before);
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 ||
        ::getppid() != parent)
        return interrupted;
    const pid_t program = ::fork();
    if (program < 0) return not_started;
    if (program == 0) {
        ::sigprocmask(SIG_SETMASK, &before, nullptr);
        ::execvp(argv[3], argv + 3);
        ::_exit(not_started);
    }
    for (;;) {
        const int signal = ::sigwaitinfo(&awaited, nullptr);
        if (signal == SIGTERM) {
            end_all();
            return interrupted;
        }
        int status = 0;
        for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended != program) continue;
            end_all();  // what it left behind
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
}

}  // namespace workbench::duel
