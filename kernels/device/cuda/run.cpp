// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/run.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace iir2d::cuda {

namespace {

constexpr std::size_t piece_bytes = StagingBuffer::size();

// Calls f(byte in the host's memory, byte in the piece, bytes) for every stretch without a gap of the bytes
// [first, first + count) of the dense planes.
template <class F>
void for_each_stretch(const HostPlanes& planes, std::size_t first, std::size_t count, F f) {
    const auto element = element_size(planes.element);
    const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * element; };
    const std::size_t row = bytes(planes.shape.w);
    const std::size_t plane = bytes(planes.shape.w * planes.shape.h);
    const bool rows_touch = planes.strides.row == planes.shape.w;
    const auto channels = static_cast<std::size_t>(planes.shape.c);
    const support::Strides dense = support::dense_strides(planes.shape);
    const bool planes_touch =
        rows_touch && planes.strides.plane == dense.plane && planes.strides.image == dense.image;
    const std::size_t stretch = planes_touch ? planes.dense_bytes() : rows_touch ? plane : row;
    for (std::size_t at = first; at < first + count;) {
        const std::size_t within = at % stretch;
        const std::size_t length = std::min(stretch - within, first + count - at);
        const std::size_t number = at / plane;
        const std::size_t host = number / channels * bytes(planes.strides.image) +
                                 number % channels * bytes(planes.strides.plane) +
                                 at % plane / row * bytes(planes.strides.row) + at % row;
        f(host, at - first, length);
        at += length;
    }
}

}  // namespace

std::size_t HostPlanes::dense_bytes() const {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w) * element_size(element);
}

Result<Run> Run::begin(int device_index, const RunControl& control) {
    auto context = Context::get(device_index);
    if (!context) return std::unexpected(context.error());
    return begin(std::move(*context), control);
}

Result<Run> Run::begin(std::shared_ptr<Context> context, const RunControl& control) {
    auto stream = context->make_stream();
    if (!stream) return std::unexpected(stream.error());
    Run run(std::move(context), std::move(*stream), control);
    if (control.times != nullptr) {
        *control.times = {};
        for (Event* event : {&run.m_begin, &run.m_uploaded, &run.m_worked, &run.m_end}) {
            auto made = run.m_context->make_event();
            if (!made) return std::unexpected(made.error());
            *event = std::move(*made);
        }
    }
    return run;
}

Run::~Run() {
    // The staging buffers, and the device memory of whoever runs, may still be in use after an error or a
    // stop.
    if (m_context) static_cast<void>(m_context->synchronize(stream()));
}

Result<void> Run::mark(Event& event) {
    if (m_control.times == nullptr) return {};
    return m_context->record(event.get(), stream());
}

Result<void> Run::make_slots() {
    if (m_slots.front().buffer.data() != nullptr) return {};
    for (Slot& slot : m_slots) {
        auto event = m_context->make_event();
        if (!event) return std::unexpected(event.error());
        auto buffer = m_context->take_staging();
        if (!buffer) return std::unexpected(buffer.error());
        slot.copied = std::move(*event);
        slot.buffer = std::move(*buffer);
    }
    return {};
}

Result<void> Run::wait_for(Slot& slot) {
    if (!std::exchange(slot.busy, false)) return {};
    return m_context->wait_for(slot.copied.get());
}

Result<void> Run::mark_copied(Slot& slot) {
    slot.busy = true;
    return m_context->record(slot.copied.get(), stream());
}

Result<void> Run::check_stop() const {
    if (!m_control.stop.stop_requested()) return {};
    return std::unexpected(Error{ErrorCode::cancelled, "the run was cancelled"});
}

void Run::report(ProgressPart part, std::size_t done, std::size_t total) const {
    if (!m_control.progress) return;
    m_control.progress(part.from + part.share * static_cast<double>(done) / static_cast<double>(total));
}

Result<void> Run::upload(const HostPlanes& from, DevicePointer to, ProgressPart part) {
    if (auto done = make_slots(); !done) return done;
    if (m_uploaded_bytes == 0) {  // not before: pinning and allocating are no transfer
        if (auto done = mark(m_begin); !done) return done;
    }
    const std::size_t total = from.dense_bytes();
    const auto* data = static_cast<const std::byte*>(from.data);
    std::size_t slot_number = 0;
    for (std::size_t at = 0; at < total; at += piece_bytes) {
        if (auto go = check_stop(); !go) return go;
        const std::size_t length = std::min(piece_bytes, total - at);
        Slot& slot = m_slots[slot_number++ % m_slots.size()];
        if (auto done = wait_for(slot); !done) return done;
        for_each_stretch(from, at, length, [&](std::size_t host, std::size_t piece, std::size_t bytes) {
            std::memcpy(slot.buffer.data() + piece, data + host, bytes);
        });
        if (auto done = m_context->upload(stream(), to + at, slot.buffer.data(), length); !done) return done;
        if (auto done = mark_copied(slot); !done) return done;
        m_uploaded_bytes += static_cast<std::int64_t>(length);
        report(part, at + length, total);
    }
    return {};
}

Result<void> Run::begin_work() {
    return mark(m_uploaded);
}

Result<void> Run::end_work() {
    return mark(m_worked);
}

Result<void> Run::download(DevicePointer from, const HostPlanes& to, ProgressPart part) {
    if (auto done = make_slots(); !done) return done;
    const std::size_t total = to.dense_bytes();
    auto* data = static_cast<std::byte*>(const_cast<void*>(to.data));
    const auto slot_of = [&](std::size_t at) -> Slot& { return m_slots[at / piece_bytes % m_slots.size()]; };
    // The stream's order keeps this copy behind an upload from the same buffer.
    const auto start = [&](std::size_t at) -> Result<void> {
        const std::size_t length = std::min(piece_bytes, total - at);
        if (auto done = m_context->download(stream(), slot_of(at).buffer.data(), from + at, length); !done)
            return done;
        return mark_copied(slot_of(at));
    };
    if (auto go = check_stop(); !go) return go;
    if (auto done = start(0); !done) return done;
    for (std::size_t at = 0; at < total; at += piece_bytes) {
        if (auto go = check_stop(); !go) return go;
        // The other buffer was emptied in the round before.
        if (total - at > piece_bytes) {
            if (auto done = start(at + piece_bytes); !done) return done;
        }
        const std::size_t length = std::min(piece_bytes, total - at);
        Slot& slot = slot_of(at);
        if (auto done = wait_for(slot); !done) return done;
        for_each_stretch(to, at, length, [&](std::size_t host, std::size_t piece, std::size_t bytes) {
            std::memcpy(data + host, slot.buffer.data() + piece, bytes);
        });
        m_downloaded_bytes += static_cast<std::int64_t>(length);
        report(part, at + length, total);
    }
    return {};
}

Result<void> Run::finish() {
    if (auto done = mark(m_end); !done) return done;
    if (auto done = m_context->synchronize(stream()); !done) return done;
    if (m_control.times == nullptr) return {};
    RunTimes& times = *m_control.times;
    times.uploaded_bytes = m_uploaded_bytes;
    times.downloaded_bytes = m_downloaded_bytes;
    struct Part {
        double* ms;
        const Event* from;
        const Event* to;
        bool happened;
    };
    for (const Part& part : {Part{&times.upload_ms, &m_begin, &m_uploaded, m_uploaded_bytes > 0},
                             Part{&times.compute_ms, &m_uploaded, &m_worked, true},
                             Part{&times.download_ms, &m_worked, &m_end, m_downloaded_bytes > 0}}) {
        if (!part.happened) continue;
        const auto elapsed = m_context->milliseconds_between(part.from->get(), part.to->get());
        if (!elapsed) return std::unexpected(elapsed.error());
        *part.ms = *elapsed;
    }
    return {};
}

}  // namespace iir2d::cuda
