// SPDX-License-Identifier: MIT
// A GPU as the backends see it: its primary context, streams, events, memory, copies, launches and graphs.
// Every driver call is checked. Thread-safe; the context is made current around each call and the caller's
// own restored.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/gpu_module.h"
#include "kernels/device/cuda/driver.h"
#include "kernels/device/cuda/staging.h"

namespace iir2d::cuda {

// A kernel of this library, by name, with its one parameter struct.
struct Launch {
    const char* kernel = nullptr;
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    const void* parameters = nullptr;  // copied before launch() returns
};

struct Facts {
    std::string name;
    int multiprocessors = 0;
    int capability_major = 0;
    int capability_minor = 0;
    std::size_t l2_bytes = 0;
    std::size_t shared_bytes_per_block = 0;  // that a kernel may opt in to
};

// How launches are made: in a context of ours or in one of the caller's.
using LaunchOne = std::function<Result<void>(const Launch&)>;

class Context;

namespace detail {
// Owns one thing of a context. Traits free it, unless the context is lost: then it is gone already.
template <class Traits>
class Owned {
  public:
    using Handle = typename Traits::Handle;
    Owned() = default;
    Owned(std::shared_ptr<Context> context, Handle handle, StreamHandle stream = nullptr)
        : m_context(std::move(context)), m_handle(handle), m_stream(stream) {}
    Owned(Owned&& other) noexcept
        : m_context(std::move(other.m_context)),
          m_handle(std::exchange(other.m_handle, Handle{})),
          m_stream(other.m_stream) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(m_context, other.m_context);
        std::swap(m_handle, other.m_handle);
        std::swap(m_stream, other.m_stream);
        return *this;
    }
    ~Owned() {
        if (m_context) Traits::free(*m_context, m_handle, m_stream);
    }
    Handle get() const { return m_handle; }

  private:
    std::shared_ptr<Context> m_context;
    Handle m_handle = {};
    StreamHandle m_stream = nullptr;
};

struct StreamTraits {
    using Handle = StreamHandle;
    static void free(Context& context, Handle handle, StreamHandle);
};
struct EventTraits {
    using Handle = EventHandle;
    static void free(Context& context, Handle handle, StreamHandle);
};
struct GraphTraits {
    using Handle = GraphExecHandle;
    static void free(Context& context, Handle handle, StreamHandle);
};
struct ModuleTraits {
    using Handle = ModuleHandle;
    static void free(Context& context, Handle handle, StreamHandle);
};
struct DeviceMemoryTraits {
    using Handle = DevicePointer;
    static void free(Context& context, Handle handle, StreamHandle stream);
};
}  // namespace detail

using Stream = detail::Owned<detail::StreamTraits>;
using Event = detail::Owned<detail::EventTraits>;
using Graph = detail::Owned<detail::GraphTraits>;
using Module = detail::Owned<detail::ModuleTraits>;  // a text of kernels that the driver has taken
using DeviceBuffer = detail::Owned<detail::DeviceMemoryTraits>;  // freed in the order of its stream

class Context : public std::enable_shared_from_this<Context> {
  public:
    // Returns the device's primary context, kept until the process ends or the device is lost. After a loss
    // the next get() resets the device and tries again.
    static Result<std::shared_ptr<Context>> get(int index);
    ~Context();

    int index() const { return m_index; }
    const Facts& facts() const { return m_facts; }
    // Returns whether an error left the context unusable: every call but get() now answers so.
    bool lost() const { return m_lost; }

    Result<Stream> make_stream();
    Result<Event> make_event();
    // Memory that is there, and goes, in the order of `stream`'s work.
    Result<DeviceBuffer> allocate(std::size_t bytes, StreamHandle stream);
    // Host memory for copies, pinned unless the driver refuses. A few blocks are kept for the next taker.
    Result<StagingBuffer> take_staging();
    // Gives memory that no buffer holds back to the system.
    Result<void> trim();

    // Asynchronous in `stream`'s order. Host memory that is not pinned may make a copy wait.
    Result<void> launch(StreamHandle stream, const Launch& launch);
    Result<void> upload(StreamHandle stream, DevicePointer to, const void* from, std::size_t bytes);
    Result<void> download(StreamHandle stream, void* to, DevicePointer from, std::size_t bytes);
    Result<void> copy(StreamHandle stream, DevicePointer to, DevicePointer from, std::size_t bytes);
    Result<void> record(EventHandle event, StreamHandle stream);
    Result<void> wait(StreamHandle stream, EventHandle event);

    // Has the driver compile PTX, at one of its levels of optimisation, 0 to 4, or at its own; the error has
    // its log.
    Result<Module> load(const std::string& ptx, std::optional<unsigned> level = {});
    // Asynchronous, of a kernel of the module.
    Result<void> launch(StreamHandle stream, const Module& module, const GpuLaunch& launch);

    // Records as a graph what `enqueue` puts into `stream`, launches and copies alone; none of it is run.
    // Nobody else may use the stream meanwhile.
    Result<Graph> record_graph(StreamHandle stream, const std::function<Result<void>()>& enqueue);
    // Launches everything in the graph, in `stream`'s order, by one call. Not by two threads at once.
    Result<void> launch(StreamHandle stream, const Graph& graph);

    // Blocking.
    Result<void> synchronize(StreamHandle stream);
    Result<void> wait_for(EventHandle event);
    Result<double> milliseconds_between(EventHandle start, EventHandle end);

  private:
    template <class Traits>
    friend class detail::Owned;
    friend struct detail::StreamTraits;
    friend struct detail::EventTraits;
    friend struct detail::GraphTraits;
    friend struct detail::ModuleTraits;
    friend struct detail::DeviceMemoryTraits;
    friend class StagingBuffer;

    Context(const Driver& driver, int index, DeviceHandle device, ContextHandle context, Facts facts);
    // With the context current: f() answers a driver code.
    template <class F>
    Result<void> call(const char* name, F f);
    void keep(StagingBlock block);
    Result<void> pin(void* memory, std::size_t bytes);
    void unpin(void* memory);

    const Driver& m_driver;
    int m_index;
    DeviceHandle m_device;
    ContextHandle m_context;
    Facts m_facts;
    std::atomic<bool> m_lost = false;
    std::mutex m_staging_mutex;
    std::vector<StagingBlock> m_staging;
};

// Returns the facts of a device. Makes no context.
Result<Facts> facts_of(const Driver& driver, int index);

// Checks that the library's kernels can run on a device: an error says in one sentence why not. Makes no
// context.
Result<void> check_usable(int index);

// A launch on the context that the calling thread has made current, for callers with a context of their own.
Result<void> launch_on_current_context(StreamHandle stream, const Launch& launch);

LaunchOne launch_in(Context& context, StreamHandle stream);
LaunchOne launch_in_current_context(StreamHandle stream);

// Copies device memory to the host in the stream's order and context, as in_context_of(), and waits for it.
Result<void> copy_to_host(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream);

// Calls `body` with the stream's own context current, and then makes current what was. For the legacy and the
// per-thread default stream that is the context that the calling thread has made current and, where it has
// none, the primary context of the device that `memory` lies on.
Result<void> in_context_of(StreamHandle stream, DevicePointer memory,
                           const std::function<Result<void>()>& body);

}  // namespace iir2d::cuda
