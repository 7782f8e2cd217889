// SPDX-License-Identifier: MIT
// What opening an image takes: medians of 7, of 24 megapixels as PNG, TIFF and EXR when no file is named.
//
//     measure_opening [FILE...]                            through the image worker
//     IIR2D_IMAGES_IN_PROCESS=1 measure_opening [FILE...]  in this process
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/image/image_io.h"
#include "core/support/text.h"

namespace {

namespace fs = std::filesystem;
using namespace workbench;

constexpr int rounds = 7;

// A gradient with some texture: neither the best nor the worst case of a compression.
Image picture(SampleType type) {
    Image image;
    image.pixels = PlanarImage::uninitialised(6000, 4000, 3, iir2d::ElementType::f32);
    for (int c = 0; c < 3; ++c) {
        const auto plane = image.pixels.plane_f32(c);
        for (std::size_t i = 0; i < plane.size(); ++i) {
            const auto x = static_cast<double>(i % 6000), y = static_cast<double>(i / 6000);
            plane[i] =
                static_cast<float>((x / 6000 + y / 4000) / 2.1 + static_cast<double>(i * 7 % 13) / 400);
        }
    }
    image.info.width = 6000;
    image.info.height = 4000;
    image.info.channels = 3;
    image.info.type = type;
    return image;
}

std::vector<fs::path> made_files() {
    const fs::path folder = fs::temp_directory_path() / "iir2d-measure-opening";
    fs::create_directories(folder);
    std::vector<fs::path> files;
    for (const auto& [name, type] : {std::pair{"a.png", SampleType::u8}, std::pair{"a.tif", SampleType::u8},
                                     std::pair{"a.exr", SampleType::f16}}) {
        files.push_back(folder / name);
        if (fs::exists(files.back())) continue;
        if (const auto written = write_image(picture(type), files.back()); !written)
            std::fprintf(stderr, "%s\n", written.error().message.c_str());
    }
    return files;
}

double milliseconds_to_open(const fs::path& file) {
    const auto begin = std::chrono::steady_clock::now();
    const auto image = read_image(file);
    const auto time = std::chrono::steady_clock::now() - begin;
    if (!image) std::fprintf(stderr, "%s\n", image.error().message.c_str());
    return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<fs::path> files(argv + 1, argv + argc);
    if (files.empty()) files = made_files();
    for (const fs::path& file : files) {
        milliseconds_to_open(file);  // starts the worker, and brings the file into memory
        std::vector<double> times;
        for (int i = 0; i < rounds; ++i) times.push_back(milliseconds_to_open(file));
        std::ranges::sort(times);
        std::printf("%-40s median %.0f ms, least %.0f ms\n", utf8_path(file).c_str(), times[rounds / 2],
                    times.front());
    }
    return 0;
}
