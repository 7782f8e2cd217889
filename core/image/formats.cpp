// SPDX-License-Identifier: MIT
#include "core/image/formats.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace workbench {

namespace {

using enum SampleType;

struct Mark {
    std::string_view format;
    std::size_t offset;
    std::string_view bytes;
};

// The quoted strings have zeros in them, hence the sv.
using namespace std::string_view_literals;
constexpr Mark marks[] = {
    {"png", 0, "\x89PNG\r\n\x1a\n"sv},
    {"jpeg", 0, "\xff\xd8\xff"sv},
    {"tiff", 0, "II\x2a\0"sv},
    {"tiff", 0, "MM\0\x2a"sv},
    {"tiff", 0, "II\x2b\0"sv},
    {"tiff", 0, "MM\0\x2b"sv},
    {"openexr", 0, "\x76\x2f\x31\x01"sv},
    {"hdr", 0, "#?RADIANCE"sv},
    {"hdr", 0, "#?RGBE"sv},
    {"webp", 8, "WEBP"sv},
    {"dpx", 0, "SDPX"sv},
    {"dpx", 0, "XPDS"sv},
    {"gif", 0, "GIF8"sv},
    {"psd", 0, "8BPS"sv},
    {"sgi", 0, "\x01\xda"sv},
    {"jpeg2000", 0, "\0\0\0\x0cjP"sv},
    {"jpeg2000", 0, "\xff\x4f\xff\x51"sv},
    {"heif", 4, "ftyphei"sv},
    {"heif", 4, "ftypmif1"sv},
    {"heif", 4, "ftypavif"sv},
    {"fits", 0, "SIMPLE  ="sv},
    {"cineon", 0, "\x80\x2a\x5f\xd7"sv},
    {"dds", 0, "DDS "sv},
    {"iff", 0, "FOR4"sv},
    {"bmp", 0, "BM"sv},
};

std::array<SampleType, 6> preferences(SampleType wanted) {
    switch (wanted) {
        case u8:
            return {u8, u16, f16, f32, f64, u32};
        case u16:
            return {u16, f32, f64, f16, u8, u32};
        case u32:
            return {u32, f64, f32, u16, f16, u8};
        case f16:
            return {f16, f32, f64, u16, u8, u32};
        case f64:
            return {f64, f32, f16, u16, u8, u32};
        case f32:
            break;
    }
    return {f32, f64, f16, u16, u8, u32};
}

}  // namespace

const std::vector<Format>& formats() {
    static const std::vector<Format> all{
        {.name = "png",
         .extensions = {"png"},
         .channels = {1, 2, 3, 4},
         .types = {u8, u16},
         .largest_side = 1'000'000,
         .straight_alpha = true},
        {.name = "jpeg",
         .extensions = {"jpg", "jpeg", "jpe"},
         .channels = {1, 3},
         .types = {u8},
         .largest_side = 65'500},
        {.name = "tiff",
         .extensions = {"tif", "tiff"},
         .types = {u8, u16, u32, f16, f32, f64},
         .largest_side = 1'000'000},
        {.name = "openexr",
         .extensions = {"exr"},
         .types = {f16, f32, u32},
         .largest_side = 1'000'000,
         .linear_light = true},
        {.name = "hdr",
         .extensions = {"hdr", "rgbe"},
         .channels = {3},
         .types = {f32},
         .largest_side = 1'000'000,
         .linear_light = true},
        {.name = "webp",
         .extensions = {"webp"},
         // OpenImageIO 2.4 divides colour by alpha on the way out and multiplies on the way in, in linear
         // light and in 8 bits, whatever it is told: what clips or rounds in between does not come back.
         .channels = {3},
         .types = {u8},
         .largest_side = 16'383,
         .alpha_is_spoilt = true},
        {.name = "bmp",
         .extensions = {"bmp", "dib"},
         .channels = {1, 3, 4},
         .types = {u8},
         .largest_side = 1'000'000,
         .straight_alpha = true},
        {.name = "targa",
         .extensions = {"tga"},
         .channels = {1, 2, 3, 4},
         .types = {u8},
         .largest_side = 65'535,
         .straight_alpha = true},
        {.name = "pnm",
         .extensions = {"pnm", "ppm", "pgm", "pbm"},
         .channels = {1, 3},
         .types = {u8},
         .largest_side = 1'000'000},
        {.name = "dpx",
         .extensions = {"dpx"},
         .channels = {1, 3, 4},
         .types = {u8, u16, f32, f64},
         .largest_side = 1'000'000},
    };
    return all;
}

const Format* format_by_name(std::string_view name) {
    const auto found = std::ranges::find(formats(), name, &Format::name);
    return found == formats().end() ? nullptr : &*found;
}

const Format* format_by_extension(std::string_view extension) {
    if (extension.starts_with('.')) extension.remove_prefix(1);
    std::string lower(extension);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const Format& format : formats()) {
        if (std::ranges::count(format.extensions, lower) > 0) return &format;
    }
    return nullptr;
}

std::string_view format_of_content(std::string_view first_bytes) {
    for (const Mark& mark : marks) {
        if (first_bytes.size() < mark.offset) continue;
        if (first_bytes.substr(mark.offset).starts_with(mark.bytes)) return mark.format;
    }
    // P1 to P6, PF and Pf, and white space.
    if (first_bytes.size() >= 3 && first_bytes[0] == 'P' &&
        "123456Ff"sv.find(first_bytes[1]) != std::string_view::npos &&
        std::isspace(static_cast<unsigned char>(first_bytes[2])) != 0) {
        return "pnm";
    }
    return {};
}

SampleType nearest_type(const Format& format, SampleType wanted) {
    for (const SampleType type : preferences(wanted)) {
        if (std::ranges::count(format.types, type) > 0) return type;
    }
    return format.types.front();
}

}  // namespace workbench
