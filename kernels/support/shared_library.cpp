// SPDX-License-Identifier: MIT
#include "kernels/support/shared_library.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace iir2d::support {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
#if defined(_WIN32)
        // Only from the system's own folder: a file of this name beside a document is not the driver.
        m_handle = LoadLibraryExA(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
#else
        m_handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
        if (m_handle != nullptr) return;
    }
}

void* SharedLibrary::symbol(const char* name) const {
    if (m_handle == nullptr) return nullptr;
#if defined(_WIN32)
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(m_handle), name));
#else
    return dlsym(m_handle, name);
#endif
}

}  // namespace iir2d::support
