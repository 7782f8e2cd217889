// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/image/image_io.h"
#include "core/image/jpeg_end.h"
#include "core/image/open_image.h"
#include "core/support/memory.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB";
}

Result<void> check_memory(const fs::path& path, const OIIO::ImageSpec& spec, std::uint64_t needed,
                          std::uint64_t limit) {
    // Without an answer from the system the allocation itself is the check.
    if (limit == 0) limit = available_memory_bytes().value_or(needed * 2) / 4 * 3;
    if (needed <= limit) return {};
    return bad_file(path, "is " + std::to_string(spec.width) + " x " + std::to_string(spec.height) +
                              " pixels and needs " + mebibytes(needed) + " of memory; " + mebibytes(limit) +
                              " can be used");
}

// Where the source sample (x, y) goes in an upright plane: base + x * dx + y * dy.
struct Upright {
    std::int64_t base = 0;
    std::int64_t dx = 1;
    std::int64_t dy = 0;
};

// Exif orientations 1 to 8 for a stored image of w x h.
Upright upright(int orientation, std::int64_t w, std::int64_t h) {
    switch (orientation) {
        case 2:
            return {w - 1, -1, w};
        case 3:
            return {w * h - 1, -1, -w};
        case 4:
            return {(h - 1) * w, 1, -w};
        case 5:
            return {0, h, 1};
        case 6:
            return {h - 1, h, -1};
        case 7:
            return {w * h - 1, -h, -1};
        case 8:
            return {(w - 1) * h, -h, 1};
        default:
            return {0, 1, w};
    }
}

// Rows of interleaved samples into the planes. Integers become value / max.
template <class From, class To>
void spread(const From* rows, std::int64_t first_row, std::int64_t row_count, std::int64_t width,
            int channels, const Upright& place, PlanarImage& pixels) {
    constexpr bool integer = std::is_integral_v<From>;
    for (int c = 0; c < channels; ++c) {
        To* plane;
        if constexpr (std::is_same_v<To, double>) {
            plane = pixels.plane_f64(c).data();
        } else {
            plane = pixels.plane_f32(c).data();
        }
        for (std::int64_t y = 0; y < row_count; ++y) {
            const From* from = rows + y * width * channels + c;
            To* to = plane + place.base + (first_row + y) * place.dy;
            for (std::int64_t x = 0; x < width; ++x) {
                if constexpr (integer) {
                    using Wide = std::conditional_t<sizeof(From) == 4, double, float>;
                    constexpr auto most = static_cast<Wide>(std::numeric_limits<From>::max());
                    to[x * place.dx] = static_cast<To>(static_cast<Wide>(from[x * channels]) / most);
                } else {
                    to[x * place.dx] = static_cast<To>(from[x * channels]);
                }
            }
        }
    }
}

// OpenImageIO 2.4 gives zeros, and no error, for interleaved 64-bit TIFF samples, unless whole strips of more
// than one row are read at a time.
bool needs_whole_strips(const OpenImage& file) {
    return file.spec.format.basetype == OIIO::TypeDesc::DOUBLE &&
           std::string_view(file.input->format_name()) == "tiff" &&
           (file.spec.nchannels == 1 || file.spec.get_string_attribute("planarconfig") != "separate");
}

Result<void> check_readable(const fs::path& path, const OpenImage& file) {
    if (!needs_whole_strips(file)) return {};
    const auto misread = [&path](const std::string& what) {
        return bad_file(path, "is a TIFF of 64-bit samples " + what +
                                  ", which OpenImageIO misreads: save it as 32-bit, or with separate planes");
    };
    if (file.spec.tile_width > 0) return misread("in tiles");
    if (file.spec.height == 1) return misread("with a single row");
    return {};
}

// Rows to read at a time: about a million samples, in whole tiles or strips where it matters, and in whole
// blocks of the formats that compress 16 or 32 rows together.
std::int64_t rows_at_a_time(const OpenImage& file) {
    const OIIO::ImageSpec& spec = file.spec;
    const std::int64_t row_samples = std::int64_t{spec.width} * spec.nchannels;
    const std::int64_t rows = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / row_samples);
    std::int64_t block = rows > 32 ? 32 : 1;
    if (spec.tile_height > 0) block = spec.tile_height;
    if (needs_whole_strips(file))
        block = std::max(2, spec.get_int_attribute("tiff:RowsPerStrip", spec.height));
    return std::min<std::int64_t>((rows + block - 1) / block * block, spec.height);
}

template <class From, class To>
Result<void> read_rows(const fs::path& path, OpenImage& file, const ImageInfo& info, PlanarImage& pixels,
                       const TaskControl& control) {
    const OIIO::ImageSpec& spec = file.spec;
    const OIIO::TypeDesc type = OIIO::BaseTypeFromC<From>::value;
    const std::int64_t chunk = rows_at_a_time(file);
    // A last row by itself is read with the rows before it.
    const std::int64_t alone = spec.height % chunk == 1 ? 1 : 0;
    std::vector<From> rows(static_cast<std::size_t>((chunk + alone) * spec.width * spec.nchannels));
    const Upright place = upright(info.orientation, spec.width, spec.height);
    const std::string doing = "reading " + printable_utf8(utf8_path(path.filename()));

    for (std::int64_t y = 0, count = 0; y < spec.height; y += count) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "reading was cancelled");
        const std::int64_t left = spec.height - y;
        count = left <= chunk + alone ? left : chunk;
        const int begin = spec.y + static_cast<int>(y);
        const int end = begin + static_cast<int>(count);
        const bool read =
            spec.tile_width > 0
                ? file.input->read_tiles(file.image_index, 0, spec.x, spec.x + spec.width, begin, end, spec.z,
                                         spec.z + 1, 0, spec.nchannels, type, rows.data())
                : file.input->read_scanlines(file.image_index, 0, begin, end, spec.z, 0, spec.nchannels, type,
                                             rows.data());
        // Decoders that carry on after a fault only leave a message.
        if (!read || file.input->has_error()) {
            return bad_file(path, "is damaged or incomplete: " + library_words(file.input->geterror()));
        }
        spread<From, To>(rows.data(), y, count, spec.width, spec.nchannels, place, pixels);
        control.report(static_cast<double>(y + count) / spec.height, doing);
    }
    return {};
}

Result<void> read_pixels(const fs::path& path, OpenImage& file, const ImageInfo& info, PlanarImage& pixels,
                         const TaskControl& control) {
    if (pixels.type() == iir2d::ElementType::f64)
        return read_rows<double, double>(path, file, info, pixels, control);
    // Channels of several types are read as float; so are signed integers, which have no value / max.
    if (file.spec.channelformats.empty()) {
        switch (file.spec.format.basetype) {
            case OIIO::TypeDesc::UINT8:
                return read_rows<unsigned char, float>(path, file, info, pixels, control);
            case OIIO::TypeDesc::UINT16:
                return read_rows<unsigned short, float>(path, file, info, pixels, control);
            case OIIO::TypeDesc::UINT32:
                return read_rows<unsigned int, float>(path, file, info, pixels, control);
            case OIIO::TypeDesc::DOUBLE:
                return read_rows<double, float>(path, file, info, pixels, control);
            default:
                break;
        }
    }
    return read_rows<float, float>(path, file, info, pixels, control);
}

Result<Image> read_open_image(const fs::path& path, OpenImage& file, const ReadOptions& options,
                              const TaskControl& control) {
    const bool as_double = options.keep_double && file.spec.format.basetype == OIIO::TypeDesc::DOUBLE;
    const std::uint64_t needed = memory_for(file.spec, as_double);
    if (auto readable = check_readable(path, file); !readable) return std::unexpected(readable.error());
    if (auto fits = check_memory(path, file.spec, needed, options.memory_limit); !fits)
        return std::unexpected(fits.error());

    Image image;
    image.info = describe(path, file);
    image.info.memory_bytes = needed;
    image.pixels = PlanarImage::uninitialised(image.info.width, image.info.height, image.info.channels,
                                              as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32);
    if (auto read = read_pixels(path, file, image.info, image.pixels, control); !read) {
        return std::unexpected(read.error());
    }
    if (!file.input->close()) {
        return bad_file(path, "is damaged or incomplete: " + library_words(file.input->geterror()));
    }
    if (image.info.format == "jpeg" && !jpeg_has_end(path)) {
        return bad_file(path, "is incomplete: the JPEG data stops before its end");
    }
    image.metadata = std::make_shared<const FileMetadata>(FileMetadata{file.spec, image.info.format});
    return image;
}

}  // namespace

Result<ImageInfo> probe_image(const fs::path& path, int image_index) {
    return without_exceptions<ImageInfo>(path, [&]() -> Result<ImageInfo> {
        auto file = open_image(path, image_index);
        if (!file) return std::unexpected(file.error());
        return describe(path, *file);
    });
}

Result<Image> read_image(const fs::path& path, const ReadOptions& options, const TaskControl& control) {
    return without_exceptions<Image>(path, [&]() -> Result<Image> {
        auto file = open_image(path, options.image_index);
        if (!file) return std::unexpected(file.error());
        return read_open_image(path, *file, options, control);
    });
}

}  // namespace workbench
