// SPDX-License-Identifier: MIT
#include "core/support/file_handle.h"

#include <cerrno>

#if defined(_WIN32)
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace workbench {

int FileHandle::close() {
    if (m_descriptor < 0) return 0;
    const int descriptor = release();
#if defined(_WIN32)
    return ::_close(descriptor) == 0 ? 0 : errno;
#else
    return ::close(descriptor) == 0 ? 0 : errno;
#endif
}

FileHandle FileHandle::duplicate(int descriptor, [[maybe_unused]] int least) {
#if defined(_WIN32)
    return FileHandle(::_dup(descriptor));
#else
    return FileHandle(::fcntl(descriptor, F_DUPFD_CLOEXEC, least));
#endif
}

}  // namespace workbench
