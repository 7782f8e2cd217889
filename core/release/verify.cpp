// SPDX-License-Identifier: MIT
// Verifies that a release's directory is what its log says. Everything read here may come from a stranger.
#include <chrono>
#include <system_error>

#include "core/benchmark/utc_time.h"
#include "core/release/admission.h"
#include "core/release/entries.h"
#include "core/release/evidence_files.h"
#include "core/release/release.h"
#include "core/release/store.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int most_readings = 8;

// How far apart two clocks may be without a note.
constexpr auto clock_tolerance = std::chrono::days(1);

bool is_well_before(const std::string& a, const std::string& b) {
    const auto first = time_from(a), second = time_from(b);
    return first && second && *first + clock_tolerance < *second;
}

class Verifier {
  public:
    // `is_before_change`: an entry will follow.
    Verifier(const fs::path& directory, const TaskControl& control, bool is_before_change)
        : m_directory(directory), m_control(control), m_is_before_change(is_before_change) {}

    // A writer may come between one file and the next: when the log is another one at the end, all is read
    // again.
    Result<ReleaseVerification> run() {
        for (int attempt = 0; attempt < most_readings; ++attempt) {
            const auto before = load_log_text(m_directory);
            m_result = {};
            auto verification = look();
            if (!verification) return verification;
            const auto after = load_log_text(m_directory);
            if (before.has_value() == after.has_value() && (!before || *before == *after))
                return verification;
        }
        return fail(ErrorKind::unwritable_output,
                    quoted(m_directory) + " is being changed by another process: try again");
    }

  private:
    Result<ReleaseVerification> look() {
        std::error_code error;
        if (!fs::is_directory(m_directory, error) ||
            !fs::exists(fs::symlink_status(m_directory / "log.jsonl", error)))
            return fail(ErrorKind::bad_input, "there is no release in " + quoted(m_directory));
        const auto log = load_log(m_directory);
        if (!log) return problem(log.error().message);
        auto state = replay(*log);
        if (!state) return problem(state.error().message);
        if (state->id != utf8_path(fs::absolute(m_directory, error).lexically_normal().filename()) &&
            state->id != utf8_path(fs::canonical(m_directory, error).filename()))
            m_result.problems.push_back("log.jsonl: it is the log of release " + state->id +
                                        ", not of this folder");
        good("log.jsonl: " + counted(log->size(), "entry", "entries") + ", each after the one before");
        if (!state->sign_offs.empty()) good("log.jsonl: " + counted(state->sign_offs.size(), "signature"));
        look_at_times(*log);
        if (auto fits = check_evidence_size(m_directory, *state); !fits) return problem(fits.error().message);
        if (!look_at_evidence(*state)) return fail(ErrorKind::cancelled, "cancelled");
        m_control.report(0.7, "gates");
        const auto evaluation = evaluate_as_logged(m_directory, *state, m_control);
        if (m_control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
        look_at_promotion(*state, evaluation);
        check_made(*log, *state, evaluation);
        check_folder();
        return std::move(m_result);
    }

    void good(std::string text) { m_result.checked.push_back(std::move(text)); }
    Result<ReleaseVerification> problem(const std::string& text) {
        m_result.problems.push_back(text);
        return std::move(m_result);
    }

    // An entry that is dated ahead of this clock was written by another that is wrong, or this one is.
    void look_at_times(const std::vector<LogEntry>& log) {
        for (std::size_t i = 1; i < log.size(); ++i) {
            if (!is_well_before(log[i].time.clock, log[i - 1].time.clock)) continue;
            m_result.notes.push_back(place_of(i + 1, log[i].event.at("type").get<std::string>()) +
                                     "the clock was at " + log[i].time.clock + ", more than a day before " +
                                     log[i - 1].time.clock +
                                     " of the entry before it: one of the two was wrong");
        }
        const LogEntry& last = log.back();
        const std::string now = utc_now();
        if (!is_well_before(now, last.time.clock)) return;
        (m_is_before_change ? m_result.notes : m_result.problems)
            .push_back(place_of(log.size(), last.event.at("type").get<std::string>()) + "it is dated " +
                       last.time.clock + ", more than a day ahead of this machine's clock (" + now +
                       "): one of the two clocks is wrong");
    }

    // A promotion is accepted when the program could have written it: by what there was then.
    void look_at_promotion(const ReleaseState& state, const Evaluation& evaluation) {
        if (!state.promoted_utc) return;
        if (auto wrong = wrong_with_promotion(state, evaluation); !wrong.empty()) {
            m_result.problems.push_back(std::move(wrong));
        } else {
            good(place_of(state.entries, "promote") + "everything that the stage " +
                 std::string(name_of(state.stage)) + " needs held on " + state.clock_utc);
        }
    }

    // An attachment that attach() would not have taken.
    void look_at_kind(const Attachment& a) {
        const auto kind = evidence_kind_from_name(a.kind);
        if (!kind) return;  // replay() knows it
        const auto commit = read_as_kind(*kind, evidence_path(m_directory, a.name), a.sha256, a.commit);
        const std::string place = place_of(a.line, "attach");
        if (!commit) {
            m_result.problems.push_back(place + commit.error().message);
        } else if (*commit != a.commit) {
            m_result.problems.push_back(place + "it says that evidence/" + a.name + " is about commit " +
                                        a.commit.substr(0, 12) + ", the record itself that it is about " +
                                        commit->substr(0, 12));
        }
    }

    // Returns false when it was cancelled.
    bool look_at_evidence(const ReleaseState& state) {
        double done = 0;
        for (const auto& a : state.attachments) {
            m_control.report(0.7 * done++ / static_cast<double>(state.attachments.size()), a.name);
            const auto check = check_evidence(m_directory, a, m_control.stop);
            if (!check) return false;
            if (check->problem.empty()) {
                good("evidence/" + a.name + ": SHA-256");
                look_at_kind(a);
            } else {
                m_result.problems.push_back("evidence/" + a.name + ": " + check->problem);
            }
        }
        std::error_code error;
        const fs::path folder = m_directory / "evidence";
        if (!fs::is_directory(fs::symlink_status(folder, error))) {
            m_result.problems.emplace_back("evidence: it is not a folder");
            return true;
        }
        for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
             entry.increment(error)) {
            const std::string name = utf8_path(entry->path().filename());
            if (state.find(name) == nullptr)
                m_result.notes.push_back("evidence/" + escaped(name) +
                                         ": the log does not know it; it counts for nothing; attach it "
                                         "again or remove it");
        }
        return true;
    }

    // Returns the content of a derived file; without one, there is a problem more.
    std::optional<std::string> content(const char* name) {
        std::error_code error;
        const fs::path path = m_directory / name;
        if (!fs::is_regular_file(fs::symlink_status(path, error))) {
            m_result.problems.push_back(std::string(name) + ": it is missing, or no plain file");
            return std::nullopt;
        }
        auto text = read_file(path, largest_derived_file);
        if (text) return std::move(*text);
        m_result.problems.push_back(std::string(name) + ": " + text.error().message);
        return std::nullopt;
    }

    void check_made(const std::vector<LogEntry>& log, const ReleaseState& state,
                    const Evaluation& evaluation) {
        for (const char* name : {"release.json", "release.md"}) {
            const auto text = content(name);
            if (!text) continue;
            switch (judge_derived_file(name, *text, m_directory, log, state, evaluation)) {
                case DerivedFile::current:
                    good(std::string(name) + ": follows from log.jsonl");
                    break;
                case DerivedFile::behind:
                    m_result.notes.push_back(
                        std::string(name) +
                        ": it is as of the entry before the last; the next change writes it anew");
                    break;
                case DerivedFile::other:
                    m_result.problems.push_back(std::string(name) +
                                                ": it is not what log.jsonl and the evidence give");
            }
        }
    }

    void check_folder() {
        std::error_code error;
        for (fs::directory_iterator entry(m_directory, error); !error && entry != fs::directory_iterator();
             entry.increment(error)) {
            const std::string name = utf8_path(entry->path().filename());
            if (name == "log.jsonl" || name == "release.json" || name == "release.md" || name == "evidence" ||
                name == ".lock")
                continue;
            if (name.starts_with(".iir2d-") && name.ends_with(".tmp")) {
                m_result.notes.push_back(escaped(name) +
                                         ": a killed process left it; the next change removes it");
            } else {
                m_result.problems.push_back(escaped(name) + ": a release has no such file");
            }
        }
    }

    const fs::path& m_directory;
    const TaskControl& m_control;
    bool m_is_before_change;
    ReleaseVerification m_result;
};

}  // namespace

Result<ReleaseVerification> verify_release(const fs::path& directory, const TaskControl& control) {
    return Verifier(directory, control, false).run();
}

Result<ReleaseVerification> verify_before_change(const fs::path& directory, const TaskControl& control) {
    return Verifier(directory, control, true).run();
}

}  // namespace workbench
