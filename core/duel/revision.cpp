// SPDX-License-Identifier: MIT
#include "core/duel/revision.h"

#include <system_error>
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

#include <chrono>
#include <thread>

#include "core/worker/spawn_plan.h"
#endif

namespace workbench {

namespace {

namespace fs = std::filesystem;

#if defined(__linux__)

// Runs a program, found as a shell finds it, with what it prints in a file. Returns its exit code.
Result<int> run_build_step(const std::vector<std::string>& words, const fs::path& output,
                           const TaskControl& control) {
    SpawnPlan plan;  // whose group is ended when the build is cancelled
    plan.open(0, "/dev/null", O_RDONLY);
    plan.open(1, output.string(), O_WRONLY | O_CREAT | O_APPEND);
    plan.pass(1, 2);
    plan.close_from(3);
    int process = -1;
    const int code = plan.run(process, words);
    if (code != 0)
        return fail(ErrorKind::device_failure, "\"" + words.front() + "\" could not be started: " +
                                                   std::generic_category().message(code));
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0) {
        if (control.cancelled()) {
            ::kill(-process, SIGKILL);
            ::waitpid(process, &status, 0);
            return fail(ErrorKind::cancelled, "building the revision was cancelled");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string own_process() {
    return std::to_string(::getpid());
}

#else

Result<int> run_build_step(const std::vector<std::string>&, const fs::path&, const TaskControl&) {
    return fail(ErrorKind::device_failure, "building a revision needs Linux: name the library instead");
}
std::string own_process() {
    return "0";
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

Result<void> run_build_steps(const fs::path& source, const std::string& commit, const fs::path& work,
                             const fs::path& log, const TaskControl& control) {
    const std::string tree = (work / "source").string();
    const std::string binary = (work / "build").string();
    const std::vector<std::vector<std::string>> steps = {
        {"git", "-C", source.string(), "worktree", "add", "--detach", "--force", tree, commit},
        {"cmake", "-S", tree, "-B", binary, "-DCMAKE_BUILD_TYPE=Release", "-DIIR2D_BUILD_WORKBENCH=OFF",
         "-DIIR2D_BUILD_TESTS=OFF", "-DIIR2D_BUILD_BENCH=OFF", "-DIIR2D_CUDA=OFF"},
        {"cmake", "--build", binary, "--parallel"}};
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
    const fs::path cache = cache_directory() / "duel";
    std::error_code error;
    fs::create_directories(cache, error);
    if (error)
        return fail(ErrorKind::unwritable_output,
                    "the folder " + quoted(cache) + " cannot be made: " + error.message());
    IIR2D_TRY(const auto commit, commit_of_revision(source, revision, cache, control));
    fs::path kept = cache / commit / "libiir2d.so";
    if (fs::is_regular_file(kept, error)) return kept;

    const fs::path work = cache / (commit + "-" + own_process());
    const fs::path log = cache / (commit + ".log");
    fs::remove_all(work, error);
    fs::remove(log, error);
    fs::create_directories(work, error);
    auto built = run_build_steps(source, commit, work, log, control);
    // Whatever came of it, git forgets the worktree.
    const auto tidy = [&] {
        static_cast<void>(run_build_step(
            {"git", "-C", source.string(), "worktree", "remove", "--force", (work / "source").string()}, log,
            {}));
        fs::remove_all(work, error);
    };
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
    tidy();
    if (!built) return std::unexpected(built.error());
    IIR2D_RETURN_IF_ERROR(written);
    return kept;
}

}  // namespace workbench
