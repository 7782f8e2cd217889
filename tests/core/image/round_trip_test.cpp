// SPDX-License-Identifier: MIT
// What is written is what is read back, in every format and type.
#include <gmock/gmock.h>

#include <cmath>
#include <ostream>

#include "tests/core/image/image_testing.h"

namespace workbench {
namespace {

using testing::make_image;
using testing::same_bits;
using testing::ScratchFolder;
using testing::smooth_image;
using enum SampleType;

struct Exact {
    const char* extension;
    SampleType type;
    int channels;
};
void PrintTo(const Exact& c, std::ostream* out) {
    *out << c.extension << " " << name_of(c.type) << " " << c.channels;
}

class ExactFormat : public ::testing::TestWithParam<Exact> {};

// File -> memory -> file -> memory, every sample bit for bit.
TEST_P(ExactFormat, KeepsEverySample) {
    const auto& [extension, type, channels] = GetParam();
    const ScratchFolder folder;
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {5, 3}, {67, 41}}) {
        SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
        // OpenImageIO misreads a single row of doubles, and read_image() says so instead of giving wrong
        // samples.
        if (type == f64 && height == 1 && std::string(extension) == "tif") continue;
        const Image original = make_image(width, height, channels, type);
        const auto first = folder / (std::string("first.") + extension);
        const auto second = folder / (std::string("second.") + extension);
        const auto report = write_image(original, first);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->type, type);

        const auto read = read_image(first, {.keep_double = true});
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->info.type, type);
        EXPECT_EQ(read->info.channels, channels);
        EXPECT_EQ(read->info.width, width);
        EXPECT_EQ(read->info.height, height);
        EXPECT_TRUE(same_bits(read->pixels, original.pixels));

        const auto again = write_image(*read, second);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->type, type);
        const auto reread = read_image(second, {.keep_double = true});
        ASSERT_TRUE(reread) << reread.error().message;
        EXPECT_TRUE(same_bits(reread->pixels, original.pixels));
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExactFormat,
    ::testing::Values(Exact{"png", u8, 1}, Exact{"png", u8, 2}, Exact{"png", u8, 3}, Exact{"png", u8, 4},
                      Exact{"png", u16, 1}, Exact{"png", u16, 2}, Exact{"png", u16, 3}, Exact{"png", u16, 4},
                      Exact{"tif", u8, 1}, Exact{"tif", u8, 2}, Exact{"tif", u8, 3}, Exact{"tif", u8, 4},
                      Exact{"tif", u8, 64}, Exact{"tif", u16, 1}, Exact{"tif", u16, 3}, Exact{"tif", u16, 4},
                      Exact{"tif", u16, 5}, Exact{"tif", u32, 1}, Exact{"tif", u32, 3}, Exact{"tif", f16, 1},
                      Exact{"tif", f16, 3}, Exact{"tif", f16, 4}, Exact{"tif", f32, 1}, Exact{"tif", f32, 3},
                      Exact{"tif", f32, 4}, Exact{"tif", f32, 64}, Exact{"tif", f64, 1}, Exact{"tif", f64, 3},
                      Exact{"tif", f64, 4}, Exact{"exr", f16, 1}, Exact{"exr", f16, 2}, Exact{"exr", f16, 3},
                      Exact{"exr", f16, 4}, Exact{"exr", f16, 64}, Exact{"exr", f32, 1}, Exact{"exr", f32, 3},
                      Exact{"exr", f32, 4}, Exact{"exr", f32, 5}, Exact{"exr", f32, 64}, Exact{"exr", u32, 1},
                      Exact{"bmp", u8, 1}, Exact{"bmp", u8, 3}, Exact{"bmp", u8, 4}, Exact{"tga", u8, 1},
                      Exact{"tga", u8, 2}, Exact{"tga", u8, 3}, Exact{"tga", u8, 4}, Exact{"pnm", u8, 1},
                      Exact{"pnm", u8, 3}, Exact{"ppm", u8, 3}, Exact{"pgm", u8, 1}, Exact{"dpx", u8, 1},
                      Exact{"dpx", u8, 3}, Exact{"dpx", u8, 4}, Exact{"dpx", u16, 1}, Exact{"dpx", u16, 3},
                      Exact{"dpx", u16, 4}, Exact{"dpx", f32, 3}, Exact{"dpx", f32, 4}, Exact{"dpx", f64, 3}),
    [](const auto& test) {
        return std::string(test.param.extension) + "_" + std::string(name_of(test.param.type)) + "_" +
               std::to_string(test.param.channels);
    });

struct Lossy {
    const char* extension;
    int channels;
    double tolerance;
    SampleType type;
};
class LossyFormat : public ::testing::TestWithParam<Lossy> {};

TEST_P(LossyFormat, StaysClose) {
    const auto& [extension, channels, tolerance, type] = GetParam();
    const ScratchFolder folder;
    const Image original = smooth_image(160, 120, channels, type);
    const auto path = folder / (std::string("lossy.") + extension);
    const auto report = write_image(original, path);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->type, type);
    EXPECT_FALSE(report->notes.empty());
    const auto read = read_image(path);
    ASSERT_TRUE(read) << read.error().message;
    const auto difference = compare_images(read->pixels, original.pixels);
    ASSERT_TRUE(difference) << difference.error().message;
    EXPECT_LE(difference->max_abs, tolerance);
    EXPECT_GT(difference->max_abs, 0.0) << "this format is exact and belongs above";
}

INSTANTIATE_TEST_SUITE_P(All, LossyFormat,
                         ::testing::Values(Lossy{"jpg", 1, 2.01 / 255, u8}, Lossy{"jpeg", 3, 3.01 / 255, u8},
                                           Lossy{"webp", 3, 4.01 / 255, u8}, Lossy{"hdr", 3, 1.0 / 256, f32}),
                         [](const auto& test) {
                             return std::string(test.param.extension) + "_" +
                                    std::to_string(test.param.channels);
                         });

TEST(WriteImage, RoundsIntegersToNearestAndClamps) {
    const ScratchFolder folder;
    Image image = make_image(8, 1, 1, f32);
    const std::vector<float> values{-1.0F, 0.0F, 0.4999F / 255, 0.5001F / 255, 254.6F / 255, 1.0F, 7.0F, NAN};
    std::ranges::copy(values, image.pixels.plane_f32(0).begin());
    const auto report = write_image(image, folder / "a.png", {.type = u8});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->notes, ::testing::Contains(::testing::HasSubstr("clamped")));
    const auto read = read_image(folder / "a.png");
    ASSERT_TRUE(read) << read.error().message;
    std::vector<int> got;
    for (const float v : read->pixels.plane_f32(0)) got.push_back(static_cast<int>(std::lround(v * 255)));
    EXPECT_THAT(got, ::testing::ElementsAre(0, 0, 0, 1, 255, 255, 255, 0));
}

// The two bits that zlib leaves of its level: 1 for 2 to 5, 2 for 6, which takes several times as long.
TEST(WriteImage, CompressesPngQuickly) {
    const ScratchFolder folder;
    ASSERT_TRUE(write_image(smooth_image(64, 64, 3, u8), folder / "a.png", {.type = u8}));
    const std::string bytes = testing::bytes_of(folder / "a.png");
    const auto data = bytes.find("IDAT");
    ASSERT_LT(data, bytes.size() - 6);
    EXPECT_EQ(static_cast<unsigned char>(bytes[data + 5]) >> 6, 1);
}

TEST(WriteImage, ChoosesTheNearestTypeAndSaysSo) {
    const ScratchFolder folder;
    struct Case {
        const char* extension;
        SampleType wanted;
        SampleType got;
    };
    for (const auto& [extension, wanted, got] : {Case{"png", f32, u16},
                                                 {"png", f16, u16},
                                                 {"png", u32, u16},
                                                 {"jpg", u16, u8},
                                                 {"exr", u8, f16},
                                                 {"exr", u16, f32},
                                                 {"exr", f64, f32},
                                                 {"hdr", u8, f32},
                                                 {"dpx", f16, f32},
                                                 {"dpx", u32, f64},
                                                 {"tga", u16, u8},
                                                 {"bmp", f32, u8},
                                                 {"webp", u16, u8},
                                                 {"pnm", u16, u8}}) {
        SCOPED_TRACE(std::string(extension) + " " + std::string(name_of(wanted)));
        Image image = make_image(9, 7, 3, u8);
        image.info.type = wanted;
        const auto path = folder / (std::string("a.") + extension);
        const auto report = write_image(image, path);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->type, got);
        EXPECT_THAT(report->notes, ::testing::Contains(::testing::HasSubstr(std::string(name_of(got)))));
        const auto info = probe_image(path);
        ASSERT_TRUE(info) << info.error().message;
        EXPECT_EQ(info->type, got);
    }
}

TEST(WriteImage, HalfThatOverflowsBecomesInfinite) {
    const ScratchFolder folder;
    Image image = make_image(2, 1, 1, f32);
    image.pixels.plane_f32(0)[0] = 1e6F;
    image.pixels.plane_f32(0)[1] = -0.1F;
    ASSERT_TRUE(write_image(image, folder / "a.exr", {.type = f16}));
    const auto read = read_image(folder / "a.exr");
    ASSERT_TRUE(read);
    EXPECT_TRUE(std::isinf(read->pixels.plane_f32(0)[0]));
    EXPECT_NEAR(read->pixels.plane_f32(0)[1], -0.1, 1e-4);
}

// Colour under full transparency is the file's own and stays.
TEST(RoundTrip, AlphaIsNeverMultipliedIn) {
    const ScratchFolder folder;
    for (const char* extension : {"png", "tif", "tga", "bmp", "exr", "dpx"}) {
        SCOPED_TRACE(extension);
        Image image = make_image(16, 16, 4, u8);
        if (std::string(extension) == "exr") image.info.type = f32;
        for (float& a : image.pixels.plane_f32(3)) a = 0.0F;
        const auto path = folder / (std::string("a.") + extension);
        ASSERT_TRUE(write_image(image, path));
        const auto read = read_image(path);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->info.alpha_channel, 3);
        EXPECT_TRUE(same_bits(read->pixels, image.pixels));
        for (const char* other : {"png", "tif", "exr"}) {
            SCOPED_TRACE(other);
            const auto converted = folder / (std::string("b.") + other);
            ASSERT_TRUE(write_image(*read, converted, {.type = std::string(other) == "exr" ? f32 : u8}));
            const auto last = read_image(converted);
            ASSERT_TRUE(last) << last.error().message;
            EXPECT_TRUE(same_bits(last->pixels, image.pixels));
        }
    }
}

}  // namespace
}  // namespace workbench
