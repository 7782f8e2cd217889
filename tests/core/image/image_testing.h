// SPDX-License-Identifier: MIT
// What the tests of core/image share: a folder of their own, images with known samples, comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/image/image.h"
#include "core/image/image_io.h"

namespace workbench::testing {

// A new folder that is removed with everything in it.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
    // Everything in it, hidden files too, by name.
    std::vector<std::string> names() const;

  private:
    std::filesystem::path m_path;
};

// Samples that the type holds exactly, all different where there is room, with the extremes among them.
Image make_image(std::int64_t width, std::int64_t height, int channels, SampleType type);

// A smooth picture, as lossy formats like them.
Image smooth_image(std::int64_t width, std::int64_t height, int channels, SampleType type);

// Whether every sample of the two has the same bits (NaN included).
bool same_bits(const PlanarImage& a, const PlanarImage& b);

std::string bytes_of(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace workbench::testing
