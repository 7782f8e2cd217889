// SPDX-License-Identifier: MIT
#include "core/image/worker_protocol.h"

#include <algorithm>

#include "core/support/text.h"

namespace workbench::images {

namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20;
constexpr std::size_t longest_metadata = frame_limit;
constexpr std::int64_t largest_side = 1'000'000;
constexpr int most_channels = 64;
constexpr int most_images = 1 << 24;
constexpr auto last_sample_type = static_cast<std::uint8_t>(SampleType::f64);

SampleType get_sample_type(worker::PayloadReader& in, bool& possible) {
    const auto type = in.number<std::uint8_t>();
    possible = possible && type <= last_sample_type;
    return possible ? static_cast<SampleType>(type) : SampleType::f32;
}

void put_sample_type(worker::PayloadWriter& out, SampleType type) {
    out.put(static_cast<std::uint8_t>(type));
}

std::string get_line(worker::PayloadReader& in) {
    return printable_utf8(in.text(longest_text));
}

bool is_size(std::int64_t width, std::int64_t height, int channels) {
    return width >= 1 && width <= largest_side && height >= 1 && height <= largest_side && channels >= 1 &&
           channels <= most_channels;
}

// Reading to beyond the end is what makes a reader say that it does not hold.
void refuse(worker::PayloadReader& in) {
    while (in.ok()) static_cast<void>(in.number<std::uint64_t>());
}

}  // namespace

std::uint64_t Planes::bytes() const {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) *
           static_cast<std::uint64_t>(channels) * (as_double ? 8U : 4U);
}

iir2d::TensorView Planes::view(void* memory) const {
    return {.data = memory,
            .type = as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32,
            .shape = {.n = 1, .c = channels, .h = height, .w = width}};
}

void put(worker::PayloadWriter& out, const ImageInfo& info) {
    out.put(info.format).put(info.width).put(info.height).put(info.channels);
    put(out, info.channel_names);
    out.put(info.alpha_channel);
    put_sample_type(out, info.type);
    out.put(info.bits_per_sample).put(info.tiled).put(info.orientation).put(info.colour_space);
    out.put(info.image_index).put(info.image_count).put(static_cast<std::uint64_t>(info.metadata.size()));
    for (const auto& [name, value] : info.metadata) out.put(name).put(value);
    out.put(info.memory_bytes).put(info.native_bytes).put(info.file_bytes);
}

ImageInfo get_info(worker::PayloadReader& in) {
    ImageInfo info;
    info.format = get_line(in);
    info.width = in.number<std::int64_t>();
    info.height = in.number<std::int64_t>();
    info.channels = in.number<int>();
    info.channel_names = get_texts(in);
    info.alpha_channel = in.number<int>();
    bool possible = true;
    info.type = get_sample_type(in, possible);
    info.bits_per_sample = in.number<int>();
    info.tiled = in.boolean();
    info.orientation = in.number<int>();
    info.colour_space = get_line(in);
    info.image_index = in.number<int>();
    info.image_count = in.number<int>();
    for (std::size_t left = in.count(2 * sizeof(std::uint64_t)); left > 0 && in.ok(); --left) {
        std::string name = get_line(in);
        info.metadata.emplace_back(std::move(name), get_line(in));
    }
    info.memory_bytes = in.number<std::uint64_t>();
    info.native_bytes = in.number<std::uint64_t>();
    info.file_bytes = in.number<std::uint64_t>();
    possible = possible && is_size(info.width, info.height, info.channels) &&
               info.channel_names.size() == static_cast<std::size_t>(info.channels) &&
               info.alpha_channel >= -1 && info.alpha_channel < info.channels && info.orientation >= 1 &&
               info.orientation <= 8 && info.image_index >= 0 && info.image_count > info.image_index &&
               info.image_count <= most_images &&
               // What limits are worked out from: no sample has more than 8 bytes.
               info.native_bytes <= 8U * static_cast<std::uint64_t>(info.width) *
                                        static_cast<std::uint64_t>(info.height) *
                                        static_cast<std::uint64_t>(info.channels) &&
               info.file_bytes <= std::uint64_t{1} << 50;
    if (!possible) refuse(in);
    return info;
}

void put(worker::PayloadWriter& out, const FileMetadata& metadata) {
    out.put(metadata.format)
        .put(metadata.alpha)
        .put(metadata.straight)
        .put(metadata.exif)
        .put(metadata.content);
}

FileMetadata get_metadata(worker::PayloadReader& in) {
    FileMetadata metadata;
    metadata.format = get_line(in);
    metadata.alpha = in.boolean();
    metadata.straight = in.boolean();
    metadata.exif = in.boolean();
    metadata.content = in.text(longest_metadata);
    return metadata;
}

void put(worker::PayloadWriter& out, const OutputRequest& request) {
    out.put(request.path).put(request.format);
    put_sample_type(out, request.type);
    out.put(request.width).put(request.height).put(request.channels).put(request.most_bytes);
    out.put(request.from_file);
    put(out, request.metadata);
}

OutputRequest get_request(worker::PayloadReader& in) {
    OutputRequest request;
    bool possible = true;
    request.path = in.text(longest_text);  // bytes that need not be text
    request.format = get_line(in);
    request.type = get_sample_type(in, possible);
    request.width = in.number<std::int64_t>();
    request.height = in.number<std::int64_t>();
    request.channels = in.number<int>();
    request.most_bytes = in.number<std::uint64_t>();
    request.from_file = in.boolean();
    request.metadata = get_metadata(in);
    if (!possible || !is_size(request.width, request.height, request.channels)) refuse(in);
    return request;
}

void put(worker::PayloadWriter& out, const Planes& planes) {
    out.put(planes.width).put(planes.height).put(planes.channels).put(planes.as_double);
}

Planes get_planes(worker::PayloadReader& in) {
    Planes planes;
    planes.width = in.number<std::int64_t>();
    planes.height = in.number<std::int64_t>();
    planes.channels = in.number<int>();
    planes.as_double = in.boolean();
    if (!is_size(planes.width, planes.height, planes.channels)) refuse(in);
    return planes;
}

void put(worker::PayloadWriter& out, const Rows& rows) {
    out.put(rows.offset).put(rows.count).put(rows.as_double);
}

Rows get_rows(worker::PayloadReader& in) {
    Rows rows;
    rows.offset = in.number<std::uint64_t>();
    rows.count = in.number<std::int64_t>();
    rows.as_double = in.boolean();
    if (rows.count < 1 || rows.count > largest_side) refuse(in);
    return rows;
}

void put(worker::PayloadWriter& out, const Error& error) {
    out.put(static_cast<std::uint8_t>(error.kind)).put(error.message);
}

Error get_error(worker::PayloadReader& in) {
    const auto kind = in.number<std::uint8_t>();
    std::string message = one_line(in.text(longest_text));
    if (kind > static_cast<std::uint8_t>(ErrorKind::cancelled) || message.empty()) refuse(in);
    return {in.ok() ? static_cast<ErrorKind>(kind) : ErrorKind::bad_input, std::move(message)};
}

void put(worker::PayloadWriter& out, const std::vector<std::string>& texts) {
    out.put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) out.put(text);
}

std::vector<std::string> get_texts(worker::PayloadReader& in) {
    std::vector<std::string> texts;
    for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0 && in.ok(); --left)
        texts.push_back(get_line(in));
    return texts;
}

void put(worker::PayloadWriter& out, const std::vector<FormatAbility>& abilities) {
    out.put(static_cast<std::uint64_t>(abilities.size()));
    for (const FormatAbility& ability : abilities) {
        out.put(ability.name);
        put(out, ability.extensions);
        out.put(ability.reads).put(ability.writes);
    }
}

std::vector<FormatAbility> get_abilities(worker::PayloadReader& in) {
    std::vector<FormatAbility> abilities;
    for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0 && in.ok(); --left) {
        FormatAbility ability;
        ability.name = get_line(in);
        ability.extensions = get_texts(in);
        ability.reads = in.boolean();
        ability.writes = in.boolean();
        abilities.push_back(std::move(ability));
    }
    return abilities;
}

}  // namespace workbench::images
