// SPDX-License-Identifier: MIT
// Copies host planes to a dense array on a GPU and back, in pieces between which a run may be stopped, and
// measures the time of each part of a run.
#pragma once

#include <array>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/tensor.h"
#include "kernels/device/cuda/context.h"
#include "kernels/support/view.h"

namespace iir2d::cuda {

// A host view with its strides resolved.
struct HostPlanes {
    const void* data;
    ElementType element;
    Shape shape;
    support::Strides strides;

    std::size_t dense_bytes() const;
};

// Returns the planes of a view whose strides are resolved.
inline HostPlanes host_planes(const ConstTensorView& view) {
    return {view.data, view.type, view.shape, {view.row_stride, view.plane_stride, view.image_stride}};
}

// The part of a run's progress that a transfer is.
struct ProgressPart {
    double from = 0.0;
    double share = 1.0;
};

// A run on a GPU: a stream of its own, uploads, work, downloads, in this order. Transfers go through two
// staging buffers: while one is copied by the GPU, the host fills or empties the other; so planes of any
// stride and rows of any length may be copied, and the caller's memory is not touched any more once a
// transfer has returned. Whatever happens, nothing of the run is under way once this is gone.
class Run {
  public:
    static Result<Run> begin(int device_index, const RunControl& control);
    static Result<Run> begin(std::shared_ptr<Context> context, const RunControl& control);
    Run(Run&&) noexcept = default;
    Run& operator=(Run&&) = delete;
    ~Run();

    Context& context() { return *m_context; }
    StreamHandle stream() const { return m_stream.get(); }
    Result<DeviceBuffer> allocate(std::size_t bytes) { return m_context->allocate(bytes, stream()); }

    Result<void> upload(const HostPlanes& from, DevicePointer to, ProgressPart part);
    // Between the last upload and the first launch, and between the last launch and the first download.
    Result<void> begin_work();
    Result<void> end_work();
    Result<void> download(DevicePointer from, const HostPlanes& to, ProgressPart part);
    // Waits for everything and reports what failed on the way.
    Result<void> finish();
    // Runs without transfers: `enqueue` queues its work. Stops before it when asked.
    template <class Enqueue>
    Result<void> work_alone(Enqueue enqueue) {
        if (auto go = check_stop(); !go) return go;
        if (auto done = begin_work(); !done) return done;
        if (auto done = enqueue(); !done) return done;
        if (auto done = end_work(); !done) return done;
        auto done = finish();
        if (done) report({}, 1, 1);
        return done;
    }

  private:
    // A staging buffer and the end of the copy from or to it.
    struct Slot {
        StagingBuffer buffer;
        Event copied;
        bool busy = false;
    };

    Run(std::shared_ptr<Context> context, Stream stream, const RunControl& control)
        : m_context(std::move(context)), m_stream(std::move(stream)), m_control(control) {}

    Result<void> make_slots();
    Result<void> wait_for(Slot& slot);
    Result<void> mark_copied(Slot& slot);
    Result<void> check_stop() const;
    void report(ProgressPart part, std::size_t done, std::size_t total) const;
    Result<void> mark(Event& event);

    std::shared_ptr<Context> m_context;
    Stream m_stream;
    const RunControl& m_control;
    std::array<Slot, 2> m_slots;
    // Where uploads, work and downloads begin and end; only of a run whose times are wanted.
    Event m_begin, m_uploaded, m_worked, m_end;
    std::int64_t m_uploaded_bytes = 0;
    std::int64_t m_downloaded_bytes = 0;
};

}  // namespace iir2d::cuda
