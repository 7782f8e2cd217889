// SPDX-License-Identifier: MIT
#include "core/release/evidence_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "core/release/state.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> refused(const fs::path& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path) + " cannot be evidence: " + why);
}

Result<std::string> content_of(const fs::path& path) {
    std::error_code error;
    switch (fs::symlink_status(path, error).type()) {
        case fs::file_type::regular:
            break;
        case fs::file_type::symlink:
            return refused(path, "it is a symbolic link");
        case fs::file_type::not_found:
            return refused(path, "it does not exist");
        default:
            return refused(path, "it is not a plain file");
    }
    const auto size = fs::file_size(path, error);
    if (!error && size > largest_evidence_file) {
        return refused(path, "it has " + std::to_string(size) + " bytes, the most is " +
                                 std::to_string(largest_evidence_file));
    }
    return read_file(path, largest_evidence_file);
}

// Returns the names in a folder, in order.
Result<std::map<std::string, fs::path>> names_in(const fs::path& folder) {
    std::map<std::string, fs::path> names;
    std::set<std::string> alike;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        const std::string name = utf8_path(entry->path().filename());
        if (!is_safe_name(name)) return refused(entry->path(), "its name is not safe everywhere");
        if (!alike.insert(lower_case(name)).second)
            return refused(entry->path(), "another name differs from its name in case only");
        names.emplace(name, entry->path());
        if (names.size() > most_evidence_files)
            return refused(folder, "it has more than " + std::to_string(most_evidence_files) + " files");
    }
    if (error) return refused(folder, error.message());
    if (names.empty()) return refused(folder, "it is an empty folder");
    if (evidence_size(folder) > largest_evidence_folder) {
        return refused(
            folder, "its files have more than " + std::to_string(largest_evidence_folder) + " bytes in all");
    }
    return names;
}

}  // namespace

fs::path evidence_path(const fs::path& directory, std::string_view name) {
    return directory / "evidence" / std::string(name);
}

std::uintmax_t evidence_size(const fs::path& path) {
    std::error_code error;
    const auto size_of = [&error](const fs::path& file) -> std::uintmax_t {
        if (fs::symlink_status(file, error).type() != fs::file_type::regular) return 0;
        const auto size = fs::file_size(file, error);
        return error ? 0 : std::min(size, std::uintmax_t{1} << 40);  // a sum of many does not overflow
    };
    if (fs::symlink_status(path, error).type() != fs::file_type::directory) return size_of(path);
    std::uintmax_t total = 0;
    std::size_t files = 0;
    for (fs::directory_iterator entry(path, error);
         !error && entry != fs::directory_iterator() && files <= most_evidence_files;
         entry.increment(error), ++files) {
        total += size_of(entry->path());
    }
    return total;
}

Result<void> check_evidence_size(const fs::path& directory, const ReleaseState& state, const fs::path& more) {
    std::uintmax_t total = evidence_size(more);
    for (const auto& a : state.attachments) total += evidence_size(evidence_path(directory, a.name));
    if (total <= largest_evidence) return {};
    const std::string what = more.empty() ? "evidence: it has" : "with " + quoted(more) + " the evidence has";
    return fail(ErrorKind::bad_input, what + " more than " + std::to_string(largest_evidence) +
                                          " bytes in all, the most that a release may have");
}

Result<EvidenceHash> read_evidence(
    const fs::path& path, const std::function<Result<void>(const std::string&, const std::string&)>& use,
    const std::stop_token& stop) {
    const auto take = [&](const std::string& name, const fs::path& file) -> Result<std::string> {
        if (stop.stop_requested()) return fail(ErrorKind::cancelled, "cancelled");
        IIR2D_TRY(const auto content, content_of(file));
        IIR2D_RETURN_IF_ERROR(use(name, content));
        return sha256_hex(content);
    };
    std::error_code error;
    if (fs::symlink_status(path, error).type() != fs::file_type::directory) {
        IIR2D_TRY(const auto hash, take({}, path));
        return EvidenceHash{hash, false};
    }
    IIR2D_TRY(const auto names, names_in(path));
    std::string lines;
    for (const auto& [name, file] : names) {
        IIR2D_TRY(const auto hash, take(name, file));
        lines.append(hash).append("  ").append(name).append("\n");
    }
    return EvidenceHash{sha256_hex(lines), true};
}

Result<EvidenceHash> evidence_hash(const fs::path& path, const std::stop_token& stop) {
    return read_evidence(
        path, [](const std::string&, const std::string&) -> Result<void> { return {}; }, stop);
}

Result<EvidenceHash> copy_evidence(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
    std::error_code error;
    if (fs::symlink_status(from, error).type() != fs::file_type::directory) {
        const auto write = [&to](const std::string&, const std::string& content) {
            return write_file_atomically(to, content);
        };
        return read_evidence(from, write, stop);
    }
    EvidenceHash hash;
    const auto fill = [&](const fs::path& folder) -> Result<void> {
        const auto write = [&folder](const std::string& name, const std::string& content) {
            return write_file_atomically(folder / name, content);
        };
        IIR2D_TRY(hash, read_evidence(from, write, stop));
        return {};
    };
    IIR2D_RETURN_IF_ERROR(write_directory_atomically(to, fill));
    return hash;
}

Result<std::string> attached_text(const fs::path& directory, const Attachment& attachment,
                                  const std::stop_token& stop) {
    std::string text;
    const auto keep = [&text](const std::string&, const std::string& content) -> Result<void> {
        text = content;
        return {};
    };
    IIR2D_TRY(const auto hash, read_evidence(evidence_path(directory, attachment.name), keep, stop));
    if (hash.folder || hash.sha256 != attachment.sha256)
        return fail(ErrorKind::bad_input, "evidence/" + attachment.name + " is not what was attached");
    return text;
}

Result<EvidenceCheck> check_evidence(const fs::path& directory, const Attachment& attachment,
                                     const std::stop_token& stop) {
    const fs::path path = evidence_path(directory, attachment.name);
    const auto hash = evidence_hash(path, stop);
    if (!hash) {
        if (hash.error().kind == ErrorKind::cancelled) return std::unexpected(hash.error());
        std::error_code error;
        const bool is_gone = fs::symlink_status(path, error).type() == fs::file_type::not_found;
        return EvidenceCheck{is_gone ? EvidenceState::missing : EvidenceState::changed, hash.error().message};
    }
    if (hash->sha256 == attachment.sha256 && hash->folder == attachment.folder) return EvidenceCheck{};
    return EvidenceCheck{EvidenceState::changed,
                         "its SHA-256 is " + hash->sha256 + ", log.jsonl says " + attachment.sha256};
}

}  // namespace workbench
