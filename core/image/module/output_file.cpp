// SPDX-License-Identifier: MIT
#include "core/image/module/output_file.h"

#include <algorithm>
#include <cerrno>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace workbench {

namespace {

int seek_stream(std::FILE* file, std::int64_t offset, int whence) {
#if defined(_WIN32)
    return _fseeki64(file, offset, whence);
#else
    return fseeko(file, offset, whence);
#endif
}

std::FILE* stream_over(int descriptor) {
#if defined(_WIN32)
    return _fdopen(_dup(descriptor), "w+b");
#else
    return fdopen(dup(descriptor), "w+b");
#endif
}

std::int64_t tell_stream(std::FILE* file) {
#if defined(_WIN32)
    return _ftelli64(file);
#else
    return ftello(file);
#endif
}

}  // namespace

OutputFile::OutputFile(int descriptor, const std::string& name, std::uint64_t most_bytes)
    : IOProxy(name, Write),
      m_stream(stream_over(descriptor)),
      m_file(m_stream.get()),
      m_most_bytes(most_bytes) {
    if (m_file == nullptr) {
        m_failure = errno != 0 ? errno : EIO;
        m_mode = Closed;
    }
}

std::int64_t OutputFile::tell() IIR2D_OIIO_TELL_CONST {
    return m_pos;
}

bool OutputFile::seek_locked(std::int64_t offset) {
    if (offset < 0) return false;
    // stdio flushes on every seek, so only where it is needed.
    if (m_file == nullptr) return false;
    if (tell_stream(m_file) != offset && seek_stream(m_file, offset, SEEK_SET) != 0) {
        if (m_failure == 0) m_failure = errno;
        return false;
    }
    return true;
}

bool OutputFile::seek(std::int64_t offset) {
    const std::scoped_lock lock(m_mutex);
    if (!seek_locked(offset)) return false;
    m_pos = offset;
    return true;
}

std::size_t OutputFile::read(void* buffer, std::size_t size) {
    const std::size_t got = pread(buffer, size, m_pos);
    m_pos += static_cast<std::int64_t>(got);
    return got;
}

std::size_t OutputFile::write(const void* buffer, std::size_t size) {
    const std::size_t written = pwrite(buffer, size, m_pos);
    m_pos += static_cast<std::int64_t>(written);
    return written;
}

std::size_t OutputFile::pread(void* buffer, std::size_t size, std::int64_t offset) {
    const std::scoped_lock lock(m_mutex);
    // A stream must be flushed or positioned between writing and reading.
    if (m_file == nullptr || seek_stream(m_file, offset, SEEK_SET) != 0) return 0;
    const std::size_t got = std::fread(buffer, 1, size, m_file);
    seek_stream(m_file, offset + static_cast<std::int64_t>(got), SEEK_SET);
    return got;
}

std::size_t OutputFile::pwrite(const void* buffer, std::size_t size, std::int64_t offset) {
    if (size == 0) return 0;  // libraries write nothing from nowhere
    const std::scoped_lock lock(m_mutex);
    errno = 0;
    if (!seek_locked(offset)) return 0;
    if (static_cast<std::uint64_t>(offset) + size > m_most_bytes) {
        if (m_failure == 0) m_failure = EFBIG;
        return 0;
    }
    const std::size_t written = std::fwrite(buffer, 1, size, m_file);
    if (written != size && m_failure == 0) m_failure = errno != 0 ? errno : EIO;
    return written;
}

std::size_t OutputFile::size() const {
    const std::scoped_lock lock(m_mutex);
    if (m_file == nullptr) return 0;
    const std::int64_t here = tell_stream(m_file);
    seek_stream(m_file, 0, SEEK_END);
    const std::int64_t end = tell_stream(m_file);
    seek_stream(m_file, here, SEEK_SET);
    return static_cast<std::size_t>(std::max<std::int64_t>(end, 0));
}

void OutputFile::finish() {
    const std::scoped_lock lock(m_mutex);
    errno = 0;
    if (m_file == nullptr || (std::fflush(m_file) == 0 && std::ferror(m_file) == 0)) return;
    if (m_failure == 0) m_failure = errno != 0 ? errno : EIO;
}

void OutputFile::flush() IIR2D_OIIO_FLUSH_CONST {
    const std::scoped_lock lock(m_mutex);
    if (m_file != nullptr) std::fflush(m_file);
}

}  // namespace workbench
