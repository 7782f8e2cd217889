// SPDX-License-Identifier: MIT
#include "core/release/gates.h"

#include <utility>

#include "core/evidence/compare.h"
#include "core/release/entries.h"
#include "core/release/requirements.h"
#include "core/support/listed.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

std::string text_with_limit(std::string text, double limit) {
    constexpr std::string_view placeholder = "{limit}";
    if (const auto at = text.find(placeholder); at != std::string::npos)
        text.replace(at, placeholder.size(), percent_text(limit));
    return text;
}

Finding find(const RequirementRow& row, const Checks& checks) {
    const bool stood_for = !row.instead.empty() && checks.is_attached(row.instead);
    for (const auto& kind : row.kinds) {
        if (!stood_for && !checks.is_attached(kind)) return {false, "nothing is attached as " + kind, true};
    }
    return row.check(checks, row);
}

Requirement requirement_of(const RequirementRow& row, const ReleaseState& state, const Checks& checks,
                           const TaskControl& control) {
    Finding found = control.cancelled() ? Finding{false, "not looked at: cancelled"} : find(row, checks);
    // It quotes what strangers wrote.
    Requirement r{.id = row.id,
                  .title = text_with_limit(row.title, state.max_regression),
                  .needed = state.stage >= row.from,
                  .met = found.met,
                  .finding = one_line(found.text),
                  .remedy = row.remedy,
                  .kinds = row.kinds,
                  .role = row.role,
                  .waivable = std::move(found.waivable),
                  .nothing_there = found.nothing_there};
    if (!row.instead.empty()) r.kinds.push_back(row.instead);
    if (!r.met && row.waivable == Waivable::yes) {
        if (const Waiver* waiver = checks.waiver_of(r.id)) {
            r.waived = true;
            r.finding += "; waived until " + waiver->expires + " by " + one_line(waiver->owner);
        } else {
            r.waivable.push_back(r.id);
        }
    }
    if (r.standing() == Standing::later) r.finding = "not needed at this stage: " + r.finding;
    return r;
}

}  // namespace

Standing Requirement::standing() const {
    if (met) return Standing::held;
    if (waived) return Standing::waived;
    if (!needed) return Standing::later;
    return nothing_there ? Standing::missing : Standing::failed;
}

std::vector<std::string> Evaluation::blockers() const {
    std::vector<std::string> texts;
    for (const auto& r : requirements) {
        if (r.needed && !r.holds()) texts.push_back(r.id + ": " + r.finding);
    }
    return texts;
}

std::string Evaluation::first_blocker() const {
    const auto all = blockers();
    if (all.empty()) return {};
    return all.front() + and_more(all.size());
}

Evaluation evaluate_release(const fs::path& directory, const ReleaseState& state, const std::string& utc,
                            const TaskControl& control) {
    const Checks checks(directory, state, utc, control);
    const auto& rows = requirement_rows();
    Evaluation evaluation{.as_of = utc, .requirements = {}};
    for (const RequirementRow& row : rows) {
        control.report(static_cast<double>(evaluation.requirements.size()) / static_cast<double>(rows.size()),
                       row.id);
        evaluation.requirements.push_back(requirement_of(row, state, checks, control));
    }
    return evaluation;
}

Evaluation evaluate_as_logged(const fs::path& directory, const ReleaseState& state,
                              const TaskControl& control) {
    return evaluate_release(directory, state, state.clock_utc, control);
}

std::string wrong_with_promotion(const ReleaseState& state, const Evaluation& evaluation) {
    if (!state.promoted_utc) return {};
    const auto blocker = evaluation.first_blocker();
    if (blocker.empty()) return {};
    return place_of(state.entries, "promote") + "it could not be promoted: " + blocker;
}

}  // namespace workbench
