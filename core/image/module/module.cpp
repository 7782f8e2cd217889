// SPDX-License-Identifier: MIT
// The one function that the image module exports.
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/strutil.h>

#include <algorithm>

#include "core/image/codec.h"
#include "core/image/module/decoder.h"
#include "core/image/module/encoder.h"
#include "core/image/module/oiio_support.h"
#include "core/image/module_fingerprint.h"

namespace workbench {

namespace {

std::string library_version() {
    const int version = OIIO::openimageio_version();  // 10000 major + 100 minor + patch
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

// The names that a list of OpenImageIO's has: "png,jpeg,...".
std::vector<std::string> listed(const char* attribute) {
    return OIIO::Strutil::splits(OIIO::get_string_attribute(attribute), ",");
}

// By what OpenImageIO says: some readers start half a world when they are only made.
std::vector<FormatAbility> abilities() {
    const auto readers = listed("input_format_list");
    const auto writers = listed("output_format_list");
    std::vector<FormatAbility> all;
    for (const auto& [name, extensions] : OIIO::get_extension_map()) {
        all.push_back({.name = name,
                       .extensions = extensions,
                       .reads = std::ranges::count(readers, name) > 0,
                       .writes = std::ranges::count(writers, name) > 0});
    }
    return all;
}

constexpr ImagesModule table{.fingerprint = module_fingerprint,
                             .open = open_decoder,
                             .names = names_in,
                             .create = create_encoder,
                             .formats = abilities,
                             .version = library_version};

}  // namespace

}  // namespace workbench

#if defined(_WIN32)
#define IIR2D_IMAGES_EXPORT __declspec(dllexport)
#else
#define IIR2D_IMAGES_EXPORT __attribute__((visibility("default")))
#endif

extern "C" IIR2D_IMAGES_EXPORT const workbench::ImagesModule* iir2d_images_module() {
    return &workbench::table;
}
