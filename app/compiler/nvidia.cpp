// SPDX-License-Identifier: MIT
#include "app/compiler/nvidia.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

namespace {

namespace fs = std::filesystem;
using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;

using Status = int;  // 0: done
using Handle = void*;

struct Nvrtc {
    OpenedLibrary library;
    Status (*version)(int*, int*) = nullptr;
    const char* (*words)(Status) = nullptr;
    Status (*create)(Handle*, const char*, const char*, int, const char* const*,
                     const char* const*) = nullptr;
    Status (*destroy)(Handle*) = nullptr;
    Status (*compile)(Handle, int, const char* const*) = nullptr;
    Status (*ptx_size)(Handle, std::size_t*) = nullptr;
    Status (*ptx)(Handle, char*) = nullptr;
    Status (*log_size)(Handle, std::size_t*) = nullptr;
    Status (*log)(Handle, char*) = nullptr;
};

struct NvJitLink {
    OpenedLibrary library;
    Status (*version)(unsigned*, unsigned*) = nullptr;
    Status (*create)(Handle*, std::uint32_t, const char**) = nullptr;
    Status (*destroy)(Handle*) = nullptr;
    Status (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
    Status (*complete)(Handle) = nullptr;
    Status (*cubin_size)(Handle, std::size_t*) = nullptr;
    Status (*cubin)(Handle, void*) = nullptr;
    Status (*log_size)(Handle, std::size_t*) = nullptr;
    Status (*log)(Handle, char*) = nullptr;
};
constexpr int input_is_ptx = 2;
constexpr Status out_of_memory = 1;  // NVRTC's

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value == nullptr ? "" : value;
}

// Where a toolkit may be, in the order of preference: one that is named, the one that ./bootstrap fetched,
// the usual place.
std::vector<fs::path> toolkits() {
    std::vector<fs::path> made{workbench::cache_directory() / "cuda-13.0", "/usr/local/cuda"};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const std::string named = variable(name); !named.empty()) {
            made.insert(made.begin(), named);
            break;
        }
    }
    return made;
}

// Opens the first of the names that is there: as the loader finds it, then in the toolkits' folders.
// IIR2D_CUDA_LIBRARIES names a folder instead of all these.
Handle open_first(std::span<const char* const> names, std::string& why) {
    const auto open = [&](const std::string& name) {
        Handle made = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (made == nullptr && why.empty()) why = ::dlerror();
        return made;
    };
    const std::string only = variable("IIR2D_CUDA_LIBRARIES");
    std::error_code error;
    for (const char* name : names) {
        if (Handle made = open(only.empty() ? name : only + "/" + name)) return made;
    }
    if (!only.empty()) return nullptr;
    for (const fs::path& toolkit : toolkits()) {
        for (const char* name : names) {
            for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
                const fs::path file = toolkit / folder / name;
                if (!fs::exists(file, error)) continue;
                if (Handle made = open(file.string())) return made;
            }
        }
    }
    return nullptr;
}

std::string path_of(const void* function) {
    Dl_info info{};
    return ::dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// Collects whether every function was found.
class Functions {
  public:
    explicit Functions(Handle library) : m_library(library) {}
    template <class Function>
    Functions& get(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(m_library, name));
        if (function == nullptr && m_missing.empty()) m_missing = name;
        return *this;
    }
    const std::string& missing() const { return m_missing; }

  private:
    Handle m_library;
    std::string m_missing;
};

std::unexpected<NotOpened> not_opened(const std::string& why, const std::string& loader = {}) {
    return std::unexpected(
        NotOpened{.reason = why + (loader.empty() ? "" : " (" + loader + ")"), .stored_reason = why});
}

// Opens the first of the files that is there, with the functions that `find` takes from it. `Number` is what
// its version is told in.
template <class Number, class Library>
std::expected<Library, NotOpened> open_library(const std::string& name, const std::string& called,
                                               std::span<const char* const> files,
                                               void (*find)(Functions&, Library&)) {
    std::string loader;
    Handle opened = open_first(files, loader);
    if (opened == nullptr)
        return not_opened(name + " (" + called +
                              ") is not found on the loader's path, in CUDA_HOME (or CUDA_PATH) or in the "
                              "toolkit that ./bootstrap fetched",
                          loader);
    Library made;
    Functions functions(opened);
    find(functions, made);
    if (!functions.missing().empty()) return not_opened(name + " has no " + functions.missing());
    Number major = 0;
    Number minor = 0;
    if (made.version(&major, &minor) != 0) return not_opened(name + " does not say its version");
    made.library = {.path = path_of(reinterpret_cast<const void*>(made.version)),
                    .version = std::to_string(major) + "." + std::to_string(minor)};
    return made;
}

std::expected<Nvrtc, NotOpened> open_nvrtc() {
    static constexpr const char* files[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
    return open_library<int, Nvrtc>("NVRTC", "libnvrtc.so.13 or .12", files,
                                    [](Functions& functions, Nvrtc& made) {
                                        functions.get(made.version, "nvrtcVersion")
                                            .get(made.words, "nvrtcGetErrorString")
                                            .get(made.create, "nvrtcCreateProgram")
                                            .get(made.destroy, "nvrtcDestroyProgram")
                                            .get(made.compile, "nvrtcCompileProgram")
                                            .get(made.ptx_size, "nvrtcGetPTXSize")
                                            .get(made.ptx, "nvrtcGetPTX")
                                            .get(made.log_size, "nvrtcGetProgramLogSize")
                                            .get(made.log, "nvrtcGetProgramLog");
                                    });
}

std::expected<NvJitLink, NotOpened> open_nvjitlink() {
    static constexpr const char* files[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
    return open_library<unsigned, NvJitLink>("nvJitLink", "libnvJitLink.so", files,
                                             [](Functions& functions, NvJitLink& made) {
                                                 functions.get(made.version, "nvJitLinkVersion")
                                                     .get(made.create, "nvJitLinkCreate")
                                                     .get(made.destroy, "nvJitLinkDestroy")
                                                     .get(made.add, "nvJitLinkAddData")
                                                     .get(made.complete, "nvJitLinkComplete")
                                                     .get(made.cubin_size, "nvJitLinkGetLinkedCubinSize")
                                                     .get(made.cubin, "nvJitLinkGetLinkedCubin")
                                                     .get(made.log_size, "nvJitLinkGetErrorLogSize")
                                                     .get(made.log, "nvJitLinkGetErrorLog");
                                             });
}

// Opens the part of NVRTC that it opens by its name at the first compilation, and finds on the loader's path
// alone. It lies beside NVRTC; where it does not, NVRTC is left to find it.
void open_builtins_of(const OpenedLibrary& nvrtc) {
    const fs::path file = fs::path(nvrtc.path).parent_path() / ("libnvrtc-builtins.so." + nvrtc.version);
    ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

const std::expected<Nvrtc, NotOpened>& opened_nvrtc() {
    static const std::expected<Nvrtc, NotOpened> opened = [] {
        std::expected<Nvrtc, NotOpened> made = open_nvrtc();
        if (made) open_builtins_of(made->library);
        return made;
    }();
    return opened;
}
const std::expected<NvJitLink, NotOpened>& opened_nvjitlink() {
    static const std::expected<NvJitLink, NotOpened> opened = open_nvjitlink();
    return opened;
}

// The log of a program or a link, without the zero at its end.
template <class Library>
std::string log_of(const Library& library, Handle of) {
    std::size_t size = 0;
    if (library.log_size(of, &size) != 0 || size == 0) return {};
    std::string log(size, '\0');
    if (library.log(of, log.data()) != 0) return {};
    log.resize(log.find('\0') == std::string::npos ? size : log.find('\0'));
    return log;
}

template <class Library>
struct Owned {
    const Library& library;
    Handle handle = nullptr;
    explicit Owned(const Library& of) : library(of) {}
    ~Owned() {
        if (handle != nullptr) library.destroy(&handle);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
};

}  // namespace

std::expected<OpenedLibrary, NotOpened> nvrtc() {
    if (!opened_nvrtc()) return std::unexpected(opened_nvrtc().error());
    return opened_nvrtc()->library;
}

std::expected<OpenedLibrary, NotOpened> nvjitlink() {
    if (!opened_nvjitlink()) return std::unexpected(opened_nvjitlink().error());
    return opened_nvjitlink()->library;
}

std::string toolkit_folder() {
    std::error_code error;
    std::vector<fs::path> folders = toolkits();
    if (opened_nvrtc()) {
        const fs::path library = fs::canonical(opened_nvrtc()->library.path, error);
        for (fs::path folder = library.parent_path(); folder.has_relative_path();
             folder = folder.parent_path())
            folders.push_back(folder);
    }
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / "include" / "cuda_runtime.h", error) ||
            fs::exists(folder / "nvvm" / "libdevice", error))
            return folder.string();
    }
    return {};
}

Result<std::string> compile_to_ptx(const std::string& text, const std::string& name,
                                   std::span<const std::string> options) {
    if (!opened_nvrtc()) return fail(ErrorKind::device_failure, opened_nvrtc().error().reason);
    const Nvrtc& nvrtc = *opened_nvrtc();
    Owned program(nvrtc);
    if (const Status made = nvrtc.create(&program.handle, text.c_str(), name.c_str(), 0, nullptr, nullptr);
        made != 0)
        return fail(ErrorKind::bad_input, std::string("nvrtcCreateProgram: ") + nvrtc.words(made));
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    if (const Status made = nvrtc.compile(program.handle, static_cast<int>(words.size()), words.data());
        made != 0) {
        if (made == out_of_memory) throw std::bad_alloc();  // what is left of it would fail the next source
        const std::string log = log_of(nvrtc, program.handle);
        return fail(ErrorKind::bad_input,
                    log.empty() ? std::string("nvrtcCompileProgram: ") + nvrtc.words(made) : log);
    }
    std::size_t size = 0;
    if (const Status made = nvrtc.ptx_size(program.handle, &size); made != 0)
        return fail(ErrorKind::bad_input, std::string("nvrtcGetPTXSize: ") + nvrtc.words(made));
    std::string ptx(size, '\0');
    if (const Status made = nvrtc.ptx(program.handle, ptx.data()); made != 0)
        return fail(ErrorKind::bad_input, std::string("nvrtcGetPTX: ") + nvrtc.words(made));
    ptx.resize(ptx.find('\0') == std::string::npos ? size : ptx.find('\0'));
    return ptx;
}

Result<std::vector<char>> assemble(const std::string& ptx, int sm) {
    if (!opened_nvjitlink()) return fail(ErrorKind::device_failure, opened_nvjitlink().error().reason);
    const NvJitLink& linker = *opened_nvjitlink();
    Owned link(linker);
    const std::string arch = "-arch=sm_" + std::to_string(sm);
    const char* options[] = {arch.c_str()};
    const auto refused = [&](const char* call, Status status) {
        const std::string log = link.handle == nullptr ? "" : log_of(linker, link.handle);
        return fail(ErrorKind::bad_input, std::string(call) + " failed with " + std::to_string(status) +
                                              (log.empty() ? "" : ": " + log));
    };
    if (const Status made = linker.create(&link.handle, 1, options); made != 0)
        return refused("nvJitLinkCreate", made);
    // With its zero: the text's length counts it. Completing after a failed add would succeed, with nothing
    // in it.
    if (const Status made = linker.add(link.handle, input_is_ptx, ptx.c_str(), ptx.size() + 1, "kernel");
        made != 0)
        return refused("nvJitLinkAddData", made);
    if (const Status made = linker.complete(link.handle); made != 0)
        return refused("nvJitLinkComplete", made);
    std::size_t size = 0;
    if (const Status made = linker.cubin_size(link.handle, &size); made != 0)
        return refused("nvJitLinkGetLinkedCubinSize", made);
    std::vector<char> cubin(size);
    if (const Status made = linker.cubin(link.handle, cubin.data()); made != 0)
        return refused("nvJitLinkGetLinkedCubin", made);
    return cubin;
}

}  // namespace app
