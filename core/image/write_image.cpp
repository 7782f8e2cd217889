// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <new>

#include "core/image/formats.h"
#include "core/image/image_io.h"
#include "core/image/output_check.h"
#include "core/image/output_notes.h"
#include "core/image/session.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

int descriptor_of(std::FILE* file) {
#if defined(_WIN32)
    return _fileno(file);
#else
    return fileno(file);
#endif
}

// The limit of this process on the size of files, which a worker that started earlier does not have.
std::uint64_t largest_file() {
#if !defined(_WIN32)
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return limit.rlim_cur;
#endif
    return std::numeric_limits<std::uint64_t>::max();
}

Result<void> write_rows(ImageEncoder& encoder, const PlanarImage& pixels, const fs::path& path,
                        const TaskControl& control) {
    const std::int64_t height = pixels.height();
    const std::int64_t chunk = rows_to_write_at_a_time(pixels.width(), pixels.channels(), height);
    const std::string doing = "writing " + printable_utf8(utf8_path(path.filename()));
    const iir2d::ConstTensorView all = pixels.view();
    for (std::int64_t y = 0; y < height; y += chunk) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "writing was cancelled");
        iir2d::ConstTensorView rows = all;
        rows.data = static_cast<const std::byte*>(all.data) +
                    static_cast<std::size_t>(y * pixels.width()) * iir2d::element_size(all.type);
        rows.shape.h = std::min(chunk, height - y);
        rows.plane_stride = pixels.plane_size();
        IIR2D_RETURN_IF_ERROR(encoder.write(rows));
        control.report(static_cast<double>(y + rows.shape.h) / static_cast<double>(height), doing);
    }
    return encoder.finish();
}

Result<WriteReport> write_file(const Image& image, const fs::path& path, const WriteOptions& options,
                               const TaskControl& control) {
    IIR2D_TRY(const auto format, format_for(path));
    const PlanarImage& pixels = image.pixels;
    IIR2D_RETURN_IF_ERROR(check_fits(path, *format, pixels.width(), pixels.height(), pixels.channels()));
    IIR2D_RETURN_IF_ERROR(check_place(path));
    if (control.cancelled()) return fail(ErrorKind::cancelled, "writing was cancelled");

    IIR2D_TRY(auto atomic, AtomicFile::create(path));
    const SampleType wanted = options.type.value_or(image.info.type);
    const OutputRequest request{.path = utf8_path(path),
                                .descriptor = descriptor_of(atomic.handle()),
                                .most_bytes = largest_file(),
                                .format = std::string(format->name),
                                .type = nearest_type(*format, wanted),
                                .width = pixels.width(),
                                .height = pixels.height(),
                                .channels = pixels.channels(),
                                .from_file = image.metadata != nullptr,
                                .metadata = image.metadata ? *image.metadata : FileMetadata{}};
    IIR2D_TRY(auto encoder, image_sessions().write(request, control.stop));
    IIR2D_RETURN_IF_ERROR(write_rows(*encoder, pixels, path, control));
    encoder.reset();  // its descriptor is another one of the file: Windows renames and removes no open file
    IIR2D_RETURN_IF_ERROR(atomic.commit());
    return WriteReport{.type = request.type, .notes = output_notes(request, image.info, *format, wanted)};
}

}  // namespace

Result<WriteReport> write_image(const Image& image, const fs::path& path, const WriteOptions& options,
                                const TaskControl& control) {
    try {
        return write_file(image, path, options, control);
    } catch (const std::bad_alloc&) {
        return unwritable(path, "there is not enough memory");
    }
}

}  // namespace workbench
