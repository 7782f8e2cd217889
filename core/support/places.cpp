// SPDX-License-Identifier: MIT
// Where the program keeps and finds things.
#include <cstdlib>
#include <system_error>

#include "core/support/files.h"
#include "core/support/program_folder.h"

#if defined(_WIN32)
#include <windows.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

fs::path from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value != nullptr && *value != '\0' ? fs::path(value) : fs::path();
}

}  // namespace

fs::path program_folder() {
#if defined(_WIN32)
    std::wstring name(32768, L'\0');
    name.resize(GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size())));
    return fs::path(name).parent_path();
#else
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
#endif
}

fs::path config_directory() {
    if (fs::path chosen = from_environment("IIR2D_CONFIG_DIR"); !chosen.empty()) return chosen;
#if defined(_WIN32)
    const fs::path base = from_environment("APPDATA");
#else
    fs::path base = from_environment("XDG_CONFIG_HOME");
    if (base.empty()) {
        const fs::path home = from_environment("HOME");
        base = home.empty() ? fs::temp_directory_path() : home / ".config";
    }
#endif
    return base / "iir2d-workbench";
}

fs::path resource_directory() {
    if (fs::path chosen = from_environment("IIR2D_RESOURCE_DIR"); !chosen.empty()) return chosen;
    const fs::path program = program_folder();
    // Beside the program (Windows, portable folders), as installed (bin/ and share/), and the source tree.
    const fs::path candidates[] = {program / "resources",
                                   (program / IIR2D_INSTALLED_RESOURCES).lexically_normal(),
                                   fs::path(IIR2D_SOURCE_RESOURCES)};
    std::error_code error;
    for (const fs::path& candidate : candidates) {
        if (fs::is_directory(candidate / "samples", error)) return candidate;
    }
    return candidates[1];
}

}  // namespace workbench
