// SPDX-License-Identifier: MIT
#include "core/image/module/decoder.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/image/module/jpeg_end.h"
#include "core/image/module/metadata.h"
#include "core/image/module/open_image.h"
#include "core/image/module/pages.h"
#include "core/support/try.h"

namespace workbench {

namespace {

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

// Writes rows of interleaved samples to the planes. Integers become value / max.
template <class From, class To>
void deinterleave(const From* rows, std::int64_t first_row, std::int64_t row_count, std::int64_t width,
                  int channels, const Upright& place, const iir2d::TensorView& planes) {
    constexpr bool integer = std::is_integral_v<From>;
    for (int c = 0; c < channels; ++c) {
        To* plane = static_cast<To*>(planes.data) + c * planes.shape.h * planes.shape.w;
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

Result<void> check_readable(const OpenImage& file) {
    if (!needs_whole_strips(file)) return {};
    const auto misread = [&](const std::string& what) {
        return bad_file(file.path(),
                        "is a TIFF of 64-bit samples " + what +
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
Result<void> read_rows(OpenImage& file, int orientation, const iir2d::TensorView& planes,
                       const TaskControl& control) {
    const OIIO::ImageSpec& spec = file.spec;
    const OIIO::TypeDesc type = OIIO::BaseTypeFromC<From>::value;
    const std::int64_t chunk = rows_at_a_time(file);
    // A last row by itself is read with the rows before it.
    const std::int64_t alone = spec.height % chunk == 1 ? 1 : 0;
    std::vector<From> rows(static_cast<std::size_t>((chunk + alone) * spec.width * spec.nchannels));
    const Upright place = upright(orientation, spec.width, spec.height);

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
            return bad_file(file.path(), "is damaged or incomplete: " + file.words(file.input->geterror()));
        }
        deinterleave<From, To>(rows.data(), y, count, spec.width, spec.nchannels, place, planes);
        control.report(static_cast<double>(y + count) / spec.height, {});
    }
    return {};
}

Result<void> read_pixels(OpenImage& file, int orientation, const iir2d::TensorView& planes,
                         const TaskControl& control) {
    if (planes.type == iir2d::ElementType::f64)
        return read_rows<double, double>(file, orientation, planes, control);
    // Channels of several types are read as float; so are signed integers, which have no value / max.
    if (file.spec.channelformats.empty()) {
        switch (file.spec.format.basetype) {
            case OIIO::TypeDesc::UINT8:
                return read_rows<unsigned char, float>(file, orientation, planes, control);
            case OIIO::TypeDesc::UINT16:
                return read_rows<unsigned short, float>(file, orientation, planes, control);
            case OIIO::TypeDesc::UINT32:
                return read_rows<unsigned int, float>(file, orientation, planes, control);
            case OIIO::TypeDesc::DOUBLE:
                return read_rows<double, float>(file, orientation, planes, control);
            default:
                break;
        }
    }
    return read_rows<float, float>(file, orientation, planes, control);
}

class Decoder final : public ImageDecoder {
  public:
    explicit Decoder(OpenImage file) : m_file(std::move(file)), m_info(describe(m_file)) {}

    const ImageInfo& info() const override { return m_info; }
    FileMetadata metadata() const override { return pack_metadata(m_file.spec, m_info.format); }
    Result<void> decode(const iir2d::TensorView& planes, const TaskControl& control) override {
        return without_exceptions<void>(m_file.path(), [&] { return read(planes, control); });
    }

  private:
    Result<void> read(const iir2d::TensorView& planes, const TaskControl& control) {
        IIR2D_RETURN_IF_ERROR(check_readable(m_file));
        IIR2D_RETURN_IF_ERROR(read_pixels(m_file, m_info.orientation, planes, control));
        if (!m_file.input->close()) {
            return bad_file(m_file.path(),
                            "is damaged or incomplete: " + m_file.words(m_file.input->geterror()));
        }
        if (m_info.format == "jpeg" && !jpeg_has_end(*m_file.file))
            return bad_file(m_file.path(), "is incomplete: the JPEG data stops before its end");
        return {};
    }

    OpenImage m_file;
    ImageInfo m_info;
};

}  // namespace

Result<std::unique_ptr<ImageDecoder>> open_decoder(const SourceFile& source, int image_index) {
    using Opened = std::unique_ptr<ImageDecoder>;
    return without_exceptions<Opened>(source.path, [&]() -> Result<Opened> {
        IIR2D_TRY(auto file, open_image(source, image_index));
        return std::make_unique<Decoder>(std::move(file));
    });
}

Result<std::vector<std::string>> names_in(const SourceFile& source) {
    using Names = std::vector<std::string>;
    return without_exceptions<Names>(source.path, [&]() -> Result<Names> {
        IIR2D_TRY(auto file, open_image(source, 0));
        return names_of_images(file);
    });
}

}  // namespace workbench
