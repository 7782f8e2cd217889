// SPDX-License-Identifier: MIT
// The stand-in driver's streams, events and graphs: work runs at once or, when the scenario says so, only
// when it is waited for.
#include "tests/gpu/fake_cuda/fake_state.h"

namespace fake {
namespace {

StreamHandle real(StreamHandle stream) {
    return stream != nullptr ? stream : &state().default_stream;
}

}  // namespace

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
