// SPDX-License-Identifier: MIT
#include "core/release/admission.h"

#include <system_error>

#include "core/release/evidence_files.h"
#include "core/release/records_read.h"
#include "core/release/reports.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

using Format = EvidenceKind::Format;

Result<std::string> commit_of_record(const EvidenceKind& kind, const fs::path& path,
                                     const std::string& sha256) {
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(path, error))) {
        return fail(
            ErrorKind::bad_input,
            quoted(path) + " is a file, and a " + std::string(kind.name) +
                " is a record directory: a lone record.json is judged only by what it says of itself");
    }
    IIR2D_TRY(const auto record, read_record(path, sha256));
    // A baseline is of an earlier commit by its nature.
    if (kind.name == "baseline-record") return std::string();
    std::string commit = record->environment.commit.value_or("");
    if (!is_commit(commit))
        return fail(ErrorKind::bad_input, "the record " + quoted(path) + " does not know its commit");
    return commit;
}

Result<std::string> commit_of_duel(const fs::path& path, const std::string& sha256) {
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(path, error)))
        return fail(ErrorKind::bad_input,
                    quoted(path) + " is a file, and a duel-record is a record directory");
    IIR2D_TRY(const auto record, read_duel_record(path, sha256));
    std::string commit = build_of(record->duel.now).commit;
    if (!is_commit(commit))
        return fail(ErrorKind::bad_input,
                    "the new library of the duel " + quoted(path) + " does not know its commit");
    return commit;
}

Result<void> check_report(const EvidenceKind& kind, const fs::path& path) {
    IIR2D_TRY(const auto text, read_file(path, largest_evidence_file));
    const auto judged = [&](const auto& report) -> Result<void> {
        if (report) return {};
        return fail(report.error().kind, quoted(path) + " cannot be read as " + std::string(kind.name) +
                                             ": " + report.error().message);
    };
    switch (kind.format) {
        case Format::junit:
            return judged(read_test_report(text));
        case Format::parity:
            return judged(read_parity_report(text));
        case Format::issues:
            return judged(read_issues(text));
        case Format::rebuild:
            return judged(read_rebuild(text));
        case Format::security:
            return judged(read_security_review(text));
        case Format::record:
        case Format::duel:
        case Format::text:
            break;
    }
    return {};
}

}  // namespace

Result<std::string> read_as_kind(const EvidenceKind& kind, const fs::path& path, const std::string& sha256,
                                 const std::string& stated_commit) {
    if (kind.format == Format::record) return commit_of_record(kind, path, sha256);
    if (kind.format == Format::duel) return commit_of_duel(path, sha256);
    if (kind.needs_commit && !is_commit(stated_commit)) {
        return fail(ErrorKind::bad_argument,
                    std::string(kind.name) + " needs --commit, the 40 digits of the commit that it is about");
    }
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(path, error)))
        return fail(ErrorKind::bad_input,
                    quoted(path) + " is a folder; a " + std::string(kind.name) + " is a file");
    if (kind.format != Format::text) {
        IIR2D_RETURN_IF_ERROR(check_report(kind, path));
    }
    return kind.needs_commit ? stated_commit : std::string();
}

}  // namespace workbench
