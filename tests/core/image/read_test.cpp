// SPDX-License-Identifier: MIT
// What files can be like inside: orientation, tiles, strips, pages, parts, channels, metadata; and how a
// reading is watched and stopped.
#include <OpenImageIO/imageio.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_image;
using ::testing::Not;
using ::testing::Pair;
using ::testing::ResultOf;
using testing::same_bits;
using testing::ScratchFolder;
using enum SampleType;

// A file written by OpenImageIO as the spec says, samples counting up from 1.
template <class T>
void write_counting(const fs::path& path, OIIO::ImageSpec spec, bool append = false, double first = 1) {
    std::vector<T> samples(static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height) *
                           static_cast<std::size_t>(spec.nchannels));
    std::iota(samples.begin(), samples.end(), static_cast<T>(first));
    auto output = OIIO::ImageOutput::create(path.string());
    ASSERT_NE(output, nullptr);
    ASSERT_TRUE(output->open(path.string(), spec,
                             append ? OIIO::ImageOutput::AppendSubimage : OIIO::ImageOutput::Create))
        << output->geterror();
    ASSERT_TRUE(output->write_image(OIIO::BaseTypeFromC<T>::value, samples.data())) << output->geterror();
    ASSERT_TRUE(output->close());
    static_cast<void>(output->geterror());
}

double as_number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

std::vector<int> levels(const PlanarImage& pixels) {
    std::vector<int> values;
    for (const float v : pixels.plane_f32(0)) values.push_back(static_cast<int>(std::lround(v * 255)));
    return values;
}

// 1 2 3 / 4 5 6 as stored, and what each Exif orientation makes of it.
class Orientation : public ::testing::TestWithParam<int> {};

TEST_P(Orientation, IsUprightInMemoryAndResetOnWriting) {
    const std::vector<std::vector<int>> upright{{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                                {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                                {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
    const ScratchFolder folder;
    OIIO::ImageSpec spec(3, 2, 1, OIIO::TypeDesc::UINT8);
    spec.attribute("Orientation", GetParam());
    write_counting<unsigned char>(folder / "a.tif", spec);

    const auto image = read_image(folder / "a.tif");
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->info.orientation, GetParam());
    EXPECT_EQ(image->info.width, GetParam() >= 5 ? 2 : 3);
    EXPECT_EQ(image->info.height, GetParam() >= 5 ? 3 : 2);
    EXPECT_EQ(levels(image->pixels), upright[static_cast<std::size_t>(GetParam() - 1)]);

    ASSERT_TRUE(write_image(*image, folder / "b.tif"));
    const auto again = read_image(folder / "b.tif");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->info.orientation, 1);
    EXPECT_EQ(levels(again->pixels), levels(image->pixels));
}
INSTANTIATE_TEST_SUITE_P(Exif, Orientation, ::testing::Range(1, 9));

TEST(ReadImage, HonoursTheOrientationOfPhotographs) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(48, 16, 3, OIIO::TypeDesc::UINT8);
    spec.attribute("Orientation", 6);
    write_counting<unsigned char>(folder / "a.jpg", spec);
    const auto image = read_image(folder / "a.jpg");
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->info.width, 16);
    EXPECT_EQ(image->info.height, 48);
    EXPECT_EQ(image->pixels.width(), 16);
    ASSERT_TRUE(write_image(*image, folder / "b.jpg"));
    EXPECT_EQ(probe_image(folder / "b.jpg")->orientation, 1);
}

TEST(ReadImage, AVeryLongDescriptionIsShownInPart) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(8, 4, 1, OIIO::TypeDesc::UINT8);
    spec.attribute("ImageDescription", std::string(std::size_t{3} << 20, 'x'));
    write_counting<unsigned char>(folder / "long.tif", spec);
    const auto image = read_image(folder / "long.tif");
    ASSERT_TRUE(image) << image.error().message;
    const auto& metadata = image->info.metadata;
    const auto found =
        std::ranges::find_if(metadata, [](const auto& one) { return one.first == "ImageDescription"; });
    ASSERT_NE(found, metadata.end());
    EXPECT_TRUE(found->second.starts_with("xxx") && found->second.ends_with("..."));
    EXPECT_LT(found->second.size(), std::size_t{1} << 17);
}

TEST(ReadImage, TilesAndStripsGiveTheSame) {
    const ScratchFolder folder;
    for (const char* planes : {"contig", "separate"}) {
        for (const char* compression : {"none", "zip", "lzw"}) {
            SCOPED_TRACE(std::string(planes) + " " + compression);
            OIIO::ImageSpec spec(75, 53, 3, OIIO::TypeDesc::FLOAT);
            spec.attribute("planarconfig", planes);
            spec.attribute("compression", compression);
            write_counting<float>(folder / "strips.tif", spec);
            spec.tile_width = 32;
            spec.tile_height = 16;
            write_counting<float>(folder / "tiles.tif", spec);
            const auto strips = read_image(folder / "strips.tif");
            const auto tiles = read_image(folder / "tiles.tif");
            ASSERT_TRUE(strips) << strips.error().message;
            ASSERT_TRUE(tiles) << tiles.error().message;
            EXPECT_FALSE(strips->info.tiled);
            EXPECT_TRUE(tiles->info.tiled);
            EXPECT_EQ(tiles->pixels.at(74, 52, 2), 75.0 * 53 * 3);
            EXPECT_EQ(tiles->pixels.at(1, 0, 0), 4.0);
            EXPECT_TRUE(same_bits(strips->pixels, tiles->pixels));
        }
    }
    OIIO::ImageSpec spec(130, 70, 4, OIIO::TypeDesc::HALF);
    spec.tile_width = spec.tile_height = 64;
    write_counting<float>(folder / "tiles.exr", spec);
    const auto tiles = read_image(folder / "tiles.exr");
    ASSERT_TRUE(tiles) << tiles.error().message;
    EXPECT_TRUE(tiles->info.tiled);
    EXPECT_EQ(tiles->pixels.at(129, 0, 3), 520.0);
}

// OpenImageIO 2.4 gives zeros for most ways to read these.
TEST(ReadImage, ReadsStripsOfDoubles) {
    const ScratchFolder folder;
    for (const int height : {2, 3, 33, 64, 65, 97}) {
        for (const int strip : {1, 2, 7, 32, 200}) {
            for (const int channels : {1, 3}) {
                SCOPED_TRACE(std::to_string(height) + " rows in strips of " + std::to_string(strip));
                OIIO::ImageSpec spec(5, height, channels, OIIO::TypeDesc::DOUBLE);
                spec.attribute("tiff:RowsPerStrip", strip);
                spec.attribute("compression", "zip");
                write_counting<double>(folder / "a.tif", spec);
                for (const bool keep : {false, true}) {
                    const auto image = read_image(folder / "a.tif", {.keep_double = keep});
                    ASSERT_TRUE(image) << image.error().message;
                    EXPECT_EQ(image->pixels.type(), keep ? iir2d::ElementType::f64 : iir2d::ElementType::f32);
                    for (int y = 0; y < height; ++y)
                        ASSERT_EQ(image->pixels.at(4, y, channels - 1), (y + 1) * 5 * channels);
                }
            }
        }
    }
}

TEST(ReadImage, RefusesTheDoublesThatTheLibraryMisreads) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(20, 20, 3, OIIO::TypeDesc::DOUBLE);
    spec.tile_width = spec.tile_height = 16;
    write_counting<double>(folder / "tiles.tif", spec);
    const auto tiles = read_image(folder / "tiles.tif");
    ASSERT_FALSE(tiles);
    EXPECT_EQ(tiles.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(tiles.error().message, HasSubstr("64-bit"));

    spec.attribute("planarconfig", "separate");
    write_counting<double>(folder / "planes.tif", spec);
    const auto planes = read_image(folder / "planes.tif", {.keep_double = true});
    ASSERT_TRUE(planes) << planes.error().message;
    EXPECT_EQ(planes->pixels.at(19, 19, 2), 1200.0);

    write_counting<double>(folder / "row.tif", OIIO::ImageSpec(20, 1, 1, OIIO::TypeDesc::DOUBLE));
    EXPECT_FALSE(read_image(folder / "row.tif"));
}

TEST(ReadImage, DoublesBecomeFloatsUnlessKept) {
    const ScratchFolder folder;
    const Image image = make_image(9, 8, 1, f64);
    ASSERT_TRUE(write_image(image, folder / "a.tif"));
    const auto kept = read_image(folder / "a.tif", {.keep_double = true});
    const auto narrowed = read_image(folder / "a.tif");
    ASSERT_TRUE(kept && narrowed);
    EXPECT_EQ(kept->info.memory_bytes, 9U * 8 * 8);
    EXPECT_EQ(narrowed->info.memory_bytes, 9U * 8 * 4);
    EXPECT_EQ(narrowed->info.type, f64);
    EXPECT_TRUE(same_bits(narrowed->pixels, kept->pixels.converted(iir2d::ElementType::f32)));
}

TEST(ReadImage, ChoosesThePageOfATiff) {
    const ScratchFolder folder;
    const auto path = folder / "pages.tif";
    for (int page = 0; page < 3; ++page) {
        write_counting<unsigned char>(path, OIIO::ImageSpec(4 + page, 3, 1, OIIO::TypeDesc::UINT8), page > 0,
                                      10.0 * page);
    }
    for (int page = 0; page < 3; ++page) {
        const auto image = read_image(path, {.image_index = page});
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(image->info.image_count, 3);
        EXPECT_EQ(image->info.image_index, page);
        EXPECT_THAT(image->info.image_names, ::testing::IsEmpty());
        EXPECT_EQ(image->info.width, 4 + page);
        EXPECT_EQ(levels(image->pixels).front(), 10 * page);
    }
    EXPECT_THAT(*image_names(path), ElementsAre("page 1", "page 2", "page 3"));
    for (const int page : {-1, 3, 1000}) {
        const auto none = read_image(path, {.image_index = page});
        ASSERT_FALSE(none);
        EXPECT_EQ(none.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(none.error().message, HasSubstr("pages.tif"));
        EXPECT_FALSE(probe_image(path, page));
    }
    EXPECT_FALSE(
        read_image(fs::path(IIR2D_SOURCE_DIR) / "resources/samples/astronaut.png", {.image_index = 1}));
}

TEST(ReadImage, ChoosesThePartOfAnExr) {
    const ScratchFolder folder;
    const auto path = folder / "parts.exr";
    std::vector<OIIO::ImageSpec> specs;
    for (const char* name : {"beauty", "depth"}) {
        OIIO::ImageSpec spec(6, 5, specs.empty() ? 3 : 1, OIIO::TypeDesc::FLOAT);
        if (!specs.empty()) spec.channelnames = {"Z"};
        spec.attribute("oiio:subimagename", name);
        specs.push_back(spec);
    }
    auto output = OIIO::ImageOutput::create(path.string());
    ASSERT_TRUE(output->open(path.string(), 2, specs.data())) << output->geterror();
    const std::vector<float> beauty(90, 0.25F);
    const std::vector<float> depth(30, 7.5F);
    ASSERT_TRUE(output->write_image(OIIO::TypeDesc::FLOAT, beauty.data()));
    ASSERT_TRUE(output->open(path.string(), specs[1], OIIO::ImageOutput::AppendSubimage));
    ASSERT_TRUE(output->write_image(OIIO::TypeDesc::FLOAT, depth.data()));
    ASSERT_TRUE(output->close());

    const auto first = read_image(path);
    const auto second = read_image(path, {.image_index = 1});
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_THAT(*image_names(path), ElementsAre("beauty", "depth"));
    EXPECT_THAT(first->info.channel_names, ElementsAre("R", "G", "B"));
    EXPECT_THAT(second->info.channel_names, ElementsAre("Z"));
    EXPECT_EQ(second->pixels.at(5, 4, 0), 7.5);
    ASSERT_TRUE(write_image(*second, folder / "one.exr"));
    EXPECT_EQ(probe_image(folder / "one.exr")->image_count, 1);
}

TEST(ReadImage, KeepsNamedChannelsAndTheDataWindow) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(8, 6, 5, OIIO::TypeDesc::HALF);
    spec.channelnames = {"R", "G", "B", "A", "diffuse.R"};
    spec.alpha_channel = 3;
    spec.x = 10;
    spec.y = -4;
    spec.full_x = 0;
    spec.full_y = -8;
    spec.full_width = 100;
    spec.full_height = 50;
    write_counting<float>(folder / "a.exr", spec);
    const auto image = read_image(folder / "a.exr");
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_THAT(image->info.channel_names, ElementsAre("R", "G", "B", "A", "diffuse.R"));
    EXPECT_EQ(image->info.alpha_channel, 3);
    EXPECT_EQ(image->pixels.at(0, 0, 4), 5.0);
    ASSERT_TRUE(write_image(*image, folder / "b.exr"));
    const auto again = OIIO::ImageInput::open((folder / "b.exr").string());
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->spec().x, 10);
    EXPECT_EQ(again->spec().y, -4);
    EXPECT_EQ(again->spec().full_width, 100);
    EXPECT_EQ(again->spec().channelnames, spec.channelnames);
    const auto pixels = read_image(folder / "b.exr");
    ASSERT_TRUE(pixels);
    EXPECT_TRUE(same_bits(pixels->pixels, image->pixels));
}

TEST(ReadImage, CarriesMetadataAndColour) {
    const ScratchFolder folder;
    for (const char* extension : {"png", "tif", "jpg", "exr"}) {
        SCOPED_TRACE(extension);
        const bool exr = std::string(extension) == "exr";
        OIIO::ImageSpec spec(16, 16, 3, exr ? OIIO::TypeDesc::HALF : OIIO::TypeDesc::UINT8);
        spec.attribute("ImageDescription", "a harbour at dusk");
        spec.attribute("XResolution", 300.0F);
        spec.attribute("YResolution", 300.0F);
        spec.attribute("ResolutionUnit", "in");
        if (!exr) spec.attribute("oiio:ColorSpace", "sRGB");
        const auto from = folder / (std::string("a.") + extension);
        const auto to = folder / (std::string("b.") + extension);
        write_counting<unsigned char>(from, spec);
        const auto image = read_image(from);
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(image->info.colour_space, exr ? "Linear" : "sRGB");
        ASSERT_TRUE(write_image(*image, to));
        const auto info = probe_image(to);
        ASSERT_TRUE(info) << info.error().message;
        EXPECT_EQ(info->colour_space, image->info.colour_space);
        EXPECT_THAT(info->metadata, Contains(Pair("ImageDescription", "a harbour at dusk")));
        EXPECT_THAT(info->metadata,
                    Contains(Pair("XResolution", ResultOf(as_number, DoubleNear(300, 0.01)))));
    }
    // The profile of a real photograph, byte for byte, from PNG to PNG, TIFF and JPEG.
    const auto photograph = fs::path(IIR2D_SOURCE_DIR) / "resources/samples/astronaut.png";
    const auto source = OIIO::ImageInput::open(photograph.string());
    ASSERT_NE(source, nullptr);
    const auto* original = source->spec().find_attribute("ICCProfile");
    ASSERT_NE(original, nullptr);
    const auto image = read_image(photograph);
    ASSERT_TRUE(image) << image.error().message;
    for (const char* name : {"c.png", "c.tif", "c.jpg"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(write_image(*image, folder / name));
        const auto copy = OIIO::ImageInput::open((folder / name).string());
        ASSERT_NE(copy, nullptr);
        const auto* carried = copy->spec().find_attribute("ICCProfile");
        ASSERT_NE(carried, nullptr);
        ASSERT_EQ(carried->type().size(), original->type().size());
        EXPECT_EQ(std::memcmp(carried->data(), original->data(), original->type().size()), 0);
    }
}

TEST(ReadImage, MetadataIsPrintableText) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(8, 8, 1, OIIO::TypeDesc::UINT8);
    spec.attribute("ImageDescription", "caf\xE9 in Latin-1, \x1B[31mred");
    write_counting<unsigned char>(folder / "a.tif", spec);
    const auto info = probe_image(folder / "a.tif");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_THAT(info->metadata, Contains(Pair("ImageDescription", HasSubstr("caf\xEF\xBF\xBD in Latin-1"))));
    EXPECT_THAT(info->metadata, Not(Contains(Pair(_, HasSubstr("\x1B")))));
}

TEST(ReadImage, TheSamplesThatShipAreWhatTheTableSays) {
    const auto samples = fs::path(IIR2D_SOURCE_DIR) / "resources/samples";
    const auto astronaut = read_image(samples / "astronaut.png");
    ASSERT_TRUE(astronaut) << astronaut.error().message;
    EXPECT_EQ(astronaut->info.type, u8);
    EXPECT_EQ(astronaut->info.width, 512);
    const auto light = read_image(samples / "rocket-light.exr");
    ASSERT_TRUE(light) << light.error().message;
    EXPECT_EQ(light->info.type, f32);
    EXPECT_NEAR(channel_statistics(light->pixels)[0].maximum, 4.0, 1e-4);
    const auto gray = read_image(samples / "chelsea-gray16.png");
    ASSERT_TRUE(gray) << gray.error().message;
    EXPECT_EQ(gray->info.type, u16);
    EXPECT_EQ(gray->info.channels, 1);
    EXPECT_EQ(gray->info.colour_space, "linear");
    EXPECT_TRUE(read_image(samples / "rocket.jpg"));
}

TEST(ReadImage, ReportsProgressAndStops) {
    const ScratchFolder folder;
    OIIO::ImageSpec spec(1500, 3000, 1, OIIO::TypeDesc::UINT8);
    write_counting<unsigned char>(folder / "large.tif", spec);
    std::vector<double> fractions;
    std::stop_source stop;
    const TaskControl watched{.stop = stop.get_token(), .progress = [&](double f, std::string_view what) {
                                  EXPECT_THAT(std::string(what), HasSubstr("large.tif"));
                                  fractions.push_back(f);
                              }};
    ASSERT_TRUE(read_image(folder / "large.tif", {}, watched));
    EXPECT_GT(fractions.size(), 2U);
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_EQ(fractions.back(), 1.0);

    int calls = 0;
    const TaskControl stopped{.stop = stop.get_token(), .progress = [&](double, std::string_view) {
                                  ++calls;
                                  stop.request_stop();
                              }};
    const auto cancelled = read_image(folder / "large.tif", {}, stopped);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().kind, ErrorKind::cancelled);
    EXPECT_EQ(calls, 1);
}

TEST(ReadImage, SaysHowMuchMemoryItNeedsAndRefusesMore) {
    const ScratchFolder folder;
    write_counting<unsigned char>(folder / "a.png", OIIO::ImageSpec(100, 50, 3, OIIO::TypeDesc::UINT8));
    EXPECT_EQ(probe_image(folder / "a.png")->memory_bytes, 100U * 50 * 3 * 4);
    EXPECT_TRUE(read_image(folder / "a.png", {.memory_limit = 60000}));
    const auto refused = read_image(folder / "a.png", {.memory_limit = 59999});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(refused.error().message, HasSubstr("a.png"));
    EXPECT_THAT(refused.error().message, HasSubstr("MiB"));
}

TEST(ReadImage, ContentDecidesWhenTheNameIsWrong) {
    const ScratchFolder folder;
    const Image image = make_image(11, 7, 3, u8);
    ASSERT_TRUE(write_image(image, folder / "a.png"));
    ASSERT_TRUE(write_image(image, folder / "a.tif"));
    fs::copy_file(folder / "a.png", folder / "b.jpg");
    fs::copy_file(folder / "a.png", folder / "noextension");
    fs::copy_file(folder / "a.tif", folder / "c.exr");
    fs::copy_file(folder / "a.tif", folder / "UPPER.PNG");
    for (const auto& [name, format] :
         {std::pair{"b.jpg", "png"}, {"noextension", "png"}, {"c.exr", "tiff"}, {"UPPER.PNG", "tiff"}}) {
        SCOPED_TRACE(name);
        const auto read = read_image(folder / name);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->info.format, format);
        EXPECT_TRUE(same_bits(read->pixels, image.pixels));
    }
}

TEST(ReadImage, KnowsItsExtensions) {
    EXPECT_THAT(readable_extensions(), ::testing::IsSupersetOf({"png", "jpg", "tif", "exr", "hdr", "webp",
                                                                "bmp", "tga", "pnm", "dpx"}));
    EXPECT_THAT(writable_extensions(), ::testing::IsSupersetOf({"png", "jpg", "tif", "exr", "hdr", "webp",
                                                                "bmp", "tga", "pnm", "dpx"}));
    EXPECT_THAT(writable_extensions(), Not(Contains("gif")));
}

}  // namespace
}  // namespace workbench
