// SPDX-License-Identifier: MIT
#include "core/image/output_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "core/image/image_io.h"
#include "core/support/atomic_file.h"
#include "core/support/listed.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::string list_of_extensions() {
    std::string all;
    for (const Format& format : formats())
        all += (all.empty() ? "." : ", .") + std::string(format.extensions.front());
    return all;
}

}  // namespace

Result<const Format*> format_for(const fs::path& path) {
    if (path.extension().empty()) {
        return unwritable(path, "its name has no extension that says which format is wanted: use one of " +
                                    list_of_extensions());
    }
    const std::string extension = utf8_path(path.extension());
    if (const Format* format = format_by_extension(extension)) return format;
    return unwritable(path, "\"" + printable_utf8(extension) +
                                "\" is not a format that can be written: use one of " + list_of_extensions());
}

Result<void> check_fits(const fs::path& path, const Format& format, std::int64_t width, std::int64_t height,
                        std::int64_t channels) {
    if (channels < 1 || width < 1 || height < 1) return unwritable(path, "the image has no pixels");
    if (width > format.largest_side || height > format.largest_side) {
        return unwritable(path,
                          fmt::format("{} holds at most {} pixels a side and the image is {} x {}: choose "
                                      "another format, such as TIFF",
                                      format.name, format.largest_side, width, height));
    }
    if (format.channels.empty() || std::ranges::count(format.channels, channels) > 0) return {};
    if (format.alpha_is_spoilt && channels == 4) {
        return unwritable(path,
                          fmt::format("OpenImageIO changes the colours of {} images with alpha and the image "
                                      "has {} channels: choose another format, such as PNG",
                                      format.name, channels));
    }
    const std::string possible =
        joined(format.channels, " or ", [](int count) { return std::to_string(count); });
    return unwritable(path,
                      fmt::format("{} holds {} channels and the image has {}: choose another format, such as "
                                  "TIFF or EXR",
                                  format.name, possible, channels));
}

Result<void> check_place(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return unwritable(path, "it names a folder");
    if (fs::exists(status) && !fs::is_regular_file(status))
        return unwritable(path, "it is not a regular file");
    // A link to a file that is not there yet has another folder.
    if (fs::is_symlink(path, error)) return {};
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error))
        return unwritable(path, "the folder " + quoted(folder) + " does not exist");
    return {};
}

Result<void> check_output(const fs::path& path, const std::optional<iir2d::Shape>& shape) {
    IIR2D_TRY(const auto format, format_for(path));
    IIR2D_RETURN_IF_ERROR(check_place(path));
    return shape ? check_fits(path, *format, shape->w, shape->h, shape->c) : Result<void>();
}

Result<std::vector<SampleType>> writable_types(const fs::path& path) {
    IIR2D_TRY(const auto format, format_for(path));
    return format->types;
}

}  // namespace workbench
