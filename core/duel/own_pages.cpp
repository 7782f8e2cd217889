// SPDX-License-Identifier: MIT
#include "core/duel/own_pages.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace workbench::duel {

namespace {

// A copy of pages of this process that is to take their place.
struct Copy {
    void* pages;
    void* copy;
    std::size_t bytes;
};

// Adds a copy of whole pages. Returns false where the system forbids it.
bool make_copy(void* pages, std::size_t bytes, int access, std::vector<Copy>& copies) {
    void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return false;
    copies.push_back({pages, copy, bytes});
    // The system may join small pages to huge ones in one participant and not in another.
    ::madvise(copy, bytes, MADV_NOHUGEPAGE);
    // Not by memcpy(): AddressSanitizer would end the process for reading redzones between constants.
    const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) return false;
    const auto from = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(pages));
    const bool read = ::pread(memory, copy, bytes, from) == static_cast<ssize_t>(bytes);
    ::close(memory);
    return read && ::mprotect(copy, bytes, access) == 0;
}

// Copies the segments that can be read and not written.
bool copy_segments(const dl_phdr_info& object, std::vector<Copy>& copies) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        if ((segment.p_flags & (PF_R | PF_W)) != PF_R) continue;
        const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
        const std::uintptr_t first = begin / page * page;
        const std::uintptr_t end = (begin + segment.p_memsz + page - 1) / page * page;
        const int access = PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
        if (!make_copy(reinterpret_cast<void*>(first), end - first, access, copies)) return false;
    }
    return true;
}

void replace_pages(const Copy& one) {
    // Where it fails the pages may be gone.
    if (::mremap(one.copy, one.bytes, one.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, one.pages) == MAP_FAILED)
        std::abort();
    // For processors whose instruction caches are not coherent.
    auto* const begin = static_cast<char*>(one.pages);
    __builtin___clear_cache(begin, begin + one.bytes);
}

// Returns the program and its libraries.
std::vector<dl_phdr_info> objects() {
    std::vector<dl_phdr_info> found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* all) {
            static_cast<std::vector<dl_phdr_info>*>(all)->push_back(*object);
            return 0;
        },
        &found);
    return found;
}

}  // namespace

std::vector<std::uintptr_t> loaded_objects() {
    std::vector<std::uintptr_t> addresses;
    for (const dl_phdr_info& object : objects()) addresses.push_back(object.dlpi_addr);
    return addresses;
}

bool copy_to_own_pages(const std::vector<std::uintptr_t>& known) {
    std::vector<Copy> copies;
    const bool made = std::ranges::all_of(objects(), [&](const dl_phdr_info& object) {
        return std::ranges::find(known, object.dlpi_addr) != known.end() || copy_segments(object, copies);
    });
    for (const Copy& one : copies)
        made ? replace_pages(one) : static_cast<void>(::munmap(one.copy, one.bytes));
    return made;
}

}  // namespace workbench::duel
