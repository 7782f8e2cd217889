// SPDX-License-Identifier: MIT
#include "core/image/output_notes.h"

#include "core/image/source_file.h"

namespace workbench {

namespace {

bool linear_source(const ImageInfo& info) {
    return info.colour_space == "Linear" || info.colour_space == "linear" ||
           info.colour_space == "scene_linear";
}

}  // namespace

bool has_alpha(const OutputRequest& request) {
    return request.from_file ? request.metadata.alpha : request.channels == 2 || request.channels == 4;
}

bool has_straight_alpha(const OutputRequest& request) {
    if (!request.from_file) return true;
    const Format* format = format_by_name(request.metadata.format);
    return (format != nullptr && format->straight_alpha) || request.metadata.straight;
}

std::vector<std::string> output_notes(const OutputRequest& request, const ImageInfo& info,
                                      const Format& format, SampleType wanted) {
    const SampleType type = request.type;
    const std::string_view key = format.name;
    const std::string name = spoken_format(key);
    std::vector<std::string> notes;
    if (type != wanted) {
        notes.push_back(name + " files are not written with " + std::string(name_of(wanted)) +
                        " samples: " + std::string(name_of(type)) + " was written");
    }
    if (is_integer(type) && !is_integer(info.type)) {
        notes.emplace_back("values below 0 and above 1 were clamped to [0, 1], and NaN became 0");
    }
    if (key == "jpeg") notes.push_back(name + " is lossy: samples may change by a few steps");
    if (key == "webp")
        notes.push_back(name + " is written lossy, with colour at half resolution: samples may change");
    if (key == "hdr") {
        notes.push_back(name +
                        " holds 8 bits and a shared exponent for each pixel: samples were rounded, "
                        "and negative ones became 0");
    }
    if (key == "tiff" && request.metadata.exif) {
        notes.emplace_back("the Exif data was left out: OpenImageIO does not write it to TIFF");
    }
    if (has_alpha(request) && format.straight_alpha && !has_straight_alpha(request)) {
        notes.push_back(
            "readers of " + name +
            " expect colour that is not multiplied by alpha; the samples were written as they are");
    }
    if (has_alpha(request) && key == "openexr" && has_straight_alpha(request) && request.from_file) {
        notes.push_back("readers of " + name +
                        " expect colour that is multiplied by alpha; the samples were written as they are");
    }
    if (format.linear_light && !linear_source(info) && !info.colour_space.empty()) {
        notes.push_back("readers of " + name +
                        " expect linear light; the samples were written as they are, in " +
                        info.colour_space);
    }
    if (linear_source(info) && (key == "jpeg" || key == "webp" || key == "bmp" || key == "pnm")) {
        notes.push_back(name +
                        " cannot say that its samples are linear light; they were written as they are");
    }
    return notes;
}

}  // namespace workbench
