// SPDX-License-Identifier: MIT
#include "app/iir2d/synth_jax.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "app/iir2d/evidence.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/export_jax.h"
#include "core/worker/fork_server.h"
#include "core/worker/spawn_plan.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

constexpr int no_jax = 4;  // what the script exits with

// Waits for it to end; asked to stop, ends it.
Result<int> status_of(int process, const std::stop_token& stop) {
    int status = 0;
    while (true) {
        const pid_t ended = ::waitpid(process, &status, WNOHANG);
        if (ended == process) return status;
        if (ended < 0 && errno != EINTR)
            return workbench::fail(ErrorKind::device_failure, "the system lost the Python that it ran: " +
                                                                  std::generic_category().message(errno));
        if (stop.stop_requested()) {
            ::kill(-process, SIGKILL);
            while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
            return workbench::fail(ErrorKind::cancelled, "cancelled");
        }
        ::poll(nullptr, 0, 20);
    }
}

// Returns the last line that has anything in it, of a file's last 4 KiB.
std::string last_line_of(const std::filesystem::path& file) {
    constexpr std::streamoff most = 4096;
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(0, size - most));
    std::string last;
    for (std::string line; std::getline(in, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    }
    return last;
}

Result<std::string> run_python(const std::string& python, const std::filesystem::path& requests,
                               const std::filesystem::path& answers, const std::stop_token& stop) {
    const auto script = resource_directory() / "synth" / "lower_jax.py";
    const std::filesystem::path said = answers.parent_path() / "stderr.txt";
    SpawnPlan plan;
    plan.open(0, "/dev/null", O_RDONLY);
    plan.open(1, "/dev/null", O_WRONLY);
    plan.open(2, said.string(), O_WRONLY | O_CREAT | O_TRUNC);
    plan.close_from(3);
    int process = -1;
    if (const int code = plan.run(process, {python, script.string(), requests.string(), answers.string()});
        code != 0)
        return workbench::fail(ErrorKind::device_failure, "IIR2D_PYTHON, " + python + ", cannot be run: " +
                                                              std::generic_category().message(code));
    IIR2D_TRY(const int status, status_of(process, stop));
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_jax)
        return workbench::fail(ErrorKind::device_failure, "there is no JAX for " + python +
                                                              ": name a Python that has it in IIR2D_PYTHON");
    const std::string last = escaped(last_line_of(said));
    std::error_code ignored;
    std::filesystem::remove(said, ignored);
    const std::string how = worker::describe_end(status) + (last.empty() ? "" : ": " + last);
    // The script makes the file once it can lower anything.
    if (!std::filesystem::exists(answers, ignored))
        return workbench::fail(ErrorKind::device_failure,
                               python + " " + script.string() + " has failed: it " + how);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::string() : how;
}

}  // namespace

Result<int> export_jax_command(const synth::ExportOptions& options, bool lower,
                               const Interruption& interruption) {
    synth::RunPython run;
    if (lower) {
        const char* const named = std::getenv("IIR2D_PYTHON");
        const std::string python = named != nullptr && *named != '\0' ? named : "python3";
        run = [python, &interruption](const std::filesystem::path& requests,
                                      const std::filesystem::path& answers) {
            return run_python(python, requests, answers, interruption.token());
        };
    }
    IIR2D_TRY(const auto made, synth::export_jax(options, run, interruption.token()));
    for (const std::string& failure : made.failures) print_text(shown(failure) + "\n");
    std::string text = workbench::counted(made.kernels, "kernel") + (lower ? ", lowered and compared" : "");
    for (const auto& [why, count] : made.left_out)
        text += "; left out: " + std::to_string(count) + ", " + why;
    print_text(text + "\n");
    if (!made.failures.empty())
        return workbench::fail(ErrorKind::check_failed,
                               workbench::counted(made.failures.size(), "kernel gives", "kernels give") +
                                   " another result in JAX");
    return 0;
}

}  // namespace app
