// SPDX-License-Identifier: MIT
// The driver's interface over the tests' executor: device memory is the host's, with guards around it;
// kernels are looked up by name among the product's; streams run at once or, when the scenario says so, only
// when they are waited for, which shows a wait that is missing. Scenarios: scenario.h.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/device/cuda/driver_calls.h"
#include "tests/gpu/executor/executor.h"
#include "tests/gpu/fake_cuda/scenario.h"

using namespace iir2d::cuda;  // NOLINT: the driver's own types, in the driver's stand-in

namespace iir2d::cuda {

struct CUevent_st {
    bool recorded = false;
    bool done = true;
    StreamHandle stream = nullptr;
    double at = 0;
};

using Work = std::function<void()>;

struct CUgraph_st {
    std::vector<Work> nodes;
};

struct CUgraphExec_st {
    std::vector<Work> nodes;
};

struct CUstream_st {
    ContextHandle context = nullptr;
    std::deque<Work> work;
    std::unique_ptr<CUgraph_st> capture;  // while one is under way
};

struct CUctx_st {
    int device = 0;
};

}  // namespace iir2d::cuda

namespace {

using fake_cuda::number;
using fake_cuda::setting;

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard_byte = 0xC5;
constexpr unsigned char fresh_byte = 0xFF;  // NaN, whatever the type
constexpr std::size_t memory_bytes = std::size_t{8} << 30;

struct Allocation {
    std::vector<unsigned char> bytes;  // guard, memory, guard
    std::size_t size = 0;
};

struct State {
    std::recursive_mutex mutex;
    std::map<std::uintptr_t, Allocation> memory;  // by the address that was given out
    std::map<int, CUctx_st> contexts;
    CUstream_st default_stream;
    // Those of a context that was lost are never given back: they went with it.
    std::map<StreamHandle, std::unique_ptr<CUstream_st>> streams;
    std::map<EventHandle, std::unique_ptr<CUevent_st>> events;
    std::map<GraphHandle, std::unique_ptr<CUgraph_st>> graphs;
    std::map<GraphExecHandle, std::unique_ptr<CUgraphExec_st>> graph_execs;
    std::map<const void*, unsigned> shared_limit;
    std::map<const void*, std::size_t> pinned;
    std::int64_t uploaded_bytes = 0;
    std::int64_t downloaded_bytes = 0;
    int allocations = 0;
    int launches = 0;
    int graph_launches = 0;
    int sticky = 0;
    double clock = 0;
};

State& state() {
    static State* s = new State;  // outlives whoever calls at exit
    return *s;
}

std::vector<ContextHandle>& current() {
    thread_local std::vector<ContextHandle> stack;
    return stack;
}

// What a call answers that needs a context in working order.
int ready() {
    if (current().empty()) return invalid_context;
    return state().sticky;
}

StreamHandle real(StreamHandle stream) {
    return stream != nullptr ? stream : &state().default_stream;
}

void drain(StreamHandle stream) {
    auto& work = real(stream)->work;
    while (!work.empty()) {
        const auto next = std::move(work.front());
        work.pop_front();
        next();
    }
}

bool is_capturing(StreamHandle stream) {
    return real(stream)->capture != nullptr;
}

void enqueue(StreamHandle stream, Work work) {
    if (is_capturing(stream)) {
        real(stream)->capture->nodes.push_back(std::move(work));
        return;
    }
    real(stream)->work.push_back(std::move(work));
    if (number("queued", 0) == 0) drain(stream);
}

// Whether [address, address + bytes) lies in one allocation.
bool is_allocated(std::uintptr_t address, std::size_t bytes) {
    auto& memory = state().memory;
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return false;
    const auto& [start, allocation] = *std::prev(next);
    return address - start <= allocation.size && bytes <= allocation.size - (address - start);
}

int allocate(std::uintptr_t& address, std::size_t bytes) {
    State& s = state();
    if (++s.allocations == number("alloc", 0)) return out_of_memory;
    if (bytes == 0) return 1;
    if (bytes > memory_bytes) return out_of_memory;
    Allocation allocation{.size = bytes};
    allocation.bytes.assign(bytes + 2 * guard_bytes, guard_byte);
    std::memset(allocation.bytes.data() + guard_bytes, fresh_byte, bytes);
    address = reinterpret_cast<std::uintptr_t>(allocation.bytes.data() + guard_bytes);
    s.memory.emplace(address, std::move(allocation));
    return success;
}

bool guards_hold(const Allocation& a) {
    const auto intact = [](unsigned char byte) { return byte == guard_byte; };
    return std::all_of(a.bytes.begin(), a.bytes.begin() + guard_bytes, intact) &&
           std::all_of(a.bytes.end() - guard_bytes, a.bytes.end(), intact);
}

int release(std::uintptr_t address) {
    State& s = state();
    const auto found = s.memory.find(address);
    if (found == s.memory.end()) return 1;
    if (!guards_hold(found->second)) s.sticky = illegal_address;
    s.memory.erase(found);
    return s.sticky;
}

const gpu_test::KernelEntry* entry_named(const char* name) {
    for (const auto& entry : gpu_test::kernel_entries()) {
        if (std::strcmp(entry.name, name) == 0) return &entry;
    }
    return nullptr;
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
    enqueue(stream,
            [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
    return success;
}

const char* name_of_code(int code) {
    switch (code) {
        case out_of_memory:
            return "CUDA_ERROR_OUT_OF_MEMORY";
        case no_device:
            return "CUDA_ERROR_NO_DEVICE";
        case invalid_device:
            return "CUDA_ERROR_INVALID_DEVICE";
        case invalid_context:
            return "CUDA_ERROR_INVALID_CONTEXT";
        case illegal_address:
            return "CUDA_ERROR_ILLEGAL_ADDRESS";
        case launch_failed:
            return "CUDA_ERROR_LAUNCH_FAILED";
        case unknown_error:
            return "CUDA_ERROR_UNKNOWN";
        default:
            return nullptr;
    }
}

}  // namespace

namespace fake {

int cuInit(unsigned) {
    return number("devices", 1) == 0 ? no_device : number("init", 0);
}
int cuDriverGetVersion(int* version) {
    *version = number("driver", 13000);
    return success;
}
int cuGetErrorName(int code, const char** name) {
    *name = name_of_code(code);
    return *name != nullptr ? success : 1;
}
int cuGetErrorString(int code, const char** text) {
    *text = code == out_of_memory ? "out of memory" : "as the scenario asked";
    return success;
}
int cuDeviceGetCount(int* count) {
    *count = number("devices", 1);
    return success;
}
int cuDeviceGet(DeviceHandle* device, int index) {
    *device = index;
    return index >= 0 && index < number("devices", 1) ? success : invalid_device;
}
int cuDeviceGetName(char* name, int size, DeviceHandle device) {
    std::snprintf(name, static_cast<std::size_t>(size), "Stand-in GPU %d", device);
    return success;
}
int cuDeviceGetUuid(Uuid* uuid, DeviceHandle device) {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(16 * device + i);
    return success;
}
int cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
    switch (attribute) {
        case multiprocessor_count:
            *value = 4;
            break;
        case capability_major:
            *value = number("capability", 90) / 10;
            break;
        case capability_minor:
            *value = number("capability", 90) % 10;
            break;
        case l2_cache_bytes:
            *value = 4 << 20;
            break;
        case shared_memory_per_block_optin:
            *value = 99 << 10;
            break;
        case clock_rate_khz:
            *value = 1'500'000;
            break;
        case memory_clock_rate_khz:
            *value = 2'000'000;
            break;
        case memory_bus_width_bits:
            *value = 1024;
            break;
        case memory_pools_supported:
            *value = number("pools", 1);
            break;
        default:
            *value = 0;
            break;
    }
    return success;
}
int cuDeviceTotalMem(std::size_t* bytes, DeviceHandle) {
    *bytes = memory_bytes;
    return success;
}
int cuDeviceGetPCIBusId(char* id, int size, DeviceHandle device) {
    std::snprintf(id, static_cast<std::size_t>(size), "0000:%02d:00.0", device + 1 + number("hidden", 0));
    return success;
}
int cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
    const std::lock_guard lock(state().mutex);
    if (state().sticky != 0) return state().sticky;
    auto& made = state().contexts[device];
    made.device = device;
    *context = &made;
    return success;
}
int cuDevicePrimaryCtxRelease(DeviceHandle) {
    return success;
}
int cuDevicePrimaryCtxReset(DeviceHandle) {
    const std::lock_guard lock(state().mutex);
    if (const int code = number("reset", 0); code != success) return code;
    state().sticky = 0;
    state().memory.clear();
    state().pinned.clear();
    return success;
}
int cuCtxPushCurrent(ContextHandle context) {
    if (context == nullptr) return invalid_context;
    current().push_back(context);
    return success;
}
int cuCtxPopCurrent(ContextHandle* context) {
    if (current().empty()) return invalid_context;
    *context = current().back();
    current().pop_back();
    return success;
}
int cuCtxGetCurrent(ContextHandle* context) {
    *context = current().empty() ? nullptr : current().back();
    return success;
}
int cuCtxGetDevice(DeviceHandle* device) {
    if (current().empty()) return invalid_context;
    *device = current().back()->device;
    return success;
}
int cuLibraryLoadData(LibraryHandle* library, const void*, int*, void**, unsigned, int*, void**, unsigned) {
    static char loaded;
    *library = reinterpret_cast<LibraryHandle>(&loaded);
    return number("load", 0);
}
int cuLibraryUnload(LibraryHandle) {
    return success;
}
int cuLibraryGetKernel(KernelHandle* kernel, LibraryHandle, const char* name) {
    if (const int code = number("kernel", 0); code != 0) return code;
    const auto* entry = entry_named(name);
    *kernel = reinterpret_cast<KernelHandle>(const_cast<gpu_test::KernelEntry*>(entry));
    return entry != nullptr ? success : not_found;
}
int cuKernelSetAttribute(int attribute, int value, KernelHandle kernel, DeviceHandle) {
    const std::lock_guard lock(state().mutex);
    if (attribute == max_dynamic_shared_bytes) state().shared_limit[kernel] = static_cast<unsigned>(value);
    return success;
}
int cuLaunchKernel(KernelHandle kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream,
                   void** parameters, void**) {
    const std::lock_guard lock(state().mutex);
    State& s = state();
    if (const int code = ready(); code != success) return code;
    if (!is_capturing(stream) && ++s.launches == number("launch", 0))
        return s.sticky = number("launch_code", illegal_address);
    const auto* entry = reinterpret_cast<const gpu_test::KernelEntry*>(kernel);
    const auto limit = s.shared_limit.contains(kernel) ? s.shared_limit[kernel] : 48U << 10;
    if (grid_x == 0 || grid_x > 0x7fffffffU || grid_y == 0 || grid_y > 65535 || grid_z == 0 ||
        grid_z > 65535 || block_x == 0 || block_x * block_y * block_z > 1024 || shared_bytes > limit)
        return 1;
    const auto* from = static_cast<const unsigned char*>(parameters[0]);
    // Aligned as any parameter struct may ask for.
    auto copy = std::make_shared<std::vector<std::max_align_t>>(
        entry->parameter_bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copy->data(), from, entry->parameter_bytes);
    const gpu_test::LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
    enqueue(stream, [entry, copy, shape] {
        try {
            entry->run(shape, copy->data(), gpu_test::options_from_environment());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "stand-in driver: %s: %s\n", entry->name, error.what());
            state().sticky = launch_failed;
        }
    });
    return success;
}
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
    if (attribute != pointer_memory_type || !is_allocated(static_cast<std::uintptr_t>(pointer), 1)) return 1;
    *static_cast<unsigned*>(value) = device_memory;
    return success;
}
int cuStreamCreate(StreamHandle* stream, unsigned) {
    const std::lock_guard lock(state().mutex);
    auto made = std::make_unique<CUstream_st>();
    made->context = current().empty() ? nullptr : current().back();
    *stream = made.get();
    state().streams.emplace(*stream, std::move(made));
    return ready();
}
int cuStreamDestroy(StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    drain(stream);
    state().streams.erase(stream);
    return success;
}
int cuStreamGetCtx(StreamHandle stream, ContextHandle* context) {
    const std::lock_guard lock(state().mutex);
    if (!state().streams.contains(stream)) return invalid_context;
    *context = stream->context;
    return success;
}
int cuStreamSynchronize(StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    if (is_capturing(stream)) return capture_unsupported;
    if (const int code = ready(); code != success) return code;
    drain(stream);
    return state().sticky;
}
int cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
    const std::lock_guard lock(state().mutex);
    enqueue(stream, [event] {
        if (!event->done) drain(event->stream);
    });
    return ready();
}
int cuEventCreate(EventHandle* event, unsigned) {
    const std::lock_guard lock(state().mutex);
    auto made = std::make_unique<CUevent_st>();
    *event = made.get();
    state().events.emplace(*event, std::move(made));
    return ready();
}
int cuEventDestroy(EventHandle event) {
    const std::lock_guard lock(state().mutex);
    if (!event->done) drain(event->stream);
    state().events.erase(event);
    return success;
}
int cuEventRecord(EventHandle event, StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    if (is_capturing(stream)) return capture_unsupported;
    event->recorded = true;
    event->done = false;
    event->stream = stream;
    enqueue(stream, [event] {
        event->done = true;
        event->at = state().clock += 1.0;
    });
    return ready();
}
int cuEventSynchronize(EventHandle event) {
    const std::lock_guard lock(state().mutex);
    if (!event->done) drain(event->stream);
    return ready();
}
int cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
    const std::lock_guard lock(state().mutex);
    if (!start->recorded || !end->recorded) return 400;  // CUDA_ERROR_INVALID_HANDLE
    *milliseconds = static_cast<float>(end->at - start->at);
    return ready();
}
int cuStreamBeginCapture(StreamHandle stream, int mode) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    // As the driver: not on the legacy stream, nor twice.
    if (number("graphs", 1) == 0 || stream == nullptr || mode != capture_thread_local || is_capturing(stream))
        return capture_unsupported;
    stream->capture = std::make_unique<CUgraph_st>();
    return success;
}
int cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
    const std::lock_guard lock(state().mutex);
    if (!is_capturing(stream)) return 1;
    *graph = stream->capture.get();
    state().graphs.emplace(*graph, std::move(stream->capture));
    return ready();
}
int cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    auto made = std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->nodes});
    *exec = made.get();
    state().graph_execs.emplace(*exec, std::move(made));
    return success;
}
int cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
    const std::lock_guard lock(state().mutex);
    State& s = state();
    if (const int code = ready(); code != success) return code;
    ++s.graph_launches;
    if (++s.launches == number("launch", 0)) return s.sticky = number("launch_code", illegal_address);
    for (const Work& node : exec->nodes) enqueue(stream, node);
    return s.sticky;
}
int cuGraphDestroy(GraphHandle graph) {
    const std::lock_guard lock(state().mutex);
    return state().graphs.erase(graph) == 1 ? success : 1;
}
int cuGraphExecDestroy(GraphExecHandle exec) {
    const std::lock_guard lock(state().mutex);
    return state().graph_execs.erase(exec) == 1 ? success : 1;
}

}  // namespace fake

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* symbol, void** function,
                                                                          int, std::uint64_t, int*) {
    static const std::map<std::string, void*> table{
#define FAKE_CUDA_ROW(name, version, parameters) \
    {#name, reinterpret_cast<void*>(static_cast<int(*) parameters>(&fake::name))},
        IIR2D_CUDA_CALLS(FAKE_CUDA_ROW)
#undef FAKE_CUDA_ROW
    };
    const auto found = table.find(symbol);
    if (found == table.end() || setting("missing", "") == symbol) return not_found;
    *function = found->second;
    return success;
}

extern "C" __attribute__((visibility("default"))) void fake_cuda_counts(fake_cuda::Counts* counts) {
    const std::lock_guard lock(state().mutex);
    const State& s = state();
    *counts = {.allocations = s.allocations,
               .launches = s.launches,
               .graph_launches = s.graph_launches,
               .graphs_held = static_cast<int>(s.graphs.size() + s.graph_execs.size()),
               .uploaded_bytes = s.uploaded_bytes,
               .downloaded_bytes = s.downloaded_bytes};
    for (const auto& [address, allocation] : s.memory)
        counts->held_bytes += static_cast<std::int64_t>(allocation.size);
}
