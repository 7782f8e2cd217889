// SPDX-License-Identifier: MIT
// The program's side of the image worker.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/image/memory_need.h"
#include "core/image/module_loader.h"
#include "core/image/session.h"
#include "core/image/worker_limits.h"
#include "core/image/worker_protocol.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/worker/pool.h"
#include "core/worker/program.h"
#include "core/worker/shared_memory.h"

namespace workbench {

namespace {

using images::Message;
using worker::FailureKind;
using worker::Frame;
using worker::PayloadReader;

// What a request is about, for sentences.
struct Subject {
    std::string path;  // UTF-8; empty: none
    std::string format;
    bool writing = false;
};

// Whether somebody else ended the process: a person, or the system when its memory ran out.
bool was_ended_from_outside([[maybe_unused]] const worker::Failure& failure) {
#if defined(_WIN32)
    return false;
#else
    return failure.kind == FailureKind::died &&
           (failure.signal == SIGKILL || failure.signal == SIGTERM || failure.signal == SIGINT ||
            failure.signal == SIGHUP || failure.signal == SIGQUIT);
#endif
}

// Returns what the signal that ended the process tells beside its name.
std::string_view advice_on_end([[maybe_unused]] const worker::Failure& failure) {
#if !defined(_WIN32)
    if (failure.signal == SIGKILL) return "; the system does that when its memory runs out";
#endif
    return "";
}

// Whether the file brought it about, and not a machine that is short of memory or time.
bool is_of_the_file(const worker::Failure& failure) {
    switch (failure.signal) {
        case SIGSEGV:
        case SIGABRT:
        case SIGFPE:
        case SIGILL:
#if !defined(_WIN32)
        case SIGBUS:
        case SIGSYS:
#endif
            return true;
        default:
            return failure.kind == FailureKind::protocol || failure.kind == FailureKind::threw;
    }
}

Error error_of(const worker::Failure& failure, const Subject& subject) {
    switch (failure.kind) {
        case FailureKind::cancelled:
            return {ErrorKind::cancelled,
                    subject.writing ? "writing was cancelled" : "reading was cancelled"};
        case FailureKind::could_not_start:
        case FailureKind::unreachable:
            return {ErrorKind::device_failure,
                    "images cannot be read or written: the image worker " + one_line(failure.what)};
        default:
            break;
    }
    if (subject.path.empty())
        return {ErrorKind::device_failure, "the image worker " + one_line(failure.what)};
    if (was_ended_from_outside(failure)) {
        // Neither the file nor its format is to blame, and trying again may well do.
        return {ErrorKind::device_failure,
                quoted(path_of(subject.path)) + " could not be " + (subject.writing ? "written" : "read") +
                    ": the image worker " + one_line(failure.what) + std::string(advice_on_end(failure))};
    }
    const std::string coder = "the " + subject.format + (subject.writing ? " encoder " : " decoder ");
    if (subject.writing) return unwritable(path_of(subject.path), coder + one_line(failure.what)).error();
    return {ErrorKind::bad_input, quoted(path_of(subject.path)) + " could not be read: " + coder +
                                      one_line(failure.what) +
                                      (is_of_the_file(failure) ? "; the file is damaged or hostile" : "")};
}

// One request to the worker, to its answer.
class Request {
  public:
    static Result<Request> begin(worker::WorkerPool& pool, Subject subject, Frame frame,
                                 const worker::Limits& limits, const std::stop_token& stop) {
        auto lease = pool.borrow(stop);
        if (!lease) return std::unexpected(error_of(lease.error(), subject));
        if (auto sent = lease->begin(std::move(frame), limits); !sent)
            return std::unexpected(error_of(sent.error(), subject));
        return Request(*std::move(lease), std::move(subject));
    }

    Result<void> send(Frame frame) { return checked(m_lease.send(std::move(frame))); }
    Result<void> limit(const worker::Limits& limits) { return checked(m_lease.limit(limits)); }

    // The next frame. An Error that the worker reports is this one's.
    Result<Frame> receive() {
        auto frame = m_lease.receive();
        if (!frame) return std::unexpected(error_of(frame.error(), m_subject));
        if (frame->type != Message::refusal) return *std::move(frame);
        PayloadReader in(frame->payload);
        Error error = images::get_error(in);
        if (!in.complete() || !m_lease.answered()) return std::unexpected(nonsense());
        return std::unexpected(std::move(error));
    }

    // The frame that has to come now, and what is in it.
    template <class T>
    Result<T> receive(Message type, T (*get)(PayloadReader&)) {
        IIR2D_TRY(auto frame, receive());
        return content(frame, type, get);
    }
    template <class T>
    Result<T> content(const Frame& frame, Message type, T (*get)(PayloadReader&)) const {
        PayloadReader in(frame.payload);
        T thing = get(in);
        if (frame.type != type || !in.complete()) return std::unexpected(nonsense());
        return thing;
    }

    Error nonsense() const {
        return error_of({.kind = FailureKind::protocol, .what = "gave an answer without sense"}, m_subject);
    }
    void set_format(std::string format) { m_subject.format = std::move(format); }

  private:
    Request(worker::Lease lease, Subject subject)
        : m_lease(std::move(lease)), m_subject(std::move(subject)) {}

    Result<void> checked(const worker::Outcome<void>& outcome) const {
        if (outcome) return {};
        return std::unexpected(error_of(outcome.error(), m_subject));
    }

    worker::Lease m_lease;
    Subject m_subject;
};

Frame request_frame(Message type, OpenSource source, int image_index) {
    worker::PayloadWriter payload;
    payload.put(source.file.path).put(image_index);
    Frame frame{.type = type, .payload = payload.take()};
    frame.handles.push_back(std::move(source.handle));
    return frame;
}

// The header as the program knows it: what it can know better than the worker, it does.
ImageInfo completed(ImageInfo info, const std::string& path, std::uint64_t file_bytes) {
    info.path = path_of(path);
    info.file_bytes = file_bytes;
    info.memory_bytes = memory_of_samples(info, false);
    return info;
}

// Takes the pages of memory that a worker fills, ahead of it, in a thread of its own: a page that is there
// costs the worker half of what a new one does.
class PagesAhead {
  public:
    explicit PagesAhead(worker::SharedMemory& memory) {
        if (memory.size() < least || std::thread::hardware_concurrency() < 2) return;
        try {
            m_thread = std::jthread([&memory](const std::stop_token& stop) {
                for (std::size_t at = 0; at < memory.size() && !stop.stop_requested(); at += piece)
                    memory.take_pages(at, piece);
            });
            // NOLINTNEXTLINE(bugprone-empty-catch): no room for a thread; the worker takes the pages itself
        } catch (const std::system_error&) {
        }
    }

  private:
    static constexpr std::size_t least = std::size_t{16} << 20;
    static constexpr std::size_t piece = std::size_t{4} << 20;
    std::jthread m_thread;
};

class WorkerRead final : public ReadSession {
  public:
    WorkerRead(Request request, ImageInfo info) : m_request(std::move(request)), m_info(std::move(info)) {}

    const ImageInfo& info() const override { return m_info; }

    Result<PlanarImage> pixels(iir2d::ElementType type, const TaskControl& control) override {
        const images::Planes planes{.width = m_info.width,
                                    .height = m_info.height,
                                    .channels = m_info.channels,
                                    .as_double = type == iir2d::ElementType::f64};
        auto memory = worker::SharedMemory::create(static_cast<std::size_t>(planes.bytes()));
        if (!memory) {
            return fail(ErrorKind::bad_input,
                        quoted(m_info.path) + " could not be read: " + memory.error().message);
        }
        IIR2D_TRY(auto shared, memory->share());
        memory->close_handle();
        IIR2D_RETURN_IF_ERROR(m_request.limit(limits_to_decode(m_info, memory->size())));
        Frame frame{.type = Message::pixels, .payload = images::payload_of(planes)};
        frame.handles.push_back(std::move(shared));
        IIR2D_RETURN_IF_ERROR(m_request.send(std::move(frame)));
        {
            const PagesAhead ahead(*memory);
            IIR2D_RETURN_IF_ERROR(wait(control));
        }
        auto owner = std::make_shared<worker::SharedMemory>(*std::move(memory));
        std::byte* samples = owner->data();
        return PlanarImage::over(std::move(owner), samples, planes.width, planes.height, planes.channels,
                                 type);
    }

    Result<FileMetadata> metadata() override { return std::move(m_metadata); }

  private:
    Result<void> wait(const TaskControl& control) {
        while (true) {
            IIR2D_TRY(auto frame, m_request.receive());
            if (frame.type == Message::progress) {
                PayloadReader in(frame.payload);
                const auto fraction = in.number<double>();
                if (!in.complete() || !std::isfinite(fraction)) return std::unexpected(m_request.nonsense());
                control.report(std::clamp(fraction, 0.0, 1.0), {});
                continue;
            }
            IIR2D_TRY(auto metadata, m_request.content(frame, Message::metadata, images::get_metadata));
            m_metadata = std::move(metadata);
            return {};
        }
    }

    Request m_request;
    ImageInfo m_info;
    FileMetadata m_metadata;
};

// Hands rows over in two places by turns: one is filled while the worker encodes the other.
class WorkerWrite final : public ImageEncoder {
  public:
    WorkerWrite(Request request, worker::SharedMemory memory)
        : m_request(std::move(request)), m_memory(std::move(memory)) {}

    Result<void> write(const iir2d::ConstTensorView& rows) override {
        const std::size_t half = m_memory.size() / places;
        if (m_under_way == places) {
            IIR2D_RETURN_IF_ERROR(wait_for_one());
        }
        const std::size_t offset = half * m_next;
        const auto plane_bytes =
            static_cast<std::size_t>(rows.shape.h * rows.shape.w) * iir2d::element_size(rows.type);
        const auto stride = static_cast<std::size_t>(rows.plane_stride) * iir2d::element_size(rows.type);
        for (std::size_t c = 0; c < static_cast<std::size_t>(rows.shape.c); ++c) {
            std::memcpy(m_memory.data() + offset + c * plane_bytes,
                        static_cast<const std::byte*>(rows.data) + c * stride, plane_bytes);
        }
        m_next = (m_next + 1) % places;
        ++m_under_way;
        return m_request.send(
            {.type = Message::rows,
             .payload = images::payload_of(images::Rows{.offset = offset,
                                                        .count = rows.shape.h,
                                                        .as_double = rows.type == iir2d::ElementType::f64})});
    }

    Result<void> finish() override {
        while (m_under_way > 0) {
            IIR2D_RETURN_IF_ERROR(wait_for_one());
        }
        IIR2D_RETURN_IF_ERROR(m_request.send({.type = Message::finish}));
        return received_written();
    }

    static constexpr std::size_t places = 2;

  private:
    Result<void> wait_for_one() {
        --m_under_way;
        return received_written();
    }
    Result<void> received_written() {
        IIR2D_TRY(const auto frame, m_request.receive());
        if (frame.type != Message::written) return std::unexpected(m_request.nonsense());
        return {};
    }

    Request m_request;
    worker::SharedMemory m_memory;
    std::size_t m_next = 0;
    std::size_t m_under_way = 0;
};

class InWorker final : public ImageSessions {
  public:
    InWorker()
        : m_pool({.role = images::role,
                  .arguments = {utf8_path(images_module_path())},
                  .frame_limit = images::frame_limit,
                  // A damaged file may have written over the decoder's memory without ending it. A new child
                  // takes 3 ms, and no other file is read with what is left of that.
                  .most_requests = 1}) {}

    Result<ImageInfo> header(OpenSource source, int image_index, const std::stop_token& stop) override {
        const Known known(source);
        IIR2D_TRY(auto request, begin(Message::probe, std::move(source), image_index, stop));
        IIR2D_TRY(auto info, request.receive(Message::header, images::get_info));
        return completed(std::move(info), known.path, known.size);
    }

    Result<std::vector<std::string>> names(OpenSource source, const std::stop_token& stop) override {
        IIR2D_TRY(auto request, begin(Message::names, std::move(source), 0, stop));
        return request.receive(Message::names, images::get_texts);
    }

    Result<std::unique_ptr<ReadSession>> read(OpenSource source, int image_index,
                                              const std::stop_token& stop) override {
        const Known known(source);
        IIR2D_TRY(auto request, begin(Message::read, std::move(source), image_index, stop));
        IIR2D_TRY(auto info, request.receive(Message::header, images::get_info));
        request.set_format(spoken_format(info.format));
        return std::make_unique<WorkerRead>(std::move(request),
                                            completed(std::move(info), known.path, known.size));
    }

    Result<std::unique_ptr<ImageEncoder>> write(const OutputRequest& asked,
                                                const std::stop_token& stop) override {
        IIR2D_RETURN_IF_ERROR(check_installed());
        const std::int64_t rows = rows_to_write_at_a_time(asked.width, asked.channels, asked.height);
        const images::Planes part{
            .width = asked.width, .height = rows, .channels = asked.channels, .as_double = true};
        auto memory =
            worker::SharedMemory::create(static_cast<std::size_t>(part.bytes()) * WorkerWrite::places);
        if (!memory) return unwritable(path_of(asked.path), memory.error().message);
        IIR2D_TRY(auto shared, memory->share());
        memory->close_handle();
        worker::PayloadWriter payload;
        images::put(payload, asked);
        payload.put(static_cast<std::uint64_t>(memory->size()));
        Frame frame{.type = Message::write, .payload = payload.take()};
        // The frame closes what it carries; the program's own stays open.
        FileHandle output = FileHandle::duplicate(asked.descriptor);
        if (!output) return unwritable(path_of(asked.path), system_words(errno));
        frame.handles.push_back(std::move(output));
        frame.handles.push_back(std::move(shared));
        IIR2D_TRY(auto request,
                  Request::begin(m_pool,
                                 {.path = asked.path, .format = spoken_format(asked.format), .writing = true},
                                 std::move(frame), limits_to_encode(asked), stop));
        IIR2D_TRY(const auto ready, request.receive());
        if (ready.type != Message::ready) return std::unexpected(request.nonsense());
        return std::make_unique<WorkerWrite>(std::move(request), *std::move(memory));
    }

    Result<std::vector<FormatAbility>> formats() override {
        IIR2D_TRY(auto request, ask(Message::formats));
        return request.receive(Message::formats, images::get_abilities);
    }

    Result<std::string> version() override {
        IIR2D_TRY(auto request, ask(Message::version));
        IIR2D_TRY(const auto texts, request.receive(Message::version, images::get_texts));
        return texts.size() == 1 ? Result<std::string>(texts.front()) : std::unexpected(request.nonsense());
    }

    void warm_up(const std::stop_token& stop) override { static_cast<void>(m_pool.start(stop)); }

  private:
    // What is known of a source after it was handed over.
    struct Known {
        explicit Known(const OpenSource& source) : path(source.file.path), size(source.size) {}
        std::string path;
        std::uint64_t size;
    };

    Result<Request> begin(Message type, OpenSource source, int image_index, const std::stop_token& stop) {
        IIR2D_RETURN_IF_ERROR(check_installed());
        Subject subject{.path = source.file.path, .format = source.format};
        const worker::Limits limits = limits_to_open(source.format, source.size);
        return Request::begin(m_pool, std::move(subject), request_frame(type, std::move(source), image_index),
                              limits, stop);
    }

    Result<Request> ask(Message type) {
        IIR2D_RETURN_IF_ERROR(check_installed());
        return Request::begin(m_pool, {}, {.type = type}, limits_to_ask(), {});
    }

    // In words of our own, rather than those of a process that could not start.
    static Result<void> check_installed() {
        std::error_code error;
        for (const std::filesystem::path& file : {worker::find_worker_program(), images_module_path()}) {
            if (!file.empty() && !std::filesystem::exists(file, error)) return unusable(file, "is missing");
        }
        return {};
    }

    worker::WorkerPool m_pool;
};

}  // namespace

std::unique_ptr<ImageSessions> sessions_in_worker() {
    return std::make_unique<InWorker>();
}

}  // namespace workbench
