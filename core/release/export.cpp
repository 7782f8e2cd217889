// SPDX-License-Identifier: MIT
// A release as one archive, by libarchive.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/release/evidence_files.h"
#include "core/release/release.h"
#include "core/release/store.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int most_attempts = 8;

enum class Packing { none, gzip };

Result<Packing> packing_of(const fs::path& file) {
    const std::string name = lower_case(utf8_path(file.filename()));
    if (name.ends_with(".tar")) return Packing::none;
    if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) return Packing::gzip;
    return fail(ErrorKind::bad_argument,
                quoted(file) + " names no archive: give a name with .tar.gz or .tar");
}

// Checks that the archive is not within the release, where it would be a file that no release has.
Result<void> check_outside(const fs::path& directory, const fs::path& file) {
    std::error_code error;
    const fs::path release = fs::weakly_canonical(directory, error);
    for (fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);;
         folder = folder.parent_path()) {
        if (folder == release)
            return fail(ErrorKind::bad_argument,
                        quoted(file) + " lies in the release itself: export to another folder");
        if (folder == folder.parent_path()) return {};
    }
}

// Returns seconds since 1970 for an archive, which holds those from then to the year 2242.
std::int64_t archive_time(std::string_view utc) {
    constexpr std::int64_t latest = (std::int64_t{1} << 33) - 1;
    const auto time = time_from(utc);
    return time ? std::clamp<std::int64_t>(time->time_since_epoch().count(), 0, latest) : 0;
}

// Writes for libarchive, whose own function takes half a block for a whole one and forgets why there was no
// more.
la_ssize_t write_block(archive* a, void* file, const void* data, std::size_t size) {
    errno = 0;
    if (std::fwrite(data, 1, size, static_cast<std::FILE*>(file)) == size)
        return static_cast<la_ssize_t>(size);
    archive_set_error(a, errno != 0 ? errno : EIO, "%s", "write");
    return -1;
}

// Nothing goes in that is not the release's: owner, permissions and times of its files are of one machine.
class Archive {
  public:
    Archive(AtomicFile& file, const fs::path& asked, Packing packing, std::int64_t time)
        : m_asked(asked), m_time(time), m_archive(archive_write_new()), m_entry(archive_entry_new()) {
        archive* a = m_archive.get();
        m_good = a != nullptr && m_entry != nullptr && archive_write_set_format_ustar(a) == ARCHIVE_OK &&
                 (packing == Packing::none ||
                  (archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
                   archive_write_set_filter_option(a, "gzip", "timestamp", nullptr) == ARCHIVE_OK)) &&
                 archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
                 archive_write_open(a, file.handle(), nullptr, write_block, nullptr) == ARCHIVE_OK;
    }

    Result<void> add_folder(const std::string& name) { return add(name, AE_IFDIR, 0755, {}); }
    Result<void> add_file(const std::string& name, std::string_view content) {
        return add(name, AE_IFREG, 0644, content);
    }
    Result<void> close() {
        if (!m_good || archive_write_close(m_archive.get()) != ARCHIVE_OK) return failed();
        return {};
    }

  private:
    Result<void> add(const std::string& name, unsigned type, unsigned mode, std::string_view content) {
        if (!m_good) return failed();
        archive_entry* entry = archive_entry_clear(m_entry.get());
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, static_cast<decltype(archive_entry_perm(entry))>(mode));
        archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
        archive_entry_set_mtime(entry, static_cast<std::time_t>(m_time), 0);
        if (archive_write_header(m_archive.get(), entry) != ARCHIVE_OK) return failed();
        if (archive_write_data(m_archive.get(), content.data(), content.size()) !=
            static_cast<la_ssize_t>(content.size()))
            return failed();
        return {};
    }
    std::unexpected<Error> failed() const {
        if (!m_archive) return unwritable(m_asked, system_words(ENOMEM));
        if (const int number = archive_errno(m_archive.get()); number > 0)
            return unwritable(m_asked, system_words(number));
        const char* why = archive_error_string(m_archive.get());
        return unwritable(m_asked, why != nullptr ? why : "the archive could not be made");
    }

    struct Free {
        void operator()(archive* a) const { archive_write_free(a); }
        void operator()(archive_entry* e) const { archive_entry_free(e); }
    };
    const fs::path& m_asked;
    std::int64_t m_time;
    std::unique_ptr<archive, Free> m_archive;
    std::unique_ptr<archive_entry, Free> m_entry;
    bool m_good = false;
};

// Adds evidence, if it is still what was attached.
Result<void> add_evidence(Archive& archive, const fs::path& directory, const std::string& top,
                          const Attachment& a, const TaskControl& control) {
    const std::string name = top + "evidence/" + a.name;
    if (a.folder) {
        IIR2D_RETURN_IF_ERROR(archive.add_folder(name + "/"));
    }
    const auto add = [&](const std::string& file, const std::string& content) {
        return archive.add_file(file.empty() ? name : name + "/" + file, content);
    };
    IIR2D_TRY(const auto hash, read_evidence(evidence_path(directory, a.name), add, control.stop));
    if (hash.sha256 != a.sha256 || hash.folder != a.folder)
        return fail(ErrorKind::check_failed, "evidence/" + a.name + " changed while it was read");
    return {};
}

Result<void> fill(Archive& archive, const fs::path& directory, const ReleaseState& state,
                  const std::string& log, const TaskControl& control) {
    const std::string top = state.id + "/";
    IIR2D_RETURN_IF_ERROR(archive.add_folder(top));
    IIR2D_RETURN_IF_ERROR(archive.add_folder(top + "evidence/"));
    double count = 0;
    for (const auto& a : state.attachments) {
        control.report(0.5 + 0.5 * count++ / static_cast<double>(state.attachments.size()), a.name);
        IIR2D_RETURN_IF_ERROR(add_evidence(archive, directory, top, a, control));
    }
    IIR2D_RETURN_IF_ERROR(archive.add_file(top + "log.jsonl", log));
    const auto evaluation = evaluate_as_logged(directory, state, control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    for (const char* name : {"release.json", "release.md"}) {
        IIR2D_RETURN_IF_ERROR(archive.add_file(top + name, derived_file(name, state, evaluation)));
    }
    return archive.close();
}

}  // namespace

Result<std::string> export_release(const fs::path& directory, const fs::path& file,
                                   const TaskControl& control) {
    IIR2D_TRY(const auto packing, packing_of(file));
    IIR2D_RETURN_IF_ERROR(check_outside(directory, file));
    const TaskControl half{.stop = control.stop,
                           .progress = [&control](double fraction, std::string_view what) {
                               control.report(fraction / 2, what);
                           }};
    // A writer may come in between: then all is read again.
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        IIR2D_TRY(const auto before, load_log_text(directory));
        IIR2D_TRY(const auto verified, verify_release(directory, half));
        if (!verified.problems.empty())
            return fail(ErrorKind::check_failed,
                        "a release that does not verify is not exported: " + verified.problems.front());
        IIR2D_TRY(const auto log, parse_log(before));
        IIR2D_TRY(const auto state, replay(log));
        IIR2D_TRY(auto output, AtomicFile::create(file));
        {
            Archive archive(output, file, packing, archive_time(state.changed_utc));
            IIR2D_RETURN_IF_ERROR(fill(archive, directory, state, before, control));
        }
        const auto after = load_log_text(directory);
        if (!after || *after != before) continue;
        IIR2D_RETURN_IF_ERROR(output.commit());
        return sha256_of_file(file);
    }
    return fail(ErrorKind::unwritable_output,
                quoted(directory) + " is being changed by another process: try again");
}

}  // namespace workbench
