// SPDX-License-Identifier: MIT
#include "core/synth/shards.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>

#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench::synth {

namespace {

constexpr std::size_t longest = std::size_t{4} << 30;

la_ssize_t append(archive*, void* to, const void* bytes, std::size_t count) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
    return static_cast<la_ssize_t>(count);
}

}  // namespace

Result<std::string> compressed_lines(const std::vector<std::string>& lines) {
    std::string made;
    const std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive* const a = writer.get();
    const auto failed = [&] {
        const char* const why = archive_error_string(a);
        return fail(ErrorKind::unwritable_output,
                    std::string("lines cannot be compressed: ") + (why ? why : "no memory"));
    };
    if (archive_write_set_format_raw(a) != ARCHIVE_OK || archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
        archive_write_set_filter_option(a, "zstd", "compression-level", "3") != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||  // no zeros behind the end
        archive_write_open(a, &made, nullptr, append, nullptr) != ARCHIVE_OK)
        return failed();
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    if (archive_write_header(a, entry.get()) != ARCHIVE_OK) return failed();
    for (const std::string& line : lines) {
        if (archive_write_data(a, line.data(), line.size()) != static_cast<la_ssize_t>(line.size()) ||
            archive_write_data(a, "\n", 1) != 1)
            return failed();
    }
    if (archive_write_close(a) != ARCHIVE_OK) return failed();
    return made;
}

Result<void> for_each_line(const std::filesystem::path& path,
                           const std::function<Result<void>(std::string&&)>& take) {
    IIR2D_TRY(const std::string bytes, read_file(path));
    const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
    archive* const a = reader.get();
    const auto failed = [&] {
        const char* const why = archive_error_string(a);
        return fail(ErrorKind::bad_input, path.string() + " cannot be read: " + (why ? why : "it is cut"));
    };
    archive_read_support_filter_zstd(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    archive_entry* entry = nullptr;
    if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) return failed();
    const int opened = archive_read_next_header(a, &entry);
    if (opened == ARCHIVE_EOF) return {};
    if (opened != ARCHIVE_OK) return failed();
    // Of a file that is not compressed, and not by Zstandard, the bytes are taken as they are.
    if (archive_filter_code(a, 0) != ARCHIVE_FILTER_ZSTD)
        return fail(ErrorKind::bad_input, path.string() + " is not compressed by Zstandard");
    std::array<char, 65536> part{};
    std::string line;
    std::size_t total = 0;
    for (;;) {
        const la_ssize_t count = archive_read_data(a, part.data(), part.size());
        if (count < 0) return failed();
        if (count == 0) break;
        total += static_cast<std::size_t>(count);
        if (total > longest) return fail(ErrorKind::bad_input, path.string() + " is longer than 4 GiB");
        std::string_view rest(part.data(), static_cast<std::size_t>(count));
        for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
            line += rest.substr(0, end);
            rest.remove_prefix(end + 1);
            IIR2D_RETURN_IF_ERROR(take(std::exchange(line, {})));
        }
        line += rest;
        if (line.size() > longest_line)
            return fail(ErrorKind::bad_input, path.string() + " has a line of more than 16 MiB");
    }
    if (!line.empty()) return fail(ErrorKind::bad_input, path.string() + " ends within a line");
    return {};
}

Result<std::vector<std::string>> read_lines(const std::filesystem::path& path) {
    std::vector<std::string> made;
    IIR2D_RETURN_IF_ERROR(for_each_line(path, [&](std::string&& line) -> Result<void> {
        made.push_back(std::move(line));
        return {};
    }));
    return made;
}

}  // namespace workbench::synth
