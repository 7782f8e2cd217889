// SPDX-License-Identifier: MIT
// Host planes to a dense array on a GPU and back, in pieces between which a run may be stopped; and how long
// each part of a run took.
#pragma once

#include <optional>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/tensor.h"
#include "kernels/device/cuda/context.h"
#include "kernels/support/view.h"

namespace iir2d::support {

// A host view with its strides resolved.
struct HostPlanes {
    const void* data;
    ElementType element;
    Shape shape;
    Strides strides;

    std::size_t dense_bytes() const;
};

// A run over host memory on a GPU: a stream of its own, uploads, work, downloads, in this order. Whatever
// happens, nothing of it is under way any more once this is gone. Progress: the first half is the uploads',
// the second the downloads'.
class CudaRun {
  public:
    static Result<CudaRun> begin(int device_index, const RunControl& control);
    CudaRun(CudaRun&&) noexcept = default;
    CudaRun& operator=(CudaRun&&) = delete;
    ~CudaRun();

    cuda::Context& context() { return *m_context; }
    cuda::StreamHandle stream() const { return m_stream.get(); }
    Result<cuda::DeviceBuffer> allocate(std::size_t bytes) { return m_context->allocate(bytes, stream()); }

    Result<void> upload(const HostPlanes& from, cuda::DevicePointer to);
    // Between the last upload and the first launch, and between the last launch and the first download.
    Result<void> begin_work();
    Result<void> end_work();
    Result<void> download(cuda::DevicePointer from, const HostPlanes& to);
    // Waits for everything and reports what failed on the way.
    Result<void> finish();

  private:
    CudaRun(std::shared_ptr<cuda::Context> context, cuda::Stream stream, const RunControl& control)
        : m_context(std::move(context)), m_stream(std::move(stream)), m_control(control) {}

    template <class Copy>
    Result<void> in_pieces(const HostPlanes& planes, double progress_from, Copy copy);
    Result<void> mark(cuda::Event& event);

    std::shared_ptr<cuda::Context> m_context;
    cuda::Stream m_stream;
    const RunControl& m_control;
    // Where uploads, work and downloads begin and end; only of a run whose times are wanted.
    cuda::Event m_begin, m_uploaded, m_worked, m_end;
    std::int64_t m_uploaded_bytes = 0;
    std::int64_t m_downloaded_bytes = 0;
};

}  // namespace iir2d::support
