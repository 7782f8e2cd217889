// SPDX-License-Identifier: MIT
#include "core/image/module/metadata.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/worker/payload.h"

namespace workbench {

namespace {

// Of one attribute or list; a colour profile is some megabytes at most.
constexpr std::size_t longest_text = std::size_t{1} << 30;

// The numbers that describe the pixels, in the order in which they are stored.
constexpr std::array dimensions{&OIIO::ImageSpec::x,           &OIIO::ImageSpec::y,
                                &OIIO::ImageSpec::z,           &OIIO::ImageSpec::width,
                                &OIIO::ImageSpec::height,      &OIIO::ImageSpec::depth,
                                &OIIO::ImageSpec::full_x,      &OIIO::ImageSpec::full_y,
                                &OIIO::ImageSpec::full_z,      &OIIO::ImageSpec::full_width,
                                &OIIO::ImageSpec::full_height, &OIIO::ImageSpec::full_depth,
                                &OIIO::ImageSpec::nchannels,   &OIIO::ImageSpec::alpha_channel,
                                &OIIO::ImageSpec::z_channel};

void put_type(worker::PayloadWriter& out, const OIIO::TypeDesc& type) {
    out.put(type.basetype).put(type.aggregate).put(type.vecsemantics).put(type.arraylen);
}

OIIO::TypeDesc get_type(worker::PayloadReader& in) {
    OIIO::TypeDesc type;
    type.basetype = in.number<unsigned char>();
    type.aggregate = in.number<unsigned char>();
    type.vecsemantics = in.number<unsigned char>();
    type.arraylen = in.number<int>();
    return type;
}

// Texts and numbers; pointers mean nothing elsewhere.
bool can_travel(const OIIO::TypeDesc& type) {
    return type.arraylen >= 0 && type.basetype >= OIIO::TypeDesc::UINT8 &&
           type.basetype <= OIIO::TypeDesc::STRING && type.aggregate >= 1 && type.aggregate <= 16;
}

void put_attribute(worker::PayloadWriter& out, const OIIO::ParamValue& attribute) {
    const OIIO::TypeDesc type = attribute.type();
    out.put(attribute.name().string());
    put_type(out, type);
    out.put(attribute.nvalues());
    if (type.basetype == OIIO::TypeDesc::STRING) {
        const auto count = type.basevalues() * static_cast<std::size_t>(attribute.nvalues());
        const auto* texts = static_cast<const OIIO::ustring*>(attribute.data());
        for (std::size_t i = 0; i < count; ++i) out.put(texts[i].string());
    } else {
        out.put(std::string_view(static_cast<const char*>(attribute.data()),
                                 static_cast<std::size_t>(attribute.datasize())));
    }
}

void get_attribute(worker::PayloadReader& in, OIIO::ParamValueList& attributes) {
    const OIIO::ustring name(in.text(longest_text));
    const OIIO::TypeDesc type = get_type(in);
    const int count = in.number<int>();
    if (!in.ok() || !can_travel(type) || count < 1) return;
    const std::size_t values = type.basevalues() * static_cast<std::size_t>(count);
    if (type.basetype == OIIO::TypeDesc::STRING) {
        std::vector<OIIO::ustring> texts;
        for (std::size_t i = 0; i < values && in.ok(); ++i) texts.emplace_back(in.text(longest_text));
        if (in.ok()) attributes.emplace_back(name, type, count, texts.data());
    } else {
        const std::string bytes = in.text(longest_text);
        if (in.ok() && bytes.size() == type.size() * static_cast<std::size_t>(count))
            attributes.emplace_back(name, type, count, bytes.data());
    }
}

}  // namespace

FileMetadata pack_metadata(const OIIO::ImageSpec& spec, const std::string& format) {
    worker::PayloadWriter out;
    for (const auto dimension : dimensions) out.put(spec.*dimension);
    put_type(out, spec.format);
    out.put(static_cast<std::uint64_t>(spec.channelnames.size()));
    for (const std::string& name : spec.channelnames) out.put(name);
    const auto travels = [](const OIIO::ParamValue& attribute) { return can_travel(attribute.type()); };
    out.put(static_cast<std::uint64_t>(std::ranges::count_if(spec.extra_attribs, travels)));
    for (const OIIO::ParamValue& attribute : spec.extra_attribs) {
        if (travels(attribute)) put_attribute(out, attribute);
    }
    const auto is_exif = [](const OIIO::ParamValue& attribute) {
        const std::string_view name = attribute.name().c_str();
        return name.starts_with("Exif:") || name.starts_with("GPS:");
    };
    return {.format = format,
            .alpha = spec.alpha_channel >= 0,
            .straight = spec.get_int_attribute("oiio:UnassociatedAlpha", 0) != 0,
            .exif = std::ranges::any_of(spec.extra_attribs, is_exif),
            .content = out.take()};
}

OIIO::ImageSpec unpack_metadata(const FileMetadata& metadata) {
    worker::PayloadReader in(metadata.content);
    OIIO::ImageSpec spec;
    for (const auto dimension : dimensions) spec.*dimension = in.number<int>();
    spec.format = get_type(in);
    for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0 && in.ok(); --left)
        spec.channelnames.push_back(in.text(longest_text));
    for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0 && in.ok(); --left)
        get_attribute(in, spec.extra_attribs);
    return spec;
}

}  // namespace workbench
