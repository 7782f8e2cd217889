// SPDX-License-Identifier: MIT
#include "tests/app/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace app_test {

namespace {

// A file that is gone with the object: programs write to it, we read it afterwards, and no pipe can fill up.
class Capture {
  public:
    Capture() { m_descriptor = mkstemp(m_name.data()); }
    ~Capture() {
        close(m_descriptor);
        unlink(m_name.c_str());
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    int descriptor() const { return m_descriptor; }
    std::string text() const {
        std::ifstream file(m_name, std::ios::binary);
        std::ostringstream content;
        content << file.rdbuf();
        return content.str();
    }

  private:
    std::string m_name = "/tmp/iir2d_capture_XXXXXX";
    int m_descriptor = -1;
};

// Whether it ended; its exit code is still to be taken.
bool has_ended(pid_t child) {
    siginfo_t seen{};
    return waitid(P_PID, static_cast<id_t>(child), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           seen.si_pid == child;
}

// Until the child handles SIGINT: on a busy machine it may take long to start. At most 30 seconds, or until
// it ended.
void wait_for_handler(pid_t child) {
    for (int i = 0; i < 3000; ++i) {
        std::ifstream status("/proc/" + std::to_string(child) + "/status");
        for (std::string line; std::getline(status, line);) {
            constexpr std::uint64_t interrupt = std::uint64_t{1} << (SIGINT - 1);
            if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) & interrupt) != 0)
                return;
            if (line.starts_with("State:\tZ")) return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace

Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                    const RunOptions& options) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables = options.environment;
    for (char** v = environ; *v; ++v) variables.emplace_back(*v);
    // What programs keep of their use stays away from the user's own folder.
    variables.emplace_back("IIR2D_CONFIG_DIR=" IIR2D_BINARY_DIR "/tests/app/config");
    std::vector<char*> envp;
    for (auto& variable : variables) envp.push_back(variable.data());
    envp.push_back(nullptr);

    const Capture out;
    const Capture err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (options.stdout_descriptor >= 0) {
        posix_spawn_file_actions_adddup2(&actions, options.stdout_descriptor, 1);
    } else if (options.stdout_file.empty()) {
        posix_spawn_file_actions_adddup2(&actions, out.descriptor(), 1);
    } else {
        posix_spawn_file_actions_addopen(&actions, 1, options.stdout_file.c_str(), O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, err.descriptor(), 2);
    pid_t child = 0;
    const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return {.code = -1, .out = {}, .err = "could not start " + program};
    if (options.interrupt_after) {
        wait_for_handler(child);
        const auto until = std::chrono::steady_clock::now() + *options.interrupt_after;
        while (std::chrono::steady_clock::now() < until && !has_ended(child))
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(child, options.signal);
    } else if (options.interrupt_when) {
        wait_for_handler(child);
        // At most 30 seconds: what the program then does shows that it never came to it.
        for (int i = 0; i < 3000 && !options.interrupt_when(child) && !has_ended(child); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(child, options.signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = out.text(),
            .err = err.text()};
}

bool has_open(int process, const std::string& file) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path folder = "/proc/" + std::to_string(process) + "/fd";
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        std::error_code gone;
        if (fs::read_symlink(entry->path(), gone) == fs::path(file)) return true;
    }
    return false;
}

std::vector<std::string> error_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("iir2d: error: ")) lines.push_back(line);
    }
    return lines;
}

}  // namespace app_test
