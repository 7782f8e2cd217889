// SPDX-License-Identifier: MIT
#include "core/image/module/open_image.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/image/formats.h"
#include "core/image/memory_need.h"
#include "core/image/module/pages.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

constexpr int most_channels = 64;
constexpr std::size_t longest_shown = std::size_t{1} << 15;  // of an attribute's text
constexpr std::int64_t largest_side = 1'000'000;
// No format packs real pixels this tightly: a header that claims more is damaged or hostile.
constexpr std::uint64_t believable_packing = 100'000;
constexpr std::uint64_t always_believed = std::uint64_t{256} << 20;

Result<void> check_header(const OpenImage& file) {
    const OIIO::ImageSpec& spec = file.spec;
    const std::string& path = file.path();
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
    if (bytes > always_believed && bytes / believable_packing > file.file->bytes()) {
        return bad_file(path, "says that it is " + size + " pixels but is only " +
                                  std::to_string(file.file->bytes()) + " bytes long: it is damaged");
    }
    if (spec.tile_width < 0 || spec.tile_height < 0 ||
        static_cast<std::uint64_t>(spec.tile_bytes(true)) > std::max(always_believed, 4 * bytes)) {
        return bad_file(path, "says that its tiles are " + std::to_string(spec.tile_width) + " x " +
                                  std::to_string(spec.tile_height) + ": it is damaged");
    }
    return {};
}

// What cameras call their own files. OpenImageIO knows them by name, and only where it was built with LibRaw.
constexpr std::string_view camera_extensions[] = {
    "3fr", "arw", "cr2", "cr3", "crw", "dcr", "dng", "erf", "iiq", "kdc", "mef", "mos", "mrw",
    "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f"};

// The sentence for a kind of file that the OpenImageIO of this installation was built without.
std::unexpected<Error> not_read_here(const std::string& path, const std::string& reader) {
    const std::string kind = reader == "raw" ? "camera raw" : reader;
    return bad_file(path,
                    "is a " + kind +
                        " file, which the OpenImageIO of this installation does not read (info --formats "
                        "lists what it does): convert it to TIFF, or use Debian's package iir2d-tools");
}

// From 3.0 on OpenImageIO names colour spaces as the Color Interop Forum does, and says nothing of an OpenEXR
// file that says nothing. Records, outputs and the window know the names that it had before.
void use_usual_colour_space(OIIO::ImageSpec& spec, std::string_view format) {
    const std::string name = spec.get_string_attribute("oiio:ColorSpace");
    if (name.starts_with("srgb_rec709")) spec.attribute("oiio:ColorSpace", "sRGB");
    if (name.starts_with("lin_rec709") || (name.empty() && format == "openexr"))
        spec.attribute("oiio:ColorSpace", "Linear");
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

std::string reader_for(InputFile& file) {
    std::array<char, bytes_to_tell_format> first{};
    const std::size_t got = file.pread(first.data(), first.size(), 0);
    const std::string_view content = format_of_content(std::string_view(first.data(), got));
    std::string extension = utf8_path(path_of(file.path()).extension());
    if (extension.starts_with('.')) extension.erase(0, 1);
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto named = [&extension](const std::string& reader) {
        static const auto extensions = OIIO::get_extension_map();
        const auto found = extensions.find(reader);
        return found != extensions.end() && std::ranges::count(found->second, extension) > 0;
    };
    // Camera files are TIFF by their first bytes and hold only a thumbnail as such.
    const bool of_camera = named("raw") || std::ranges::count(camera_extensions, extension) > 0;
    if ((content == "tiff" || content.empty()) && of_camera) return "raw";
    if (!content.empty()) return std::string(content);
    for (const char* unmarked : {"targa", "ico", "rla", "softimage"}) {
        if (named(unmarked)) return unmarked;
    }
    return {};
}

bool open_input(OIIO::ImageInput& input, InputFile& file, OIIO::ImageSpec& spec) {
    OIIO::ImageSpec config;
    config.attribute("oiio:UnassociatedAlpha", 1);  // the file's own values, not premultiplied ones
    // The JPEG reader says that it takes any proxy, and takes OpenImageIO's own only.
    const bool through_proxy = input.supports("ioproxy") && std::string_view(input.format_name()) != "jpeg" &&
                               input.set_ioproxy(&file);
    if (through_proxy) return input.open(file.path(), spec, config);
    return input.open(file.name_to_open(), spec, config);
}

Result<OpenImage> open_image(const SourceFile& source, int image_index) {
    prepare_library();
    OpenImage file{.file = std::make_unique<InputFile>(source),
                   .input = nullptr,
                   .spec = {},
                   .image_index = image_index};
    const std::string& path = source.path;
    if (!file.file->is_open()) return bad_file(path, "could not be opened: is it readable for you?");
    const std::string reader = reader_for(*file.file);
    if (reader.empty())
        return bad_file(path, "is not an image of a kind that is known: its first bytes are those of none");
    file.input = OIIO::ImageInput::create(reader);
    if (!file.input) {
        OIIO::geterror();  // it says that it has no such reader, in many words
        return not_read_here(path, reader);
    }
    if (!open_input(*file.input, *file.file, file.spec)) {
        return bad_file(path, "could not be read as " + reader + ": " + file.words(file.input->geterror()));
    }
    if (image_index < 0 || !file.input->seek_subimage(image_index, 0)) {
        return bad_file(path, "has no page or part " + std::to_string(std::int64_t{image_index} + 1));
    }
    file.spec = file.input->spec();
    use_usual_colour_space(file.spec, file.input->format_name());
    // OpenImageIO 2.4 says of every GIF that its fifth channel is alpha, and there are four.
    if (file.spec.alpha_channel >= file.spec.nchannels) {
        const bool last_is_alpha = !file.spec.channelnames.empty() && file.spec.channelnames.back() == "A";
        file.spec.alpha_channel = last_is_alpha ? file.spec.nchannels - 1 : -1;
    }
    IIR2D_RETURN_IF_ERROR(check_header(file));
    return file;
}

ImageInfo describe(const OpenImage& file) {
    const OIIO::ImageSpec& spec = file.spec;
    ImageInfo info;
    info.path = path_of(file.path());
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
    info.memory_bytes = memory_of_samples(info, false);
    info.native_bytes = static_cast<std::uint64_t>(spec.image_bytes(true));
    info.file_bytes = file.file->bytes();
    for (const auto& attribute : spec.extra_attribs) {
        // What is shown; what is carried to an output is kept whole elsewhere.
        std::string text = metadata_text(spec, attribute);
        if (text.size() > longest_shown) text = text.substr(0, longest_shown) + "...";
        info.metadata.emplace_back(printable_utf8(attribute.name().string()), printable_utf8(text));
    }
    info.image_count = count_images(file);
    return info;
}

}  // namespace workbench
