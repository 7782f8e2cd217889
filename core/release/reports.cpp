// SPDX-License-Identifier: MIT
#include "core/release/reports.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/release/state.h"
#include "core/support/hex.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using nlohmann::json;

std::unexpected<Error> wrong(const std::string& what) {
    return fail(ErrorKind::bad_input, what);
}

// Calls `read` on the parsed text; what it throws, because a member is missing or of another type, is
// bad_input.
template <class T, class Read>
Result<T> from_json(std::string_view text, const char* what, Read read) {
    const auto parsed = parse_json_strictly(text, record_json_limits);
    if (!parsed) return wrong("it " + parsed.error().message);
    try {
        return read(*parsed);
    } catch (const std::exception&) {
        return wrong(std::string("it is not ") + what);
    }
}

Result<std::vector<Issue>> issues_of(const json& list) {
    std::vector<Issue> issues;
    for (const json& one : list) {
        Issue issue{printable_utf8(one.at("id").get<std::string>()), one.at("priority").get<std::string>(),
                    one.at("open").get<bool>(), printable_utf8(one.at("title").get<std::string>())};
        constexpr std::string_view known[] = {"P0", "P1", "P2", "P3"};
        if (issue.id.empty() || std::ranges::find(known, issue.priority) == std::end(known)) {
            return wrong("the issue " + shown(issue.id) + " has the priority " + shown(issue.priority) +
                         ", not one of P0, P1, P2, P3");
        }
        issues.push_back(std::move(issue));
    }
    return issues;
}

}  // namespace

Result<ParityReport> read_parity_report(std::string_view text) {
    return from_json<ParityReport>(text, "what iir2d parity --json prints", [](const json& j) {
        ParityReport report;
        for (const json& one : j.at("cases")) {
            ++report.cases;
            if (!one.at("passed").get<bool>())
                report.failures.push_back(printable_utf8(one.at("case").get<std::string>()));
        }
        return report;
    });
}

Result<std::vector<Issue>> read_issues(std::string_view text) {
    return from_json<std::vector<Issue>>(text, "a list of issues",
                                         [](const json& j) { return issues_of(j.at("issues")); });
}

Result<Rebuild> read_rebuild(std::string_view text) {
    return from_json<Rebuild>(text, "a report of two builds", [](const json& j) -> Result<Rebuild> {
        Rebuild rebuild;
        for (const json& one : j.at("builds")) {
            rebuild.hashes.push_back(one.at("library_sha256").get<std::string>());
            static_cast<void>(one.at("built_utc").get<std::string>());
            if (!is_sha256(rebuild.hashes.back()))
                return wrong("the library_sha256 " + shown(rebuild.hashes.back()) + " is not a SHA-256");
        }
        if (rebuild.hashes.size() < 2) return wrong("it has fewer than two builds");
        if (!j.at("reason").is_null()) rebuild.reason = printable_utf8(j.at("reason").get<std::string>());
        return rebuild;
    });
}

Result<SecurityReview> read_security_review(std::string_view text) {
    return from_json<SecurityReview>(text, "a security review", [](const json& j) -> Result<SecurityReview> {
        IIR2D_TRY(auto findings, issues_of(j.at("findings")));
        if (const auto date = j.at("date").get<std::string>(); !is_date(date))
            return wrong("its date " + shown(date) + " is not a date: write YYYY-MM-DD");
        SecurityReview review{printable_utf8(j.at("reviewer").get<std::string>()),
                              j.at("accepted").get<bool>(), std::move(findings)};
        if (review.reviewer.empty()) return wrong("it names no reviewer");
        return review;
    });
}

}  // namespace workbench
