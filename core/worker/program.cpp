// SPDX-License-Identifier: MIT
#include "core/worker/program.h"

#include <cstdlib>
#include <system_error>

#include "core/support/program_folder.h"

namespace workbench::worker {

namespace fs = std::filesystem;

namespace {

#if defined(_WIN32)
constexpr std::string_view suffix = ".exe";
#else
constexpr std::string_view suffix;
#endif

}  // namespace

fs::path find_worker_program(std::string_view name) {
    const std::string file = std::string(name) + std::string(suffix);
    const char* chosen =
        std::getenv("IIR2D_WORKER_DIR");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    if (chosen != nullptr && *chosen != '\0') return fs::path(chosen) / file;
    const fs::path folder = program_folder();
    std::error_code error;
    if (fs::exists(folder / file, error)) return folder / file;
    const fs::path installed = (folder / IIR2D_INSTALLED_WORKERS).lexically_normal() / file;
    return fs::exists(installed, error) ? installed : folder / file;
}

}  // namespace workbench::worker
