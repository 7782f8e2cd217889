// SPDX-License-Identifier: MIT
#include "core/support/input_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "core/support/atomic_file.h"
#include "core/support/text.h"

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> unreadable(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " could not be read: " + why);
}

std::string words_of(const NotOpened& failure) {
    if (failure.error != 0) return system_words(failure.error);
    switch (failure.type) {
        case fs::file_type::directory:
            return "it is a folder";
        case fs::file_type::fifo:
        case fs::file_type::socket:
            return "it is a pipe, not a regular file: write its content to a file first";
        default:
            return "it is a device, not a regular file";
    }
}

FileHandle open_to_read(const fs::path& path) {
#if defined(_WIN32)
    return FileHandle(::_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT));
#else
    // Not waiting even when the name has become a pipe's since it was looked at.
    return FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
#endif
}

fs::file_type type_of([[maybe_unused]] const FileHandle& file) {
#if !defined(_WIN32)
    struct stat status {};
    if (fstat(file.get(), &status) != 0) return fs::file_type::unknown;
    if (S_ISDIR(status.st_mode)) return fs::file_type::directory;
    if (S_ISFIFO(status.st_mode)) return fs::file_type::fifo;
    if (!S_ISREG(status.st_mode)) return fs::file_type::unknown;
#endif
    return fs::file_type::regular;
}

}  // namespace

std::expected<FileHandle, NotOpened> open_regular_file(const fs::path& path) {
    // Looked at before it is opened, because opening a device can do things; and again when it is open,
    // because the name may stand for something else by then.
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
        return std::unexpected(NotOpened{.type = status.type()});
    errno = 0;
    FileHandle file = open_to_read(path);
    if (!file) return std::unexpected(NotOpened{.error = errno});
    if (const auto type = type_of(file); type != fs::file_type::regular)
        return std::unexpected(NotOpened{.type = type});
    return file;
}

Result<InputFile> InputFile::open(const fs::path& path) {
    auto file = open_regular_file(path);
    if (!file) return unreadable(path, words_of(file.error()));
#if defined(_WIN32)
    std::FILE* stream = ::_fdopen(file->get(), "rb");
#else
    std::FILE* stream = ::fdopen(file->get(), "rb");
#endif
    if (stream == nullptr) return unreadable(path, system_words(errno));
    file->release();
    return InputFile(stream, path);
}

Result<std::size_t> InputFile::read(std::span<char> block) {
    errno = 0;
    const std::size_t count = std::fread(block.data(), 1, block.size(), m_file.get());
    if (count < block.size() && std::ferror(m_file.get()) != 0)
        return unreadable(m_path, system_words(errno != 0 ? errno : EIO));
    return count;
}

}  // namespace workbench
