// SPDX-License-Identifier: MIT
#include "core/worker/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>

namespace workbench::worker {

namespace {

constexpr int wanted_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::unexpected<Error> refused(const std::string& doing) {
    const int code = errno;
    return fail(ErrorKind::device_failure, "the memory that the worker shares could not be " + doing + ": " +
                                               std::generic_category().message(code));
}

// The limit on the size of files counts for memory with a handle as well, which is no file on any disk: where
// it may, the process lifts its own for a moment. It asks first: going beyond the limit raises SIGXFSZ, which
// ends a process that does not ignore it.
bool set_size(int descriptor, std::size_t bytes) {
    static std::mutex one_at_a_time;  // or the last one to end would put back what another lifted
    const std::scoped_lock lock(one_at_a_time);
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur)
        return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
    if (limit.rlim_max < bytes) {
        errno = EFBIG;
        return false;
    }
    rlimit lifted = limit;
    lifted.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &lifted);
    const bool done = ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
    const int error = errno;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    errno = error;
    return done;
}

}  // namespace

SharedMemory::~SharedMemory() {
    unmap();
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : m_handle(std::move(other.m_handle)),
      m_data(std::exchange(other.m_data, nullptr)),
      m_size(std::exchange(other.m_size, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    if (this != &other) {
        unmap();
        m_handle = std::move(other.m_handle);
        m_data = std::exchange(other.m_data, nullptr);
        m_size = std::exchange(other.m_size, 0);
    }
    return *this;
}

void SharedMemory::unmap() {
    if (m_data != nullptr) ::munmap(m_data, m_size);
    m_data = nullptr;
    m_size = 0;
}

Result<SharedMemory> SharedMemory::create(std::size_t bytes) {
    if (bytes == 0) return fail(ErrorKind::bad_argument, "shared memory of 0 bytes was asked for");
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
        return fail(ErrorKind::bad_argument,
                    "shared memory of more bytes than a file can have was asked for");
    FileHandle handle(::memfd_create("iir2d", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!handle) return refused("created");
    if (!set_size(handle.get(), bytes)) return refused("given its size");
    if (::fcntl(handle.get(), F_ADD_SEALS, wanted_seals) != 0) return refused("sealed");
    FileHandle kept = FileHandle::duplicate(handle.get());
    if (!kept) return refused("opened twice");
    auto memory = map(std::move(handle), bytes);
    if (memory) memory->m_handle = std::move(kept);
    return memory;
}

Result<SharedMemory> SharedMemory::map(FileHandle handle, std::size_t bytes) {
    struct stat facts {};
    if (::fstat(handle.get(), &facts) != 0) return refused("examined");
    const int seals = ::fcntl(handle.get(), F_GET_SEALS);
    if (seals < 0 || (seals & wanted_seals) != wanted_seals)
        return fail(ErrorKind::device_failure, "the memory that was shared is not sealed");
    if (bytes == 0 || static_cast<std::uint64_t>(facts.st_size) != bytes)
        return fail(ErrorKind::device_failure, "the memory that was shared has " +
                                                   std::to_string(facts.st_size) + " bytes, not " +
                                                   std::to_string(bytes));
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle.get(), 0);
    if (data == MAP_FAILED) return refused("mapped");
    SharedMemory memory;
    memory.m_data = static_cast<std::byte*>(data);
    memory.m_size = bytes;
    return memory;
}

Result<FileHandle> SharedMemory::share() const {
    FileHandle handle = FileHandle::duplicate(m_handle.get());
    if (!handle) return refused("shared");
    return handle;
}

void SharedMemory::take_pages(std::size_t offset, std::size_t count) {
#if defined(MADV_POPULATE_WRITE)
    if (offset >= m_size) return;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t begin = offset / page * page;
    const std::size_t end = count < m_size - offset ? offset + count : m_size;
    static_cast<void>(::madvise(m_data + begin, end - begin, MADV_POPULATE_WRITE));
#else
    static_cast<void>(offset);
    static_cast<void>(count);
#endif
}

}  // namespace workbench::worker
