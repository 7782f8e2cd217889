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
#include "core/support/text.h"
#include "core/support/try.h"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> bad_source(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " " + why);
}

Result<void> check_kind(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        if (error && error != std::errc::no_such_file_or_directory)
            return bad_source(path, "could not be opened: " + error.message());
        return bad_source(path, "does not exist");
    }
    if (fs::is_directory(status)) return bad_source(path, "is a folder, not an image");
    if (!fs::is_regular_file(status)) return bad_source(path, "is not a regular file");
    return {};
}

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
// What is there may have become something else since it was looked at, hence O_NONBLOCK and the second look.
Result<std::string> look_at(const fs::path& path, OpenSource& source) {
    source.handle = worker::FileHandle(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!source.handle) return bad_source(path, "could not be opened: " + system_words(errno));
    struct stat facts {};
    if (fstat(source.handle.get(), &facts) != 0)
        return bad_source(path, "could not be opened: " + system_words(errno));
    if (!S_ISREG(facts.st_mode)) return bad_source(path, "is not a regular file");
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
    IIR2D_RETURN_IF_ERROR(check_kind(path));
    OpenSource source;
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
