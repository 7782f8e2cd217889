// SPDX-License-Identifier: MIT
#include "app/worker/images_role.h"

#include <csignal>
#include <memory>
#include <utility>

#include "core/image/codec.h"
#include "core/image/module_loader.h"
#include "core/image/worker_protocol.h"
#include "core/support/try.h"
#include "core/worker/payload.h"
#include "core/worker/shared_memory.h"

namespace app {

namespace {

using workbench::Error;
using workbench::ErrorKind;
using workbench::FileHandle;
using workbench::ImagesModule;
using workbench::Result;
using workbench::images::Message;
using workbench::worker::Conversation;
using workbench::worker::Frame;
using workbench::worker::PayloadReader;
using workbench::worker::SharedMemory;

namespace images = workbench::images;

Frame refusal(const Error& error) {
    return {.type = Message::refusal, .payload = images::payload_of(error)};
}

std::unexpected<Error> not_understood() {
    return workbench::fail(ErrorKind::device_failure, "the image worker was not asked as it has to be");
}

template <class T>
Frame answer(Message type, const Result<T>& result) {
    return result ? Frame{.type = type, .payload = images::payload_of(*result)} : refusal(result.error());
}

// What the program asks for, with a file that is open.
struct Question {
    FileHandle handle;
    workbench::SourceFile source;
    int image_index = 0;
};

Result<Question> question_of(Frame request) {
    PayloadReader in(request.payload);
    Question question;
    question.source.path = in.text();
    question.image_index = in.number<int>();
    if (!in.complete() || request.handles.size() != 1) return not_understood();
    question.handle = std::move(request.handles.front());
    question.source.descriptor = question.handle.get();
    return question;
}

Result<Frame> header(const ImagesModule& module, Frame request) {
    IIR2D_TRY(const auto question, question_of(std::move(request)));
    IIR2D_TRY(const auto decoder, module.open(question.source, question.image_index));
    return Frame{.type = Message::header, .payload = images::payload_of(decoder->info())};
}

Result<Frame> names(const ImagesModule& module, Frame request) {
    IIR2D_TRY(const auto question, question_of(std::move(request)));
    return answer(Message::names, module.names(question.source));
}

// Stops the work that the control is given to once the program wants no answer any more.
workbench::TaskControl control_for(Conversation& program, std::stop_source& stop) {
    return {.stop = stop.get_token(), .progress = [&program, &stop](double fraction, std::string_view) {
                if (program.cancelled()) stop.request_stop();
                workbench::worker::PayloadWriter payload;
                payload.put(fraction);
                program.send({.type = Message::progress, .payload = payload.take()});
            }};
}

Result<Frame> read(const ImagesModule& module, Frame request, Conversation& program) {
    IIR2D_TRY(const auto question, question_of(std::move(request)));
    IIR2D_TRY(const auto decoder, module.open(question.source, question.image_index));
    program.send({.type = Message::header, .payload = images::payload_of(decoder->info())});

    Frame wanted = program.receive();
    PayloadReader in(wanted.payload);
    const images::Planes planes = images::get_planes(in);
    const workbench::ImageInfo& info = decoder->info();
    if (wanted.type != Message::pixels || !in.complete() || wanted.handles.size() != 1 ||
        planes.width != info.width || planes.height != info.height || planes.channels != info.channels)
        return not_understood();
    IIR2D_TRY(auto memory,
              SharedMemory::map(std::move(wanted.handles.front()), static_cast<std::size_t>(planes.bytes())));
    std::stop_source stop;
    IIR2D_RETURN_IF_ERROR(decoder->decode(planes.view(memory.data()), control_for(program, stop)));
    return Frame{.type = Message::metadata, .payload = images::payload_of(decoder->metadata())};
}

Result<Frame> write(const ImagesModule& module, Frame request, Conversation& program) {
    PayloadReader in(request.payload);
    workbench::OutputRequest output = images::get_request(in);
    const auto capacity = in.number<std::uint64_t>();
    if (!in.complete() || request.handles.size() != 2) return not_understood();
    const FileHandle file = std::move(request.handles[0]);
    output.descriptor = file.get();
    IIR2D_TRY(auto memory,
              SharedMemory::map(std::move(request.handles[1]), static_cast<std::size_t>(capacity)));
    IIR2D_TRY(const auto encoder, module.create(output));
    program.send({.type = Message::ready});

    for (Frame frame = program.receive(); frame.type != Message::finish; frame = program.receive()) {
        PayloadReader place(frame.payload);
        const images::Rows rows = images::get_rows(place);
        const images::Planes part{.width = output.width,
                                  .height = rows.count,
                                  .channels = output.channels,
                                  .as_double = rows.as_double};
        if (frame.type != Message::rows || !place.complete() || part.bytes() > capacity ||
            rows.offset > capacity - part.bytes())
            return not_understood();
        IIR2D_RETURN_IF_ERROR(encoder->write(part.view(memory.data() + rows.offset)));
        program.send({.type = Message::written});
    }
    IIR2D_RETURN_IF_ERROR(encoder->finish());
    return Frame{.type = Message::written};
}

Result<Frame> serve(const ImagesModule& module, Frame request, Conversation& program) {
    switch (request.type) {
        case Message::probe:
            return header(module, std::move(request));
        case Message::names:
            return names(module, std::move(request));
        case Message::read:
            return read(module, std::move(request), program);
        case Message::write:
            return write(module, std::move(request), program);
        case Message::formats:
            return Frame{.type = Message::formats, .payload = images::payload_of(module.formats())};
        case Message::version:
            return Frame{.type = Message::version,
                         .payload = images::payload_of(std::vector<std::string>{module.version()})};
        default:
            return not_understood();
    }
}

}  // namespace

workbench::worker::Role images_role() {
    // Opened in the server, and so there in every child.
    const auto module = std::make_shared<const ImagesModule*>(nullptr);
    workbench::worker::Role role;
    role.name = images::role;
    role.prepare = [module](std::span<const std::string> arguments) -> Result<void> {
        if (arguments.size() != 1) return not_understood();
        IIR2D_TRY(const auto loaded, workbench::load_images_module(workbench::path_of(arguments.front())));
        *module = loaded;
        return {};
    };
    // A file that would become too large is an error of write(), not the end.
    role.begin_child = [] { std::signal(SIGXFSZ, SIG_IGN); };
    role.serve = [module](Frame request, Conversation& program) {
        auto frame = serve(**module, std::move(request), program);
        return frame ? *std::move(frame) : refusal(frame.error());
    };
    role.frame_limit = images::frame_limit;
    return role;
}

}  // namespace app
