// SPDX-License-Identifier: MIT
#include "core/release/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "core/evidence/compare.h"
#include "core/release/evidence_files.h"
#include "core/release/records_read.h"
#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// Returns the first three, and how many more there are.
std::string first_few(const std::vector<std::string>& names) {
    const std::string text = joined(names | std::views::take(3), ", ");
    return names.size() > 3 ? text + " and " + std::to_string(names.size() - 3) + " more" : text;
}

std::string without_blanks(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return text;
}

}  // namespace

int days_left(const Waiver& waiver, const std::string& utc) {
    const auto last = day_from(waiver.expires);
    const auto today = day_from(std::max(utc, waiver.latest_clock).substr(0, 10));
    if (!last || !today) return -1;  // no waiver of the log is so
    return static_cast<int>((*last - *today).count());
}

const Waiver* Checks::waiver_of(std::string_view scope) const {
    const auto found = std::ranges::find_if(
        m_state.waivers, [&](const Waiver& w) { return w.scope == scope && days_left(w, m_utc) >= 0; });
    return found == m_state.waivers.end() ? nullptr : &*found;
}

std::vector<const Attachment*> Checks::all_of(std::string_view kind) const {
    std::vector<const Attachment*> found;
    for (const auto& a : m_state.attachments) {
        if (a.kind == kind) found.push_back(&a);
    }
    return found;
}

// Returns a sentence when evidence that is about `commit` is not about the release's; empty: it is.
std::string Checks::other_commit(const Attachment& a, const std::string& commit) const {
    if (commit == m_state.commit) return {};
    return fmt::format("evidence/{} is about commit {:.12}, not {:.12}", a.name, commit, m_state.commit);
}

// Reads it as it was attached, and of this commit where it has one.
Result<std::string> Checks::text_of(const Attachment& a) const {
    auto text = attached_text(m_directory, a, m_control.stop);
    if (!text || a.commit.empty()) return text;
    if (auto wrong = other_commit(a, a.commit); !wrong.empty()) return fail(ErrorKind::bad_input, wrong);
    return text;
}

Result<void> Checks::unchanged(const Attachment& a) const {
    auto known = m_problems.find(a.name);
    if (known == m_problems.end()) {
        IIR2D_TRY(const auto check, check_evidence(m_directory, a, m_control.stop));
        known = m_problems.emplace(a.name, check.problem).first;
    }
    if (!known->second.empty())
        return fail(ErrorKind::bad_input,
                    fmt::format("evidence/{} is not what was attached: {}", a.name, known->second));
    return {};
}

// Reads a record as it was attached; bad_input when it changed since, or is not accepted.
Result<RecordPtr> Checks::measured(const Attachment& a) const {
    IIR2D_RETURN_IF_ERROR(unchanged(a));
    return read_record(evidence_path(m_directory, a.name), a.sha256);
}

// Likewise the record of a duel.
Result<DuelRecordPtr> Checks::duel(const Attachment& a) const {
    IIR2D_RETURN_IF_ERROR(unchanged(a));
    return read_duel_record(evidence_path(m_directory, a.name), a.sha256);
}

Finding Checks::test_report(const Attachment& a) const {
    const auto text = text_of(a);
    if (!text) return {false, text.error().message};
    const auto report = read_test_report(*text);
    if (!report) return {false, "evidence/" + a.name + ": " + report.error().message};
    if (report->green()) {
        return {true, fmt::format("{}, {} skipped, none failed (evidence/{})", counted(report->tests, "test"),
                                  report->skipped, a.name)};
    }
    if (report->failures.empty()) return {false, "evidence/" + a.name + " has no test that ran"};
    return {false, fmt::format("evidence/{}: {} failed: {}", a.name, counted(report->failures.size(), "test"),
                               first_few(report->failures))};
}

Finding Checks::tests(std::string_view kind) const {
    return test_report(latest(kind));
}

Finding Checks::two_runs() const {
    const auto all = all_of("test-report");
    if (all.size() < 2)
        return {false, "two test reports are needed, and " + counted(all.size(), "is", "are") + " attached",
                true};
    std::string runs[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const Attachment& a = *all[all.size() - 2 + i];
        if (auto finding = test_report(a); !finding.met) return finding;
        auto text = text_of(a);
        if (!text) return {false, text.error().message};
        runs[i] = without_blanks(std::move(*text));
    }
    const std::string &first = all[all.size() - 2]->name, &second = all.back()->name;
    if (runs[0] != runs[1]) return {true, fmt::format("evidence/{}, evidence/{}", first, second)};
    return {false,
            fmt::format("evidence/{} and evidence/{} are one run: but for white space they are the same",
                        first, second)};
}

Finding Checks::parity() const {
    std::size_t cases = 0;
    for (const auto* a : all_of("parity-report")) {
        const auto text = text_of(*a);
        if (!text) return {false, text.error().message};
        const auto report = read_parity_report(*text);
        if (!report) return {false, "evidence/" + a->name + ": " + report.error().message};
        if (!report->failures.empty())
            return {false, "evidence/" + a->name + ": out of bounds: " + first_few(report->failures)};
        cases += report->cases;
    }
    if (cases == 0) return {false, "the parity reports have no case"};
    return {true, std::to_string(cases) + " of " + counted(cases, "case")};
}

Finding Checks::issues(std::string_view priority, bool waivers_count) const {
    const Attachment& a = latest("issues");
    const auto text = text_of(a);
    if (!text) return {false, text.error().message};
    const auto list = read_issues(*text);
    if (!list) return {false, "evidence/" + a.name + ": " + list.error().message};
    return open_ones(*list, priority, waivers_count);
}

Finding Checks::open_ones(const std::vector<Issue>& list, std::string_view priority,
                          bool waivers_count) const {
    std::vector<std::string> open, scopes;
    std::size_t waived = 0;
    for (const Issue& issue : list) {
        if (!issue.open || issue.priority != priority) continue;
        if (waivers_count && waiver_of("issue:" + issue.id) != nullptr) {
            ++waived;
        } else {
            open.push_back(issue.id + " (" + issue.title + ")");
            if (waivers_count) scopes.push_back("issue:" + issue.id);
        }
    }
    const std::string name(priority);
    if (!open.empty()) return {false, "open " + name + ": " + first_few(open), false, scopes};
    return {true, waived == 0 ? "no open " + name : std::to_string(waived) + " open " + name + ", waived"};
}

Finding Checks::rebuild() const {
    const Attachment& a = latest("rebuild");
    const auto text = text_of(a);
    if (!text) return {false, text.error().message};
    const auto report = read_rebuild(*text);
    if (!report) return {false, "evidence/" + a.name + ": " + report.error().message};
    const bool same =
        std::ranges::all_of(report->hashes, [&](const auto& h) { return h == report->hashes[0]; });
    if (same) return {true, "the library's SHA-256 is " + report->hashes[0].substr(0, 12) + " each time"};
    if (report->reason.empty())
        return {false, "the library differs from build to build and no reason is stated"};
    return {true, "the library differs, and why is stated: " + report->reason};
}

Finding Checks::record(std::string_view kind, std::string_view protocol) const {
    const Attachment& a = latest(kind);
    const auto read = measured(a);
    if (!read) return {false, read.error().message};
    const RecordPtr& r = *read;
    // The record's own word, whatever the log says of it.
    if (auto wrong = other_commit(a, r->environment.commit.value_or("")); !wrong.empty())
        return {false, wrong};
    const std::string name = "evidence/" + a.name;
    if (r->run.matrix.protocol != protocol)
        return {false, name + " was not run by the " + std::string(protocol) + " protocol"};
    if (r->run.results.empty()) return {false, name + " has no case"};
    if (r->run.cancelled) return {false, name + " is a run that was cancelled"};
    if (r->environment.dirty.value_or(true))
        return {false, name + " was measured with uncommitted changes, or that is not known"};
    for (const auto& c : r->run.results) {
        if (c.failure) return {false, fmt::format("\"{}\" was not timed: {}", c.what.key, *c.failure)};
        if (!c.inconclusive.empty())
            return {false, fmt::format("\"{}\" is inconclusive: {}", c.what.key, c.inconclusive)};
    }
    return {true, "record " + short_id(r->record_id) + ", " + counted(r->run.results.size(), "case")};
}

// Finds whether a baseline is of another commit, which it knows: the release is no baseline of itself.
Finding Checks::baseline_commit(const Attachment& a) const {
    const auto read = measured(a);
    if (!read) return {false, read.error().message};
    const RecordPtr& r = *read;
    const std::string commit = r->environment.commit.value_or("");
    if (!is_commit(commit)) return {false, "evidence/" + a.name + " does not know its commit"};
    if (commit == m_state.commit)
        return {false, "evidence/" + a.name + " is of the release's own commit, no baseline for it"};
    return {true, {}};
}

Finding Checks::baseline() const {
    if (duel_counts()) return duel_baseline();
    const Attachment& a = latest("baseline-record");
    const auto read = measured(a);
    if (!read) return {false, read.error().message};
    const RecordPtr& r = *read;
    if (!r->signer) return {false, "evidence/" + a.name + " is not signed"};
    if (auto other = baseline_commit(a); !other.met) return other;
    return held_by(*r->signer, "record " + short_id(r->record_id), "evidence/" + a.name);
}

// Finds whether a role of this release signed it.
Finding Checks::held_by(const PublicKey& signer, const std::string& what, const std::string& name) const {
    for (const auto& [role, key] : m_state.holders) {
        if (key == signer.hex()) return {true, what + ", signed by the " + role};
    }
    return {false, fmt::format("{} is signed by {}, who holds no role of this release", name, signer.hex())};
}

// Whether the duel counts, not the baseline's record: whichever was attached last.
bool Checks::duel_counts() const {
    const auto last = std::ranges::find_if(
        m_state.attachments | std::views::reverse,
        [](const Attachment& a) { return a.kind == "duel-record" || a.kind == "baseline-record"; });
    return last != (m_state.attachments | std::views::reverse).end() && last->kind == "duel-record";
}

// A duel stands for both records: its base is the baseline.
Finding Checks::duel_baseline() const {
    const Attachment& a = latest("duel-record");
    const auto read = duel(a);
    if (!read) return {false, read.error().message};
    const std::string name = "evidence/" + a.name;
    if (!(*read)->signer) return {false, name + " is not signed"};
    const BuildIdentity base = build_of((*read)->duel.base);
    if (!is_commit(base.commit)) return {false, "the base of " + name + " does not know its commit"};
    if (base.commit == m_state.commit)
        return {false, "the base of " + name + " is of the release's own commit, no baseline for it"};
    return held_by(*(*read)->signer, "duel " + short_id((*read)->record_id), name);
}

Finding Checks::duel_comparison() const {
    const Attachment& a = latest("duel-record");
    const auto read = duel(a);
    if (!read) return {false, read.error().message};
    if (auto baseline = duel_baseline(); !baseline.met) return baseline;
    const std::string name = "evidence/" + a.name;
    const Duel& duel = (*read)->duel;
    const BuildIdentity now = build_of(duel.now);
    if (auto wrong = other_commit(a, now.commit); !wrong.empty()) return {false, wrong};
    if (now.has_local_changes)
        return {false, "the new library of " + name + " was built with uncommitted changes"};
    if (duel.settings.matrix.protocol != "standard")
        return {false, name + " was not run by the standard protocol"};
    if (duel.cancelled) return {false, name + " is a duel that was cancelled"};
    if (constexpr double widest = 0.05; duel.settings.rule.margin > widest) {
        return {false, fmt::format("the margin of {} is {}, and at most {} is taken", name,
                                   percent_text(duel.settings.rule.margin), percent_text(widest))};
    }
    // The library that the release's record is of, where it says so.
    if (is_attached("standard-record")) {
        const auto standard = measured(latest("standard-record"));
        if (!standard) return {false, standard.error().message};
        const auto& library = (*standard)->environment.library_sha256;
        if (library && *library != duel.now.sha256) {
            return {false,
                    fmt::format("the new library of {} ({:.12}) is not the one that evidence/{} measured "
                                "({:.12})",
                                name, duel.now.sha256, latest("standard-record").name, *library)};
        }
    }
    const auto wrong = shortcomings(duel, m_state.max_regression);
    if (!wrong.empty()) return {false, first_few(wrong)};
    return {true, fmt::format("{}: {}, all within the limit", counted(duel.cases.size(), "case"),
                              verdict_counts(duel))};
}

Finding Checks::comparison() const {
    if (duel_counts()) return duel_comparison();
    if (!is_attached("standard-record")) return {false, "nothing is attached as standard-record", true};
    const Attachment& base = latest("baseline-record");
    const Attachment& now = latest("standard-record");
    if (auto other = baseline_commit(base); !other.met) return other;
    const auto b = measured(base);
    if (!b) return {false, b.error().message};
    const auto n = measured(now);
    if (!n) return {false, n.error().message};
    if (auto wrong = other_commit(now, (*n)->environment.commit.value_or("")); !wrong.empty())
        return {false, wrong};
    const auto compared = compare_records(*b, *n, {.max_regression = m_state.max_regression});
    if (!compared) return {false, compared.error().message};
    const auto wrong = shortcomings(*compared);
    if (!wrong.empty()) return {false, first_few(wrong)};
    return {true, fmt::format("{}: {}, all within the limit", counted(compared->cases.size(), "case"),
                              verdict_counts(*compared))};
}

Result<SecurityReview> Checks::review() const {
    IIR2D_TRY(const auto text, text_of(latest("security-review")));
    return read_security_review(text);
}

Finding Checks::review_findings(std::string_view priority) const {
    const auto r = review();
    if (!r) return {false, r.error().message};
    return open_ones(r->findings, priority, false);
}

Finding Checks::no_p1() const {
    const auto listed = issues("P1", false);
    return listed.met ? review_findings("P1") : listed;
}

Finding Checks::security() const {
    const auto r = review();
    if (!r) return {false, r.error().message};
    if (!r->accepted) return {false, "the review by " + r->reviewer + " did not accept it"};
    return {true, "accepted by " + r->reviewer};
}

Finding Checks::present(std::string_view kind) const {
    const Attachment& a = latest(kind);
    const auto text = text_of(a);
    if (!text) return {false, text.error().message};
    if (text->empty()) return {false, "evidence/" + a.name + " is empty"};
    return {true, "evidence/" + a.name};
}

Finding Checks::signed_off(std::string_view role) const {
    const SignOff* last = m_state.last_sign_off(role);
    if (last == nullptr) return {false, "the " + std::string(role) + " has not signed", true};
    if (last->seen != m_state.seen()) {
        return {false, fmt::format("stale: {} signed {}, evidence or waivers came later", last->person,
                                   short_id(last->seen))};
    }
    return {true, last->person + ", " + last->utc};
}

}  // namespace workbench
