// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "core/image/formats.h"
#include "core/image/image_io.h"
#include "core/image/oiio_support.h"
#include "core/image/output_file.h"
#include "core/image/output_spec.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::string list_of_extensions() {
    std::string all;
    for (const Format& format : formats())
        all += (all.empty() ? "." : ", .") + std::string(format.extensions.front());
    return all;
}

Result<const Format*> format_for(const fs::path& path) {
    if (path.extension().empty()) {
        return unwritable(path, "its name has no extension that says which format is wanted: use one of " +
                                    list_of_extensions());
    }
    const std::string extension = utf8_path(path.extension());
    if (const Format* format = format_by_extension(extension)) return format;
    return unwritable(path, "\"" + printable_utf8(extension) +
                                "\" is no format that can be written: use one of " + list_of_extensions());
}

Result<void> check_fits(const fs::path& path, const Format& format, std::int64_t width, std::int64_t height,
                        std::int64_t channels) {
    const std::string name(format.name);
    if (channels < 1 || width < 1 || height < 1) return unwritable(path, "the image has no pixels");
    if (width > format.largest_side || height > format.largest_side) {
        return unwritable(path, name + " holds at most " + std::to_string(format.largest_side) +
                                    " pixels a side and the image is " + std::to_string(width) + " x " +
                                    std::to_string(height) + ": choose another format, such as TIFF");
    }
    if (format.channels.empty() || std::ranges::count(format.channels, channels) > 0) return {};
    if (format.alpha_is_spoilt && channels == 4) {
        return unwritable(path, "OpenImageIO changes the colours of " + name +
                                    " images with alpha and the image has " + std::to_string(channels) +
                                    " channels: choose another format, such as PNG");
    }
    std::string possible;
    for (const int count : format.channels)
        possible += (possible.empty() ? "" : " or ") + std::to_string(count);
    return unwritable(path, name + " holds " + possible + " channels and the image has " +
                                std::to_string(channels) + ": choose another format, such as TIFF or EXR");
}

Result<void> check_place(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return unwritable(path, "it names a folder");
    if (fs::exists(status) && !fs::is_regular_file(status))
        return unwritable(path, "it is not a regular file");
    // A link to a file that is not there yet has another folder.
    if (fs::is_symlink(path, error)) return {};
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error))
        return unwritable(path, "the folder " + quoted(folder) + " does not exist");
    return {};
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
Result<void> write_rows(OIIO::ImageOutput& output, const OutputFile& file, const fs::path& path,
                        const PlanarImage& pixels, const TaskControl& control) {
    const std::int64_t row_samples = pixels.width() * pixels.channels();
    const std::int64_t chunk =
        std::clamp<std::int64_t>((std::int64_t{1} << 20) / row_samples, 1, pixels.height());
    std::vector<To> rows(static_cast<std::size_t>(chunk * row_samples));
    const int top = output.spec().y;
    const std::string doing = "writing " + printable_utf8(utf8_path(path.filename()));
    for (std::int64_t y = 0; y < pixels.height(); y += chunk) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "writing was cancelled");
        const auto count = std::min(chunk, pixels.height() - y);
        gather(pixels, y, count, rows.data());
        const bool written =
            output.write_scanlines(top + static_cast<int>(y), top + static_cast<int>(y + count), 0,
                                   OIIO::BaseTypeFromC<To>::value, rows.data());
        if (file.failure() != 0) return unwritable(path, system_words(file.failure()));
        if (!written) return unwritable(path, library_words(output.geterror()));
        control.report(static_cast<double>(y + count) / static_cast<double>(pixels.height()), doing);
    }
    return {};
}

Result<void> write_pixels(OIIO::ImageOutput& output, const OutputFile& file, const fs::path& path,
                          const PlanarImage& pixels, SampleType type, const TaskControl& control) {
    switch (type) {
        case SampleType::u8:
            return write_rows<unsigned char>(output, file, path, pixels, control);
        case SampleType::u16:
            return write_rows<unsigned short>(output, file, path, pixels, control);
        case SampleType::u32:
            return write_rows<unsigned int>(output, file, path, pixels, control);
        case SampleType::f64:
            return write_rows<double>(output, file, path, pixels, control);
        case SampleType::f16:  // OpenImageIO rounds float to half, to nearest even
        case SampleType::f32:
            break;
    }
    return write_rows<float>(output, file, path, pixels, control);
}

// What a writer has to say at the end, where close() may well return true. OpenImageIO 2.4 never manages to
// add the Exif part of a TIFF file, which is complete without it; output_notes() says that it is missing.
std::string complaint_at_close(OIIO::ImageOutput& output) {
    constexpr std::string_view known = "failed TIFFWriteCustomDirectory() of the Exif data";
    std::string words = output.geterror();
    if (const auto at = words.find(known); at != std::string::npos) words.erase(at, known.size());
    return words.find_first_not_of(" \n") == std::string::npos ? std::string() : words;
}

Result<WriteReport> write_file(const Image& image, const fs::path& path, const WriteOptions& options,
                               const TaskControl& control) {
    prepare_library();
    const auto format = format_for(path);
    if (!format) return std::unexpected(format.error());
    const PlanarImage& pixels = image.pixels;
    if (auto fits = check_fits(path, **format, pixels.width(), pixels.height(), pixels.channels()); !fits)
        return std::unexpected(fits.error());
    if (auto possible = check_place(path); !possible) return std::unexpected(possible.error());
    if (control.cancelled()) return fail(ErrorKind::cancelled, "writing was cancelled");

    auto atomic = AtomicFile::create(path);
    if (!atomic) return std::unexpected(atomic.error());
    const std::string name((*format)->name);
    // The proxy outlives the writer, which may write its last bytes when it is destroyed.
    OutputFile file(atomic->handle(), utf8_path(path));
    const auto output = OIIO::ImageOutput::create(name);
    if (!output) {
        return unwritable(
            path, "this build of OpenImageIO cannot write " + name + ": " + library_words(OIIO::geterror()));
    }
    // The TIFF writer goes back to its directory to add Exif data, and spoils the file when that is behind a
    // proxy; it reports failed writes by itself.
    if (name != "tiff" && !output->set_ioproxy(&file))
        return unwritable(path, "this build of OpenImageIO cannot write " + name + " safely");

    const SampleType wanted = options.type.value_or(image.info.type);
    const SampleType type = nearest_type(**format, wanted);
    const auto failed = [&](const std::string& why) {
        return unwritable(path, file.failure() != 0 ? system_words(file.failure()) : library_words(why));
    };
    // A DPX header holds the file's name: the one that it will have, not the one while it is written.
    const fs::path opened = name == "dpx" ? path.filename() : atomic->path();
    if (!output->open(utf8_path(opened), output_spec(image, **format, type)))
        return failed(output->geterror());
    if (output->spec().format != file_type(type))
        return unwritable(path, "this build of OpenImageIO does not write " + std::string(name_of(type)) +
                                    " samples to " + name);
    auto written = write_pixels(*output, file, path, image.pixels, type, control);
    const bool closed = output->close();
    const std::string complaint = complaint_at_close(*output);
    if (!written) return std::unexpected(written.error());
    if (!closed || !complaint.empty() || file.failure() != 0) return failed(complaint);
    if (auto placed = atomic->commit(); !placed) return std::unexpected(placed.error());
    return WriteReport{.type = type, .notes = output_notes(image, **format, wanted, type)};
}

// OpenImageIO's own words for what is thrown.
template <class T, class Call>
Result<T> guarded(const fs::path& path, Call&& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return unwritable(path, "there is not enough memory");
    } catch (const std::exception& error) {
        return unwritable(path, library_words(error.what()));
    }
}

std::vector<std::string> extensions_known(bool writing) {
    std::vector<std::string> known;
    for (const Format& format : formats()) {
        const std::string name(format.name);
        const bool can =
            writing ? OIIO::ImageOutput::create(name) != nullptr : OIIO::ImageInput::create(name) != nullptr;
        if (can) known.insert(known.end(), format.extensions.begin(), format.extensions.end());
    }
    static_cast<void>(OIIO::geterror());
    return known;
}

}  // namespace

Result<WriteReport> write_image(const Image& image, const fs::path& path, const WriteOptions& options,
                                const TaskControl& control) {
    return guarded<WriteReport>(path, [&] { return write_file(image, path, options, control); });
}

Result<void> check_output(const fs::path& path, const std::optional<iir2d::Shape>& shape) {
    return guarded<void>(path, [&]() -> Result<void> {
        const auto format = format_for(path);
        if (!format) return std::unexpected(format.error());
        if (auto possible = check_place(path); !possible) return possible;
        return shape ? check_fits(path, **format, shape->w, shape->h, shape->c) : Result<void>();
    });
}

Result<std::vector<SampleType>> writable_types(const fs::path& path) {
    return guarded<std::vector<SampleType>>(path, [&]() -> Result<std::vector<SampleType>> {
        const auto format = format_for(path);
        if (!format) return std::unexpected(format.error());
        return (*format)->types;
    });
}

const std::vector<std::string>& readable_extensions() {
    static const std::vector<std::string> extensions = extensions_known(false);
    return extensions;
}

const std::vector<std::string>& writable_extensions() {
    static const std::vector<std::string> extensions = extensions_known(true);
    return extensions;
}

}  // namespace workbench
