// SPDX-License-Identifier: MIT
// Where the program keeps and finds things.
#include <cstdlib>
#include <system_error>
#include <vector>

#include "core/support/files.h"
#include "core/support/home.h"
#include "core/support/manual_places.h"
#include "core/support/program_folder.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <pwd.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

fs::path from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value != nullptr && *value != '\0' ? fs::path(value) : fs::path();
}

#if defined(_WIN32)
// The folder that the system gives each user for settings; empty where there is none.
fs::path settings_base() {
    return from_environment("APPDATA");
}
fs::path cache_base() {
    return from_environment("LOCALAPPDATA");
}
constexpr const char* no_home = "NUL";  // a device: there are no files in it
#else
// Of this user, by the system's list of users; empty when it does not say.
fs::path listed_home() {
    std::vector<char> text(std::size_t{1} << 14);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(getuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return {};
    return entry.pw_dir != nullptr ? fs::path(entry.pw_dir) : fs::path();
}

// Where each user's files of a kind are; empty where there is no such place. A relative name would be another
// place in each folder, and whoever owns that folder could have put something there.
fs::path base_of(const char* variable, const char* folder_of_home) {
    if (fs::path base = from_environment(variable); base.is_absolute()) return base;
    const fs::path home = home_directory();
    return home.empty() ? fs::path() : home / folder_of_home;
}
fs::path settings_base() {
    return base_of("XDG_CONFIG_HOME", ".config");
}
fs::path cache_base() {
    return base_of("XDG_CACHE_HOME", ".cache");
}
constexpr const char* no_home = "/nonexistent";  // Debian's name for the home of who has none
#endif

}  // namespace

fs::path home_directory() {
#if defined(_WIN32)
    fs::path home = from_environment("USERPROFILE");
#else
    fs::path home = from_environment("HOME");
    if (!home.is_absolute()) home = listed_home();
#endif
    return home.is_absolute() ? home : fs::path();
}

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
    const fs::path base = settings_base();
    return (base.empty() ? fs::path(no_home) : base) / "iir2d-workbench";
}

bool has_config_directory() {
    return !from_environment("IIR2D_CONFIG_DIR").empty() || !settings_base().empty();
}

fs::path cache_directory() {
    if (fs::path chosen = from_environment("IIR2D_CACHE_DIR"); !chosen.empty()) return chosen;
    const fs::path base = cache_base();
    return (base.empty() ? fs::path(no_home) : base) / "iir2d-workbench";
}

fs::path resource_directory() {
    if (fs::path chosen = from_environment("IIR2D_RESOURCE_DIR"); !chosen.empty()) return chosen;
    const fs::path program = program_folder();
    // Beside the program (Windows), as installed (bin/ and share/), and, where it is not packaged, the source
    // tree.
    const fs::path candidates[] = {
        program / "resources",
        (program / IIR2D_INSTALLED_RESOURCES).lexically_normal(),
#if defined(IIR2D_SOURCE_RESOURCES)
        fs::path(IIR2D_SOURCE_RESOURCES)
#endif
    };
    std::error_code error;
    for (const fs::path& candidate : candidates) {
        if (fs::is_directory(candidate / "samples", error)) return candidate;
    }
    return candidates[1];
}

std::vector<fs::path> manual_places() {
    if (fs::path chosen = from_environment("IIR2D_MANUAL_DIR"); !chosen.empty()) return {chosen};
    const fs::path program = program_folder();
    return {
        program / "manual",
            (program / IIR2D_INSTALLED_RESOURCES / "../doc/iir2d-workbench").lexically_normal(),
#if defined(IIR2D_SOURCE_RESOURCES)
            (fs::path(IIR2D_SOURCE_RESOURCES) / "../docs").lexically_normal(),
#endif
    };
}

}  // namespace workbench
