// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <new>
#include <system_error>

#include "core/image/file_metadata.h"
#include "core/image/image_io.h"
#include "core/image/jpeg_end.h"
#include "core/support/files.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int most_channels = 64;
constexpr std::int64_t largest_side = 1'000'000;
constexpr int most_images = 10'000;
// No format packs real pixels this tightly: a header that claims more is damaged or hostile.
constexpr std::uint64_t believable_packing = 100'000;
constexpr std::uint64_t always_believed = std::uint64_t{256} << 20;

std::unexpected<Error> bad_file(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, "\"" + path.string() + "\" " + why);
}

// OpenImageIO's own words, on one line and without the path that we name ourselves.
std::string library_words(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.empty() ? std::string("no reason given") : text;
}

SampleType sample_type(const OIIO::ImageSpec& spec) {
    switch (spec.format.basetype) {
        case OIIO::TypeDesc::UINT8:
        case OIIO::TypeDesc::INT8:
            return SampleType::u8;
        case OIIO::TypeDesc::UINT16:
        case OIIO::TypeDesc::INT16:
            return SampleType::u16;
        case OIIO::TypeDesc::UINT32:
        case OIIO::TypeDesc::INT32:
            return SampleType::u32;
        case OIIO::TypeDesc::HALF:
            return SampleType::f16;
        case OIIO::TypeDesc::DOUBLE:
            return SampleType::f64;
        default:
            return SampleType::f32;
    }
}

struct OpenFile {
    std::unique_ptr<OIIO::ImageInput> input;
    OIIO::ImageSpec spec;
    std::uint64_t file_size = 0;
};

Result<OpenFile> open_file(const fs::path& path, int image_index) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status)) return bad_file(path, "does not exist");
    if (fs::is_directory(status)) return bad_file(path, "is a folder, not an image");
    OpenFile file;
    file.file_size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
    if (fs::is_regular_file(status) && file.file_size == 0) return bad_file(path, "is empty");
    if (!fs::is_regular_file(status)) return bad_file(path, "is not a regular file");
    if (!std::ifstream(path, std::ios::binary))
        return bad_file(path, "could not be opened: is it readable for you?");

    OIIO::ImageSpec config;
    config.attribute("oiio:UnassociatedAlpha", 1);  // the file's own values, not premultiplied ones
    file.input = OIIO::ImageInput::open(path.string(), &config);
    if (!file.input)
        return bad_file(path, "could not be read as an image: " + library_words(OIIO::geterror()));
    if (image_index < 0 || !file.input->seek_subimage(image_index, 0)) {
        return bad_file(path, "has no page or part " + std::to_string(image_index + 1));
    }
    file.spec = file.input->spec();
    return file;
}

Result<void> check_header(const fs::path& path, const OpenFile& file) {
    const OIIO::ImageSpec& spec = file.spec;
    const auto size = std::to_string(spec.width) + " x " + std::to_string(spec.height);
    if (spec.width < 1 || spec.height < 1) return bad_file(path, "has no pixels: its header says " + size);
    if (spec.depth > 1)
        return bad_file(path, "is a volume of " + std::to_string(spec.depth) + " slices, not an image");
    if (spec.deep) return bad_file(path, "holds deep samples, which are not supported: flatten it first");
    if (spec.nchannels < 1 || spec.nchannels > most_channels) {
        return bad_file(path, "has " + std::to_string(spec.nchannels) + " channels: 1 to 64 are supported");
    }
    if (spec.width > largest_side || spec.height > largest_side) {
        return bad_file(path, "says that it is " + size + " pixels: at most 1000000 a side are supported");
    }
    const auto bytes = static_cast<std::uint64_t>(spec.image_bytes(true));
    if (bytes > always_believed && bytes / believable_packing > file.file_size) {
        return bad_file(path, "says that it is " + size + " pixels but is only " +
                                  std::to_string(file.file_size) + " bytes long: it is damaged");
    }
    return {};
}

std::uint64_t memory_for(const OIIO::ImageSpec& spec, bool as_double) {
    return static_cast<std::uint64_t>(spec.width) * static_cast<std::uint64_t>(spec.height) *
           static_cast<std::uint64_t>(spec.nchannels) * (as_double ? 8U : 4U);
}

ImageInfo info_of(const fs::path& path, const OpenFile& file, int image_index) {
    const OIIO::ImageSpec& spec = file.spec;
    ImageInfo info;
    info.path = path;
    info.format = file.input->format_name();
    info.orientation = std::clamp(spec.get_int_attribute("Orientation", 1), 1, 8);
    info.width = info.orientation >= 5 ? spec.height : spec.width;
    info.height = info.orientation >= 5 ? spec.width : spec.height;
    info.channels = spec.nchannels;
    info.channel_names = spec.channelnames;
    info.alpha_channel = spec.alpha_channel;
    info.type = sample_type(spec);
    info.bits_per_sample = spec.get_int_attribute("oiio:BitsPerSample", 0);
    info.tiled = spec.tile_width > 0;
    info.colour_space = spec.get_string_attribute("oiio:ColorSpace");
    info.image_index = image_index;
    info.memory_bytes = memory_for(spec, false);
    for (const auto& attribute : spec.extra_attribs) {
        info.metadata.emplace_back(attribute.name().string(), spec.metadata_val(attribute, false));
    }
    info.image_count = 0;
    while (info.image_count < most_images && file.input->seek_subimage(info.image_count, 0)) {
        const std::string name = file.input->spec().get_string_attribute("oiio:subimagename");
        info.image_names.push_back(name.empty() ? "page " + std::to_string(info.image_count + 1) : name);
        ++info.image_count;
    }
    static_cast<void>(file.input->geterror());  // of the seek past the last one
    file.input->seek_subimage(image_index, 0);
    return info;
}

// Three quarters of what is free now; 0 where the system does not say.
std::uint64_t default_memory_limit() {
    std::ifstream file("/proc/meminfo");
    for (std::string key; file >> key;) {
        if (std::uint64_t kib = 0; key == "MemAvailable:" && file >> kib) return kib * 1024 / 4 * 3;
    }
    return 0;
}

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB";
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

template <class From, class To>
Result<void> read_rows(const fs::path& path, OpenFile& file, const ImageInfo& info, PlanarImage& pixels,
                       const TaskControl& control) {
    const OIIO::ImageSpec& spec = file.spec;
    const OIIO::TypeDesc type = OIIO::BaseTypeFromC<From>::value;
    const std::int64_t row_samples = std::int64_t{spec.width} * spec.nchannels;
    // About a million samples at a time, in whole rows of tiles.
    std::int64_t chunk = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / row_samples);
    if (spec.tile_height > 0) chunk = (chunk + spec.tile_height - 1) / spec.tile_height * spec.tile_height;
    chunk = std::min<std::int64_t>(chunk, spec.height);
    std::vector<From> rows(static_cast<std::size_t>(chunk * row_samples));
    const Upright place = upright(info.orientation, spec.width, spec.height);

    for (std::int64_t y = 0; y < spec.height; y += chunk) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "reading was cancelled");
        const auto count = std::min(chunk, spec.height - y);
        const int begin = spec.y + static_cast<int>(y);
        const int end = begin + static_cast<int>(count);
        const bool read =
            spec.tile_width > 0
                ? file.input->read_tiles(info.image_index, 0, spec.x, spec.x + spec.width, begin, end, spec.z,
                                         spec.z + 1, 0, spec.nchannels, type, rows.data())
                : file.input->read_scanlines(info.image_index, 0, begin, end, spec.z, 0, spec.nchannels, type,
                                             rows.data());
        if (!read || file.input->has_error()) {
            return bad_file(path, "is damaged or incomplete: " + library_words(file.input->geterror()));
        }
        spread<From, To>(rows.data(), y, count, spec.width, spec.nchannels, place, pixels);
        control.report(static_cast<double>(y + count) / spec.height, "reading " + path.filename().string());
    }
    return {};
}

Result<void> read_pixels(const fs::path& path, OpenFile& file, const ImageInfo& info, PlanarImage& pixels,
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
            default:
                break;
        }
    }
    return read_rows<float, float>(path, file, info, pixels, control);
}

Result<Image> read_open_file(const fs::path& path, OpenFile& file, const ReadOptions& options,
                             const TaskControl& control) {
    if (auto header = check_header(path, file); !header) return std::unexpected(header.error());
    const bool as_double = options.keep_double && sample_type(file.spec) == SampleType::f64;
    const std::uint64_t needed = memory_for(file.spec, as_double);
    const std::uint64_t limit = options.memory_limit != 0 ? options.memory_limit : default_memory_limit();
    if (limit != 0 && needed > limit) {
        return bad_file(path, "is " + std::to_string(file.spec.width) + " x " +
                                  std::to_string(file.spec.height) + " pixels and needs " +
                                  mebibytes(needed) + " of memory; " + mebibytes(limit) + " can be used");
    }
    Image image;
    image.info = info_of(path, file, options.image_index);
    image.info.memory_bytes = needed;
    image.pixels = PlanarImage(image.info.width, image.info.height, image.info.channels,
                               as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32);
    if (auto read = read_pixels(path, file, image.info, image.pixels, control); !read) {
        return std::unexpected(read.error());
    }
    image.metadata = std::make_shared<const FileMetadata>(FileMetadata{file.spec, image.info.format});
    if (!file.input->close()) {
        return bad_file(path, "is damaged or incomplete: " + library_words(file.input->geterror()));
    }
    if (image.info.format == "jpeg" && !jpeg_has_end(path)) {
        return bad_file(path, "is incomplete: the JPEG data stops before its end");
    }
    return image;
}

// What OpenImageIO and its libraries throw becomes an error like any other.
template <class T, class Body>
Result<T> guarded(const fs::path& path, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return bad_file(path, "needs more memory than there is");
    } catch (const std::exception& error) {
        return bad_file(path, "could not be read: " + library_words(error.what()));
    }
}

}  // namespace

Result<ImageInfo> probe_image(const fs::path& path, int image_index) {
    return guarded<ImageInfo>(path, [&]() -> Result<ImageInfo> {
        auto file = open_file(path, image_index);
        if (!file) return std::unexpected(file.error());
        if (auto header = check_header(path, *file); !header) return std::unexpected(header.error());
        return info_of(path, *file, image_index);
    });
}

Result<Image> read_image(const fs::path& path, const ReadOptions& options, const TaskControl& control) {
    return guarded<Image>(path, [&]() -> Result<Image> {
        auto file = open_file(path, options.image_index);
        if (!file) return std::unexpected(file.error());
        return read_open_file(path, *file, options, control);
    });
}

}  // namespace workbench
