// SPDX-License-Identifier: MIT
#include "core/image/open_image.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <system_error>

#include "core/image/formats.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int most_channels = 64;
constexpr std::int64_t largest_side = 1'000'000;
constexpr int most_images = 10'000;
// No format packs real pixels this tightly: a header that claims more is damaged or hostile.
constexpr std::uint64_t believable_packing = 100'000;
constexpr std::uint64_t always_believed = std::uint64_t{256} << 20;

struct FileFacts {
    std::uint64_t size = 0;
    std::string first_bytes;
};

Result<FileFacts> look_at(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        if (error && error != std::errc::no_such_file_or_directory)
            return bad_file(path, "could not be opened: " + error.message());
        return bad_file(path, "does not exist");
    }
    if (fs::is_directory(status)) return bad_file(path, "is a folder, not an image");
    if (!fs::is_regular_file(status)) return bad_file(path, "is not a regular file");
    FileFacts facts;
    facts.size = fs::file_size(path, error);
    if (error) return bad_file(path, "could not be opened: " + error.message());
    if (facts.size == 0) return bad_file(path, "is empty");
    std::ifstream stream(path, std::ios::binary);
    std::array<char, bytes_to_tell_format> bytes{};
    stream.read(bytes.data(), bytes.size());
    facts.first_bytes.assign(bytes.data(), static_cast<std::size_t>(stream.gcount()));
    if (facts.first_bytes.empty()) return bad_file(path, "could not be opened: is it readable for you?");
    return facts;
}

// OpenImageIO's name of the reader to use; empty when there is none. Content decides, so that a mislabelled
// file opens; the name decides only for formats whose files have no mark. Nothing is tried out: a text file
// does not get to be parsed by thirty readers in turn.
std::string reader_for(const fs::path& path, std::string_view first_bytes) {
    const std::string_view content = format_of_content(first_bytes);
    std::string extension = utf8_path(path.extension());
    if (extension.starts_with('.')) extension.erase(0, 1);
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto named = [&extension](const std::string& reader) {
        static const auto extensions = OIIO::get_extension_map();
        const auto found = extensions.find(reader);
        return found != extensions.end() && std::ranges::count(found->second, extension) > 0;
    };
    // Camera files are TIFF by their first bytes and hold only a thumbnail as such.
    if ((content == "tiff" || content.empty()) && named("raw")) return "raw";
    if (!content.empty()) return std::string(content);
    for (const char* unmarked : {"targa", "ico", "rla", "softimage"}) {
        if (named(unmarked)) return unmarked;
    }
    return {};
}

Result<void> check_header(const fs::path& path, const OpenImage& file) {
    const OIIO::ImageSpec& spec = file.spec;
    const auto size = std::to_string(spec.width) + " x " + std::to_string(spec.height);
    if (spec.width < 1 || spec.height < 1) return bad_file(path, "has no pixels: its header says " + size);
    if (spec.depth > 1)
        return bad_file(path, "is a volume of " + std::to_string(spec.depth) + " slices, not an image");
    if (spec.deep) return bad_file(path, "holds deep samples, which are not supported: flatten it first");
    if (spec.nchannels < 1 || spec.nchannels > most_channels) {
        return bad_file(path, "has " + std::to_string(spec.nchannels) + " channels: 1 to 64 are supported");
    }
    if (spec.get_float_attribute("oiio:BitsPerSample", 1) < 1)  // PNM: a float
        return bad_file(path, "says that its samples have no bits: it is damaged");
    if (spec.width > largest_side || spec.height > largest_side) {
        return bad_file(path, "says that it is " + size + " pixels: at most 1000000 a side are supported");
    }
    const auto bytes = static_cast<std::uint64_t>(spec.image_bytes(true));
    if (bytes > always_believed && bytes / believable_packing > file.file_size) {
        return bad_file(path, "says that it is " + size + " pixels but is only " +
                                  std::to_string(file.file_size) + " bytes long: it is damaged");
    }
    if (spec.tile_width < 0 || spec.tile_height < 0 ||
        static_cast<std::uint64_t>(spec.tile_bytes(true)) > std::max(always_believed, 4 * bytes)) {
        return bad_file(path, "says that its tiles are " + std::to_string(spec.tile_width) + " x " +
                                  std::to_string(spec.tile_height) + ": it is damaged");
    }
    return {};
}

std::string name_of_image(const OIIO::ImageSpec& spec, int index) {
    const std::string name = spec.get_string_attribute("oiio:subimagename");
    return name.empty() ? "page " + std::to_string(index + 1) : printable_utf8(name);
}

// Counted with another reader: some cannot go back once they were asked for a page that is not there.
std::vector<std::string> names_of_images(const fs::path& path, const OpenImage& file) {
    constexpr std::array<std::string_view, 6> single{"png", "jpeg", "hdr", "bmp", "targa", "pnm"};
    const std::string format = file.input->format_name();
    if (std::ranges::count(single, format) > 0) return {name_of_image(file.spec, 0)};
    std::vector<std::string> names;
    const auto counter = OIIO::ImageInput::create(format);
    OIIO::ImageSpec spec;
    if (counter == nullptr || !counter->open(utf8_path(path), spec)) return {name_of_image(file.spec, 0)};
    for (int i = 0; i < most_images && counter->seek_subimage(i, 0); ++i)
        names.push_back(name_of_image(counter->spec(), i));
    static_cast<void>(counter->geterror());
    return names;
}

// A value as one line: text as it is, colour profiles and other data by their size, numbers as OpenImageIO
// writes them.
std::string metadata_text(const OIIO::ImageSpec& spec, const OIIO::ParamValue& attribute) {
    const OIIO::TypeDesc type = attribute.type();
    if (type == OIIO::TypeString) {
        std::string text = attribute.get_string();
        std::ranges::replace(text, '\n', ' ');
        return text;
    }
    if (type.arraylen > 0 &&
        (type.basetype == OIIO::TypeDesc::UINT8 || type.basetype == OIIO::TypeDesc::INT8))
        return std::to_string(type.arraylen) + " bytes";
    return spec.metadata_val(attribute, false);
}

}  // namespace

std::unexpected<Error> bad_file(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " " + why);
}

std::uint64_t memory_for(const OIIO::ImageSpec& spec, bool as_double) {
    return static_cast<std::uint64_t>(spec.width) * static_cast<std::uint64_t>(spec.height) *
           static_cast<std::uint64_t>(spec.nchannels) * (as_double ? 8U : 4U);
}

Result<OpenImage> open_image(const fs::path& path, int image_index) {
    prepare_library();
    const auto facts = look_at(path);
    if (!facts) return std::unexpected(facts.error());
    const std::string reader = reader_for(path, facts->first_bytes);
    if (reader.empty())
        return bad_file(path, "is not an image of a kind that is known: its first bytes are those of none");

    OpenImage file{.input = OIIO::ImageInput::create(reader),
                   .spec = {},
                   .file_size = facts->size,
                   .image_index = image_index};
    if (!file.input) {
        return bad_file(path, "is a " + reader + " file, which this build of OpenImageIO cannot read: " +
                                  library_words(OIIO::geterror()));
    }
    OIIO::ImageSpec config;
    config.attribute("oiio:UnassociatedAlpha", 1);  // the file's own values, not premultiplied ones
    if (!file.input->open(utf8_path(path), file.spec, config)) {
        return bad_file(path,
                        "could not be read as " + reader + ": " + library_words(file.input->geterror()));
    }
    if (image_index < 0 || !file.input->seek_subimage(image_index, 0)) {
        return bad_file(path, "has no page or part " + std::to_string(std::int64_t{image_index} + 1));
    }
    file.spec = file.input->spec();
    if (auto header = check_header(path, file); !header) return std::unexpected(header.error());
    return file;
}

ImageInfo describe(const fs::path& path, const OpenImage& file) {
    const OIIO::ImageSpec& spec = file.spec;
    ImageInfo info;
    info.path = path;
    info.format = file.input->format_name();
    info.orientation = std::clamp(spec.get_int_attribute("Orientation", 1), 1, 8);
    info.width = info.orientation >= 5 ? spec.height : spec.width;
    info.height = info.orientation >= 5 ? spec.width : spec.height;
    info.channels = spec.nchannels;
    for (const std::string& name : spec.channelnames) info.channel_names.push_back(printable_utf8(name));
    info.channel_names.resize(static_cast<std::size_t>(spec.nchannels));
    info.alpha_channel = spec.alpha_channel;
    info.type = sample_type(spec.format);
    info.bits_per_sample = static_cast<int>(spec.get_float_attribute("oiio:BitsPerSample"));
    if (info.bits_per_sample == static_cast<int>(spec.format.size() * 8)) info.bits_per_sample = 0;
    info.tiled = spec.tile_width > 0;
    info.colour_space = printable_utf8(spec.get_string_attribute("oiio:ColorSpace"));
    info.image_index = file.image_index;
    info.memory_bytes = memory_for(spec, false);
    for (const auto& attribute : spec.extra_attribs) {
        info.metadata.emplace_back(printable_utf8(attribute.name().string()),
                                   printable_utf8(metadata_text(spec, attribute)));
    }
    info.image_names = names_of_images(path, file);
    info.image_count = static_cast<int>(info.image_names.size());
    return info;
}

}  // namespace workbench
