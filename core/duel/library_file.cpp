// SPDX-License-Identifier: MIT
#include "core/duel/library_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/record/environment.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

#if defined(__linux__)
#include <elf.h>
#endif

namespace workbench {

namespace {

namespace fs = std::filesystem;

// Where a library lies in what a person may name, in the order of looking.
constexpr std::array library_folders = {
    "", "lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "kernels", "bin"};
constexpr std::array library_names = {"libiir2d.so",  "libiir2d.so.1",    "libiir2d.dylib", "iir2d.dll",
                                      "libiir2d.dll", "libiir2d_core.so", "libiir2d-1.dll"};

#if defined(__linux__)
// Returns whether a library of this machine's kind has all that its header says is loaded. The system finds
// out by a crash of whoever opens one that has not.
bool is_complete_file(std::ifstream& file, const fs::path& path, const unsigned char* head) {
    Elf64_Ehdr header;
    std::memcpy(&header, head, sizeof header);
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    const auto fits = [&](std::uint64_t at, std::uint64_t bytes) {
        return !error && at <= size && bytes <= size - at;
    };
    if (header.e_phentsize != sizeof(Elf64_Phdr) ||
        !fits(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
        return false;
    file.clear();
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part;
        if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
        if (part.p_type == PT_LOAD && !fits(part.p_offset, part.p_filesz)) return false;
    }
    return true;
}
#endif

// Returns why a file cannot be opened as a library here; empty: nothing speaks against it.
std::string wrong_with_file([[maybe_unused]] const fs::path& path) {
#if defined(__linux__)
    std::array<unsigned char, sizeof(Elf64_Ehdr)> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(head.data()), static_cast<std::streamsize>(head.size()));
    const auto read = static_cast<std::size_t>(file.gcount());
    if (read < 20 || head[0] != ELFMAG0 || head[1] != ELFMAG1 || head[2] != ELFMAG2 || head[3] != ELFMAG3)
        return "it is not a shared library (ELF)";
    const bool little = head[EI_DATA] == ELFDATA2LSB;
    const auto two_bytes = [&](std::size_t at) {
        return static_cast<unsigned>(little ? head[at] | head[at + 1] << 8 : head[at] << 8 | head[at + 1]);
    };
    if (two_bytes(16) != ET_DYN) return "it is not a shared library (ELF)";
#if defined(__x86_64__)
    constexpr unsigned own = EM_X86_64;
#elif defined(__aarch64__)
    constexpr unsigned own = EM_AARCH64;
#else
    const unsigned own = two_bytes(18);
#endif
    if (two_bytes(18) != own || head[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32))
        return "it is built for another architecture (ELF machine " + std::to_string(two_bytes(18)) + ", " +
               (head[EI_CLASS] == ELFCLASS64 ? "64" : "32") + " bits)";
    if (head[EI_CLASS] == ELFCLASS64 && (read < head.size() || !is_complete_file(file, path, head.data())))
        return "it is cut off: its header names more than the file has";
#endif
    return {};
}

Result<fs::path> path_of_library(const std::string& side, const std::string& given) {
    if (given == ".") {
        const auto own = own_library_path();
        if (!own)
            return fail(ErrorKind::bad_input,
                        side + ": the program's own library cannot be found: " + own.reason);
        return fs::path(*own);
    }
    const fs::path path(given);
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_regular_file(status)) return path;
    if (!fs::is_directory(status)) {
        return fail(ErrorKind::bad_input,
                    side + ": " + quoted(path) + " is neither a library nor a folder" +
                        (fs::exists(status) ? "" : ": it does not exist or cannot be reached"));
    }
    for (const char* folder : library_folders) {
        for (const char* name : library_names) {
            const fs::path candidate = path / folder / name;
            if (fs::is_regular_file(candidate, error)) return candidate;
        }
    }
    return fail(ErrorKind::bad_input,
                side + ": " + quoted(path) +
                    " has no libiir2d: name the library itself, an installed prefix or a build directory");
}

}  // namespace

BuildIdentity build_of(const LibraryFile& library) {
    constexpr std::string_view before = ", commit ";
    BuildIdentity identity;
    const std::string& text = library.fingerprint;
    const auto at = text.find(before);
    if (at == std::string::npos) return identity;
    const auto end = std::min(text.find_first_of(" ,", at + before.size()), text.size());
    identity.commit = text.substr(at + before.size(), end - at - before.size());
    identity.has_local_changes = text.compare(end, 19, " with local changes") == 0;
    return identity;
}

Result<LibraryFile> find_library(std::string_view side, const std::string& given) {
    const std::string who(side);
    IIR2D_TRY(auto path, path_of_library(who, given));
    std::error_code error;
    // With links followed: the record names the file, and another one may take the link's place.
    const fs::path real = fs::canonical(path, error);
    if (!error) path = real;
    if (auto wrong = wrong_with_file(path); !wrong.empty())
        return fail(ErrorKind::bad_input, who + ": " + quoted(path) + " cannot be used: " + wrong);
    auto hash = sha256_of_file(path);
    if (!hash) return fail(hash.error().kind, who + ": " + hash.error().message);
    return LibraryFile{.given = given, .path = path, .sha256 = *std::move(hash)};
}

}  // namespace workbench
