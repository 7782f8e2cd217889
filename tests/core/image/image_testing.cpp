// SPDX-License-Identifier: MIT
#include "tests/core/image/image_testing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

namespace workbench::testing {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
    static std::atomic<int> counter{0};
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info == nullptr ? "none" : std::string(info->test_suite_name()) + "." + info->name();
    std::ranges::replace(name, '/', '.');
    m_path = fs::path(::testing::TempDir()) /
             ("iir2d-image-" + name + "-" + std::to_string(counter++) + "-" + std::to_string(::getpid()));
    fs::remove_all(m_path);
    fs::create_directories(m_path);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

std::vector<std::string> ScratchFolder::names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(m_path)) all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
}

namespace {

double exact_sample(std::int64_t i, SampleType type) {
    switch (type) {
        case SampleType::u8:
            return static_cast<float>(i % 256) / 255.0F;
        case SampleType::u16:
            return static_cast<float>(i * 257 % 65536) / 65535.0F;
        case SampleType::u32:
            // Values that a float holds: those of 16 bits, repeated.
            return static_cast<double>(static_cast<float>(static_cast<double>(i * 257 % 65536) / 65535.0));
        case SampleType::f16:
            return static_cast<double>(i % 2039 - 700) / 64.0;  // at most 11 bits, as a half has
        case SampleType::f32:
            return static_cast<double>(static_cast<float>(i - 300) / 97.0F);
        case SampleType::f64:
            return static_cast<double>(i - 300) / 97.0;
    }
    return 0;
}

void set(PlanarImage& pixels, int c, std::int64_t i, double value) {
    const auto at = static_cast<std::size_t>(i);
    if (pixels.type() == iir2d::ElementType::f64) {
        pixels.plane_f64(c)[at] = value;
    } else {
        pixels.plane_f32(c)[at] = static_cast<float>(value);
    }
}

Image blank(std::int64_t width, std::int64_t height, int channels, SampleType type) {
    Image image;
    image.pixels = PlanarImage(width, height, channels,
                               type == SampleType::f64 ? iir2d::ElementType::f64 : iir2d::ElementType::f32);
    image.info.width = width;
    image.info.height = height;
    image.info.channels = channels;
    image.info.type = type;
    return image;
}

}  // namespace

Image make_image(std::int64_t width, std::int64_t height, int channels, SampleType type) {
    Image image = blank(width, height, channels, type);
    for (int c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < width * height; ++i)
            set(image.pixels, c, i, exact_sample(i * channels + c * 37 + 1, type));
    }
    // The extremes of the type, where they fit.
    std::vector<double> extremes;
    const double infinity = std::numeric_limits<double>::infinity();
    if (is_integer(type)) {
        extremes = {0.0, 1.0};
    } else if (type == SampleType::f16) {
        extremes = {65504.0, -65504.0, 5.9604644775390625e-8, -0.0, infinity, -infinity, std::nan("")};
    } else if (type == SampleType::f32) {
        extremes = {std::numeric_limits<float>::max(),
                    std::numeric_limits<float>::denorm_min(),
                    -0.0,
                    infinity,
                    -infinity,
                    std::nan("")};
    } else {
        extremes = {std::numeric_limits<double>::max(),
                    std::numeric_limits<double>::denorm_min(),
                    -0.0,
                    infinity,
                    -infinity,
                    std::nan("")};
    }
    for (std::size_t i = 0; i < extremes.size() && i + 1 < static_cast<std::size_t>(width * height); ++i)
        set(image.pixels, channels - 1, static_cast<std::int64_t>(i), extremes[i]);
    return image;
}

Image smooth_image(std::int64_t width, std::int64_t height, int channels, SampleType type) {
    Image image = blank(width, height, channels, type);
    for (int c = 0; c < channels; ++c) {
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                const double u = static_cast<double>(x) / static_cast<double>(width);
                const double v = static_cast<double>(y) / static_cast<double>(height);
                const double value = 0.5 + 0.2 * std::sin(3 * u + c) + 0.2 * std::cos(2 * v);
                set(image.pixels, c, y * width + x, std::floor(value * 255 + 0.5) / 255);
            }
        }
    }
    return image;
}

bool same_bits(const PlanarImage& a, const PlanarImage& b) {
    return a.width() == b.width() && a.height() == b.height() && a.channels() == b.channels() &&
           a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace workbench::testing
