// SPDX-License-Identifier: MIT
// Looks at a release's evidence for what the requirements ask.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/duel/duel_record.h"
#include "core/record/record.h"
#include "core/release/reports.h"
#include "core/release/state.h"
#include "core/support/task.h"

namespace workbench {

struct Finding {
    bool met = false;
    std::string text;
    bool nothing_there = false;              // it is not met because there is nothing yet
    std::vector<std::string> waivable = {};  // scopes beside the requirement's own
};

// Returns for how many days a waiver counts beyond that of `utc`: 0 on its last, below 0 when it has expired.
// What the clock showed for an entry since it was given counts where that is later.
int days_left(const Waiver& waiver, const std::string& utc);

// Judges the evidence of a release. Of each kind the latest counts: what was attached before it is outdated.
// Each function but signed_off() needs something to be attached as its kinds.
class Checks {
  public:
    // Keeps references to all of them.
    Checks(const std::filesystem::path& directory, const ReleaseState& state, const std::string& utc,
           const TaskControl& control)
        : m_directory(directory), m_state(state), m_utc(utc), m_control(control) {}

    bool is_attached(std::string_view kind) const { return !all_of(kind).empty(); }
    // Returns one that counts at the time, or null.
    const Waiver* waiver_of(std::string_view scope) const;

    Finding tests(std::string_view kind) const;
    Finding two_runs() const;
    Finding parity() const;
    Finding issues(std::string_view priority, bool waivers_count) const;
    Finding rebuild() const;
    Finding record(std::string_view kind, std::string_view protocol) const;
    Finding baseline() const;
    Finding comparison() const;
    Finding review_findings(std::string_view priority) const;
    Finding no_p1() const;
    Finding security() const;
    Finding present(std::string_view kind) const;
    Finding signed_off(std::string_view role) const;

  private:
    std::vector<const Attachment*> all_of(std::string_view kind) const;
    const Attachment& latest(std::string_view kind) const { return *all_of(kind).back(); }
    std::string other_commit(const Attachment& a, const std::string& commit) const;
    Result<std::string> text_of(const Attachment& a) const;
    Result<SecurityReview> review() const;
    Result<void> unchanged(const Attachment& a) const;
    Result<RecordPtr> measured(const Attachment& a) const;
    Finding test_report(const Attachment& a) const;
    Finding open_ones(const std::vector<Issue>& list, std::string_view priority, bool waivers_count) const;
    Finding baseline_commit(const Attachment& a) const;
    Finding held_by(const PublicKey& signer, const std::string& what, const std::string& name) const;
    bool duel_counts() const;
    Finding duel_baseline() const;
    Finding duel_comparison() const;
    Result<DuelRecordPtr> duel(const Attachment& a) const;

    const std::filesystem::path& m_directory;
    const ReleaseState& m_state;
    const std::string& m_utc;
    const TaskControl& m_control;
    mutable std::map<std::string, std::string> m_problems;  // of evidence that was hashed, by its name
};

}  // namespace workbench
