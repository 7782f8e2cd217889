// SPDX-License-Identifier: MIT
// Images for the tests of the window.
#pragma once

#include <gmock/gmock.h>

#include <QTemporaryDir>
#include <filesystem>

#include "core/image/image.h"
#include "core/image/image_io.h"

namespace workbench::testing {

// RGB, red grows along x, green along y, blue is `blue`.
inline Image gradient(std::int64_t w, std::int64_t h, float blue = 0.5F, SampleType type = SampleType::u8) {
    Image image;
    image.pixels = PlanarImage(w, h, 3, iir2d::ElementType::f32);
    for (std::int64_t y = 0; y < h; ++y) {
        for (std::int64_t x = 0; x < w; ++x) {
            const auto i = std::size_t(y * w + x);
            image.pixels.plane_f32(0)[i] = float(x) / float(w);
            image.pixels.plane_f32(1)[i] = float(y) / float(h);
            image.pixels.plane_f32(2)[i] = blue;
        }
    }
    image.info.width = w;
    image.info.height = h;
    image.info.channels = 3;
    image.info.channel_names = {"R", "G", "B"};
    image.info.type = type;
    return image;
}

inline std::filesystem::path written(const QTemporaryDir& folder, const char* name, const Image& image) {
    const auto path = std::filesystem::path(folder.path().toStdString()) / name;
    const auto result = write_image(image, path);
    EXPECT_TRUE(result) << result.error().message;
    return path;
}

inline QString text(const std::filesystem::path& path) {
    return QString::fromStdString(path.string());
}

}  // namespace workbench::testing
