// SPDX-License-Identifier: MIT
// Whether a release's directory is what its log says. Everything read here may come from a stranger.
#include <system_error>

#include "core/release/evidence_files.h"
#include "core/release/release.h"
#include "core/release/store.h"
#include "core/support/counted.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int most_attempts = 8;

class Verifier {
  public:
    Verifier(const fs::path& directory, const TaskControl& control)
        : m_directory(directory), m_control(control) {}

    // A writer may come between one file and the next: when the log is another one at the end, all is read
    // again.
    Result<ReleaseVerification> run() {
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
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
        if (!look_at_evidence(*state)) return fail(ErrorKind::cancelled, "cancelled");
        m_control.report(0.8, "release.md");
        check_made(*log);
        if (m_control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
        check_folder();
        return std::move(m_result);
    }

    void good(std::string text) { m_result.checked.push_back(std::move(text)); }
    Result<ReleaseVerification> problem(const std::string& text) {
        m_result.problems.push_back(text);
        return std::move(m_result);
    }

    // False when it was cancelled.
    bool look_at_evidence(const ReleaseState& state) {
        double done = 0;
        for (const auto& a : state.attachments) {
            m_control.report(0.8 * done++ / static_cast<double>(state.attachments.size()), a.name);
            const auto check = check_evidence(m_directory, a, m_control.stop);
            if (!check) return false;
            if (check->problem.empty()) {
                good("evidence/" + a.name + ": SHA-256");
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
                m_result.notes.push_back("evidence/" + printable_utf8(name) +
                                         ": the log does not know it; it counts for nothing; attach it "
                                         "again or remove it");
        }
        return true;
    }

    // The content of a made file, or a problem.
    std::optional<std::string> content(const char* name) {
        std::error_code error;
        const fs::path path = m_directory / name;
        if (!fs::is_regular_file(fs::symlink_status(path, error))) {
            m_result.problems.push_back(std::string(name) + ": it is missing, or no plain file");
            return std::nullopt;
        }
        auto text = read_file(path, largest_made_file);
        if (text) return std::move(*text);
        m_result.problems.push_back(std::string(name) + ": " + text.error().message);
        return std::nullopt;
    }

    void check_made(const std::vector<LogEntry>& log) {
        for (const char* name : {"release.json", "release.md"}) {
            const auto text = content(name);
            if (!text) continue;
            switch (judge_made_file(name, *text, m_directory, log)) {
                case MadeFile::current:
                    good(std::string(name) + ": follows from log.jsonl");
                    break;
                case MadeFile::behind:
                    m_result.notes.push_back(
                        std::string(name) +
                        ": it is as of the entry before the last; the next change writes it anew");
                    break;
                case MadeFile::other:
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
                m_result.notes.push_back(printable_utf8(name) +
                                         ": a killed process left it; the next change removes it");
            } else {
                m_result.problems.push_back(printable_utf8(name) + ": a release has no such file");
            }
        }
    }

    const fs::path& m_directory;
    const TaskControl& m_control;
    ReleaseVerification m_result;
};

}  // namespace

Result<ReleaseVerification> verify_release(const fs::path& directory, const TaskControl& control) {
    return Verifier(directory, control).run();
}

}  // namespace workbench
