// SPDX-License-Identifier: MIT
#include "core/image/output_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace workbench {

namespace {

// Attributes about the old file's storage, or its old size, which the new file has not.
constexpr std::array stale{"oiio:BitsPerSample",       "oiio:subimages",
                           "oiio:subimagename",        "oiio:ConstantColor",
                           "oiio:AverageColor",        "oiio:SHA-1",
                           "oiio:UnassociatedAlpha",   "thumbnail_width",
                           "thumbnail_height",         "thumbnail_nchannels",
                           "thumbnail_image",          "textureformat",
                           "tiff:RowsPerStrip",        "tiff:PhotometricInterpretation",
                           "tiff:Predictor",           "tiff:Compression",
                           "tiff:PlanarConfiguration", "planarconfig",
                           "jpeg:subsampling",         "openexr:lineOrder",
                           "openexr:chunkCount",       "Exif:PixelXDimension",
                           "Exif:PixelYDimension"};

// Compressions that give back what they were given, by format; others, and those of another format, are
// replaced by the writer's own choice.
bool keeps_samples(std::string_view format, std::string_view compression) {
    constexpr std::array<std::string_view, 4> tiff{"none", "lzw", "zip", "packbits"};
    constexpr std::array<std::string_view, 5> openexr{"none", "rle", "zip", "zips", "piz"};
    if (format == "tiff") return std::ranges::count(tiff, compression) > 0;
    if (format == "openexr") return std::ranges::count(openexr, compression) > 0;
    return format == "targa" && (compression == "none" || compression == "rle");
}

bool linear_source(const Image& image) {
    return image.info.colour_space == "Linear" || image.info.colour_space == "linear" ||
           image.info.colour_space == "scene_linear";
}

// OpenEXR sorts channels by name: channel10 would come before channel4.
void pad_channel_numbers(std::vector<std::string>& names) {
    constexpr std::string_view prefix = "channel";
    for (std::string& name : names) {
        if (name.size() == prefix.size() + 1 && name.starts_with(prefix) && name.back() >= '0' &&
            name.back() <= '9') {
            name.insert(prefix.size(), "0");
        }
    }
}

bool has_alpha(const Image& image) {
    return image.metadata ? image.metadata->spec.alpha_channel >= 0
                          : image.pixels.channels() == 2 || image.pixels.channels() == 4;
}

bool has_exif(const Image& image) {
    return image.metadata &&
           std::ranges::any_of(image.metadata->spec.extra_attribs, [](const OIIO::ParamValue& attribute) {
               const std::string name = attribute.name().string();
               return name.starts_with("Exif:") || name.starts_with("GPS:");
           });
}

// Whether colour was not multiplied by alpha where the samples come from. An image that came from no file has
// no alpha to speak of.
bool straight_source(const Image& image) {
    if (!image.metadata) return true;
    const Format* format = format_by_name(image.metadata->format);
    return (format != nullptr && format->straight_alpha) ||
           image.metadata->spec.get_int_attribute("oiio:UnassociatedAlpha", 0) != 0;
}

}  // namespace

OIIO::ImageSpec output_spec(const Image& image, const Format& format, SampleType type) {
    const PlanarImage& pixels = image.pixels;
    const OIIO::ImageSpec plain(static_cast<int>(pixels.width()), static_cast<int>(pixels.height()),
                                pixels.channels(), file_type(type));
    OIIO::ImageSpec spec = plain;
    if (image.metadata) {
        const OIIO::ImageSpec& source = image.metadata->spec;
        spec = source;
        spec.copy_dimensions(plain);
        if (source.nchannels == pixels.channels()) {
            spec.channelnames = source.channelnames;
            spec.alpha_channel = source.alpha_channel;
            spec.z_channel = source.z_channel;
        }
        // A data window inside a larger display window, while the pixels still are where they were.
        const bool in_place = source.width == spec.width && source.height == spec.height &&
                              source.get_int_attribute("Orientation", 1) <= 1;
        if (in_place && format.name == "openexr" && image.metadata->format == "openexr") {
            spec.x = source.x;
            spec.y = source.y;
            spec.full_x = source.full_x;
            spec.full_y = source.full_y;
            spec.full_width = source.full_width;
            spec.full_height = source.full_height;
        }
        for (const char* name : stale) spec.erase_attribute(name);
        if (!keeps_samples(format.name, spec.get_string_attribute("compression"))) {
            spec.erase_attribute("compression");
        }
        // The pixels are upright whatever they were in the file.
        if (spec.find_attribute("Orientation") != nullptr) spec.attribute("Orientation", 1);
    }
    spec.set_format(file_type(type));
    // Told that samples are straight, writers of straight formats leave them alone; TIFF notes it in the
    // file.
    if (has_alpha(image) && (format.straight_alpha || (format.name == "tiff" && straight_source(image)))) {
        spec.attribute("oiio:UnassociatedAlpha", 1);
    }
    if (format.name == "openexr") pad_channel_numbers(spec.channelnames);
    if (format.name == "tiff") spec.attribute("tiff:half", 1);
    // libtiff's floating-point predictor fails on rows of few doubles.
    if (format.name == "tiff" && type == SampleType::f64) spec.attribute("tiff:Predictor", 1);
    if (format.name == "tiff" && spec.find_attribute("compression") == nullptr)
        spec.attribute("compression", "zip");
    if (format.name == "jpeg") {
        spec.attribute("CompressionQuality", 98);
        spec.attribute("jpeg:subsampling", "4:4:4");
    }
    if (format.name == "webp") spec.attribute("CompressionQuality", 100);
    // These two writers put in the time of day where the image says none: the same work would not give the
    // same bytes a second later. Nothing is written for an empty text.
    if ((format.name == "tiff" || format.name == "openexr") && spec.find_attribute("DateTime") == nullptr)
        spec.attribute("DateTime", "");
    return spec;
}

std::vector<std::string> output_notes(const Image& image, const Format& format, SampleType wanted,
                                      SampleType type) {
    const std::string name(format.name);
    std::vector<std::string> notes;
    if (type != wanted) {
        notes.push_back(name + " files are not written with " + std::string(name_of(wanted)) +
                        " samples: " + std::string(name_of(type)) + " was written");
    }
    if (is_integer(type) && !is_integer(image.info.type)) {
        notes.emplace_back("values below 0 and above 1 were clamped to [0, 1], and NaN became 0");
    }
    if (name == "jpeg") notes.emplace_back("jpeg is lossy: samples may change by a few steps");
    if (name == "webp")
        notes.emplace_back("webp is written lossy, with colour at half resolution: samples may change");
    if (name == "hdr") {
        notes.emplace_back(
            "hdr holds 8 bits and a shared exponent for each pixel: samples were rounded, "
            "and negative ones became 0");
    }
    if (name == "tiff" && has_exif(image)) {
        notes.emplace_back("the Exif data was left out: OpenImageIO does not write it to tiff");
    }
    if (has_alpha(image) && format.straight_alpha && !straight_source(image)) {
        notes.push_back(
            "readers of " + name +
            " expect colour that is not multiplied by alpha; the samples were written as they are");
    }
    if (has_alpha(image) && format.name == "openexr" && straight_source(image) && image.metadata) {
        notes.push_back("readers of " + name +
                        " expect colour that is multiplied by alpha; the samples were written as they are");
    }
    if (format.linear_light && !linear_source(image) && !image.info.colour_space.empty()) {
        notes.push_back("readers of " + name +
                        " expect linear light; the samples were written as they are, in " +
                        image.info.colour_space);
    }
    if (linear_source(image) && (name == "jpeg" || name == "webp" || name == "bmp" || name == "pnm")) {
        notes.push_back(name +
                        " cannot say that its samples are linear light; they were written as they are");
    }
    return notes;
}

}  // namespace workbench
