// SPDX-License-Identifier: MIT
#include "core/release/requirements.h"

#include <algorithm>

namespace workbench {

namespace {

std::vector<RequirementRow> make_rows() {
    constexpr auto yes = Waivable::yes, no = Waivable::no;
    constexpr auto dev = Stage::dev, rc = Stage::rc, ga = Stage::ga;
    std::vector<RequirementRow> rows = {
        {"A.tests", "a green test report on this commit", dev, no, {"test-report"}, {}},
        {"A.parity", "every case agrees with the reference", dev, no, {"parity-report"}, {}},
        {"A.c-api", "the C API keeps its status contract", dev, yes, {"c-api-report"}, {}},
        {"A.p0", "no open P0", dev, no, {"issues"}, {}},
        {"A.p1", "no open P1 without a waiver", dev, no, {"issues"}, {}},
        {"B.two-runs", "the last two test reports are green", rc, yes, {"test-report"}, {}},
        {"B.rebuild",
         "a clean rebuild gives the same library, or the reason is stated",
         rc,
         yes,
         {"rebuild"},
         {}},
        {"B.smoke", "a smoke record of this commit", rc, yes, {"smoke-record"}, {}},
        {"C.standard", "a standard record of this commit", rc, no, {"standard-record"}, {}},
        {"C.baseline", "a baseline that a role holder signed", rc, no, {"baseline-record"}, {}},
        {"C.comparison",
         "no case above the baseline by more than {limit}",
         rc,
         yes,
         {"baseline-record", "standard-record"},
         {}},
        {"D.p0", "the security review leaves no open P0", rc, no, {"security-review"}, {}},
        {"D.p1", "no open P1 at all, waived or not", ga, no, {"issues", "security-review"}, {}},
        {"D.packaging", "the packages were validated", ga, yes, {"packaging-report"}, {}},
        {"D.licence", "the licence is attached", ga, no, {"licence"}, {}},
        {"D.notices", "the notices are attached", ga, yes, {"notices"}, {}},
        {"D.security", "an accepted security review of this commit", ga, yes, {"security-review"}, {}}};
    for (const auto name : release_roles) {
        const std::string role(name);
        rows.push_back({"D.sign-off." + role, "the " + role + " signed what there is", ga, no, {}, role});
    }
    return rows;
}

}  // namespace

const std::vector<RequirementRow>& requirement_rows() {
    static const std::vector<RequirementRow> rows = make_rows();
    return rows;
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
    std::string text;
    for (std::size_t i = 0; i < ids.size(); ++i)
        text += (i == 0 ? "" : i + 1 == ids.size() ? " or " : ", ") + ids[i];
    return text;
}

}  // namespace workbench
