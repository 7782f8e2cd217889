// SPDX-License-Identifier: MIT
#include "core/image/module_loader.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "core/image/library_order.h"
#include "core/image/module_fingerprint.h"
#include "core/support/program_folder.h"
#include "core/support/text.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#if defined(IIR2D_IMAGES_LINKED)
extern "C" const workbench::ImagesModule* iir2d_images_module();
#endif

namespace workbench {

namespace fs = std::filesystem;

std::unexpected<Error> unusable(const fs::path& file, const std::string& why) {
    return fail(ErrorKind::device_failure, quoted(file) + ", without which no image is read or written, " +
                                               why + ": install iir2d-tools again");
}

#if defined(IIR2D_IMAGES_LINKED)

fs::path images_module_path() {
    return {};
}

Result<const ImagesModule*> load_images_module(const fs::path&) {
    return iir2d_images_module();
}

#else

namespace {

using Entry = const ImagesModule* (*)();

#if defined(_WIN32)
constexpr std::string_view module_name = "iir2d-images.dll";

Entry entry_of(const fs::path& file, std::string& why) {
    // Its own libraries are found beside it, not on the search path.
    const HMODULE module = LoadLibraryExW(
        file.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (module == nullptr) {
        why = "could not be opened (system error " + std::to_string(GetLastError()) + ")";
        return nullptr;
    }
    const FARPROC found = GetProcAddress(module, "iir2d_images_module");
    if (found == nullptr) why = "is not the image module";
    return reinterpret_cast<Entry>(reinterpret_cast<void*>(found));
}
#else
constexpr std::string_view module_name = "libiir2d-images.so";

Entry entry_of(const fs::path& file, std::string& why) {
#if defined(__linux__)
    load_libraries_in_order(file);
#endif
    // Never closed: libraries like OpenEXR leave threads and thread-local data behind.
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        // dlerror() begins with the file's name, which the sentence has already.
        std::string words = dlerror();
        if (const std::string prefix = file.string() + ": "; words.starts_with(prefix))
            words.erase(0, prefix.size());
        why = "could not be opened (" + one_line(words) + ")";
        return nullptr;
    }
    void* found = dlsym(module, "iir2d_images_module");
    if (found == nullptr) why = "is not the image module";
    return reinterpret_cast<Entry>(found);
}
#endif

Result<const ImagesModule*> open_module(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return unusable(file, "is missing");
    std::string why;
    const Entry entry = entry_of(file, why);
    if (entry == nullptr) return unusable(file, why);
    const ImagesModule* module = entry();
    if (std::string_view(module->fingerprint) != module_fingerprint)
        return unusable(file, "is of another build (" + printable_utf8(module->fingerprint) + ")");
    return module;
}

}  // namespace

fs::path images_module_path() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
    const char* chosen = std::getenv("IIR2D_MODULE_DIR");
    if (chosen != nullptr && *chosen != '\0') return fs::path(chosen) / module_name;
    return (program_folder() / IIR2D_INSTALLED_MODULES).lexically_normal() / module_name;
}

Result<const ImagesModule*> load_images_module(const fs::path& file) {
    static std::mutex mutex;
    static std::map<fs::path, Result<const ImagesModule*> > opened;
    const std::scoped_lock lock(mutex);
    const auto known = opened.find(file);
    if (known != opened.end()) return known->second;
    return opened.emplace(file, open_module(file)).first->second;
}

#endif

}  // namespace workbench
