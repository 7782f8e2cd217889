// SPDX-License-Identifier: MIT
#include "core/release/release.h"

#include <algorithm>
#include <utility>

#include "core/benchmark/utc_time.h"
#include "core/release/admission.h"
#include "core/release/entries.h"
#include "core/release/evidence_files.h"
#include "core/release/store.h"
#include "core/support/atomic_file.h"
#include "core/support/escaped.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::unexpected<Error> refused(const std::string& why) {
    return fail(ErrorKind::bad_argument, why);
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
    const auto verified = verify_before_change(directory, control);
    if (!verified) return std::unexpected(verified.error());
    if (verified->problems.empty()) return {};
    return fail(ErrorKind::check_failed, "the release does not verify: " + verified->problems.front());
}

}  // namespace

Result<void> new_release(const fs::path& base, const NewRelease& release) {
    ReleaseState plan{.id = release.id,
                      .stage = release.stage,
                      .commit = release.commit,
                      .max_regression = release.max_regression};
    for (const auto& [role, key] : release.holders) plan.holders[role] = key.hex();
    if (auto wrong = wrong_with_beginning(plan); !wrong.empty()) return refused(wrong);
    const std::string line = log_line({}, utc_now(),
                                      {{"type", "new"},
                                       {"id", plan.id},
                                       {"stage", name_of(plan.stage)},
                                       {"commit", plan.commit},
                                       {"max_regression", plan.max_regression},
                                       {"holders", plan.holders}});
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
    // Links and the like are refused before anything is read.
    control.report(0.0, "hashing");
    const auto before = evidence_hash(from, control.stop);
    if (!before) return std::unexpected(before.error());
    control.report(0.3, "reading");
    const auto about = read_as_kind(*kind, from, before->sha256, commit);
    if (!about) return std::unexpected(about.error());

    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    const Attachment attachment{.name = name,
                                .kind = std::string(kind->name),
                                .sha256 = before->sha256,
                                .folder = before->folder,
                                .commit = *about,
                                .utc = change->time().utc};
    if (auto wrong = wrong_with_attachment(change->state(), attachment); !wrong.empty())
        return refused(wrong);
    if (auto good = check_evidence_size(directory, change->state(), from); !good)
        return std::unexpected(good.error());
    control.report(0.6, "copying");
    const auto copied = place_evidence(from, evidence_path(directory, name), *before, control.stop);
    if (!copied) return std::unexpected(copied.error());
    if (copied->sha256 != before->sha256 || copied->folder != before->folder)
        return fail(ErrorKind::bad_input, quoted(from) + " changed while it was read");
    if (auto done = change->commit({{"type", "attach"},
                                    {"name", attachment.name},
                                    {"kind", attachment.kind},
                                    {"sha256", attachment.sha256},
                                    {"folder", attachment.folder},
                                    {"commit", attachment.commit}});
        !done)
        return std::unexpected(done.error());
    return name;
}

Result<void> waive(const fs::path& directory, const Waiver& waiver) {
    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    if (auto wrong = wrong_with_waiver(waiver, change->time().clock); !wrong.empty()) return refused(wrong);
    return change->commit({{"type", "waive"},
                           {"scope", waiver.scope},
                           {"risk", waiver.risk},
                           {"owner", waiver.owner},
                           {"expires", waiver.expires}});
}

Result<void> sign_off(const fs::path& directory, const std::string& role, const std::string& person,
                      const SigningKey& key, const std::string& seen, const TaskControl& control) {
    auto change = Change::begin(directory);
    if (!change) return std::unexpected(change.error());
    const ReleaseState& state = change->state();
    const std::string hex = key.public_key().hex();
    if (auto wrong = wrong_with_sign_off(state, role, person, hex); !wrong.empty()) return refused(wrong);
    if (seen != state.seen()) {
        return fail(ErrorKind::check_failed, "what there is to sign is " + state.seen() + ", not " +
                                                 escaped(seen, 64) + ": look at it again (release show)");
    }
    // Hashes are signed: the files must have them.
    if (auto good = check_verified(directory, control); !good) return good;
    const auto signature = key.sign(sign_off_message(state, role, person, seen, change->time()));
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
    const auto evaluation = evaluate_release(directory, change->state(), change->time().clock, control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    if (const auto blocker = evaluation.first_blocker(); !blocker.empty())
        return fail(ErrorKind::check_failed, "the release may not be promoted: " + blocker);
    return change->commit({{"type", "promote"}});
}

Result<Release> load_release(const fs::path& directory, const TaskControl& control) {
    auto state = load_state(directory);
    if (!state) return std::unexpected(state.error());
    if (auto good = check_evidence_size(directory, *state); !good) return std::unexpected(good.error());
    Release release{.state = std::move(*state), .evaluation = {}};
    release.evaluation = release.state.promoted_utc
                             ? evaluate_as_logged(directory, release.state, control)
                             : evaluate_release(directory, release.state, utc_now(), control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    return release;
}

}  // namespace workbench
