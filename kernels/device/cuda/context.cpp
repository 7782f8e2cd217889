// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/context.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

#include "iir2d/try.h"
#include "kernels/device/cuda/kernel_library.h"

namespace iir2d::cuda {

namespace {

// Bytes of shared memory that a block may have without the kernel opting in to more.
constexpr unsigned shared_bytes_without_opt_in = 48 * 1024;
// Bytes that the pool keeps for the next allocation when a stream is waited for.
constexpr std::uint64_t kept_bytes = std::uint64_t{256} << 20;

Result<DeviceHandle> device_at(const Driver& driver, int index) {
    if (index < 0 || index >= driver.device_count) {
        return std::unexpected(Error{ErrorCode::cuda_error, "there is no GPU " + std::to_string(index) +
                                                                ": the driver counts " +
                                                                std::to_string(driver.device_count)});
    }
    DeviceHandle device = 0;
    IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(driver, cuDeviceGet, &device, index));
    return device;
}

// `call(name, f)` runs a driver call and checks it.
template <class Call>
Result<void> launch_with(const Driver& driver, DeviceHandle device, StreamHandle stream, const Launch& launch,
                         Call call) {
    const auto handle = kernel(driver, launch.kernel);
    if (!handle) return std::unexpected(handle.error());
    if (launch.shared_bytes > shared_bytes_without_opt_in) {
        if (auto done = call("cuKernelSetAttribute",
                             [&] {
                                 return driver.cuKernelSetAttribute(max_dynamic_shared_bytes,
                                                                    static_cast<int>(launch.shared_bytes),
                                                                    *handle, device);
                             });
            !done)
            return done;
    }
    void* parameters[] = {const_cast<void*>(launch.parameters)};
    return call("cuLaunchKernel", [&] {
        return driver.cuLaunchKernel(*handle, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                                     launch.block[1], launch.block[2], launch.shared_bytes, stream,
                                     static_cast<void**>(parameters), nullptr);
    });
}

// Makes a context current for as long as it lives.
class Current {
  public:
    Current(const Driver& driver, ContextHandle context)
        : m_driver(driver), m_code(driver.cuCtxPushCurrent(context)) {}
    ~Current() {
        ContextHandle popped = nullptr;
        if (m_code == success) static_cast<void>(m_driver.cuCtxPopCurrent(&popped));
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    int code() const { return m_code; }

  private:
    const Driver& m_driver;
    int m_code;
};

// Returns the primary context of the device that `memory` lies on, or of the first device where the driver
// does not know the memory. Once retained it stays so: the work that a call queues outlives the call.
Result<ContextHandle> primary_context_of(const Driver& driver, DevicePointer memory) {
    int index = 0;
    if (driver.cuPointerGetAttribute(&index, pointer_device_ordinal, memory) != success || index < 0)
        index = 0;
    const auto device = device_at(driver, index);
    if (!device) return std::unexpected(device.error());
    static std::mutex mutex;
    static std::map<DeviceHandle, ContextHandle> retained;
    const std::lock_guard lock(mutex);
    ContextHandle& context = retained[*device];
    if (context == nullptr) {
        IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(driver, cuDevicePrimaryCtxRetain, &context, *device));
    }
    return context;
}

}  // namespace

Result<Facts> facts_of(const Driver& driver, int index) {
    const auto device = device_at(driver, index);
    if (!device) return std::unexpected(device.error());
    char name[256] = {};
    IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(driver, cuDeviceGetName, name, int{sizeof name}, *device));
    Facts facts{.name = name};
    int l2 = 0;
    int shared = 0;
    const std::pair<int, int*> wanted[] = {{multiprocessor_count, &facts.multiprocessors},
                                           {capability_major, &facts.capability_major},
                                           {capability_minor, &facts.capability_minor},
                                           {l2_cache_bytes, &l2},
                                           {shared_memory_per_block_optin, &shared}};
    for (const auto& [attribute, value] : wanted) {
        IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(driver, cuDeviceGetAttribute, value, attribute, *device));
    }
    facts.l2_bytes = static_cast<std::size_t>(l2);
    facts.shared_bytes_per_block = static_cast<std::size_t>(shared);
    return facts;
}

Result<void> check_usable(int index) {
    const auto opened = driver();
    if (!opened) return std::unexpected(opened.error());
    const Driver& d = **opened;
    const auto device = device_at(d, index);
    if (!device) return std::unexpected(device.error());
    int pools = 0;
    if (auto done = IIR2D_CUDA_CHECKED(d, cuDeviceGetAttribute, &pools, memory_pools_supported, *device);
        !done)
        return done;
    if (pools == 0) {
        return std::unexpected(Error{ErrorCode::cuda_error,
                                     "the driver gives this GPU no stream-ordered memory, which is needed"});
    }
    const auto facts = facts_of(d, index);
    if (!facts) return std::unexpected(facts.error());
    const int capability = facts->capability_major * 10 + facts->capability_minor;
    if (capability < oldest_architecture()) {
        return std::unexpected(
            Error{ErrorCode::cuda_error,
                  facts->name + " has compute capability " + std::to_string(facts->capability_major) + "." +
                      std::to_string(facts->capability_minor) +
                      ", which is older than the kernels of this build (" + architectures() + ")"});
    }
    IIR2D_RETURN_IF_ERROR(kernel(d, probe_kernel()));
    return {};
}

Result<void> launch_on_current_context(StreamHandle stream, const Launch& launch) {
    const auto opened = driver();
    if (!opened) return std::unexpected(opened.error());
    DeviceHandle device = 0;
    if (auto done = IIR2D_CUDA_CHECKED(**opened, cuCtxGetDevice, &device); !done) return done;
    return launch_with(**opened, device, stream, launch,
                       [&](const char* name, auto f) { return (*opened)->check(name, f()); });
}

LaunchOne launch_in(Context& context, StreamHandle stream) {
    return [&context, stream](const Launch& launch) { return context.launch(stream, launch); };
}

LaunchOne launch_in_current_context(StreamHandle stream) {
    return [stream](const Launch& launch) { return launch_on_current_context(stream, launch); };
}

Result<void> in_context_of(StreamHandle stream, DevicePointer memory,
                           const std::function<Result<void>()>& body) {
    const auto opened = driver();
    if (!opened) return std::unexpected(opened.error());
    const Driver& d = **opened;
    ContextHandle context = nullptr;
    // CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
    const auto number = reinterpret_cast<std::uintptr_t>(stream);
    if (number > 2) {
        if (auto done = IIR2D_CUDA_CHECKED(d, cuStreamGetCtx, stream, &context); !done) return done;
    } else {
        if (auto done = IIR2D_CUDA_CHECKED(d, cuCtxGetCurrent, &context); !done) return done;
        if (context != nullptr) return body();
        const auto primary = primary_context_of(d, memory);
        if (!primary) return std::unexpected(primary.error());
        context = *primary;
    }
    const Current current(d, context);
    if (auto done = d.check("cuCtxPushCurrent", current.code()); !done) return done;
    return body();
}

Result<void> copy_to_host(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
    return in_context_of(stream, from, [&]() -> Result<void> {
        const auto opened = driver();
        if (!opened) return std::unexpected(opened.error());
        const Driver& d = **opened;
        if (auto done = IIR2D_CUDA_CHECKED(d, cuMemcpyDtoHAsync, to, from, bytes, stream); !done) return done;
        return IIR2D_CUDA_CHECKED(d, cuStreamSynchronize, stream);
    });
}

Context::Context(const Driver& driver, int index, DeviceHandle device, ContextHandle context, Facts facts)
    : m_driver(driver), m_index(index), m_device(device), m_context(context), m_facts(std::move(facts)) {}

Context::~Context() {
    // Staging blocks that are kept need no unpinning: a reset or the process's end has done it.
    static_cast<void>(m_driver.cuDevicePrimaryCtxRelease(m_device));
}

Result<std::shared_ptr<Context>> Context::get(int index) {
    static std::mutex mutex;
    static std::map<int, std::shared_ptr<Context>> contexts;
    const auto opened = driver();
    if (!opened) return std::unexpected(opened.error());
    const Driver& d = **opened;
    const auto device = device_at(d, index);
    if (!device) return std::unexpected(device.error());

    const std::lock_guard lock(mutex);
    if (const auto found = contexts.find(index); found != contexts.end()) {
        if (!found->second->lost()) return found->second;
        if (auto done = IIR2D_CUDA_CHECKED(d, cuDevicePrimaryCtxReset, *device); !done) {
            Error error = done.error();
            error.message =
                "GPU " + std::to_string(index) +
                " was lost and does not come back: it may have been removed, or the program must be "
                "restarted (" +
                error.message + ")";
            return std::unexpected(std::move(error));
        }
        contexts.erase(found);
    }
    IIR2D_RETURN_IF_ERROR(check_usable(index));
    const auto facts = facts_of(d, index);
    if (!facts) return std::unexpected(facts.error());
    ContextHandle handle = nullptr;
    IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(d, cuDevicePrimaryCtxRetain, &handle, *device));
    std::shared_ptr<Context> context(new Context(d, index, *device, handle, *facts));
    const Current current(d, handle);
    IIR2D_RETURN_IF_ERROR(d.check("cuCtxPushCurrent", current.code()));
    PoolHandle pool = nullptr;
    std::uint64_t threshold = kept_bytes;
    IIR2D_RETURN_IF_ERROR(IIR2D_CUDA_CHECKED(d, cuDeviceGetDefaultMemPool, &pool, *device));
    IIR2D_RETURN_IF_ERROR(
        IIR2D_CUDA_CHECKED(d, cuMemPoolSetAttribute, pool, pool_release_threshold, &threshold));
    contexts[index] = context;
    return context;
}

template <class F>
Result<void> Context::call(const char* name, F f) {
    if (m_lost) {
        return std::unexpected(
            Error{ErrorCode::cuda_error, "GPU " + std::to_string(m_index) +
                                             " was lost to an earlier error: choose it again to "
                                             "reset it, or take the CPU"});
    }
    const Current current(m_driver, m_context);
    const int code = current.code() == success ? f() : current.code();
    if (is_sticky(code)) m_lost = true;
    return m_driver.check(current.code() == success ? name : "cuCtxPushCurrent", code);
}

Result<Stream> Context::make_stream() {
    StreamHandle stream = nullptr;
    IIR2D_RETURN_IF_ERROR(
        call("cuStreamCreate", [&] { return m_driver.cuStreamCreate(&stream, stream_non_blocking); }));
    return Stream(shared_from_this(), stream);
}

Result<Event> Context::make_event() {
    EventHandle event = nullptr;
    IIR2D_RETURN_IF_ERROR(
        call("cuEventCreate", [&] { return m_driver.cuEventCreate(&event, event_default); }));
    return Event(shared_from_this(), event);
}

Result<DeviceBuffer> Context::allocate(std::size_t bytes, StreamHandle stream) {
    DevicePointer pointer = 0;
    if (bytes == 0) return DeviceBuffer();
    if (auto done =
            call("cuMemAllocAsync", [&] { return m_driver.cuMemAllocAsync(&pointer, bytes, stream); });
        !done) {
        Error error = done.error();
        error.message += " (" + std::to_string(bytes >> 20) + " MiB were asked for)";
        return std::unexpected(std::move(error));
    }
    return DeviceBuffer(shared_from_this(), pointer, stream);
}

Result<void> Context::pin(void* memory, std::size_t bytes) {
    return call("cuMemHostRegister",
                [&] { return m_driver.cuMemHostRegister(memory, bytes, host_register_portable); });
}

void Context::unpin(void* memory) {
    static_cast<void>(call("cuMemHostUnregister", [&] { return m_driver.cuMemHostUnregister(memory); }));
}

Result<void> Context::trim() {
    PoolHandle pool = nullptr;
    if (auto done = call("cuDeviceGetDefaultMemPool",
                         [&] { return m_driver.cuDeviceGetDefaultMemPool(&pool, m_device); });
        !done)
        return done;
    return call("cuMemPoolTrimTo", [&] { return m_driver.cuMemPoolTrimTo(pool, 0); });
}

Result<void> Context::launch(StreamHandle stream, const Launch& launch) {
    return launch_with(m_driver, m_device, stream, launch,
                       [&](const char* name, auto f) { return call(name, f); });
}

Result<Module> Context::load(const std::string& ptx, std::optional<unsigned> level) {
    std::array<char, 8192> log{};
    // The driver takes numbers in place of the pointers.
    const auto number = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
    std::array<int, 3> options{jit_error_log, jit_error_log_bytes, jit_optimisation_level};
    std::array<void*, 3> values{log.data(), number(log.size()), number(level.value_or(0))};
    const unsigned count = level ? 3 : 2;
    ModuleHandle module = nullptr;
    auto done = call("cuModuleLoadDataEx", [&] {
        return m_driver.cuModuleLoadDataEx(&module, ptx.c_str(), count, options.data(), values.data());
    });
    if (done) return Module(shared_from_this(), module);
    Error error = done.error();
    log.back() = '\0';
    if (log.front() != '\0') error.message += ": " + std::string(log.data());
    return std::unexpected(std::move(error));
}

Result<void> Context::launch(StreamHandle stream, const Module& module, const GpuLaunch& launch) {
    KernelHandle kernel = nullptr;
    if (auto done =
            call("cuModuleGetFunction",
                 [&] { return m_driver.cuModuleGetFunction(&kernel, module.get(), launch.kernel.c_str()); });
        !done) {
        Error error = done.error();
        error.message += ": the kernel \"" + launch.kernel + "\"";
        return std::unexpected(std::move(error));
    }
    std::size_t bytes = launch.parameters.size();
    std::array<void*, 5> extra{launch_parameters, const_cast<std::byte*>(launch.parameters.data()),
                               launch_parameters_bytes, &bytes, nullptr};
    return call("cuLaunchKernel", [&] {
        return m_driver.cuLaunchKernel(kernel, launch.grid[0], launch.grid[1], launch.grid[2],
                                       launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes,
                                       stream, nullptr, extra.data());
    });
}

Result<Graph> Context::record_graph(StreamHandle stream, const std::function<Result<void>()>& enqueue) {
    IIR2D_RETURN_IF_ERROR(call("cuStreamBeginCapture",
                               [&] { return m_driver.cuStreamBeginCapture(stream, capture_thread_local); }));
    const auto enqueued = enqueue();
    GraphHandle graph = nullptr;
    // Whatever happened, the stream has to leave the capture.
    const auto ended =
        call("cuStreamEndCapture", [&] { return m_driver.cuStreamEndCapture(stream, &graph); });
    if (!enqueued || !ended) {
        if (graph != nullptr)
            static_cast<void>(call("cuGraphDestroy", [&] { return m_driver.cuGraphDestroy(graph); }));
        return std::unexpected(enqueued ? ended.error() : enqueued.error());
    }
    GraphExecHandle exec = nullptr;
    const auto made = call("cuGraphInstantiateWithFlags",
                           [&] { return m_driver.cuGraphInstantiateWithFlags(&exec, graph, 0); });
    static_cast<void>(call("cuGraphDestroy", [&] { return m_driver.cuGraphDestroy(graph); }));
    if (!made) return std::unexpected(made.error());
    return Graph(shared_from_this(), exec);
}

Result<void> Context::launch(StreamHandle stream, const Graph& graph) {
    return call("cuGraphLaunch", [&] { return m_driver.cuGraphLaunch(graph.get(), stream); });
}

Result<void> Context::upload(StreamHandle stream, DevicePointer to, const void* from, std::size_t bytes) {
    return call("cuMemcpyHtoDAsync", [&] { return m_driver.cuMemcpyHtoDAsync(to, from, bytes, stream); });
}

Result<void> Context::download(StreamHandle stream, void* to, DevicePointer from, std::size_t bytes) {
    return call("cuMemcpyDtoHAsync", [&] { return m_driver.cuMemcpyDtoHAsync(to, from, bytes, stream); });
}

Result<void> Context::copy(StreamHandle stream, DevicePointer to, DevicePointer from, std::size_t bytes) {
    return call("cuMemcpyDtoDAsync", [&] { return m_driver.cuMemcpyDtoDAsync(to, from, bytes, stream); });
}

Result<void> Context::record(EventHandle event, StreamHandle stream) {
    return call("cuEventRecord", [&] { return m_driver.cuEventRecord(event, stream); });
}

Result<void> Context::wait(StreamHandle stream, EventHandle event) {
    return call("cuStreamWaitEvent", [&] { return m_driver.cuStreamWaitEvent(stream, event, 0); });
}

Result<void> Context::synchronize(StreamHandle stream) {
    return call("cuStreamSynchronize", [&] { return m_driver.cuStreamSynchronize(stream); });
}

Result<void> Context::wait_for(EventHandle event) {
    return call("cuEventSynchronize", [&] { return m_driver.cuEventSynchronize(event); });
}

Result<double> Context::milliseconds_between(EventHandle start, EventHandle end) {
    float ms = 0;
    IIR2D_RETURN_IF_ERROR(wait_for(end));
    IIR2D_RETURN_IF_ERROR(
        call("cuEventElapsedTime", [&] { return m_driver.cuEventElapsedTime(&ms, start, end); }));
    return double{ms};
}

namespace detail {

void StreamTraits::free(Context& context, Handle handle, StreamHandle) {
    static_cast<void>(
        context.call("cuStreamDestroy", [&] { return context.m_driver.cuStreamDestroy(handle); }));
}
void EventTraits::free(Context& context, Handle handle, StreamHandle) {
    static_cast<void>(
        context.call("cuEventDestroy", [&] { return context.m_driver.cuEventDestroy(handle); }));
}
void GraphTraits::free(Context& context, Handle handle, StreamHandle) {
    static_cast<void>(
        context.call("cuGraphExecDestroy", [&] { return context.m_driver.cuGraphExecDestroy(handle); }));
}
void ModuleTraits::free(Context& context, Handle handle, StreamHandle) {
    static_cast<void>(
        context.call("cuModuleUnload", [&] { return context.m_driver.cuModuleUnload(handle); }));
}
void DeviceMemoryTraits::free(Context& context, Handle handle, StreamHandle stream) {
    static_cast<void>(
        context.call("cuMemFreeAsync", [&] { return context.m_driver.cuMemFreeAsync(handle, stream); }));
}

}  // namespace detail

}  // namespace iir2d::cuda
