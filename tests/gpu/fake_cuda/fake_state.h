// SPDX-License-Identifier: MIT
// What the stand-in driver remembers, shared by its parts: devices and launches, memory, streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/device/cuda/driver_calls.h"
#include "tests/gpu/fake_cuda/scenario.h"

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

namespace fake {

using namespace iir2d::cuda;  // NOLINT: the driver's own types, in the driver's stand-in
using fake_cuda::number;
using fake_cuda::setting;

constexpr std::size_t memory_bytes = std::size_t{8} << 30;

struct Allocation {
    std::vector<unsigned char> bytes;  // guard, memory, guard
    std::size_t size = 0;
    int device = 0;
};

struct State {
    std::recursive_mutex mutex;
    std::map<std::uintptr_t, Allocation> memory;  // by the address that was given out
    std::deque<Allocation> pool;                  // those released last, the latest of them in front
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

State& state();

// The calling thread's stack of contexts.
std::vector<ContextHandle>& current();

// What a call answers that needs a context in working order.
int ready();

void drain(StreamHandle stream);
bool is_capturing(StreamHandle stream);
void enqueue(StreamHandle stream, Work work);

#define FAKE_CUDA_DECLARATION(name, version, parameters) int name parameters;
IIR2D_CUDA_CALLS(FAKE_CUDA_DECLARATION)
#undef FAKE_CUDA_DECLARATION

}  // namespace fake
