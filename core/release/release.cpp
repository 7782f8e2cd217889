// SPDX-License-Identifier: MIT
#include "core/release/release.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/benchmark/utc_time.h"
#include "core/evidence/measured_record.h"
#include "core/release/evidence_files.h"
#include "core/release/reports.h"
#include "core/release/store.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t longest_text = 500;

std::unexpected<Error> refused(const std::string& why) {
    return fail(ErrorKind::bad_argument, why);
}

// A sentence of a person, for the log.
Result<std::string> checked_text(const std::string& what, const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        return refused(what + " is empty: a waiver needs scope, risk, owner and expiry, a sign-off a person");
    if (text.size() > longest_text)
        return refused(what + " is longer than " + std::to_string(longest_text) + " bytes");
    if (printable_utf8(text) != text) return refused(what + " has characters that cannot be shown");
    return text;
}

// The commit that evidence is about: stated by the record itself, or by who attaches it.
Result<std::string> commit_of(const EvidenceKind& kind, const fs::path& file, const std::string& stated) {
    if (kind.format == EvidenceKind::Format::record) {
        const auto record = load_measured_record(file);
        if (!record) return std::unexpected(record.error());
        // A baseline is of an earlier commit by its nature.
        if (kind.name == "baseline-record") return std::string();
        if (!is_commit(record->commit))
            return fail(ErrorKind::bad_input, "the record " + quoted(file) + " does not know its commit");
        return record->commit;
    }
    if (!kind.needs_commit) return std::string();
    if (!is_commit(stated)) {
        return refused(std::string(kind.name) +
                       " needs --commit, the 40 digits of the commit that it is about");
    }
    return stated;
}

Result<void> check_readable(const EvidenceKind& kind, const fs::path& file) {
    using Format = EvidenceKind::Format;
    if (kind.format == Format::record) return {};  // commit_of() verified it
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(file, error)))
        return fail(ErrorKind::bad_input,
                    quoted(file) + " is a folder; a " + std::string(kind.name) + " is a file");
    if (kind.format == Format::text) return {};
    const auto text = read_file(file, largest_evidence_file);
    if (!text) return std::unexpected(text.error());
    const auto judged = [&](const auto& report) -> Result<void> {
        if (report) return {};
        return fail(report.error().kind, quoted(file) + " cannot be read as " + std::string(kind.name) +
                                             ": " + report.error().message);
    };
    switch (kind.format) {
        case Format::junit:
            return judged(read_test_report(*text));
        case Format::parity:
            return judged(read_parity_report(*text));
        case Format::issues:
            return judged(read_issues(*text));
        case Format::rebuild:
            return judged(read_rebuild(*text));
        case Format::security:
            return judged(read_security_review(*text));
        default:
            return {};
    }
}

// Copies evidence to where no entry knows of any. What a killed process left there is taken as it is where it
// is the same, and else left alone: it may be somebody's.
Result<EvidenceHash> place_evidence(const fs::path& from, const fs::path& to, const EvidenceHash& expected,
                                    const std::stop_token& stop) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(to, error))) return copy_evidence(from, to, stop);
    const auto there = evidence_hash(to, stop);
    if (there && there->sha256 == expected.sha256 && there->folder == expected.folder) return there;
    return refused(quoted(to) +
                   " is there already, although the log does not know it: move it away, or give "
                   "another --name");
}

Result<void> check_verified(const fs::path& directory, const TaskControl& control) {
    const auto verified = verify_release(directory, control);
    if (!verified) return std::unexpected(verified.error());
    if (verified->problems.empty()) return {};
    return fail(ErrorKind::check_failed, "the release does not verify: " + verified->problems.front());
}

Result<void> check_new(const NewRelease& release) {
    if (!is_safe_name(release.id)) {
        return refused("the id \"" + printable_utf8(release.id) +
                       "\" is not a name: letters, digits, '.', '_' and '-', at most 64, not first '.' or "
                       "'-', not last '.', "
                       "and none of Windows' devices");
    }
    if (!is_commit(release.commit))
        return refused("the commit \"" + printable_utf8(release.commit) +
                       "\" is not 40 lower-case hex digits");
    if (!(release.max_regression >= 0 && release.max_regression <= 1))
        return refused("the largest regression is out of range: give 0 to 100 %");
    std::set<std::string> keys;
    for (const auto& [role, key] : release.holders) {
        if (!is_release_role(role)) return refused("the role \"" + printable_utf8(role) + "\" is not known");
        if (!keys.insert(key.hex()).second)
            return refused("two roles have the same key: one sign-off is one person's");
    }
    for (const auto role : release_roles) {
        if (release.stage != Stage::dev && !release.holders.contains(std::string(role)))
            return refused("the stage " + std::string(name_of(release.stage)) + " needs a key of the " +
                           std::string(role));
    }
    return {};
}

}  // namespace

Result<void> new_release(const fs::path& base, const NewRelease& release) {
    if (auto good = check_new(release); !good) return good;
    json holders = json::object();
    for (const auto& [role, key] : release.holders) holders[role] = key.hex();
    const std::string line = log_line({}, utc_now(),
                                      {{"type", "new"},
                                       {"id", release.id},
                                       {"stage", name_of(release.stage)},
                                       {"commit", release.commit},
                                       {"max_regression", release.max_regression},
                                       {"holders", holders}});
    const auto log = parse_log(line);
    if (!log) return std::unexpected(log.error());
    const auto state = replay(*log);
    if (!state) return std::unexpected(state.error());
    return write_directory_atomically(base / release.id, [&](const fs::path& folder) -> Result<void> {
        std::error_code error;
        fs::create_directory(folder / "evidence", error);
        if (error) return unwritable(folder / "evidence", error.message());
        if (auto done = write_file_atomically(folder / "log.jsonl", line); !done) return done;
        return write_made_files(folder, *state);
    });
}

Result<std::string> attach(const fs::path& directory, const std::string& kind_name, const fs::path& file,
                           std::string name, const std::string& commit, const TaskControl& control) {
    const auto kind = evidence_kind_from_name(kind_name);
    if (!kind) return std::unexpected(kind.error());
    fs::path from = file;
    if (!from.has_filename()) from = from.parent_path();  // "record/"
    if (name.empty()) name = utf8_path(from.filename());
    if (!is_safe_name(name)) {
        return refused(
            "the name \"" + printable_utf8(name) +
            "\" is not safe everywhere: letters, digits, '.', '_' and '-', at most 64, not first '.' or "
            "'-', not last '.', and none of Windows' devices; give another with --name");
    }
    // Links and the like are refused before anything is read.
    control.report(0.0, "hashing");
    const auto before = evidence_hash(from, control.stop);
    if (!before) return std::unexpected(before.error());
    control.report(0.3, "reading");
    const auto about = commit_of(*kind, from, commit);
    if (!about) return std::unexpected(about.error());
    if (auto readable = check_readable(*kind, from); !readable) return std::unexpected(readable.error());

    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    const ReleaseState& state = change->state();
    if (const Attachment* there = state.find_like(name)) {
        return refused("evidence/" + there->name +
                       " is attached already: evidence is never replaced, give another --name");
    }
    for (const auto& a : state.attachments) {
        if (a.kind == kind->name && a.sha256 == before->sha256)
            return refused("the same content is attached as evidence/" + a.name + " already");
    }
    control.report(0.6, "copying");
    const auto copied = place_evidence(from, evidence_path(directory, name), *before, control.stop);
    if (!copied) return std::unexpected(copied.error());
    if (copied->sha256 != before->sha256)
        return fail(ErrorKind::bad_input, quoted(from) + " changed while it was read");
    if (auto done = change->commit({{"type", "attach"},
                                    {"name", name},
                                    {"kind", kind->name},
                                    {"sha256", copied->sha256},
                                    {"folder", copied->folder},
                                    {"commit", *about}});
        !done)
        return std::unexpected(done.error());
    return name;
}

Result<void> waive(const fs::path& directory, const Waiver& waiver) {
    const std::pair<const char*, const std::string*> texts[] = {
        {"the scope", &waiver.scope}, {"the risk", &waiver.risk}, {"the owner", &waiver.owner}};
    for (const auto& [what, text] : texts) {
        if (auto good = checked_text(what, *text); !good) return std::unexpected(good.error());
    }
    if (!is_waivable(waiver.scope)) {
        return refused(
            "\"" + waiver.scope +
            "\" cannot be waived: give issue:ID for an open P1, or A.c-api, B.two-runs, B.rebuild, "
            "B.smoke, C.comparison, D.packaging, D.notices or D.security");
    }
    if (!is_date(waiver.expires))
        return refused("the expiry \"" + printable_utf8(waiver.expires) +
                       "\" is not a date: write YYYY-MM-DD");
    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    if (waiver.expires < std::max(utc_now(), change->state().changed_utc).substr(0, 10))
        return refused("the expiry " + waiver.expires + " is past");
    return change->commit({{"type", "waive"},
                           {"scope", waiver.scope},
                           {"risk", waiver.risk},
                           {"owner", waiver.owner},
                           {"expires", waiver.expires}});
}

Result<void> sign_off(const fs::path& directory, const std::string& role, const std::string& person,
                      const SigningKey& key, const std::string& seen, const TaskControl& control) {
    if (!is_release_role(role)) return refused("the role \"" + printable_utf8(role) + "\" is not known");
    if (auto good = checked_text("the person", person); !good) return std::unexpected(good.error());
    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    const ReleaseState& state = change->state();
    const auto holder = state.holders.find(role);
    const std::string hex = key.public_key().hex();
    if (holder == state.holders.end())
        return refused("no key was named for the " + role + " when the release was begun");
    if (holder->second != hex)
        return refused("this key is not the " + role + "'s: it is " + hex + ", the role's is " +
                       holder->second);
    if (seen != state.seen()) {
        return fail(ErrorKind::check_failed, "what there is to sign is " + state.seen() + ", not " +
                                                 printable_utf8(seen.substr(0, 64)) +
                                                 ": look at it again (release show)");
    }
    // What is signed are hashes: the files must be those.
    if (auto good = check_verified(directory, control); !good) return good;
    const auto signature = key.sign(sign_off_message(state, role, person, seen));
    if (!signature) return std::unexpected(signature.error());
    return change->commit({{"type", "sign-off"},
                           {"role", role},
                           {"person", person},
                           {"key", hex},
                           {"seen", seen},
                           {"signature", *signature}});
}

Result<void> promote(const fs::path& directory, const TaskControl& control) {
    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    if (auto good = check_verified(directory, control); !good) return good;
    const auto blockers = evaluate_release(directory, change->state(), utc_now(), control).blockers();
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    if (!blockers.empty()) {
        const auto more = blockers.size() - 1;
        return fail(ErrorKind::check_failed,
                    "the release may not be promoted: " + blockers.front() +
                        (more > 0 ? " (and " + std::to_string(more) + " more)" : ""));
    }
    return change->commit({{"type", "promote"}});
}

Result<Release> load_release(const fs::path& directory, const TaskControl& control) {
    auto state = load_state(directory);
    if (!state) return std::unexpected(state.error());
    Release release{.state = std::move(*state), .evaluation = {}};
    release.evaluation = evaluate_release(directory, release.state, utc_now(), control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    return release;
}

}  // namespace workbench
