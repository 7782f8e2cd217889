// SPDX-License-Identifier: MIT
#include "ui/picture/pixel_text.h"

#include <gmock/gmock.h>

#include <QLocale>
#include <cmath>
#include <limits>

namespace workbench {
namespace {

ImageInfo infoOf(SampleType type, int bits = 0) {
    ImageInfo info;
    info.type = type;
    info.bits_per_sample = bits;
    info.channels = 3;
    info.channel_names = {"R", "G", "B"};
    info.width = 4;
    info.height = 2;
    return info;
}

TEST(PixelText, IntegersCountAsInTheFile) {
    EXPECT_EQ(sampleText(1.0, infoOf(SampleType::u8)), QStringLiteral("255"));
    EXPECT_EQ(sampleText(127 / 255.0, infoOf(SampleType::u8)), QStringLiteral("127"));
    EXPECT_EQ(sampleText(1.0, infoOf(SampleType::u16)), QStringLiteral("65535"));
    EXPECT_EQ(sampleText(12345 / 65535.0, infoOf(SampleType::u16)), QStringLiteral("12345"));
    EXPECT_EQ(sampleText(1.0, infoOf(SampleType::u32)), QStringLiteral("4294967295"));
    EXPECT_EQ(sampleText(1.0, infoOf(SampleType::u16, 10)), QStringLiteral("1023"));
}

// Every 8- and 16-bit value comes back from its float.
TEST(PixelText, EveryIntegerComesBack) {
    for (int i = 0; i < 65536; i += 7) {
        EXPECT_EQ(sampleText(double(float(i) / 65535.0F), infoOf(SampleType::u16)), QString::number(i));
    }
    for (int i = 0; i < 256; ++i) {
        EXPECT_EQ(sampleText(double(float(i) / 255.0F), infoOf(SampleType::u8)), QString::number(i));
    }
}

TEST(PixelText, ResultsBeyondTheRangeShow) {
    EXPECT_EQ(sampleText(1.1, infoOf(SampleType::u8)), QStringLiteral("281"));
    EXPECT_EQ(sampleText(-0.1, infoOf(SampleType::u8)), QStringLiteral("-26"));
}

TEST(PixelText, FloatsAreAsTheyAre) {
    EXPECT_EQ(sampleText(0.25, infoOf(SampleType::f32)), QStringLiteral("0.25"));
    EXPECT_EQ(sampleText(4.0, infoOf(SampleType::f16)), QStringLiteral("4"));
    EXPECT_EQ(sampleText(std::nan(""), infoOf(SampleType::f32)), QStringLiteral("NaN"));
    EXPECT_EQ(sampleText(std::numeric_limits<double>::infinity(), infoOf(SampleType::f32)),
              QStringLiteral("+Inf"));
}

TEST(PixelText, APixelNamesItsChannels) {
    Image image;
    image.info = infoOf(SampleType::u8);
    image.pixels = PlanarImage(4, 2, 3, iir2d::ElementType::f32);
    image.pixels.plane_f32(1)[5] = 1.0F;
    EXPECT_EQ(pixelText(image, 1, 1), QStringLiteral("R 0  G 255  B 0"));
    EXPECT_EQ(pixelText(image, 4, 0), QString());
    EXPECT_EQ(pixelText(image, 0, -1), QString());
    EXPECT_EQ(pixelText(image, 1, 1, 2), QStringLiteral("R 0  G 255  …"));
}

TEST(PixelText, SumsUpNonFiniteSamples) {
    EXPECT_EQ(nonFiniteText({{}, {}}), QString());
    EXPECT_EQ(nonFiniteText({{.nan_count = 2}, {.nan_count = 1, .infinity_count = 4}}),
              QStringLiteral("3 NaN, 4 infinite"));
}

TEST(PixelText, SummarisesAnImage) {
    EXPECT_EQ(summaryText(infoOf(SampleType::u8)), QStringLiteral("4 × 2 · RGB · 8-bit"));
    ImageInfo gray = infoOf(SampleType::f16);
    gray.channels = 1;
    gray.channel_names = {"Y"};
    EXPECT_EQ(summaryText(gray), QStringLiteral("4 × 2 · gray · half float"));
    ImageInfo many = infoOf(SampleType::f32);
    many.channels = 12;
    EXPECT_EQ(summaryText(many), QStringLiteral("4 × 2 · 12 channels · 32-bit float"));
}

TEST(PixelText, KnowsWhatIsLight) {
    EXPECT_TRUE(isSceneLinear(infoOf(SampleType::f32)));
    EXPECT_FALSE(isSceneLinear(infoOf(SampleType::u8)));
    ImageInfo encoded = infoOf(SampleType::f32);
    encoded.colour_space = "sRGB";
    EXPECT_FALSE(isSceneLinear(encoded));
    ImageInfo linear = infoOf(SampleType::u16);
    linear.colour_space = "Linear";
    EXPECT_TRUE(isSceneLinear(linear));
}

TEST(PixelText, Numbers) {
    QLocale::setDefault(QLocale::c());
    EXPECT_EQ(zoomText(1.0), QStringLiteral("100 %"));
    EXPECT_EQ(zoomText(1.0 / 16), QStringLiteral("6.25 %"));
    EXPECT_EQ(zoomText(1.0 / 3), QStringLiteral("33.3 %"));
    EXPECT_EQ(computeTimeText(1234.5), QStringLiteral("1.23 s"));
    EXPECT_EQ(computeTimeText(1.234), QStringLiteral("1.23 ms"));
    EXPECT_EQ(computeTimeText(12.34), QStringLiteral("12.3 ms"));
}

TEST(PixelText, PartsOfARunOnAGpu) {
    QLocale::setDefault(QLocale::c());
    const auto parts = runParts({.upload_ms = 1.5,
                                 .compute_ms = 0.25,
                                 .download_ms = 20.5,
                                 .uploaded_bytes = 3 << 20,
                                 .downloaded_bytes = 1536});
    ASSERT_EQ(parts.size(), 3);
    EXPECT_EQ(parts[0].first, QStringLiteral("Upload"));
    EXPECT_EQ(parts[0].second, QStringLiteral("1.50 ms, 3.0 MiB"));
    EXPECT_EQ(parts[1].second, QStringLiteral("0.25 ms"));
    EXPECT_EQ(parts[2].second, QStringLiteral("20.5 ms, 1.5 KiB"));
    EXPECT_EQ(runParts({.compute_ms = 1.0})[0].second, QStringLiteral("none")) << "it was there already";
}

}  // namespace
}  // namespace workbench
