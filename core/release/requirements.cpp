// SPDX-License-Identifier: MIT
#include "core/release/requirements.h"

#include <algorithm>

#include "core/release/checks.h"
#include "core/support/listed.h"

namespace workbench {

namespace {

using Row = RequirementRow;

constexpr Gate gate_rows[] = {
    {'A', "Technical confidence"}, {'B', "Operability"}, {'C', "Performance"}, {'D', "Readiness"}};

// clang-format off
std::vector<Row> make_rows() {
    constexpr auto yes = Waivable::yes, no = Waivable::no;
    constexpr auto dev = Stage::dev, rc = Stage::rc, ga = Stage::ga;
    using C = const Checks&;
    using R = const Row&;
    constexpr auto tests = [](C c, R r) { return c.tests(r.kinds[0]); };
    constexpr auto presence = [](C c, R r) { return c.present(r.kinds[0]); };
    const std::string none;
    std::vector<Row> rows = {
        {"A.tests", dev, no, {"test-report"}, none, tests,
         "a green test report on this commit",
         "attach the report of a test run on this commit, as ctest --output-junit writes it"},
        {"A.parity", dev, no, {"parity-report"}, none, [](C c, R) { return c.parity(); },
         "every case agrees with the reference",
         "attach what iir2d parity --json prints; every report counts, so a case out of bounds needs a new release"},
        {"A.c-api", dev, yes, {"c-api-report"}, none, tests,
         "the C API keeps its status contract",
         "attach the JUnit report of the C API's tests on this commit"},
        {"A.p0", dev, no, {"issues"}, none, [](C c, R) { return c.issues("P0", false); },
         "no open P0",
         "close every P0, then attach the list of issues"},
        {"A.p1", dev, no, {"issues"}, none, [](C c, R) { return c.issues("P1", true); },
         "no open P1 without a waiver",
         "close every P1 and attach the list of issues, or waive issue:ID of each"},
        {"B.two-runs", rc, yes, {"test-report"}, none, [](C c, R) { return c.two_runs(); },
         "the last two test reports are green",
         "run the tests once more and attach that report too"},
        {"B.rebuild", rc, yes, {"rebuild"}, none, [](C c, R) { return c.rebuild(); },
         "a clean rebuild gives the same library, or the reason is stated",
         "build twice from clean and attach both SHA-256, with the reason where they differ"},
        {"B.smoke", rc, yes, {"smoke-record"}, none, [](C c, R r) { return c.record(r.kinds[0], "smoke"); },
         "a smoke record of this commit",
         "attach the record of iir2d bench --protocol smoke on this commit"},
        {"C.standard", rc, no, {"standard-record"}, none, [](C c, R r) { return c.record(r.kinds[0], "standard"); },
         "a standard record of this commit",
         "attach the record of iir2d bench --protocol standard on this commit"},
        {"C.baseline", rc, no, {"baseline-record"}, none, [](C c, R) { return c.baseline(); },
         "a baseline that a role holder signed",
         "attach a record of an earlier commit that was written with --sign and the key of one of the roles", "duel-record"},
        {"C.comparison", rc, yes, {"baseline-record", "standard-record"}, none, [](C c, R) { return c.comparison(); },
         "no case above the baseline by more than {limit}",
         "look at both records with iir2d compare-records, then attach a better standard record, or the record of "
         "iir2d duel BASE NEW --protocol standard --record DIR --sign KEY", "duel-record"},
        {"D.p0", rc, no, {"security-review"}, none, [](C c, R) { return c.review_findings("P0"); },
         "the security review leaves no open P0",
         "close every P0 of the security review, then attach the review"},
        {"D.p1", ga, no, {"issues", "security-review"}, none, [](C c, R) { return c.no_p1(); },
         "no open P1 at all, waived or not",
         "close every P1, then attach the list of issues and the security review"},
        {"D.packaging", ga, yes, {"packaging-report"}, none, tests,
         "the packages were validated",
         "attach the JUnit report of the packages' tests on this commit"},
        {"D.licence", ga, no, {"licence"}, none, presence,
         "the licence is attached",
         "attach the licence"},
        {"D.notices", ga, yes, {"notices"}, none, presence,
         "the notices are attached",
         "attach the notices of what the packages contain"},
        {"D.security", ga, yes, {"security-review"}, none, [](C c, R) { return c.security(); },
         "an accepted security review of this commit",
         "have this commit reviewed and accepted, then attach the review"}};
    for (const auto name : release_roles) {
        const std::string role(name);
        rows.push_back({"D.sign-off." + role, ga, no, {}, role, [](C c, R r) { return c.signed_off(r.role); },
                        "the " + role + " signed what there is",
                        "have the " + role + " look at the report and sign it"});
    }
    return rows;
}
// clang-format on

bool is_needed_whole(char gate, Stage stage) {
    return std::ranges::all_of(requirement_rows(),
                               [&](const Row& row) { return row.gate() != gate || row.from <= stage; });
}

}  // namespace

std::span<const Gate> gates() {
    return gate_rows;
}

const std::vector<RequirementRow>& requirement_rows() {
    static const std::vector<RequirementRow> rows = make_rows();
    return rows;
}

std::string needs_of(Stage stage) {
    std::vector<std::string> letters, others;
    for (const Gate& gate : gate_rows) {
        if (is_needed_whole(gate.letter, stage)) letters.emplace_back(1, gate.letter);
    }
    for (const auto& row : requirement_rows()) {
        if (row.from <= stage && !is_needed_whole(row.gate(), stage)) others.push_back(row.id);
    }
    std::string text = (letters.size() == 1 ? "gate " : "gates ") + listed(letters, "and");
    return others.empty() ? text : text + ", and " + listed(others, "and");
}

std::string needs_of_stages() {
    return joined(stages(), "; ", [](const StageRow& row) {
        return std::string(row.name) + " needs " + needs_of(row.stage);
    });
}

std::string stages_with_keys() {
    std::vector<std::string> names;
    for (const StageRow& row : stages()) {
        if (row.needs_keys) names.emplace_back(row.name);
    }
    return listed(names, "and");
}

bool is_waivable(std::string_view scope) {
    if (scope.starts_with("issue:")) return scope.size() > 6;
    return std::ranges::any_of(requirement_rows(), [scope](const RequirementRow& row) {
        return row.id == scope && row.waivable == Waivable::yes;
    });
}

std::string waivable_requirements() {
    std::vector<std::string> ids;
    for (const auto& row : requirement_rows()) {
        if (row.waivable == Waivable::yes) ids.push_back(row.id);
    }
    return listed(ids, "or");
}

}  // namespace workbench
