// SPDX-License-Identifier: MIT
// Reads many damaged images through core/image in a process that is watched: it must neither die nor take
// more memory than said. See README.md.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/images/host.h"

namespace {

namespace fs = std::filesystem;
using workbench::fuzz::Plan;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// In memory, where there is such a place: the files live for a millisecond.
fs::path make_scratch() {
    std::string name = (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
                       "iir2d-image-fuzz-XXXXXX";
    return ::mkdtemp(name.data()) != nullptr ? fs::path(name) : fs::path();
}

std::string end_of(int status) {
    if (WIFSIGNALED(status)) return "died of signal " + std::to_string(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
    return "survived";
}

// The files that were being read when the program died.
void save_culprits(const Plan& plan) {
    const fs::path folder = plan.keep.empty() ? fs::path("image-fuzz-failures") : plan.keep;
    fs::create_directories(folder);
    for (const auto& entry : fs::directory_iterator(plan.scratch)) {
        if (!entry.path().filename().string().starts_with(workbench::fuzz::job_prefix)) continue;
        fs::copy_file(entry.path(), folder / entry.path().filename(), fs::copy_options::overwrite_existing);
        std::fprintf(stderr, "kept: %s\n", (folder / entry.path().filename()).c_str());
    }
}

struct Outcome {
    int status = 0;
    std::uint64_t peak_of_all = 0;  // of the host and of every worker
};

Outcome watch(const Plan& plan, const workbench::fuzz::Corpus& corpus) {
    const pid_t host = ::fork();
    if (host == 0) std::exit(workbench::fuzz::run_host(plan, corpus));
    std::signal(SIGINT, SIG_IGN);  // the host ends early and still says what it has
    Outcome outcome;
    ::waitpid(host, &outcome.status, 0);
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);  // of those whose end was waited for, by whomever
    outcome.peak_of_all = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return outcome;
}

int judge(const Plan& plan, const Outcome& outcome, std::uint64_t limit, bool json) {
    const std::uint64_t host_peak =
        std::strtoull(text_of(plan.scratch / workbench::fuzz::peak_file).c_str(), nullptr, 10);
    const bool survived = WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0;
    const bool within = outcome.peak_of_all <= limit;
    if (json) {
        const std::string counts = text_of(plan.scratch / workbench::fuzz::counts_file);
        std::printf(
            "{\"seed\": %llu, \"program\": \"%s\", \"program_peak_bytes\": %llu, \"worker_peak_bytes\": "
            "%llu, "
            "\"limit_bytes\": %llu, \"formats\": %s}\n",
            static_cast<unsigned long long>(plan.seed), end_of(outcome.status).c_str(),
            static_cast<unsigned long long>(host_peak), static_cast<unsigned long long>(outcome.peak_of_all),
            static_cast<unsigned long long>(limit), counts.empty() ? "{}" : counts.c_str());
    } else {
        std::printf(
            "%s\nseed %llu; the program %s; resident memory at most: program %llu MiB, a worker %llu MiB "
            "(limit %llu MiB%s)\n",
            text_of(plan.scratch / workbench::fuzz::table_file).c_str(),
            static_cast<unsigned long long>(plan.seed), end_of(outcome.status).c_str(),
            static_cast<unsigned long long>(host_peak / mebibyte),
            static_cast<unsigned long long>(outcome.peak_of_all / mebibyte),
            static_cast<unsigned long long>(limit / mebibyte), within ? "" : ", exceeded");
    }
    if (!survived) save_culprits(plan);
    return survived && within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Plan plan;
    plan.corpus = IIR2D_IMAGE_CORPUS;
    std::uint64_t limit = 4096;
    bool json = false;
    CLI::App parser("Reads damaged images; exits with 0 when the program survived within its memory.",
                    "image_fuzz");
    parser.add_option("--corpus", plan.corpus, "folder of valid files");
    parser.add_option("--count", plan.count, "files to read; 0: as many as the time allows");
    parser.add_option("--seconds", plan.seconds, "stop after so long; 0: when all are read");
    parser.add_option("--seed", plan.seed, "another seed, other files");
    parser.add_option("--first", plan.first, "index of the first file; with --count 1, that file again");
    parser.add_option("--format", plan.format, "only this one, e.g. psd");
    parser.add_option("--jobs", plan.jobs, "files at once")->check(CLI::Range(1, 256));
    parser.add_option("--patience", plan.patience, "seconds until reading a file is cancelled")
        ->check(CLI::Range(1, 3600));
    parser.add_option("--keep", plan.keep, "folder for files that end a worker, 20 a format");
    parser.add_option("--limit", limit, "MiB that the program and each worker may have resident");
    parser.add_flag("--json", json, "figures as JSON");
    CLI11_PARSE(parser, argc, argv);
    if (plan.count == 0 && plan.seconds == 0) plan.count = 1000;

    const auto corpus = workbench::fuzz::load_corpus(plan.corpus, plan.format);
    if (corpus.empty()) {
        std::fprintf(stderr, "image_fuzz: %s has no file of format \"%s\"\n", plan.corpus.c_str(),
                     plan.format.c_str());
        return 2;
    }
    if (!plan.keep.empty()) fs::create_directories(plan.keep);
    plan.scratch = make_scratch();
    if (plan.scratch.empty()) {
        std::fputs("image_fuzz: no folder could be made for the files\n", stderr);
        return 2;
    }
    const Outcome outcome = watch(plan, corpus);
    const int code = judge(plan, outcome, limit * mebibyte, json);
    fs::remove_all(plan.scratch);
    return code;
}
