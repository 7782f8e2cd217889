// SPDX-License-Identifier: MIT
// Inside core/image and the image worker only: the frames between them.
//
// | request | payload + handles       | then, worker and program by turns                            |
// |---------|-------------------------|--------------------------------------------------------------|
// | probe   | source, page + file     | header                                                       |
// | names   | source + file           | names                                                        |
// | read    | source, page + file     | header, "pixels" {planes} + memory, progress..., metadata    |
// | write   | output, size + file,    | ready, "rows" {where, count}, written, ... "finish", written |
// |         | memory                  |                                                              |
// | formats | nothing                 | formats                                                      |
// | version | nothing                 | version                                                      |
//
// Frames in quotes are the program's. Instead of any answer a worker may give `refusal`, an Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/image/codec.h"
#include "core/worker/payload.h"

namespace workbench::images {

// The only argument of the role: the module's file; empty where it is linked in.
inline constexpr char role[] = "images";
// Metadata holds colour profiles, and pictures within pictures.
inline constexpr std::size_t frame_limit = std::size_t{64} << 20;

enum Message : std::uint32_t {
    probe = 1,
    names,
    read,
    write,
    formats,
    version,
    pixels,
    rows,
    finish,
    header,
    progress,
    metadata,
    ready,
    written,
    refusal,
};

// The pixels' shared memory, for `pixels`: planes from its start.
struct Planes {
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 0;
    bool as_double = false;

    std::uint64_t bytes() const;
    iir2d::TensorView view(void* memory) const;
};

// Rows in the shared memory, for `rows`.
struct Rows {
    std::uint64_t offset = 0;
    std::int64_t count = 0;
    bool as_double = false;
};

void put(worker::PayloadWriter& out, const ImageInfo& info);  // without its path
void put(worker::PayloadWriter& out, const FileMetadata& metadata);
void put(worker::PayloadWriter& out, const OutputRequest& request);  // without its descriptor
void put(worker::PayloadWriter& out, const Planes& planes);
void put(worker::PayloadWriter& out, const Rows& rows);
void put(worker::PayloadWriter& out, const Error& error);
void put(worker::PayloadWriter& out, const std::vector<std::string>& texts);
void put(worker::PayloadWriter& out, const std::vector<FormatAbility>& abilities);

// Read, and check what is read for what its users rely on: ranges, sizes, printable text. The reader's ok()
// says whether it held.
ImageInfo get_info(worker::PayloadReader& in);
FileMetadata get_metadata(worker::PayloadReader& in);
OutputRequest get_request(worker::PayloadReader& in);
Planes get_planes(worker::PayloadReader& in);
Rows get_rows(worker::PayloadReader& in);
Error get_error(worker::PayloadReader& in);
std::vector<std::string> get_texts(worker::PayloadReader& in);
std::vector<FormatAbility> get_abilities(worker::PayloadReader& in);

// Returns a payload of one thing.
template <class T>
std::string payload_of(const T& thing) {
    worker::PayloadWriter out;
    put(out, thing);
    return out.take();
}

}  // namespace workbench::images
