// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <new>
#include <thread>

#include "core/image/formats.h"
#include "core/image/image_io.h"
#include "core/image/library_version.h"
#include "core/image/memory_need.h"
#include "core/image/session.h"
#include "core/support/counted.h"
#include "core/support/memory.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

Result<void> check_memory(const fs::path& path, const ImageInfo& info, bool as_double, std::uint64_t limit) {
    // What a caller allows is for the pixels; what the machine has must do for the decoder, too.
    std::uint64_t needed = memory_of_samples(info, as_double);
    if (limit == 0) {
        needed = memory_to_read(info, as_double);
        const auto available = available_memory_bytes();
        if (!available) return {};  // the allocation itself is the check
        limit = *available / 4 * 3;
    }
    if (needed <= limit) return {};
    return fail(ErrorKind::bad_input,
                fmt::format("{} is {} x {} pixels and needs {} of memory; {} can be used", quoted(path),
                            info.width, info.height, mebibytes(needed), mebibytes(limit)));
}

Result<Image> read_file(const fs::path& path, const ReadOptions& options, const TaskControl& control) {
    IIR2D_TRY(auto source, open_source(path));
    if (control.cancelled()) return fail(ErrorKind::cancelled, "reading was cancelled");
    IIR2D_TRY(auto session, image_sessions().read(std::move(source), options.image_index, control.stop));
    Image image;
    image.info = session->info();
    const bool as_double = options.keep_double && image.info.type == SampleType::f64;
    IIR2D_RETURN_IF_ERROR(check_memory(path, image.info, as_double, options.memory_limit));
    image.info.memory_bytes = memory_of_samples(image.info, as_double);

    TaskControl named{.stop = control.stop, .progress = {}};
    if (control.progress) {
        const std::string doing = "reading " + printable_utf8(utf8_path(path.filename()));
        named.progress = [&control, doing](double fraction, std::string_view) {
            control.progress(fraction, doing);
        };
    }
    IIR2D_TRY(auto pixels,
              session->pixels(as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32, named));
    image.pixels = std::move(pixels);
    IIR2D_TRY(auto metadata, session->metadata());
    image.metadata = std::make_shared<const FileMetadata>(std::move(metadata));
    return image;
}

// What the system has no memory for.
template <class T, class Body>
Result<T> guarded(const fs::path& path, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::bad_input, quoted(path) + " needs more memory than there is");
    }
}

}  // namespace

Result<ImageInfo> probe_image(const fs::path& path, int image_index, const std::stop_token& stop) {
    return guarded<ImageInfo>(path, [&]() -> Result<ImageInfo> {
        IIR2D_TRY(auto source, open_source(path));
        return image_sessions().header(std::move(source), image_index, stop);
    });
}

Result<std::vector<std::string>> image_names(const fs::path& path, const std::stop_token& stop) {
    return guarded<std::vector<std::string>>(path, [&]() -> Result<std::vector<std::string>> {
        IIR2D_TRY(auto source, open_source(path));
        return image_sessions().names(std::move(source), stop);
    });
}

Result<Image> read_image(const fs::path& path, const ReadOptions& options, const TaskControl& control) {
    return guarded<Image>(path, [&] { return read_file(path, options, control); });
}

Result<std::vector<FormatAbility>> image_formats() {
    return image_sessions().formats();
}

std::string image_library_version() {
    const auto version = image_sessions().version();
    return version ? *version : "not available: " + version.error().message;
}

void warm_up_images() {
    ImageSessions& sessions = image_sessions();
    // Asked to stop and joined when the program ends, before the sessions end.
    static const std::jthread starter([&sessions](const std::stop_token& stop) { sessions.warm_up(stop); });
}

const std::vector<std::string>& readable_extensions() {
    return writable_extensions();
}

const std::vector<std::string>& writable_extensions() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> extensions;
        for (const Format& format : formats())
            extensions.insert(extensions.end(), format.extensions.begin(), format.extensions.end());
        return extensions;
    }();
    return all;
}

}  // namespace workbench
