// SPDX-License-Identifier: MIT
#include "core/support/input_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "core/support/atomic_file.h"
#include "core/support/text.h"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> unreadable(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " could not be read: " + why);
}

std::unexpected<Error> not_regular(const fs::path& path, fs::file_type type) {
    if (type == fs::file_type::directory) return unreadable(path, "it is a folder");
    const bool pipe = type == fs::file_type::fifo || type == fs::file_type::socket;
    return unreadable(path, pipe ? "it is a pipe, not a regular file: write its content to a file first"
                                 : "it is a device, not a regular file");
}

// 0 with `file` open, or the system's error number.
int open_to_read(const fs::path& path, std::FILE*& file) {
    errno = 0;
#if defined(_WIN32)
    file = _wfopen(path.c_str(), L"rb");
    return file != nullptr ? 0 : errno;
#else
    // Not waiting even when the name has become a pipe's since it was looked at.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return errno;
    file = fdopen(descriptor, "rb");
    if (file != nullptr) return 0;
    const int failed = errno;
    ::close(descriptor);
    return failed;
#endif
}

fs::file_type type_of([[maybe_unused]] std::FILE* file) {
#if !defined(_WIN32)
    struct stat status {};
    if (fstat(fileno(file), &status) != 0) return fs::file_type::unknown;
    if (S_ISDIR(status.st_mode)) return fs::file_type::directory;
    if (S_ISFIFO(status.st_mode)) return fs::file_type::fifo;
    if (!S_ISREG(status.st_mode)) return fs::file_type::unknown;
#endif
    return fs::file_type::regular;
}

}  // namespace

Result<InputFile> InputFile::open(const fs::path& path) {
    // Looked at before it is opened, because opening a device can do things; and again when it is open,
    // because the name may stand for something else by then.
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) return not_regular(path, status.type());
    std::FILE* file = nullptr;
    if (const int failed = open_to_read(path, file); failed != 0)
        return unreadable(path, system_words(failed));
    InputFile opened(file, path);
    if (const auto type = type_of(file); type != fs::file_type::regular) return not_regular(path, type);
    return opened;
}

Result<std::size_t> InputFile::read(std::span<char> block) {
    errno = 0;
    const std::size_t count = std::fread(block.data(), 1, block.size(), m_file.get());
    if (count < block.size() && std::ferror(m_file.get()) != 0)
        return unreadable(m_path, system_words(errno != 0 ? errno : EIO));
    return count;
}

}  // namespace workbench
