// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <new>
#include <system_error>

#include "core/image/file_metadata.h"
#include "core/image/image_io.h"
#include "core/support/files.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> unwritable(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::unwritable_output, "\"" + path.string() + "\" could not be written: " + why);
}

std::string library_words(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.empty() ? std::string("no reason given") : text;
}

OIIO::TypeDesc file_type(SampleType type) {
    switch (type) {
        case SampleType::u8:
            return OIIO::TypeDesc::UINT8;
        case SampleType::u16:
            return OIIO::TypeDesc::UINT16;
        case SampleType::u32:
            return OIIO::TypeDesc::UINT32;
        case SampleType::f16:
            return OIIO::TypeDesc::HALF;
        case SampleType::f64:
            return OIIO::TypeDesc::DOUBLE;
        case SampleType::f32:
            break;
    }
    return OIIO::TypeDesc::FLOAT;
}

std::optional<SampleType> from_file_type(OIIO::TypeDesc type) {
    for (const SampleType t : {SampleType::u8, SampleType::u16, SampleType::u32, SampleType::f16,
                               SampleType::f32, SampleType::f64}) {
        if (file_type(t) == type) return t;
    }
    return std::nullopt;
}

// Channel counts of the formats that hold only a few; a writer would drop the rest without a word.
const std::map<std::string, std::vector<int>>& channel_counts() {
    static const std::map<std::string, std::vector<int>> counts{
        {"jpeg", {1, 3}}, {"png", {1, 2, 3, 4}},   {"bmp", {1, 3, 4}}, {"hdr", {3}},
        {"webp", {3, 4}}, {"targa", {1, 2, 3, 4}}, {"pnm", {1, 3}}};
    return counts;
}

Result<void> check_channels(const fs::path& path, const std::string& format, int channels) {
    const auto known = channel_counts().find(format);
    if (known == channel_counts().end() || std::ranges::count(known->second, channels) > 0) return {};
    std::string possible;
    for (const int count : known->second)
        possible += (possible.empty() ? "" : " or ") + std::to_string(count);
    return unwritable(path, format + " holds " + possible + " channels and the image has " +
                                std::to_string(channels) + ": choose another format, such as TIFF or EXR");
}

// What of the source's metadata goes with the pixels: not what describes how the old file stored them.
OIIO::ImageSpec spec_for(const Image& image, const std::string& format, SampleType type) {
    const PlanarImage& pixels = image.pixels;
    const OIIO::ImageSpec plain(static_cast<int>(pixels.width()), static_cast<int>(pixels.height()),
                                pixels.channels(), file_type(type));
    OIIO::ImageSpec spec = plain;
    if (image.metadata) {
        spec = image.metadata->spec;
        const bool same_channels = spec.nchannels == pixels.channels();
        const auto names = spec.channelnames;
        const int alpha = spec.alpha_channel;
        spec.copy_dimensions(plain);
        spec.set_format(file_type(type));
        if (same_channels) {
            spec.channelnames = names;
            spec.alpha_channel = alpha;
        }
        for (const char* stored :
             {"oiio:BitsPerSample", "oiio:subimages", "oiio:subimagename", "oiio:ConstantColor",
              "oiio:AverageColor", "oiio:SHA-1", "thumbnail_width", "thumbnail_height", "thumbnail_nchannels",
              "thumbnail_image", "textureformat", "tiff:RowsPerStrip", "tiff:PhotometricInterpretation",
              "planarconfig", "tiff:planarconfig"}) {
            spec.erase_attribute(stored);
        }
        if (image.metadata->format != format) spec.erase_attribute("compression");
    } else if (format == "png" || format == "tiff" || format == "webp" || format == "targa" ||
               format == "bmp") {
        spec.attribute("oiio:UnassociatedAlpha", 1);
    }
    // The pixels are upright whatever they were in the file.
    if (spec.find_attribute("Orientation")) spec.attribute("Orientation", 1);
    if (format == "jpeg") spec.attribute("CompressionQuality", 98);
    if (format == "webp") spec.attribute("compression", "lossless");
    return spec;
}

// Rounded to nearest, clamped, NaN as 0.
template <class To>
To integer_sample(double value) {
    constexpr auto most = static_cast<double>(std::numeric_limits<To>::max());
    if (!(value > 0.0)) return 0;
    if (value >= 1.0) return std::numeric_limits<To>::max();
    return static_cast<To>(std::floor(value * most + 0.5));
}

template <class To>
void gather(const PlanarImage& pixels, std::int64_t first_row, std::int64_t row_count, To* rows) {
    const std::int64_t width = pixels.width();
    const int channels = pixels.channels();
    const auto copy = [&](const auto& plane, int c) {
        const auto* from = plane.data() + first_row * width;
        for (std::int64_t i = 0; i < row_count * width; ++i) {
            if constexpr (std::is_integral_v<To>) {
                rows[i * channels + c] = integer_sample<To>(static_cast<double>(from[i]));
            } else {
                rows[i * channels + c] = static_cast<To>(from[i]);
            }
        }
    };
    for (int c = 0; c < channels; ++c) {
        if (pixels.type() == iir2d::ElementType::f64) {
            copy(pixels.plane_f64(c), c);
        } else {
            copy(pixels.plane_f32(c), c);
        }
    }
}

template <class To>
Result<void> write_rows(OIIO::ImageOutput& output, const fs::path& path, const PlanarImage& pixels,
                        const TaskControl& control) {
    const std::int64_t row_samples = pixels.width() * pixels.channels();
    const std::int64_t chunk =
        std::clamp<std::int64_t>((std::int64_t{1} << 20) / row_samples, 1, pixels.height());
    std::vector<To> rows(static_cast<std::size_t>(chunk * row_samples));
    for (std::int64_t y = 0; y < pixels.height(); y += chunk) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "writing was cancelled");
        const auto count = std::min(chunk, pixels.height() - y);
        gather(pixels, y, count, rows.data());
        if (!output.write_scanlines(static_cast<int>(y), static_cast<int>(y + count), 0,
                                    OIIO::BaseTypeFromC<To>::value, rows.data())) {
            return unwritable(path, library_words(output.geterror()));
        }
        control.report(static_cast<double>(y + count) / static_cast<double>(pixels.height()),
                       "writing " + path.filename().string());
    }
    return {};
}

Result<void> write_pixels(OIIO::ImageOutput& output, const fs::path& path, const PlanarImage& pixels,
                          SampleType type, const TaskControl& control) {
    switch (type) {
        case SampleType::u8:
            return write_rows<unsigned char>(output, path, pixels, control);
        case SampleType::u16:
            return write_rows<unsigned short>(output, path, pixels, control);
        case SampleType::u32:
            return write_rows<unsigned int>(output, path, pixels, control);
        case SampleType::f64:
            return write_rows<double>(output, path, pixels, control);
        case SampleType::f16:
        case SampleType::f32:
            break;
    }
    return write_rows<float>(output, path, pixels, control);
}

// Removes the temporary file unless it was put in its place.
struct Temporary {
    fs::path path;
    ~Temporary() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

std::string type_note(const std::string& format, SampleType wanted, SampleType got) {
    return format + " cannot hold " + std::string(name_of(wanted)) +
           " samples: " + std::string(name_of(got)) + " was written";
}

Result<WriteReport> write_file(const Image& image, const fs::path& path, const WriteOptions& options,
                               const TaskControl& control) {
    std::error_code error;
    if (fs::is_directory(path, error)) return unwritable(path, "there is a folder of that name");
    if (path.extension().empty()) {
        return unwritable(path, "its name has no extension that says which format is wanted, such as .png");
    }
    const Temporary temporary{temporary_sibling(path)};
    const auto output = OIIO::ImageOutput::create(temporary.path.string());
    if (!output) {
        static_cast<void>(OIIO::geterror());
        return unwritable(path,
                          "\"" + path.extension().string() + "\" is no image format that can be written");
    }
    const std::string format = output->format_name();
    if (auto channels = check_channels(path, format, image.pixels.channels()); !channels) {
        return std::unexpected(channels.error());
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (image.pixels.empty() || image.pixels.width() > most || image.pixels.height() > most) {
        return unwritable(path, "the image has no size that a file can hold");
    }
    const SampleType wanted = options.type.value_or(image.info.type);
    const OIIO::ImageSpec spec = spec_for(image, format, wanted);
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    if (!fs::is_directory(folder, error)) {
        return unwritable(path, "the folder \"" + folder.string() + "\" does not exist");
    }
    if (!output->open(temporary.path.string(), spec))
        return unwritable(path, library_words(output->geterror()));

    const auto got = from_file_type(output->spec().format);
    if (!got) return unwritable(path, format + " wants samples of a type that is not known here");
    WriteReport report{.type = *got, .notes = {}};
    if (*got != wanted) report.notes.push_back(type_note(format, wanted, *got));
    if (is_integer(*got) && !is_integer(wanted)) {
        report.notes.push_back("values below 0 and above 1 were clamped to [0, 1]");
    }
    if (auto written = write_pixels(*output, path, image.pixels, *got, control); !written) {
        output->close();
        return std::unexpected(written.error());
    }
    if (!output->close()) return unwritable(path, library_words(output->geterror()));
    if (auto placed = replace_file(temporary.path, path); !placed) return std::unexpected(placed.error());
    return report;
}

// The extensions of ours that this build of OpenImageIO knows.
std::vector<std::string> known_extensions(bool writing) {
    std::vector<std::string> known;
    for (const char* extension : {"png", "jpg", "jpeg", "tif", "tiff", "exr", "hdr", "webp", "bmp", "tga",
                                  "pnm", "ppm", "pgm", "dpx"}) {
        const std::string name = std::string("a.") + extension;
        const bool can =
            writing ? OIIO::ImageOutput::create(name) != nullptr : OIIO::ImageInput::create(name) != nullptr;
        if (can) known.emplace_back(extension);
    }
    static_cast<void>(OIIO::geterror());
    return known;
}

}  // namespace

Result<WriteReport> write_image(const Image& image, const fs::path& path, const WriteOptions& options,
                                const TaskControl& control) {
    try {
        return write_file(image, path, options, control);
    } catch (const std::bad_alloc&) {
        return unwritable(path, "there is not enough memory");
    } catch (const std::exception& error) {
        return unwritable(path, library_words(error.what()));
    }
}

const std::vector<std::string>& readable_extensions() {
    static const std::vector<std::string> extensions = known_extensions(false);
    return extensions;
}

const std::vector<std::string>& writable_extensions() {
    static const std::vector<std::string> extensions = known_extensions(true);
    return extensions;
}

}  // namespace workbench
