// SPDX-License-Identifier: MIT
#include "core/support/file_lock.h"

#include <cerrno>
#include <thread>

#include "core/support/atomic_file.h"
#include "core/support/file_handle.h"
#include "core/support/text.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

struct FileLock::State {
#if defined(_WIN32)
    HANDLE file = INVALID_HANDLE_VALUE;
    ~State() {
        if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    }
    // 0 when held, EAGAIN when another holds it, or the system's number.
    int try_once(const fs::path& path) {
        file =
            CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
        if (file != INVALID_HANDLE_VALUE) return 0;
        return GetLastError() == ERROR_SHARING_VIOLATION ? EAGAIN : EACCES;
    }
#else
    FileHandle file;
    int try_once(const fs::path& path, bool is_folder = false) {
        const int how = is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_NOFOLLOW;
        if (!file) file = FileHandle(open(path.c_str(), how | O_CLOEXEC, 0644));
        if (!file) return errno;
        if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return 0;
        switch (errno) {
            case EWOULDBLOCK:
            case EINTR:
                return EAGAIN;
            case ENOLCK:  // a network file system whose server has no locks
            case EOPNOTSUPP:
            case ENOSYS:
                return 0;
            default:
                return errno;
        }
    }
#endif
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

FileLock::FileLock(std::unique_ptr<State> state) : m_state(std::move(state)) {}
FileLock::~FileLock() = default;
FileLock::FileLock(FileLock&&) noexcept = default;
FileLock& FileLock::operator=(FileLock&&) noexcept = default;

Result<FileLock> FileLock::of_folder(const fs::path& folder) {
    auto state = std::make_unique<State>();
#if !defined(_WIN32)
    const int failed = state->try_once(folder, true);
    if (failed == EAGAIN)
        return fail(ErrorKind::unwritable_output,
                    quoted(folder) + " is being written by another process: try again when it has ended");
    if (failed != 0) return unwritable(folder, system_words(failed));
#else
    static_cast<void>(folder);
#endif
    return FileLock(std::move(state));
}

Result<FileLock> FileLock::acquire(const fs::path& path, std::chrono::milliseconds patience,
                                   const std::stop_token& stop) {
    auto state = std::make_unique<State>();
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const int failed = state->try_once(path);
        if (failed == 0) return FileLock(std::move(state));
        if (failed != EAGAIN) return unwritable(path, system_words(failed));
        if (stop.stop_requested())
            return fail(ErrorKind::cancelled,
                        "interrupted while another process changes " + quoted(path.parent_path()));
        if (std::chrono::steady_clock::now() >= end) {
            return fail(ErrorKind::unwritable_output,
                        quoted(path.parent_path()) + " is being changed by another process: try again");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace workbench
