// SPDX-License-Identifier: MIT
#include "core/support/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

#include "core/support/text.h"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_prefix = ".iir2d-";

// When in doubt, it is.
bool is_running(int process) {
#if defined(_WIN32)
    const HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process));
    if (handle == nullptr) return GetLastError() != ERROR_INVALID_PARAMETER;
    DWORD code = STILL_ACTIVE;
    const bool known = GetExitCodeProcess(handle, &code) != 0;
    CloseHandle(handle);
    return !known || code == STILL_ACTIVE;
#else
    return kill(process, 0) == 0 || errno != ESRCH;
#endif
}

fs::path folder_of(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

// This process's temporaries. Never destroyed: a thread may still be at work when the program ends.
struct Live {
    std::mutex mutex;
    std::set<fs::path> paths;
};

Live& live() {
    static Live* const all = new Live;
    return *all;
}

enum class Lock { taken, held_by_another, gone, not_possible };

#if !defined(_WIN32)
// Locks a file or a folder, not following links. NFS wants a file to be open for writing for that.
Lock lock(const fs::path& path, FileHandle& file) {
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file = FileHandle(open(path.c_str(), O_RDWR | flags));
    if (!file && errno == EISDIR) file = FileHandle(open(path.c_str(), O_RDONLY | O_DIRECTORY | flags));
    if (!file) return errno == ENOENT ? Lock::gone : Lock::not_possible;
    if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        struct stat status {};
        // Removed by whoever had the lock before.
        return fstat(file.get(), &status) == 0 && status.st_nlink == 0 ? Lock::gone : Lock::taken;
    }
    return errno == EWOULDBLOCK ? Lock::held_by_another : Lock::not_possible;
}

#endif

bool is_older(const fs::path& path, std::chrono::seconds age) {
    std::error_code error;
    const auto changed = fs::last_write_time(path, error);
    return !error && fs::file_time_type::clock::now() - changed >= age;
}

// Removes it while its lock is held, so that nobody else can claim it meanwhile.
void remove_if_nobodys(const fs::path& path) {
    std::error_code ignored;
#if defined(_WIN32)
    fs::remove_all(path, ignored);  // an open file stays: Windows removes none
#else
    if (fs::is_symlink(fs::symlink_status(path, ignored))) {  // none of ours is claimed
        fs::remove(path, ignored);
        return;
    }
    FileHandle file;
    const Lock locked = lock(path, file);
    if (locked != Lock::taken && !(locked == Lock::not_possible && is_older(path, std::chrono::hours(1))))
        return;
    fs::remove_all(path, ignored);
#endif
}

#if defined(_WIN32)
// The number that errno has for an error of the system's, of those that a file's name can bring about.
int errno_of(DWORD error) {
    switch (error) {
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS:
            return EEXIST;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
        case ERROR_INVALID_NAME:
            return ENOENT;
        case ERROR_DISK_FULL:
            return ENOSPC;
        default:
            return EACCES;
    }
}

// msvcrt's fopen takes no notice of "x".
std::FILE* create_new(const fs::path& path, const char* mode) {
    const HANDLE handle = CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, nullptr,
                                      CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = errno_of(GetLastError());
        return nullptr;
    }
    FileHandle file(_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDWR | _O_BINARY));
    if (!file) {
        CloseHandle(handle);
        return nullptr;
    }
    std::FILE* stream = _fdopen(file.get(), mode);
    if (stream != nullptr) file.release();
    return stream;
}
#endif

// Opens with a mode of fopen; "x" in it refuses a file that exists.
std::FILE* open_stream(const fs::path& path, const char* mode) {
    errno = 0;
#if defined(_WIN32)
    const std::string_view asked(mode);
    if (asked.ends_with('x')) return create_new(path, std::string(asked.substr(0, asked.size() - 1)).c_str());
    const std::wstring wide(asked.begin(), asked.end());
    return _wfopen(path.c_str(), wide.c_str());
#else
    return std::fopen(path.c_str(), mode);
#endif
}

// Opens a device or a pipe. A pipe that nobody reads from is not waited for.
std::FILE* open_directly(const fs::path& path) {
#if defined(_WIN32)
    return open_stream(path, "wb");
#else
    FileHandle descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!descriptor) return nullptr;
    const int flags = fcntl(descriptor.get(), F_GETFL);
    if (flags >= 0) static_cast<void>(fcntl(descriptor.get(), F_SETFL, flags & ~O_NONBLOCK));
    std::FILE* file = fdopen(descriptor.get(), "wb");
    if (file != nullptr) descriptor.release();
    return file;
#endif
}

int flush_stream(std::FILE* file) {
    errno = 0;
    if (std::ferror(file) != 0 || std::fflush(file) != 0) return errno != 0 ? errno : EIO;
#if defined(_WIN32)
    return _commit(_fileno(file)) == 0 ? 0 : errno;
#else
    // Devices and pipes cannot be flushed any further.
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
#endif
}

void copy_permissions([[maybe_unused]] const fs::path& from, [[maybe_unused]] std::FILE* to) {
#if !defined(_WIN32)
    struct stat old {};
    if (stat(from.c_str(), &old) == 0) static_cast<void>(fchmod(fileno(to), old.st_mode & 07777));
#endif
}

bool is_writable(const fs::path& path) {
#if defined(_WIN32)
    return _waccess(path.c_str(), 2) == 0;
#else
    return access(path.c_str(), W_OK) == 0;
#endif
}

}  // namespace

std::string system_words(int number) {
    return std::generic_category().message(number);
}

std::unexpected<Error> unwritable(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::unwritable_output, quoted(path) + " could not be written: " + why);
}

void remove_leftovers(const fs::path& folder, std::chrono::seconds older_than) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(temporary_prefix) || !name.ends_with(".tmp")) continue;
        int process = 0;
        const char* number = name.data() + temporary_prefix.size();
        const auto [end, code] = std::from_chars(number, name.data() + name.size(), process);
        if (code != std::errc{} || *end != '-' || process < 1 || is_running(process)) continue;
        if (older_than > std::chrono::seconds::min() && !is_older(entry->path(), older_than)) continue;
        remove_if_nobodys(entry->path());
    }
}

void discard_temporaries() noexcept {
    Live& all = live();
    // One that is taken or dropped at this moment has the mutex for moments only.
    const std::unique_lock lock(all.mutex, std::try_to_lock);
    if (!lock) return;
    for (const fs::path& path : all.paths) {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
}

bool TemporaryClaim::take(const fs::path& temporary) {
    drop();
#if !defined(_WIN32)
    const Lock locked = lock(temporary, m_file);
    if (locked == Lock::gone || locked == Lock::held_by_another) {
        drop();
        return false;
    }
#endif
    Live& all = live();
    const std::scoped_lock guard(all.mutex);
    m_path = *all.paths.insert(temporary).first;
    return true;
}

void TemporaryClaim::drop() {
    if (!m_path.empty()) {
        Live& all = live();
        const std::scoped_lock guard(all.mutex);
        all.paths.erase(m_path);
    }
    m_path.clear();
    m_file.close();
}

TemporaryClaim::TemporaryClaim(TemporaryClaim&& other) noexcept
    : m_path(std::exchange(other.m_path, {})), m_file(std::move(other.m_file)) {}

TemporaryClaim& TemporaryClaim::operator=(TemporaryClaim&& other) noexcept {
    if (this == &other) return *this;
    drop();
    m_path = std::exchange(other.m_path, {});
    m_file = std::move(other.m_file);
    return *this;
}

TemporaryFolder::TemporaryFolder(const fs::path& target) {
    // A leftover of a crashed process that had our number may be in the way, once or twice.
    for (int attempt = 0; attempt < 100; ++attempt) {
        const fs::path name = temporary_sibling(target);
        std::error_code error;
        const bool made = fs::create_directory(name, error);
        if (made && m_claim.take(name)) {
            m_path = name;
            return;
        }
        if (error) {
            m_failure = error.value();
            return;
        }
    }
    m_failure = EEXIST;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!m_path.empty()) fs::remove_all(m_path, ignored);
}

void TemporaryFolder::release() {
    m_claim.drop();
    m_path.clear();
}

fs::path temporary_sibling(const fs::path& path) {
    static std::atomic<unsigned> counter{0};
#if defined(_WIN32)
    const int process = _getpid();
#else
    const int process = getpid();
#endif
    return folder_of(path) / (std::string(temporary_prefix) + std::to_string(process) + "-" +
                              std::to_string(counter++) + ".tmp");
}

int flush_to_disk([[maybe_unused]] const fs::path& path) {
#if defined(_WIN32)
    const HANDLE file = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) return 0;  // folders cannot be opened so, nor need they be
    const int failed = FlushFileBuffers(file) != 0 ? 0 : EIO;
    CloseHandle(file);
    return failed;
#else
    const FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return errno;
    const int failed = fsync(file.get()) == 0 ? 0 : errno;
    // Some file systems cannot flush a folder; nothing more can be done there.
    return failed == EINVAL || failed == ENOTSUP ? 0 : failed;
#endif
}

Result<AtomicFile> AtomicFile::create(const fs::path& target) {
    AtomicFile made;
    made.m_asked = target;
    made.m_target = target;
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    // One by one: weakly_canonical() takes a link to what is not there yet for a file. A pipe's link, as
    // /dev/stdout may be, names nothing.
    constexpr int most_links = 40;
    const bool is_file = !fs::exists(status) || fs::is_regular_file(status);
    for (int links = 0; is_file && fs::is_symlink(made.m_target, error); ++links) {
        if (links == most_links) return unwritable(target, system_words(ELOOP));
        const fs::path followed = fs::read_symlink(made.m_target, error);
        if (error) return unwritable(target, error.message());
        made.m_target = made.m_target.parent_path() / followed;
    }
    if (target.empty() || fs::is_directory(status)) return unwritable(target, "it names a folder");
    if (fs::exists(status)) {
        if (!is_writable(made.m_target)) return unwritable(target, system_words(EACCES));
        if (!fs::is_regular_file(status)) {
            made.m_file.reset(open_directly(made.m_target));
            if (!made.m_file && errno == ENXIO)
                return unwritable(target, "it is a pipe that no program reads from");
            if (!made.m_file) return unwritable(target, system_words(errno));
            return made;
        }
    }
    // A leftover of a crashed process that had our number may be in the way, once or twice.
    for (int attempt = 0; attempt < 100 && !made.m_file; ++attempt) {
        fs::path name = temporary_sibling(made.m_target);
        made.m_file.reset(open_stream(name, "w+bx"));
        if (made.m_file && !made.m_claim.take(name)) {
            made.m_file.reset();
        } else if (made.m_file) {
            made.m_temporary = std::move(name);
        } else if (errno != EEXIST) {
            break;
        }
    }
    if (!made.m_file) {
        const int number = errno;
        const fs::path folder = folder_of(made.m_target);
        if (number == ENOENT) return unwritable(target, "the folder " + quoted(folder) + " does not exist");
        return unwritable(target, system_words(number));
    }
    return made;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_file(std::move(other.m_file)),
      m_asked(std::move(other.m_asked)),
      m_target(std::move(other.m_target)),
      m_temporary(std::exchange(other.m_temporary, {})),
      m_claim(std::move(other.m_claim)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this == &other) return *this;
    discard();
    m_file = std::move(other.m_file);
    m_asked = std::move(other.m_asked);
    m_target = std::move(other.m_target);
    m_temporary = std::exchange(other.m_temporary, {});
    m_claim = std::move(other.m_claim);
    return *this;
}

AtomicFile::~AtomicFile() {
    discard();
}

void AtomicFile::discard() {
    m_file.reset();  // Windows removes no open file
    std::error_code ignored;
    if (!m_temporary.empty()) fs::remove(m_temporary, ignored);
    m_temporary.clear();
    m_claim.drop();
}

Result<void> AtomicFile::commit() {
    const bool direct = m_temporary.empty();
    if (!direct) copy_permissions(m_target, m_file.get());
    int failed = flush_stream(m_file.get());
    if (std::fclose(m_file.release()) != 0 && failed == 0) failed = errno;
    if (failed != 0) {
        discard();
        return unwritable(m_asked, system_words(failed));
    }
    if (direct) return {};
    std::error_code error;
    fs::rename(m_temporary, m_target, error);
    if (error) {
        discard();
        return unwritable(m_asked, error.message());
    }
    m_temporary.clear();
    m_claim.drop();
    static_cast<void>(flush_to_disk(folder_of(m_target)));
    return {};
}

}  // namespace workbench
