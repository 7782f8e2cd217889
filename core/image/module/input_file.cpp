// SPDX-License-Identifier: MIT
#include "core/image/module/input_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/image/module/oiio_support.h"

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace {

#if defined(_WIN32)
std::FILE* open_by_name(const std::string& path) {
    return _wfopen(path_of(path).c_str(), L"rb");
}
int seek_to(std::FILE* file, std::int64_t offset) {
    return _fseeki64(file, offset, SEEK_SET);
}
#else
std::FILE* open_by_name(const std::string& path) {
    return std::fopen(path.c_str(), "rb");
}
int seek_to(std::FILE* file, std::int64_t offset) {
    return fseeko(file, offset, SEEK_SET);
}
#endif

}  // namespace

InputFile::InputFile(const SourceFile& source)
    : IOProxy(source.path, Read), m_source(source), m_descriptor(source.descriptor) {
#if !defined(_WIN32)
    if (m_descriptor >= 0) {
        m_name_to_open = "/proc/self/fd/" + std::to_string(m_descriptor);
        struct stat facts {};
        if (fstat(m_descriptor, &facts) == 0) m_size = static_cast<std::uint64_t>(facts.st_size);
        return;
    }
#endif
    m_name_to_open = source.path;
    m_file.reset(open_by_name(source.path));
    std::error_code error;
    m_size = std::filesystem::file_size(path_of(source.path), error);
    if (error) m_size = 0;
}

std::size_t InputFile::read(void* buffer, std::size_t size) {
    const std::size_t got = pread(buffer, size, m_pos);
    m_pos += static_cast<std::int64_t>(got);
    return got;
}

std::size_t InputFile::pread(void* buffer, std::size_t size, std::int64_t offset) {
    if (offset < 0) return 0;
#if !defined(_WIN32)
    if (m_descriptor >= 0) {
        std::size_t done = 0;
        while (done < size) {
            const ssize_t got = ::pread(m_descriptor, static_cast<char*>(buffer) + done, size - done,
                                        offset + static_cast<std::int64_t>(done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
#endif
    const std::scoped_lock lock(m_mutex);
    if (!m_file || seek_to(m_file.get(), offset) != 0) return 0;
    return std::fread(buffer, 1, size, m_file.get());
}

}  // namespace workbench
