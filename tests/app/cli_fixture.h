// SPDX-License-Identifier: MIT
// What the tests of the command line's contract share: a folder with images that have channels and types.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/image/image_io.h"
#include "tests/app/cli_folder.h"

namespace app_test {

const std::string sample = std::string(IIR2D_SOURCE_DIR) + "/resources/samples/astronaut.png";

class Cli : public CliFolder {
  protected:
    // A small float image with a gradient in each channel, offset by the channel.
    std::string make_image(const std::string& name, int width, int height, int channels,
                           workbench::SampleType type = workbench::SampleType::f32) const {
        workbench::Image image;
        image.pixels = workbench::PlanarImage(width, height, channels, iir2d::ElementType::f32);
        for (int c = 0; c < channels; ++c) {
            auto plane = image.pixels.plane_f32(c);
            for (std::size_t i = 0; i < plane.size(); ++i) {
                plane[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(c) * 11) % 101) / 101.0F;
            }
        }
        image.info.width = width;
        image.info.height = height;
        image.info.channels = channels;
        image.info.type = type;
        const auto written = workbench::write_image(image, path(name));
        EXPECT_TRUE(written) << (written ? "" : written.error().message);
        return path(name);
    }
};

}  // namespace app_test
