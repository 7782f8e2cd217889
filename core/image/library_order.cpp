// SPDX-License-Identifier: MIT
#include "core/image/library_order.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace workbench {

namespace fs = std::filesystem;

namespace {

// Folders apart by colons, as in RUNPATH and LD_LIBRARY_PATH; $ORIGIN is the folder of the library.
std::vector<fs::path> folders_in(std::string_view text, const fs::path& origin) {
    std::vector<fs::path> folders;
    while (!text.empty()) {
        const std::size_t end = text.find(':');
        std::string folder(text.substr(0, end));
        for (const std::string_view name : {"$ORIGIN", "${ORIGIN}"}) {
            if (const std::size_t at = folder.find(name); at != std::string::npos)
                folder.replace(at, name.size(), origin.string());
        }
        if (!folder.empty()) folders.emplace_back(std::move(folder));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return folders;
}

struct Needs {
    std::vector<std::string> names;  // DT_NEEDED
    std::string rpath;               // DT_RPATH, which counts only without the next
    std::string runpath;             // DT_RUNPATH
};

// Reads parts of an ELF file of this machine's class and byte order.
class ElfFile {
  public:
    explicit ElfFile(const fs::path& file) : m_file(file, std::ios::binary) {}

    // Returns what the dynamic section says that the library needs; nothing for another kind of file.
    std::optional<Needs> needs() {
        ElfW(Ehdr) header{};
        if (!read(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
            header.e_phentsize != sizeof(ElfW(Phdr)))
            return {};
        m_segments.resize(header.e_phnum);
        if (!read(header.e_phoff, m_segments.data(), m_segments.size() * sizeof(ElfW(Phdr)))) return {};
        for (const ElfW(Phdr) & segment : m_segments)
            if (segment.p_type == PT_DYNAMIC) return of_dynamic(segment);
        return {};
    }

  private:
    bool read(std::uint64_t offset, void* to, std::size_t bytes) {
        m_file.clear();
        m_file.seekg(static_cast<std::streamoff>(offset));
        m_file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
        return m_file.good();
    }

    std::optional<Needs> of_dynamic(const ElfW(Phdr) & segment) {
        constexpr std::uint64_t most_bytes = 1 << 20;
        if (segment.p_filesz > most_bytes) return {};
        std::vector<ElfW(Dyn)> entries(segment.p_filesz / sizeof(ElfW(Dyn)));
        if (!read(segment.p_offset, entries.data(), entries.size() * sizeof(ElfW(Dyn)))) return {};
        std::uint64_t strings = 0;
        for (const ElfW(Dyn) & entry : entries)
            if (entry.d_tag == DT_STRTAB) strings = file_offset(entry.d_un.d_ptr);
        Needs needs;
        for (const ElfW(Dyn) & entry : entries) {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_NEEDED) needs.names.push_back(string_at(strings + entry.d_un.d_val));
            if (entry.d_tag == DT_RPATH) needs.rpath = string_at(strings + entry.d_un.d_val);
            if (entry.d_tag == DT_RUNPATH) needs.runpath = string_at(strings + entry.d_un.d_val);
        }
        return needs;
    }

    std::uint64_t file_offset(std::uint64_t address) const {
        for (const ElfW(Phdr) & segment : m_segments)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz)
                return address - segment.p_vaddr + segment.p_offset;
        return 0;
    }

    std::string string_at(std::uint64_t offset) {
        std::string text;
        m_file.clear();
        m_file.seekg(static_cast<std::streamoff>(offset));
        std::getline(m_file, text, '\0');
        return text;
    }

    std::ifstream m_file;
    std::vector<ElfW(Phdr)> m_segments;
};

// Walks the graph of libraries, depth first.
class Walk {
  public:
    Walk() {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
        if (const char* set = std::getenv("LD_LIBRARY_PATH"); set != nullptr) m_chosen = folders_in(set, {});
        // The system's folders are those of the program's own search path, which begins with the ones above.
        void* const program = dlopen(nullptr, RTLD_LAZY);
        Dl_serinfo size{};
        if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return;
        std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
        auto* const paths = new (memory.data()) Dl_serinfo(size);
        if (dlinfo(program, RTLD_DI_SERINFOSIZE, paths) != 0 || dlinfo(program, RTLD_DI_SERINFO, paths) != 0)
            return;
        for (unsigned i = 0; i < paths->dls_cnt; ++i) m_system.emplace_back(paths->dls_serpath[i].dls_name);
    }

    void visit(const fs::path& file) {
        const std::optional<Needs> needs = ElfFile(file).needs();
        if (!needs) return;
        const fs::path origin = file.parent_path();
        std::vector<fs::path> folders;
        if (needs->runpath.empty()) folders = folders_in(needs->rpath, origin);
        folders.insert(folders.end(), m_chosen.begin(), m_chosen.end());
        for (fs::path& folder : folders_in(needs->runpath, origin)) folders.push_back(std::move(folder));
        folders.insert(folders.end(), m_system.begin(), m_system.end());
        for (const std::string& name : needs->names) {
            if (name.empty() || !m_seen.insert(name).second) continue;
            for (const fs::path& folder : folders) {
                const fs::path found = folder / name;
                std::error_code error;
                if (!fs::exists(found, error)) continue;
                visit(found);
                m_order.push_back(found);
                break;
            }
        }
    }

    std::vector<fs::path> take() { return std::move(m_order); }

  private:
    std::vector<fs::path> m_chosen;
    std::vector<fs::path> m_system;
    std::set<std::string> m_seen;
    std::vector<fs::path> m_order;
};

}  // namespace

std::vector<fs::path> libraries_in_order(const fs::path& module) {
    Walk walk;
    walk.visit(module);
    return walk.take();
}

void load_libraries_in_order(const fs::path& module) {
    // Never closed, like the module. What fails alone, because it takes symbols from libraries that it does
    // not name, is loaded with the module, among which they are. Many failures are for want of memory: then
    // each library would try in vain what the ones before it tried.
    int failures = 8;
    for (const fs::path& library : libraries_in_order(module)) {
        if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr && --failures == 0) return;
    }
}

}  // namespace workbench
