// SPDX-License-Identifier: MIT
// For systems that core/worker does not know yet: there is no worker, and callers are told so.
#include "core/worker/pool.h"
#include "core/worker/shared_memory.h"

namespace workbench::worker {

namespace {

constexpr const char* reason = "is not available on this system";

}  // namespace

struct WorkerPool::State {};
struct Lease::State {};

WorkerPool::WorkerPool(PoolOptions) {}
WorkerPool::~WorkerPool() = default;
Outcome<Lease> WorkerPool::borrow(std::stop_token) {
    return failed(FailureKind::could_not_start, reason);
}
Outcome<Protections> WorkerPool::start(const std::stop_token&) {
    return failed(FailureKind::could_not_start, reason);
}
PoolStatistics WorkerPool::statistics() const {
    return {};
}

Lease::Lease(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Lease::~Lease() = default;
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Outcome<void> Lease::begin(Frame, const Limits&) {
    return failed(FailureKind::could_not_start, reason);
}
Outcome<void> Lease::send(Frame) {
    return failed(FailureKind::could_not_start, reason);
}
Outcome<Frame> Lease::receive() {
    return failed(FailureKind::could_not_start, reason);
}
Outcome<void> Lease::limit(const Limits&) {
    return failed(FailureKind::could_not_start, reason);
}
bool Lease::answered() const {
    return false;
}
int Lease::process_id() const {
    return -1;
}

SharedMemory::~SharedMemory() = default;
SharedMemory::SharedMemory(SharedMemory&&) noexcept = default;
SharedMemory& SharedMemory::operator=(SharedMemory&&) noexcept = default;
void SharedMemory::unmap() {}
Result<SharedMemory> SharedMemory::create(std::size_t) {
    return fail(ErrorKind::device_failure, "shared memory is not available on this system");
}
Result<SharedMemory> SharedMemory::map(FileHandle, std::size_t) {
    return create(0);
}
Result<FileHandle> SharedMemory::share() const {
    return fail(ErrorKind::device_failure, "shared memory is not available on this system");
}
void SharedMemory::take_pages(std::size_t, std::size_t) {}

}  // namespace workbench::worker
