// SPDX-License-Identifier: MIT
// Inside core/image only: what we know of the file formats that OpenImageIO does not say, or says by doing
// the wrong thing (dropping channels, aborting). The ten here are those that are written, and tested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/image/image.h"

namespace workbench {

struct Format {
    std::string_view name;  // OpenImageIO's
    std::vector<std::string_view> extensions;
    std::vector<int> channels;      // that it holds; empty: 1 to 64
    std::vector<SampleType> types;  // that its writer can write
    std::int64_t largest_side = 0;
    bool straight_alpha = false;   // readers expect colour that is not multiplied by alpha
    bool linear_light = false;     // readers expect scene-linear samples
    bool alpha_is_spoilt = false;  // OpenImageIO changes colour by alpha, and not back
};

const std::vector<Format>& formats();
const Format* format_by_name(std::string_view name);            // null: none of ours
const Format* format_by_extension(std::string_view extension);  // with or without the dot, any case

// Returns OpenImageIO's name of the format whose files start with these bytes, ours or another; empty when
// unknown. TGA files have no such mark.
std::string_view format_of_content(std::string_view first_bytes);
constexpr std::size_t bytes_to_tell_format = 16;

// Returns the type of `format` that keeps most of `wanted`.
SampleType nearest_type(const Format& format, SampleType wanted);

}  // namespace workbench
