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
#include "core/support/try.h"

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
    IIR2D_TRY(const auto verified, verify_before_change(directory, control));
    if (verified.problems.empty()) return {};
    return fail(ErrorKind::check_failed, "the release does not verify: " + verified.problems.front());
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
    IIR2D_TRY(const auto log, parse_log(line));
    IIR2D_TRY(const auto state, replay(log));
    return write_directory_atomically(base / release.id, [&](const fs::path& folder) -> Result<void> {
        std::error_code error;
        fs::create_directory(folder / "evidence", error);
        if (error) return unwritable(folder / "evidence", error.message());
        IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / "log.jsonl", line));
        return write_derived_files(folder, state);
    });
}

Result<std::string> attach(const fs::path& directory, const std::string& kind_name, const fs::path& file,
                           std::string name, const std::string& commit, const TaskControl& control) {
    IIR2D_TRY(const auto kind, evidence_kind_from_name(kind_name));
    fs::path from = file;
    if (!from.has_filename()) from = from.parent_path();  // "record/"
    if (name.empty()) name = utf8_path(from.filename());
    // Links and the like are refused before anything is read.
    control.report(0.0, "hashing");
    IIR2D_TRY(const auto before, evidence_hash(from, control.stop));
    control.report(0.3, "reading");
    IIR2D_TRY(const auto about, read_as_kind(kind, from, before.sha256, commit));

    IIR2D_TRY(auto change, Change::begin(directory));
    const Attachment attachment{.name = name,
                                .kind = std::string(kind.name),
                                .sha256 = before.sha256,
                                .folder = before.folder,
                                .commit = about,
                                .utc = change.time().utc};
    if (auto wrong = wrong_with_attachment(change.state(), attachment); !wrong.empty()) return refused(wrong);
    IIR2D_RETURN_IF_ERROR(check_evidence_size(directory, change.state(), from));
    control.report(0.6, "copying");
    IIR2D_TRY(const auto copied, place_evidence(from, evidence_path(directory, name), before, control.stop));
    if (copied.sha256 != before.sha256 || copied.folder != before.folder)
        return fail(ErrorKind::bad_input, quoted(from) + " changed while it was read");
    IIR2D_RETURN_IF_ERROR(change.commit({{"type", "attach"},
                                         {"name", attachment.name},
                                         {"kind", attachment.kind},
                                         {"sha256", attachment.sha256},
                                         {"folder", attachment.folder},
                                         {"commit", attachment.commit}}));
    return name;
}

Result<void> waive(const fs::path& directory, const Waiver& waiver) {
    IIR2D_TRY(auto change, Change::begin(directory));
    if (auto wrong = wrong_with_waiver(waiver, change.time().clock); !wrong.empty()) return refused(wrong);
    return change.commit({{"type", "waive"},
                          {"scope", waiver.scope},
                          {"risk", waiver.risk},
                          {"owner", waiver.owner},
                          {"expires", waiver.expires}});
}

Result<void> sign_off(const fs::path& directory, const std::string& role, const std::string& person,
                      const SigningKey& key, const std::string& seen, const TaskControl& control) {
    IIR2D_TRY(auto change, Change::begin(directory));
    const ReleaseState& state = change.state();
    const std::string hex = key.public_key().hex();
    if (auto wrong = wrong_with_sign_off(state, role, person, hex); !wrong.empty()) return refused(wrong);
    if (seen != state.seen()) {
        return fail(ErrorKind::check_failed, "what there is to sign is " + state.seen() + ", not " +
                                                 escaped(seen, 64) + ": look at it again (release show)");
    }
    // Hashes are signed: the files must have them.
    IIR2D_RETURN_IF_ERROR(check_verified(directory, control));
    IIR2D_TRY(const auto signature, key.sign(sign_off_message(state, role, person, seen, change.time())));
    return change.commit({{"type", "sign-off"},
                          {"role", role},
                          {"person", person},
                          {"key", hex},
                          {"seen", seen},
                          {"signature", signature}});
}

Result<void> promote(const fs::path& directory, const TaskControl& control) {
    IIR2D_TRY(auto change, Change::begin(directory));
    IIR2D_RETURN_IF_ERROR(check_verified(directory, control));
    const auto evaluation = evaluate_release(directory, change.state(), change.time().clock, control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    if (const auto blocker = evaluation.first_blocker(); !blocker.empty())
        return fail(ErrorKind::check_failed, "the release may not be promoted: " + blocker);
    return change.commit({{"type", "promote"}});
}

Result<Release> load_release(const fs::path& directory, const TaskControl& control) {
    IIR2D_TRY(auto state, load_state(directory));
    IIR2D_RETURN_IF_ERROR(check_evidence_size(directory, state));
    Release release{.state = std::move(state), .evaluation = {}};
    release.evaluation = release.state.promoted_utc
                             ? evaluate_as_logged(directory, release.state, control)
                             : evaluate_release(directory, release.state, utc_now(), control);
    if (control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
    return release;
}

}  // namespace workbench
