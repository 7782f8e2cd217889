// SPDX-License-Identifier: MIT
#include "core/duel/revision.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

#if defined(__linux__)
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>

#include "core/worker/program.h"
#include "core/worker/spawn_plan.h"
#endif

namespace workbench {

namespace {

namespace fs = std::filesystem;

#if defined(__linux__)

std::string own_process() {
    return std::to_string(::getpid());
}

constexpr int not_started = 127;  // the exit code of a step whose program cannot be started

// Runs a program, found as a shell finds it, with what it prints in a file. Returns its exit code. A process
// of the worker program watches it: whatever it started ends with it, and all of it when this program ends,
// however that does.
Result<int> run_build_step(const std::vector<std::string>& words, const fs::path& output,
                           const TaskControl& control) {
    SpawnPlan plan;
    plan.open(0, "/dev/null", O_RDONLY);
    plan.open(1, output.string(), O_WRONLY | O_CREAT | O_APPEND);
    plan.pass(1, 2);
    plan.close_from(3);
    const std::string watcher = worker::find_worker_program().string();
    std::vector<std::string> all = {watcher, "build-step", own_process()};
    all.insert(all.end(), words.begin(), words.end());
    int process = -1;
    if (const int code = plan.run(process, all); code != 0)
        return fail(ErrorKind::device_failure,
                    "the worker program could not be started: " + printable_utf8(watcher) + ": " +
                        std::generic_category().message(code));
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0) {
        if (control.cancelled()) {
            ::kill(process, SIGTERM);
            ::waitpid(process, &status, 0);
            return fail(ErrorKind::cancelled, "building the revision was cancelled");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!WIFEXITED(status)) return 128;
    if (WEXITSTATUS(status) == not_started)
        return fail(ErrorKind::device_failure, "\"" + words.front() + "\" could not be started");
    return WEXITSTATUS(status);
}

// Whether a process of that number runs, of whatever program.
bool process_runs(const std::string& number) {
    pid_t process = 0;
    const char* const end = number.data() + number.size();
    const auto [at, error] = std::from_chars(number.data(), end, process);
    return error != std::errc() || at != end || process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH;
}

#else

Result<int> run_build_step(const std::vector<std::string>&, const fs::path&, const TaskControl&) {
    return fail(ErrorKind::device_failure, "building a revision needs Linux: name the library instead");
}
std::string own_process() {
    return "0";
}
bool process_runs(const std::string&) {
    return true;
}

#endif

struct RemovedFile {  // whatever happens
    fs::path path;
    ~RemovedFile() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

Result<std::string> commit_of_revision(const fs::path& source, const std::string& revision,
                                       const fs::path& folder, const TaskControl& control) {
    const fs::path output = folder / ("commit-" + own_process());
    const RemovedFile removed{output};
    std::error_code error;
    if (!fs::is_directory(source, error))
        return fail(ErrorKind::bad_argument, quoted(source) + " is not a folder: name a git repository");
    IIR2D_TRY(const auto code, run_build_step({"git", "-C", source.string(), "rev-parse", "--verify",
                                               "--quiet", "--end-of-options", revision + "^{commit}"},
                                              output, control));
    auto text = read_file(output, 4096);
    if (code != 0 || !text || text->size() < 40) {
        return fail(ErrorKind::bad_argument, "revision \"" + one_line(revision) +
                                                 "\": git knows no such revision of " + quoted(source));
    }
    return text->substr(0, text->find('\n'));
}

// Without a number make starts as many compilers as there are files.
std::string build_jobs() {
    const char* chosen = std::getenv("CMAKE_BUILD_PARALLEL_LEVEL");  // NOLINT(concurrency-mt-unsafe)
    if (chosen != nullptr && *chosen != '\0') return chosen;
    return std::to_string(std::max(1U, std::thread::hardware_concurrency()));
}

Result<void> run_build_steps(const fs::path& source, const std::string& commit, const fs::path& work,
                             const fs::path& log, const TaskControl& control) {
    const std::string tree = (work / "source").string();
    const std::string binary = (work / "build").string();
    const std::vector<std::vector<std::string>> steps = {
        {"git", "-C", source.string(), "worktree", "add", "--detach", "--force", tree, commit},
        {"cmake", "-S", tree, "-B", binary, "-DCMAKE_BUILD_TYPE=Release", "-DIIR2D_BUILD_WORKBENCH=OFF",
         "-DIIR2D_BUILD_TESTS=OFF", "-DIIR2D_BUILD_BENCH=OFF", "-DIIR2D_CUDA=OFF"},
        {"cmake", "--build", binary, "--parallel", build_jobs()}};
    double part = 0;
    for (const auto& step : steps) {
        control.report(part, "building " + commit.substr(0, 12));
        part += 0.3;
        IIR2D_TRY(const auto code, run_build_step(step, log, control));
        if (code != 0)
            return fail(ErrorKind::bad_input,
                        "the revision " + commit.substr(0, 12) + " cannot be built: see " + quoted(log));
    }
    return {};
}

// Removes a build's folder; git forgets its worktree.
void remove_work(const fs::path& source, const fs::path& work, const fs::path& log) {
    static_cast<void>(run_build_step(
        {"git", "-C", source.string(), "worktree", "remove", "--force", (work / "source").string()}, log,
        {}));
    std::error_code ignored;
    fs::remove_all(work, ignored);
}

// Removes the folders, COMMIT-PROCESS, of builds whose program was killed.
void remove_abandoned(const fs::path& source, const fs::path& cache) {
    constexpr std::size_t commit_digits = 40;
    std::vector<fs::path> abandoned;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cache, error)) {
        const std::string name = entry.path().filename().string();
        if (name.size() > commit_digits + 1 && name[commit_digits] == '-' &&
            name.find_first_not_of("0123456789abcdef") == commit_digits &&
            !process_runs(name.substr(commit_digits + 1)))
            abandoned.push_back(entry.path());
    }
    for (const fs::path& work : abandoned) remove_work(source, work, "/dev/null");
}

// Returns the library in a finished build, or nothing.
fs::path built_library(const fs::path& folder) {
    for (const char* name : {"kernels/libiir2d.so", "libiir2d.so", "lib/libiir2d.so", "libiir2d_core.so"}) {
        std::error_code error;
        if (fs::is_regular_file(folder / name, error)) return folder / name;
    }
    return {};
}

}  // namespace

Result<fs::path> build_revision(const fs::path& source, const std::string& revision,
                                const TaskControl& control) {
    std::error_code error;
    const fs::path cache = fs::absolute(cache_directory(), error) / "duel";
    fs::create_directories(cache, error);
    if (error)
        return fail(ErrorKind::unwritable_output,
                    "the folder " + quoted(cache) + " cannot be made: " + error.message());
    IIR2D_TRY(const auto commit, commit_of_revision(source, revision, cache, control));
    fs::path kept = cache / commit / "libiir2d.so";
    if (fs::is_regular_file(kept, error)) return kept;

    remove_abandoned(source, cache);
    const fs::path work = cache / (commit + "-" + own_process());
    const fs::path log = cache / (commit + ".log");
    fs::remove_all(work, error);
    fs::remove(log, error);
    fs::create_directories(work, error);
    auto built = run_build_steps(source, commit, work, log, control);
    fs::path library = built ? built_library(work / "build") : fs::path();
    if (built && library.empty())
        built = fail(ErrorKind::bad_input,
                     "the revision " + commit.substr(0, 12) + " has no libiir2d: see " + quoted(log));
    Result<void> written;
    if (built) {
        auto bytes = read_file(library);
        fs::create_directories(kept.parent_path(), error);
        written = bytes ? write_file_atomically(kept, *bytes) : Result<void>(std::unexpected(bytes.error()));
    }
    remove_work(source, work, log);
    if (!built) return std::unexpected(built.error());
    IIR2D_RETURN_IF_ERROR(written);
    return kept;
}

}  // namespace workbench
