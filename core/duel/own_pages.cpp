// SPDX-License-Identifier: MIT
#include "core/duel/own_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace workbench::duel {

namespace {

// Puts a copy of whole pages in their place.
bool replace_by_copy(void* pages, std::size_t bytes, int access) {
    void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return false;
    std::memcpy(copy, pages, bytes);
    if (::mprotect(copy, bytes, access) != 0 ||
        ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == MAP_FAILED) {
        ::munmap(copy, bytes);
        return false;
    }
    // Processors other than x86 may still have the old code at hand.
    auto* const begin = static_cast<char*>(pages);
    __builtin___clear_cache(begin, begin + bytes);
    return true;
}

bool copy_segments(const dl_phdr_info& object) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
        const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
        const std::uintptr_t first = begin / page * page;
        const std::uintptr_t end = (begin + segment.p_memsz + page - 1) / page * page;
        const int access = PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
        if (!replace_by_copy(reinterpret_cast<void*>(first), end - first, access)) return false;
    }
    return true;
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
    return std::ranges::all_of(objects(), [&](const dl_phdr_info& object) {
        return std::ranges::find(known, object.dlpi_addr) != known.end() || copy_segments(object);
    });
}

}  // namespace workbench::duel
