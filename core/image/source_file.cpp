// SPDX-License-Identifier: MIT
#include "core/image/source_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/image/formats.h"
#include "core/support/atomic_file.h"
#include "core/support/input_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> bad_source(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " " + why);
}

std::unexpected<Error> refused(const fs::path& path, const NotOpened& failure) {
    if (failure.error == ENOENT || failure.error == ENOTDIR) return bad_source(path, "does not exist");
    if (failure.error != 0) return bad_source(path, "could not be opened: " + system_words(failure.error));
    if (failure.type == fs::file_type::directory) return bad_source(path, "is a folder, not an image");
    return bad_source(path, "is not a regular file");
}

// Returns the first bytes of the file that is open.
#if defined(_WIN32)
Result<std::string> look_at(const fs::path& path, OpenSource& source) {
    std::error_code error;
    source.size = fs::file_size(path, error);
    if (error) return bad_source(path, "could not be opened: " + error.message());
    std::ifstream stream(path, std::ios::binary);
    std::string first(bytes_to_tell_format, '\0');
    stream.read(first.data(), static_cast<std::streamsize>(first.size()));
    first.resize(static_cast<std::size_t>(stream.gcount()));
    return first;
}
#else
Result<std::string> look_at(const fs::path& path, OpenSource& source) {
    struct stat facts {};
    if (fstat(source.handle.get(), &facts) != 0)
        return bad_source(path, "could not be opened: " + system_words(errno));
    source.size = static_cast<std::uint64_t>(facts.st_size);
    source.file.descriptor = source.handle.get();
    std::string first(bytes_to_tell_format, '\0');
    const ssize_t got = pread(source.handle.get(), first.data(), first.size(), 0);
    if (got < 0) return bad_source(path, "could not be read: " + system_words(errno));
    first.resize(static_cast<std::size_t>(got));
    return first;
}
#endif

}  // namespace

std::string spoken_format(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> own{{{"openexr", "OpenEXR"},
                                                                                {"jpeg2000", "JPEG 2000"},
                                                                                {"webp", "WebP"},
                                                                                {"cineon", "Cineon"},
                                                                                {"targa", "Targa"},
                                                                                {"hdr", "Radiance HDR"}}};
    const auto known = std::ranges::find(own, name, &std::pair<std::string_view, std::string_view>::first);
    if (known != own.end()) return std::string(known->second);
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return upper;
}

Result<OpenSource> open_source(const fs::path& path) {
    auto opened = open_regular_file(path);
    if (!opened) return refused(path, opened.error());
    OpenSource source;
#if !defined(_WIN32)
    source.handle = *std::move(opened);
#endif
    source.file.path = utf8_path(path);
    IIR2D_TRY(const auto first, look_at(path, source));
    if (source.size == 0) return bad_source(path, "is empty");
    std::string_view format = format_of_content(first);
    const std::string extension = printable_utf8(utf8_path(path.extension()));
    if (format.empty() && extension.size() > 1) format = std::string_view(extension).substr(1);
    source.format = format.empty() ? "image" : spoken_format(format);
    return source;
}

}  // namespace workbench
