// SPDX-License-Identifier: MIT
// Reading and writing image files, all through OpenImageIO, which runs in a process of its own
// (docs/images.md): a decoder that crashes, hangs or takes too much costs one file, with a sentence.
// Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/image/image.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

struct ReadOptions {
    int image_index = 0;             // page or part
    bool keep_double = false;        // hold a double file as f64; otherwise everything is f32
    std::uint64_t memory_limit = 0;  // bytes; 0: three quarters of the machine's free memory
};

// Header only. cancelled when `stop` asked; bad_input for a file that is missing, empty, not an image, or
// whose header is absurd.
Result<ImageInfo> probe_image(const std::filesystem::path& path, int image_index = 0,
                              const std::stop_token& stop = {});

// Returns the names of all pages or parts of a file: what it says, or "page 1" and so on.
Result<std::vector<std::string>> image_names(const std::filesystem::path& path,
                                             const std::stop_token& stop = {});

// Reads the pixels, upright. Stops between chunks of rows when asked. Truncated files are errors, never half
// images.
Result<Image> read_image(const std::filesystem::path& path, const ReadOptions& options = {},
                         const TaskControl& control = {});

struct WriteOptions {
    std::optional<SampleType> type;  // absent: the image's own, as far as the format can hold it
};
struct WriteReport {
    SampleType type = SampleType::f32;  // what was written
    std::vector<std::string> notes;     // what the format could not hold, in sentences
};

// Whole or not at all. Integer outputs are clamped to [0, 1] and rounded to nearest. Metadata and colour
// space are carried as far as the format holds them. Formats that hold fewer channels are an error naming
// both.
Result<WriteReport> write_image(const Image& image, const std::filesystem::path& path,
                                const WriteOptions& options = {}, const TaskControl& control = {});

// Checks whether an image could be written there, as far as that can be known without writing: the name, its
// folder, and, given the shape, the size and channels that the format holds. What write_image() would say,
// earlier.
Result<void> check_output(const std::filesystem::path& path,
                          const std::optional<iir2d::Shape>& shape = std::nullopt);
// Returns the sample types that a file of this name can be written with.
Result<std::vector<SampleType>> writable_types(const std::filesystem::path& path);

// Returns what this installation of OpenImageIO reads and writes.
struct FormatAbility {
    std::string name;
    std::vector<std::string> extensions;
    bool reads = false;
    bool writes = false;
};
Result<std::vector<FormatAbility>> image_formats();

// Starts what reads and writes images in the background, so that the first image need not wait for it.
void warm_up_images();

// Extensions for file dialogues, with the dot-less lower-case spelling: "png", "jpg", ...
const std::vector<std::string>& readable_extensions();
const std::vector<std::string>& writable_extensions();

struct Comparison {
    double max_abs = 0;
    std::int64_t max_ulp = 0;  // in the units of float32, or float64 when both are f64
    double rmse = 0;
    double psnr_db = 0;  // against a peak of 1; infinite when equal
    std::int64_t worst_x = 0;
    std::int64_t worst_y = 0;
    int worst_channel = 0;
    std::int64_t nan_mismatches = 0;  // places where just one of the two is NaN
};
// bad_input when sizes or channel counts differ.
Result<Comparison> compare_images(const PlanarImage& a, const PlanarImage& b);

}  // namespace workbench
