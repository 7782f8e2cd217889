// SPDX-License-Identifier: MIT
// The stand-in driver's memory: device memory is the host's, with guards around it.
#include <algorithm>
#include <cstring>
#include <span>

#include "tests/gpu/fake_cuda/fake_state.h"
#include "tests/gpu/fake_cuda/ptx_kernels.h"

namespace fake {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard_byte = 0xC5;
constexpr unsigned char fresh_byte = 0xFF;     // NaN, whatever the type
constexpr unsigned char released_byte = 0x7F;  // large or NaN, whatever the type

// The allocation in which [address, address + bytes) lies, or null.
const Allocation* allocation_of(std::uintptr_t address, std::size_t bytes) {
    auto& memory = state().memory;
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return nullptr;
    const auto& [start, allocation] = *std::prev(next);
    const bool holds = address - start <= allocation.size && bytes <= allocation.size - (address - start);
    return holds ? &allocation : nullptr;
}

bool is_allocated(std::uintptr_t address, std::size_t bytes) {
    return allocation_of(address, bytes) != nullptr;
}

// Returns memory of this size, with its guards. As in a driver's memory pool, a block that was released comes
// first: work that repeats meets the same addresses, whatever the host allocated in between.
Allocation take(std::size_t bytes, int device) {
    auto& pool = state().pool;
    const auto released = std::ranges::find_if(
        pool, [&](const Allocation& one) { return one.size == bytes && one.device == device; });
    Allocation allocation{.bytes = {}, .size = bytes, .device = device};
    if (released != pool.end()) {
        allocation = std::move(*released);
        pool.erase(released);
    }
    allocation.bytes.assign(bytes + 3 * guard_bytes, guard_byte);
    return allocation;
}

void put_back(Allocation allocation) {
    constexpr std::size_t most = 16;
    auto& pool = state().pool;
    std::ranges::fill(allocation.bytes, released_byte);
    pool.push_front(std::move(allocation));
    if (pool.size() > most) pool.pop_back();
}

int allocate(std::uintptr_t& address, std::size_t bytes) {
    State& s = state();
    if (++s.allocations == number("alloc", 0)) return out_of_memory;
    if (bytes == 0) return 1;
    if (bytes > memory_bytes) return out_of_memory;
    Allocation allocation = take(bytes, current().back()->device);
    // A driver's memory is aligned to 256 bytes.
    const auto begin = reinterpret_cast<std::uintptr_t>(allocation.bytes.data());
    address = (begin + 2 * guard_bytes - 1) / guard_bytes * guard_bytes;
    unsigned char* const given = allocation.bytes.data() + (address - begin);
    std::memset(given, fresh_byte, bytes);
    s.memory.emplace(address, std::move(allocation));
    ptx_attach(address, std::as_writable_bytes(std::span(given, bytes)));
    return success;
}

bool guards_hold(std::uintptr_t address, const Allocation& a) {
    const auto intact = [](unsigned char byte) { return byte == guard_byte; };
    const auto begin = a.bytes.begin() + static_cast<std::ptrdiff_t>(
                                             address - reinterpret_cast<std::uintptr_t>(a.bytes.data()));
    return std::all_of(a.bytes.begin(), begin, intact) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(a.size), a.bytes.end(), intact);
}

int release(std::uintptr_t address) {
    State& s = state();
    const auto found = s.memory.find(address);
    if (found == s.memory.end()) return 1;
    if (!guards_hold(address, found->second)) s.sticky = illegal_address;
    ptx_detach(address);
    put_back(std::move(found->second));
    s.memory.erase(found);
    return s.sticky;
}

// `on_device` of an address: how many bytes from there must be device memory; 0 for the host's.
int copy(std::uintptr_t to, std::size_t to_on_device, std::uintptr_t from, std::size_t from_on_device,
         std::size_t bytes, StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    if ((to_on_device > 0 && !is_allocated(to, to_on_device)) ||
        (from_on_device > 0 && !is_allocated(from, from_on_device)))
        return 1;
    if (from_on_device == 0) state().uploaded_bytes += static_cast<std::int64_t>(bytes);
    if (to_on_device == 0) state().downloaded_bytes += static_cast<std::int64_t>(bytes);
    enqueue(stream, [=] {
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        if (to_on_device > 0) ptx_written(to, bytes);
    });
    return success;
}

}  // namespace

int cuMemGetInfo(std::size_t* free, std::size_t* total) {
    *free = memory_bytes / 2;
    *total = memory_bytes;
    return ready();
}
int cuMemAlloc(DevicePointer* pointer, std::size_t bytes) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    std::uintptr_t address = 0;
    const int code = allocate(address, bytes);
    *pointer = address;
    return code;
}
int cuMemFree(DevicePointer pointer) {
    const std::lock_guard lock(state().mutex);
    return release(static_cast<std::uintptr_t>(pointer));
}
int cuMemAllocAsync(DevicePointer* pointer, std::size_t bytes, StreamHandle stream) {
    if (is_capturing(stream)) return capture_unsupported;
    return cuMemAlloc(pointer, bytes);
}
int cuMemFreeAsync(DevicePointer pointer, StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    if (is_capturing(stream)) return capture_unsupported;
    enqueue(stream, [pointer] { release(static_cast<std::uintptr_t>(pointer)); });
    return state().sticky;
}
int cuDeviceGetDefaultMemPool(PoolHandle* pool, DeviceHandle) {
    static char made;
    *pool = reinterpret_cast<PoolHandle>(&made);
    return success;
}
int cuMemPoolSetAttribute(PoolHandle, int, void*) {
    return success;
}
int cuMemPoolTrimTo(PoolHandle, std::size_t) {
    return ready();
}
int cuMemHostRegister(void* pointer, std::size_t bytes, unsigned) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    if (number("pinned", 1) == 0) return out_of_memory;
    const bool is_new = state().pinned.emplace(pointer, bytes).second;
    return is_new ? success : 712;  // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
}
int cuMemHostUnregister(void* pointer) {
    const std::lock_guard lock(state().mutex);
    return state().pinned.erase(pointer) == 1 ? success : 713;  // CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
}
int cuMemcpyHtoDAsync(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
    return copy(to, bytes, reinterpret_cast<std::uintptr_t>(from), 0, bytes, stream);
}
int cuMemcpyDtoHAsync(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
    return copy(reinterpret_cast<std::uintptr_t>(to), 0, from, bytes, bytes, stream);
}
int cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
    return copy(to, bytes, from, bytes, bytes, stream);
}
int cuPointerGetAttribute(void* value, int attribute, DevicePointer pointer) {
    const std::lock_guard lock(state().mutex);
    const Allocation* const allocation = allocation_of(static_cast<std::uintptr_t>(pointer), 1);
    if (allocation == nullptr) return 1;
    switch (attribute) {
        case pointer_memory_type:
            *static_cast<unsigned*>(value) = device_memory;
            return success;
        case pointer_device_ordinal:
            *static_cast<int*>(value) = allocation->device;
            return success;
        default:
            return 1;
    }
}

}  // namespace fake
