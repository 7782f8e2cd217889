// SPDX-License-Identifier: MIT
#include "core/release/gates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "core/evidence/compare.h"
#include "core/record/record.h"
#include "core/release/evidence_files.h"
#include "core/release/records_read.h"
#include "core/release/reports.h"
#include "core/support/counted.h"
#include "core/support/signing.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

struct Finding {
    bool met = false;
    std::string text;
    bool nothing_there = false;
    std::vector<std::string> waivable = {};  // scopes beside the requirement's own
};

constexpr double requirement_count = 21;

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() > 3) text += " and " + std::to_string(names.size() - 3) + " more";
    return text;
}

std::string without_blanks(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return text;
}

class Evaluator {
  public:
    Evaluator(const fs::path& directory, const ReleaseState& state, const std::string& utc,
              const TaskControl& control)
        : m_directory(directory),
          m_state(state),
          m_control(control),
          m_as_of(std::max(utc, state.changed_utc)) {}

    Evaluation run() {
        add("A.tests", "a green test report on this commit", true, {"test-report"},
            [this] { return tests("test-report"); });
        add("A.parity", "every case agrees with the reference", true, {"parity-report"},
            [this] { return parity(); });
        add("A.c-api", "the C API keeps its status contract", true, {"c-api-report"},
            [this] { return tests("c-api-report"); });
        add("A.p0", "no open P0", true, {"issues"}, [this] { return issues("P0", false); });
        add("A.p1", "no open P1 without a waiver", true, {"issues"}, [this] { return issues("P1", true); });
        const bool candidate = m_state.stage != Stage::dev;
        add("B.two-runs", "the last two test reports are green", candidate, {"test-report"},
            [this] { return two_runs(); });
        add("B.rebuild", "a clean rebuild gives the same library, or the reason is stated", candidate,
            {"rebuild"}, [this] { return rebuild(); });
        add("B.smoke", "a smoke record of this commit", candidate, {"smoke-record"},
            [this] { return record("smoke-record", "smoke"); });
        add("C.standard", "a standard record of this commit", candidate, {"standard-record"},
            [this] { return record("standard-record", "standard"); });
        add("C.baseline", "a baseline that a role holder signed", candidate, {"baseline-record"},
            [this] { return baseline(); });
        add("C.comparison", "no case above the baseline by more than " + percent_text(m_state.max_regression),
            candidate, {"baseline-record", "standard-record"}, [this] { return comparison(); });
        const bool general = m_state.stage == Stage::ga;
        add("D.p0", "the security review leaves no open P0", candidate, {"security-review"},
            [this] { return findings("P0"); });
        add("D.p1", "no open P1 at all, waived or not", general, {"issues", "security-review"},
            [this] { return no_p1(); });
        add("D.packaging", "the packages were validated", general, {"packaging-report"},
            [this] { return tests("packaging-report"); });
        add("D.licence", "the licence is attached", general, {"licence"},
            [this] { return present("licence"); });
        add("D.notices", "the notices are attached", general, {"notices"},
            [this] { return present("notices"); });
        add("D.security", "an accepted security review of this commit", general, {"security-review"},
            [this] { return security(); });
        for (const auto role : release_roles) {
            add("D.sign-off." + std::string(role), "the " + std::string(role) + " signed what there is",
                general, {}, [this, role] { return signed_off(role); });
            m_requirements.back().role = role;
        }
        return {m_as_of, std::move(m_requirements)};
    }

  private:
    void add(std::string id, std::string what, bool needed, std::vector<std::string> kinds,
             const std::function<Finding()>& find) {
        m_control.report(static_cast<double>(m_requirements.size()) / requirement_count, id);
        // It quotes what strangers wrote.
        const Finding found = m_control.cancelled() ? Finding{false, "not looked at: cancelled"} : find();
        Requirement r{.id = std::move(id),
                      .what = std::move(what),
                      .needed = needed,
                      .met = found.met,
                      .finding = one_line(found.text),
                      .kinds = std::move(kinds),
                      .role = {},
                      .waivable = found.waivable,
                      .nothing_there = found.nothing_there};
        if (!r.met && is_waivable(r.id)) {
            if (const Waiver* waiver = waiver_of(r.id)) {
                r.waived = true;
                r.finding += "; waived until " + waiver->expires + " by " + one_line(waiver->owner);
            } else {
                r.waivable.push_back(r.id);
            }
        }
        m_requirements.push_back(std::move(r));
    }

    // One that counts today.
    const Waiver* waiver_of(std::string_view scope) const {
        const auto found = std::ranges::find_if(
            m_state.waivers, [&](const Waiver& w) { return w.scope == scope && days_left(w, m_as_of) >= 0; });
        return found == m_state.waivers.end() ? nullptr : &*found;
    }

    std::vector<const Attachment*> all_of(std::string_view kind) const {
        std::vector<const Attachment*> found;
        for (const auto& a : m_state.attachments) {
            if (a.kind == kind) found.push_back(&a);
        }
        return found;
    }

    static Finding missing(std::string_view kind) {
        return {false, "nothing is attached as " + std::string(kind), true};
    }

    // The latest of a kind: what was attached before it is outdated.
    const Attachment* latest(std::string_view kind) const {
        const auto all = all_of(kind);
        return all.empty() ? nullptr : all.back();
    }

    fs::path path_of(const Attachment& a) const { return evidence_path(m_directory, a.name); }

    // What changed since it was attached; empty: nothing.
    std::string changed(const Attachment& a) const {
        const auto hash = evidence_hash(path_of(a), m_control.stop);
        if (!hash) return hash.error().message;
        if (hash->sha256 != a.sha256) return "evidence/" + a.name + " is not what was attached";
        return {};
    }

    // Unchanged and of this commit; a sentence when not.
    std::string wrong_with(const Attachment& a) const {
        if (auto change = changed(a); !change.empty()) return change;
        if (!a.commit.empty() && a.commit != m_state.commit)
            return "evidence/" + a.name + " is about commit " + a.commit.substr(0, 12) + ", not " +
                   m_state.commit.substr(0, 12);
        return {};
    }

    Result<std::string> text_of(const Attachment& a) const {
        if (auto wrong = wrong_with(a); !wrong.empty()) return fail(ErrorKind::bad_input, wrong);
        return read_file(path_of(a), largest_evidence_file);
    }

    Finding test_report(const Attachment& a) const {
        const auto text = text_of(a);
        if (!text) return {false, text.error().message};
        const auto report = read_test_report(*text);
        if (!report) return {false, "evidence/" + a.name + ": " + report.error().message};
        if (report->green()) {
            return {true, counted(report->tests, "test") + ", " + std::to_string(report->skipped) +
                              " skipped, none failed (evidence/" + a.name + ")"};
        }
        if (report->failures.empty()) return {false, "evidence/" + a.name + " has no test that ran"};
        return {false, "evidence/" + a.name + ": " + counted(report->failures.size(), "test") +
                           " failed: " + list_of(report->failures)};
    }

    Finding tests(std::string_view kind) const {
        const Attachment* a = latest(kind);
        return a == nullptr ? missing(kind) : test_report(*a);
    }

    Finding two_runs() const {
        const auto all = all_of("test-report");
        if (all.size() < 2)
            return {false, "two test reports are needed, " + std::to_string(all.size()) + " attached", true};
        std::string runs[2];
        for (std::size_t i = 0; i < 2; ++i) {
            const Attachment& a = *all[all.size() - 2 + i];
            if (auto finding = test_report(a); !finding.met) return finding;
            auto text = text_of(a);
            if (!text) return {false, text.error().message};
            runs[i] = without_blanks(std::move(*text));
        }
        if (runs[0] == runs[1]) {
            return {false, "evidence/" + all[all.size() - 2]->name + " and evidence/" + all.back()->name +
                               " are one run: but for white space they are the same"};
        }
        return {true, "evidence/" + all[all.size() - 2]->name + ", evidence/" + all.back()->name};
    }

    Finding parity() const {
        const auto all = all_of("parity-report");
        if (all.empty()) return missing("parity-report");
        std::size_t cases = 0;
        for (const auto* a : all) {
            const auto text = text_of(*a);
            if (!text) return {false, text.error().message};
            const auto report = read_parity_report(*text);
            if (!report) return {false, "evidence/" + a->name + ": " + report.error().message};
            if (!report->failures.empty())
                return {false, "evidence/" + a->name + ": out of bounds: " + list_of(report->failures)};
            cases += report->cases;
        }
        if (cases == 0) return {false, "the parity reports have no case"};
        return {true, std::to_string(cases) + " of " + counted(cases, "case")};
    }

    Finding issues(std::string_view priority, bool waivers_count) const {
        const Attachment* a = latest("issues");
        if (a == nullptr) return missing("issues");
        const auto text = text_of(*a);
        if (!text) return {false, text.error().message};
        const auto list = read_issues(*text);
        if (!list) return {false, "evidence/" + a->name + ": " + list.error().message};
        return open_ones(*list, priority, waivers_count);
    }

    Finding open_ones(const std::vector<Issue>& list, std::string_view priority, bool waivers_count) const {
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
        if (!open.empty()) return {false, "open " + name + ": " + list_of(open), false, scopes};
        return {true,
                waived == 0 ? "no open " + name : std::to_string(waived) + " open " + name + ", waived"};
    }

    Finding rebuild() const {
        const Attachment* a = latest("rebuild");
        if (a == nullptr) return missing("rebuild");
        const auto text = text_of(*a);
        if (!text) return {false, text.error().message};
        const auto report = read_rebuild(*text);
        if (!report) return {false, "evidence/" + a->name + ": " + report.error().message};
        const bool same =
            std::ranges::all_of(report->hashes, [&](const auto& h) { return h == report->hashes[0]; });
        if (same) return {true, "the library's SHA-256 is " + report->hashes[0].substr(0, 12) + " each time"};
        if (report->reason.empty())
            return {false, "the library differs from build to build and no reason is stated"};
        return {true, "the library differs, and why is stated: " + report->reason};
    }

    // An unchanged and accepted record.
    Result<MeasuredRecord> measured(const Attachment& a) const {
        if (auto change = changed(a); !change.empty()) return fail(ErrorKind::bad_input, change);
        if (auto known = records_read().find(a.sha256)) return *std::move(known);
        auto record = load_measured_record(path_of(a));
        if (record && changed(a).empty()) records_read().keep(a.sha256, *record);
        return record;
    }

    Finding record(std::string_view kind, std::string_view protocol) const {
        const Attachment* a = latest(kind);
        if (a == nullptr) return missing(kind);
        if (auto wrong = wrong_with(*a); !wrong.empty()) return {false, wrong};
        const auto r = measured(*a);
        if (!r) return {false, r.error().message};
        const std::string name = "evidence/" + a->name;
        if (r->protocol != protocol)
            return {false, name + " was not run by the " + std::string(protocol) + " protocol"};
        if (r->cases.empty()) return {false, name + " has no case"};
        if (r->cancelled) return {false, name + " is a run that was cancelled"};
        if (r->dirty.value_or(true))
            return {false, name + " was measured with uncommitted changes, or that is not known"};
        for (const auto& c : r->cases) {
            if (!c.why_not_timed.empty())
                return {false, "\"" + c.key + "\" was not timed: " + c.why_not_timed};
            if (!c.inconclusive.empty())
                return {false, "\"" + c.key + "\" is inconclusive: " + c.inconclusive};
        }
        return {true, "record " + short_id(r->record_id) + ", " + counted(r->cases.size(), "case")};
    }

    // A baseline is of another commit, which it knows: the release is no baseline of itself.
    Finding other_commit(const Attachment& a) const {
        const auto r = measured(a);
        if (!r) return {false, r.error().message};
        if (!is_commit(r->commit)) return {false, "evidence/" + a.name + " does not know its commit"};
        if (r->commit == m_state.commit)
            return {false, "evidence/" + a.name + " is of the release's own commit, no baseline for it"};
        return {true, {}};
    }

    Finding baseline() const {
        const Attachment* a = latest("baseline-record");
        if (a == nullptr) return missing("baseline-record");
        const auto r = measured(*a);
        if (!r) return {false, r.error().message};
        if (!r->signer) return {false, "evidence/" + a->name + " is not signed"};
        if (auto other = other_commit(*a); !other.met) return other;
        for (const auto& [role, key] : m_state.holders) {
            if (key == r->signer->hex())
                return {true, "record " + short_id(r->record_id) + ", signed by the " + role};
        }
        return {false, "evidence/" + a->name + " is signed by " + r->signer->hex() +
                           ", who holds no role of this release"};
    }

    Finding comparison() const {
        const Attachment* base = latest("baseline-record");
        const Attachment* now = latest("standard-record");
        if (base == nullptr || now == nullptr)
            return missing(base == nullptr ? "baseline-record" : "standard-record");
        if (auto other = other_commit(*base); !other.met) return other;
        if (auto wrong = wrong_with(*now); !wrong.empty()) return {false, wrong};
        const auto b = measured(*base);
        const auto n = measured(*now);
        if (!n) return {false, n.error().message};
        const auto compared = compare_records(*b, *n, {.max_regression = m_state.max_regression});
        if (!compared) return {false, compared.error().message};
        const auto wrong = shortcomings(*compared);
        if (!wrong.empty()) return {false, list_of(wrong)};
        return {true, counted(compared->cases.size(), "case") + ": " +
                          std::to_string(compared->count(Verdict::same)) + " SAME, " +
                          std::to_string(compared->count(Verdict::faster)) + " FASTER, " +
                          std::to_string(compared->count(Verdict::slower)) + " SLOWER, " +
                          std::to_string(compared->count(Verdict::ambiguous)) +
                          " AMBIGUOUS, all within the limit"};
    }

    Result<SecurityReview> review() const {
        const Attachment* a = latest("security-review");
        if (a == nullptr) return fail(ErrorKind::bad_input, missing("security-review").text);
        const auto text = text_of(*a);
        if (!text) return std::unexpected(text.error());
        return read_security_review(*text);
    }

    // Without a review there is no finding; that one is there is D.security's to ask.
    Finding findings(std::string_view priority) const {
        if (latest("security-review") == nullptr) return {true, "nothing is attached as security-review"};
        const auto r = review();
        if (!r) return {false, r.error().message};
        return open_ones(r->findings, priority, false);
    }

    Finding no_p1() const {
        const auto listed = issues("P1", false);
        return listed.met ? findings("P1") : listed;
    }

    Finding security() const {
        const auto r = review();
        if (!r) return {false, r.error().message, latest("security-review") == nullptr};
        if (!r->accepted) return {false, "the review by " + r->reviewer + " did not accept it"};
        return {true, "accepted by " + r->reviewer};
    }

    Finding present(std::string_view kind) const {
        const Attachment* a = latest(kind);
        if (a == nullptr) return missing(kind);
        const auto text = text_of(*a);
        if (!text) return {false, text.error().message};
        if (text->empty()) return {false, "evidence/" + a->name + " is empty"};
        return {true, "evidence/" + a->name};
    }

    Finding signed_off(std::string_view role) const {
        const SignOff* last = m_state.last_sign_off(role);
        if (last == nullptr) return {false, "the " + std::string(role) + " has not signed", true};
        if (last->seen != m_state.seen()) {
            return {false, "stale: " + last->person + " signed " + short_id(last->seen) +
                               ", evidence or waivers came later"};
        }
        return {true, last->person + ", " + last->utc};
    }

    const fs::path& m_directory;
    const ReleaseState& m_state;
    const TaskControl& m_control;
    std::string m_as_of;
    std::vector<Requirement> m_requirements;
};

}  // namespace

Standing Requirement::standing() const {
    if (met) return Standing::held;
    if (waived) return Standing::waived;
    if (!needed) return Standing::later;
    return nothing_there ? Standing::missing : Standing::failed;
}

int days_left(const Waiver& waiver, const std::string& utc) {
    const auto last = day_from(waiver.expires);
    const auto today = day_from(utc.substr(0, 10));
    if (!last || !today) return -1;  // no waiver of the log is so
    return static_cast<int>((*last - *today).count());
}

std::vector<std::string> Evaluation::blockers() const {
    std::vector<std::string> texts;
    for (const auto& r : requirements) {
        if (r.needed && !r.holds()) texts.push_back(r.id + ": " + r.finding);
    }
    return texts;
}

bool is_waivable(std::string_view scope) {
    if (scope.starts_with("issue:")) return scope.size() > 6;
    constexpr std::array<std::string_view, 8> waivable = {"A.c-api",   "B.two-runs",   "B.rebuild",
                                                          "B.smoke",   "C.comparison", "D.packaging",
                                                          "D.notices", "D.security"};
    return std::ranges::find(waivable, scope) != waivable.end();
}

Evaluation evaluate_release(const fs::path& directory, const ReleaseState& state, const std::string& utc,
                            const TaskControl& control) {
    return Evaluator(directory, state, utc, control).run();
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
