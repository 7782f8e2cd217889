// SPDX-License-Identifier: MIT
#include "kernels/support/cuda_transfer.h"

#include <algorithm>
#include <utility>

namespace iir2d::support {

namespace {

// Between two looks at the stop token: some milliseconds over any bus.
constexpr std::int64_t piece_bytes = std::int64_t{32} << 20;

}  // namespace

std::size_t HostPlanes::dense_bytes() const {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w) * element_size(element);
}

Result<CudaRun> CudaRun::begin(int device_index, const RunControl& control) {
    auto context = cuda::Context::get(device_index);
    if (!context) return std::unexpected(context.error());
    auto stream = (*context)->make_stream();
    if (!stream) return std::unexpected(stream.error());
    CudaRun run(std::move(*context), std::move(*stream), control);
    if (control.times != nullptr) {
        *control.times = {};
        for (cuda::Event* event : {&run.m_begin, &run.m_uploaded, &run.m_worked, &run.m_end}) {
            auto made = run.m_context->make_event();
            if (!made) return std::unexpected(made.error());
            *event = std::move(*made);
        }
        if (auto done = run.mark(run.m_begin); !done) return std::unexpected(done.error());
    }
    return run;
}

CudaRun::~CudaRun() {
    // The caller's memory may still be read or written after an error or a stop.
    if (m_context) static_cast<void>(m_context->synchronize(stream()));
}

Result<void> CudaRun::mark(cuda::Event& event) {
    if (m_control.times == nullptr) return {};
    return m_context->record(event.get(), stream());
}

template <class Copy>
Result<void> CudaRun::in_pieces(const HostPlanes& planes, double progress_from, Copy copy) {
    const auto element = static_cast<std::int64_t>(element_size(planes.element));
    const std::int64_t row_bytes = planes.shape.w * element;
    const std::int64_t rows = planes.shape.h;
    const std::int64_t count = planes.shape.n * planes.shape.c;
    const std::int64_t piece = std::clamp<std::int64_t>(piece_bytes / row_bytes, 1, rows);
    for (std::int64_t plane = 0; plane < count; ++plane) {
        for (std::int64_t row = 0; row < rows; row += piece) {
            if (m_control.stop.stop_requested()) {
                return std::unexpected(Error{ErrorCode::cancelled, "the run was cancelled"});
            }
            const std::int64_t host = (plane * planes.strides.plane + row * planes.strides.row) * element;
            const std::int64_t dense = (plane * rows + row) * row_bytes;
            const std::int64_t height = std::min(piece, rows - row);
            if (auto done = copy(host, static_cast<std::size_t>(planes.strides.row * element),
                                 static_cast<cuda::DevicePointer>(dense), static_cast<std::size_t>(row_bytes),
                                 static_cast<std::size_t>(height));
                !done)
                return done;
            if (m_control.progress) {
                const double done =
                    static_cast<double>(plane * rows + row + height) / static_cast<double>(count * rows);
                m_control.progress(progress_from + 0.5 * done);
            }
        }
    }
    return {};
}

Result<void> CudaRun::upload(const HostPlanes& from, cuda::DevicePointer to) {
    m_uploaded_bytes += static_cast<std::int64_t>(from.dense_bytes());
    const auto* data = static_cast<const std::byte*>(from.data);
    return in_pieces(from, 0.0,
                     [&](std::int64_t host, std::size_t host_pitch, cuda::DevicePointer dense,
                         std::size_t row_bytes, std::size_t rows) {
                         return m_context->upload(stream(), to + dense, row_bytes, data + host, host_pitch,
                                                  row_bytes, rows);
                     });
}

Result<void> CudaRun::begin_work() {
    return mark(m_uploaded);
}

Result<void> CudaRun::end_work() {
    return mark(m_worked);
}

Result<void> CudaRun::download(cuda::DevicePointer from, const HostPlanes& to) {
    m_downloaded_bytes += static_cast<std::int64_t>(to.dense_bytes());
    auto* data = static_cast<std::byte*>(const_cast<void*>(to.data));
    return in_pieces(to, 0.5,
                     [&](std::int64_t host, std::size_t host_pitch, cuda::DevicePointer dense,
                         std::size_t row_bytes, std::size_t rows) {
                         return m_context->download(stream(), data + host, host_pitch, from + dense,
                                                    row_bytes, row_bytes, rows);
                     });
}

Result<void> CudaRun::finish() {
    if (auto done = mark(m_end); !done) return done;
    if (auto done = m_context->synchronize(stream()); !done) return done;
    if (m_control.times == nullptr) return {};
    RunTimes& times = *m_control.times;
    times.uploaded_bytes = m_uploaded_bytes;
    times.downloaded_bytes = m_downloaded_bytes;
    const std::pair<double*, std::pair<cuda::Event*, cuda::Event*>> parts[] = {
        {&times.upload_ms, {&m_begin, &m_uploaded}},
        {&times.compute_ms, {&m_uploaded, &m_worked}},
        {&times.download_ms, {&m_worked, &m_end}}};
    for (const auto& [ms, events] : parts) {
        const auto elapsed = m_context->milliseconds_between(events.first->get(), events.second->get());
        if (!elapsed) return std::unexpected(elapsed.error());
        *ms = *elapsed;
    }
    return {};
}

}  // namespace iir2d::support
