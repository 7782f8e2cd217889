// SPDX-License-Identifier: MIT
#include "core/image/module/output_spec.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/image/formats.h"
#include "core/image/module/metadata.h"
#include "core/image/output_notes.h"

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

}  // namespace

OIIO::ImageSpec output_spec(const OutputRequest& request) {
    const std::string& format = request.format;
    const OIIO::ImageSpec plain(static_cast<int>(request.width), static_cast<int>(request.height),
                                request.channels, file_type(request.type));
    OIIO::ImageSpec spec = plain;
    if (request.from_file) {
        const OIIO::ImageSpec source = unpack_metadata(request.metadata);
        spec = source;
        spec.copy_dimensions(plain);
        if (source.nchannels == request.channels &&
            source.channelnames.size() == static_cast<std::size_t>(source.nchannels)) {
            spec.channelnames = source.channelnames;
            spec.alpha_channel = source.alpha_channel;
            spec.z_channel = source.z_channel;
        }
        // A data window inside a larger display window, while the pixels still are where they were.
        const bool in_place = source.width == spec.width && source.height == spec.height &&
                              source.get_int_attribute("Orientation", 1) <= 1;
        if (in_place && format == "openexr" && request.metadata.format == "openexr") {
            spec.x = source.x;
            spec.y = source.y;
            spec.full_x = source.full_x;
            spec.full_y = source.full_y;
            spec.full_width = source.full_width;
            spec.full_height = source.full_height;
        }
        for (const char* name : stale) spec.erase_attribute(name);
        if (!keeps_samples(format, spec.get_string_attribute("compression"))) {
            spec.erase_attribute("compression");
        }
        // The pixels are upright whatever they were in the file.
        if (spec.find_attribute("Orientation") != nullptr) spec.attribute("Orientation", 1);
    }
    spec.set_format(file_type(request.type));
    // Told that samples are straight, writers of straight formats leave them alone; TIFF notes it in the
    // file.
    const Format* known = format_by_name(format);
    if (has_alpha(request) &&
        ((known != nullptr && known->straight_alpha) || (format == "tiff" && has_straight_alpha(request)))) {
        spec.attribute("oiio:UnassociatedAlpha", 1);
    }
    if (format == "openexr") pad_channel_numbers(spec.channelnames);
    // OpenImageIO 2.4 goes back into a finished file to add Exif data, and spoils one that it has not opened
    // itself. The colour space is added by the encoder.
    if (format == "tiff") spec.attribute("tiff:write_exif", 0);
    if (format == "tiff") spec.attribute("tiff:half", 1);
    // libtiff's floating-point predictor fails on rows of few doubles.
    if (format == "tiff" && request.type == SampleType::f64) spec.attribute("tiff:Predictor", 1);
    if (format == "tiff" && spec.find_attribute("compression") == nullptr)
        spec.attribute("compression", "zip");
    if (format == "jpeg") {
        spec.attribute("CompressionQuality", 98);
        spec.attribute("jpeg:subsampling", "4:4:4");
    }
    if (format == "webp") spec.attribute("CompressionQuality", 100);
    // zlib's level 6 takes four times as long as level 4 (45 and 11 ms of 512 x 512 x 3 bytes), and saves 3
    // to 14 % of the file.
    if (format == "png") spec.attribute("png:compressionLevel", 4);
#if OIIO_VERSION >= OIIO_MAKE_VERSION(3, 0, 0)
    // This writer leaves the profile out of a file that it can call sRGB without one.
    if (format == "png" && spec.find_attribute("ICCProfile") != nullptr)
        spec.attribute("oiio:ColorSpace", "unknown");
#endif
    // These two writers put in the time of day where the image says none: the same work would not give the
    // same bytes a second later. Nothing is written for an empty text.
    if ((format == "tiff" || format == "openexr") && spec.find_attribute("DateTime") == nullptr)
        spec.attribute("DateTime", "");
    return spec;
}

}  // namespace workbench
