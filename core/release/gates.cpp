// SPDX-License-Identifier: MIT
#include "core/release/gates.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/evidence/compare.h"
#include "core/release/entries.h"
#include "core/release/requirements.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

// What finds whether a requirement holds, where something is attached as each of its kinds.
struct Check {
    std::string_view id;
    Finding (*find)(const Checks&);
};

constexpr Check checks_by_id[] = {
    {"A.tests", [](const Checks& c) { return c.tests("test-report"); }},
    {"A.parity", [](const Checks& c) { return c.parity(); }},
    {"A.c-api", [](const Checks& c) { return c.tests("c-api-report"); }},
    {"A.p0", [](const Checks& c) { return c.issues("P0", false); }},
    {"A.p1", [](const Checks& c) { return c.issues("P1", true); }},
    {"B.two-runs", [](const Checks& c) { return c.two_runs(); }},
    {"B.rebuild", [](const Checks& c) { return c.rebuild(); }},
    {"B.smoke", [](const Checks& c) { return c.record("smoke-record", "smoke"); }},
    {"C.standard", [](const Checks& c) { return c.record("standard-record", "standard"); }},
    {"C.baseline", [](const Checks& c) { return c.baseline(); }},
    {"C.comparison", [](const Checks& c) { return c.comparison(); }},
    {"D.p0", [](const Checks& c) { return c.review_findings("P0"); }},
    {"D.p1", [](const Checks& c) { return c.no_p1(); }},
    {"D.packaging", [](const Checks& c) { return c.tests("packaging-report"); }},
    {"D.licence", [](const Checks& c) { return c.present("licence"); }},
    {"D.notices", [](const Checks& c) { return c.present("notices"); }},
    {"D.security", [](const Checks& c) { return c.security(); }}};

std::string text_with_limit(std::string text, double limit) {
    constexpr std::string_view placeholder = "{limit}";
    if (const auto at = text.find(placeholder); at != std::string::npos)
        text.replace(at, placeholder.size(), percent_text(limit));
    return text;
}

Finding find(const RequirementRow& row, const Checks& checks) {
    for (const auto& kind : row.kinds) {
        if (!checks.is_attached(kind)) return {false, "nothing is attached as " + kind, true};
    }
    if (!row.role.empty()) return checks.signed_off(row.role);
    const auto check = std::ranges::find(checks_by_id, row.id, &Check::id);
    return check == std::end(checks_by_id) ? Finding{false, "nothing checks it"} : check->find(checks);
}

Requirement requirement_of(const RequirementRow& row, const ReleaseState& state, const Checks& checks,
                           const TaskControl& control) {
    Finding found = control.cancelled() ? Finding{false, "not looked at: cancelled"} : find(row, checks);
    // It quotes what strangers wrote.
    Requirement r{.id = row.id,
                  .what = text_with_limit(row.what, state.max_regression),
                  .needed = state.stage >= row.from,
                  .met = found.met,
                  .finding = one_line(found.text),
                  .kinds = row.kinds,
                  .role = row.role,
                  .waivable = std::move(found.waivable),
                  .nothing_there = found.nothing_there};
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
    return all.front() + (all.size() > 1 ? " (and " + std::to_string(all.size() - 1) + " more)" : "");
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

std::string_view gate_name(char letter) {
    switch (letter) {
        case 'A':
            return "Technical confidence";
        case 'B':
            return "Operability";
        case 'C':
            return "Performance";
        default:
            return "Readiness";
    }
}

}  // namespace workbench
