// SPDX-License-Identifier: MIT
#include "core/worker/file_handle.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace workbench::worker {

void FileHandle::close() {
    if (m_descriptor < 0) return;
#if defined(_WIN32)
    ::_close(m_descriptor);
#else
    ::close(m_descriptor);
#endif
    m_descriptor = -1;
}

}  // namespace workbench::worker
