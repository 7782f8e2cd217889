// SPDX-License-Identifier: MIT
#include "core/image/library_order.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
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

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned own_machine = EM_AARCH64;
#else
constexpr unsigned own_machine = EM_NONE;  // of no file: nothing is loaded before the module
#endif

// Reads parts of an ELF file of this machine. No number in the file is trusted.
class ElfFile {
  public:
    explicit ElfFile(const fs::path& file) : m_file(file, std::ios::binary) {}

    // Returns what the dynamic section says that the library needs; nothing for another kind of file, or one
    // that is damaged.
    std::optional<Needs> needs() {
        ElfW(Ehdr) header{};
        if (!read(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
            header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != own_machine ||
            header.e_type != ET_DYN || header.e_phentsize != sizeof(ElfW(Phdr)))
            return {};
        m_segments.resize(header.e_phnum);
        if (!read(header.e_phoff, m_segments.data(), m_segments.size() * sizeof(ElfW(Phdr)))) return {};
        for (const ElfW(Phdr) & segment : m_segments)
            if (segment.p_type == PT_DYNAMIC) return of_dynamic(segment);
        return {};
    }

  private:
    // Where the table of strings lies in the file.
    struct Strings {
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
    };

    bool seek(std::uint64_t offset) {
        if (offset > static_cast<std::uint64_t>(std::numeric_limits<std::streamoff>::max())) return false;
        m_file.clear();
        m_file.seekg(static_cast<std::streamoff>(offset));
        return m_file.good();
    }

    bool read(std::uint64_t offset, void* to, std::size_t bytes) {
        if (!seek(offset)) return false;
        m_file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
        return m_file.good();
    }

    std::optional<Needs> of_dynamic(const ElfW(Phdr) & segment) {
        constexpr std::uint64_t most_bytes = 1 << 20;
        if (segment.p_filesz > most_bytes) return {};
        std::vector<ElfW(Dyn)> entries(segment.p_filesz / sizeof(ElfW(Dyn)));
        if (!read(segment.p_offset, entries.data(), entries.size() * sizeof(ElfW(Dyn)))) return {};
        entries.erase(std::ranges::find(entries, DT_NULL, &ElfW(Dyn)::d_tag), entries.end());
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        for (const ElfW(Dyn) & entry : entries) {
            if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
            if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
        }
        const std::optional<Strings> strings = strings_at(address, size);
        if (!strings) return {};
        Needs needs;
        for (const ElfW(Dyn) & entry : entries) {
            if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
            std::optional<std::string> text = string_at(*strings, entry.d_un.d_val);
            if (!text) return {};
            if (entry.d_tag == DT_NEEDED) {
                needs.names.push_back(*std::move(text));
            } else {
                (entry.d_tag == DT_RPATH ? needs.rpath : needs.runpath) = *std::move(text);
            }
        }
        return needs;
    }

    // Finds the table in the file; nothing where it does not lie within one segment.
    std::optional<Strings> strings_at(std::uint64_t address, std::uint64_t size) const {
        for (const ElfW(Phdr) & segment : m_segments) {
            if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
            const std::uint64_t inside = address - segment.p_vaddr;
            if (inside < segment.p_filesz && size <= segment.p_filesz - inside &&
                segment.p_offset <= std::numeric_limits<std::uint64_t>::max() - segment.p_filesz)
                return Strings{segment.p_offset + inside, size};
        }
        return {};
    }

    // Reads a string of the table; nothing where it does not end in it, or is longer than any path.
    std::optional<std::string> string_at(const Strings& strings, std::uint64_t offset) {
        std::array<char, 1 << 14> text{};
        if (offset >= strings.size || !seek(strings.offset + offset)) return {};
        const std::uint64_t most = std::min<std::uint64_t>(strings.size - offset, text.size());
        m_file.getline(text.data(), static_cast<std::streamsize>(most), '\0');
        if (!m_file.good()) return {};
        return text.data();
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

    // False: the file is no library of this machine.
    bool visit(const fs::path& file) {
        const std::optional<Needs> needs = ElfFile(file).needs();
        if (!needs) return false;
        const fs::path origin = file.parent_path();
        std::vector<fs::path> own;
        if (needs->runpath.empty()) own = folders_in(needs->rpath, origin);
        own.insert(own.end(), m_chosen.begin(), m_chosen.end());
        for (fs::path& folder : folders_in(needs->runpath, origin)) own.push_back(std::move(folder));
        for (const std::string& name : needs->names) {
            const bool is_bare = !name.empty() && name.find('/') == std::string::npos;
            if (!is_bare || !m_seen.insert(name).second) continue;
            if (const auto found = visit_first(own, name))
                m_order.push_back({*found, found->string()});
            else if (const auto of_system = visit_first(m_system, name))
                m_order.push_back({*of_system, name});
        }
        return true;
    }

    std::vector<NeededLibrary> take() { return std::move(m_order); }

  private:
    // Goes on past files of another kind, as the dynamic linker does.
    std::optional<fs::path> visit_first(const std::vector<fs::path>& folders, const std::string& name) {
        for (const fs::path& folder : folders) {
            fs::path found = folder / name;
            std::error_code error;
            if (fs::is_regular_file(found, error) && visit(found)) return found;
        }
        return {};
    }

    std::vector<fs::path> m_chosen;
    std::vector<fs::path> m_system;
    std::set<std::string> m_seen;
    std::vector<NeededLibrary> m_order;
};

#ifdef __GLIBC__
// Gives threads that start during its lifetime stacks of 1 MiB. Libraries start threads when they are loaded:
// log4cplus starts four, and where there is no memory for the last, it waits forever for the others to end.
class SmallStacks {
  public:
    SmallStacks() {
        if (pthread_getattr_default_np(&m_attributes) != 0) return;
        m_known = pthread_attr_getstacksize(&m_attributes, &m_bytes) == 0;
        set(std::size_t{1} << 20);
    }
    ~SmallStacks() {
        if (!m_known) return;
        set(m_bytes);
        pthread_attr_destroy(&m_attributes);
    }
    SmallStacks(const SmallStacks&) = delete;
    SmallStacks& operator=(const SmallStacks&) = delete;

  private:
    void set(std::size_t bytes) {
        if (m_known && pthread_attr_setstacksize(&m_attributes, bytes) == 0)
            pthread_setattr_default_np(&m_attributes);
    }

    pthread_attr_t m_attributes{};
    std::size_t m_bytes = 0;
    bool m_known = false;
};
#else
class SmallStacks {};
#endif

}  // namespace

std::vector<NeededLibrary> libraries_in_order(const fs::path& module) {
    Walk walk;
    walk.visit(module);
    return walk.take();
}

void load_libraries_in_order(const fs::path& module) {
    // Never closed, like the module. What fails alone, because it takes symbols from libraries that it does
    // not name, is loaded with the module, among which they are. Many failures are for want of memory: then
    // each library would try in vain what the ones before it tried.
    int failures = 8;
    [[maybe_unused]] const SmallStacks stacks;
    for (const NeededLibrary& library : libraries_in_order(module)) {
        if (dlopen(library.name.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr && --failures == 0) return;
    }
}

}  // namespace workbench
