// SPDX-License-Identifier: MIT
// Whether a duel's record is what it was written as. Everything read here may come from a stranger.
#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/benchmark/named_protocols.h"
#include "core/benchmark/synthetic.h"
#include "core/duel/duel_record.h"
#include "core/record/record_directory.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_problem = 1000;

bool nearly_equal(double a, double b) {
    return a == b || std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1e-12});
}
bool same_estimate(const RatioEstimate& a, const RatioEstimate& b) {
    return nearly_equal(a.ratio, b.ratio) && nearly_equal(a.interval.low, b.interval.low) &&
           nearly_equal(a.interval.high, b.interval.high) && nearly_equal(a.log_error, b.log_error) &&
           a.pairs == b.pairs && a.launches == b.launches;
}

// Returns what is wrong with the rounds of a launch; empty: nothing.
std::string wrong_with(const DuelLaunch& launch) {
    if (launch.rounds.size() % 2 != 0) return "a launch has half a block";
    for (std::size_t i = 0; i < launch.rounds.size(); ++i) {
        const DuelRound& round = launch.rounds[i];
        std::string letters = round.order;
        std::ranges::sort(letters);
        if (letters != "BCKN") return "an order is not one of B, N, C and K";
        if (std::ranges::any_of(round.ms, [](double ms) { return !(ms > 0); }))
            return "a time is not above 0";
        if (i % 2 == 1) {
            std::string before = launch.rounds[i - 1].order;
            std::ranges::reverse(before);
            if (round.order != before)
                return "the second round of a block is not in the order of the first turned round";
        }
    }
    return {};
}

// Returns what is wrong with when a case was looked at; empty: nothing. Looks are due after `launches`
// launches, then after half as many again each time, once there are enough pairs; and at the end, unless the
// case FAILED before. Else whoever writes a record could choose the looks by what they find.
std::string wrong_places(const DuelCase& c, const DuelSettings& settings) {
    const auto least = static_cast<std::size_t>(settings.rule.least_pairs);
    const auto most = static_cast<std::size_t>(settings.rule.most_pairs);
    std::size_t next = static_cast<std::size_t>(settings.launches);
    std::size_t pairs = 0;
    auto look = c.looks.begin();
    for (std::size_t count = 1; count <= c.launches.size(); ++count) {
        pairs += c.launches[count - 1].rounds.size();
        const bool is_last = count == c.launches.size() && c.verdict != DuelVerdict::failed;
        const bool due = count >= next;
        if (pairs >= least && (due || (is_last && count >= 2))) {
            next = look_after(next, count);
            if (look == c.looks.end() || look->effect.launches != count)
                return is_last ? "its last look is not at all of its launches"
                               : "a look is not where one was due";
            if (!due && look->fraction < 1) return "a look that was not due has not spent everything";
            ++look;
        }
        if (pairs >= most && count < c.launches.size()) return "measuring went on after the most pairs";
    }
    return look == c.looks.end() ? "" : "a look is not where one was due";
}

// The looks worked out again.
std::vector<std::string> wrong_looks(const DuelCase& c, DuelRule rule, std::uint64_t seed,
                                     const TaskControl& control) {
    rule.seed = seed;
    DuelJudge judge(rule);
    std::vector<std::string> found;
    std::size_t before = 0;
    for (std::size_t i = 0; i < c.looks.size(); ++i) {
        if (control.cancelled()) return found;
        const DuelLook& look = c.looks[i];
        const std::size_t count = look.effect.launches;
        if (count <= before || count > c.launches.size()) {
            found.emplace_back("a look is at launches that there are not");
            return found;
        }
        before = count;
        const std::vector<DuelLaunch> launches(c.launches.begin(),
                                               c.launches.begin() + static_cast<std::ptrdiff_t>(count));
        const DuelLook again = judge.look(ratios_of(launches, Participant::now),
                                          ratios_of(launches, Participant::control), look.fraction);
        if (!nearly_equal(again.alpha, look.alpha) || !same_estimate(again.effect, look.effect) ||
            !same_estimate(again.control, look.control))
            found.emplace_back("a look's figures do not follow from the pairs");
        const auto least = static_cast<double>(look.effect.pairs) / rule.most_pairs;
        if (look.fraction < std::min(1.0, least) - 1e-9 || (i > 0 && look.fraction < c.looks[i - 1].fraction))
            found.emplace_back("a look has spent less than its pairs");
        const bool is_last = i + 1 == c.looks.size();
        const bool given_up =
            is_last && look.verdict == DuelVerdict::ambiguous && again.verdict == DuelVerdict::undecided;
        if (again.verdict != look.verdict && !given_up)
            found.emplace_back("a look's verdict does not follow from the pairs");
        if (!is_last && look.verdict != DuelVerdict::undecided)
            found.emplace_back("measuring went on after a verdict");
    }
    return found;
}

std::vector<std::string> wrong_with(const DuelCase& c, const DuelSettings& settings, std::uint64_t seed,
                                    const TaskControl& control) {
    const DuelRule& rule = settings.rule;
    std::vector<std::string> found;
    for (const DuelLaunch& launch : c.launches) {
        if (auto wrong = wrong_with(launch); !wrong.empty()) {
            found.push_back(std::move(wrong));
            return found;
        }
    }
    if (c.pairs() > 2 * static_cast<std::size_t>(rule.most_pairs) + 1000) {
        found.emplace_back("it has more pairs than are measured");
        return found;
    }
    // Before the looks are worked out, which takes time for each: there may be no more than are due.
    if (auto wrong = wrong_places(c, settings); !wrong.empty()) {
        found.push_back(std::move(wrong));
        return found;
    }
    found = wrong_looks(c, rule, seed, control);
    const bool is_judged = c.verdict == DuelVerdict::same || c.verdict == DuelVerdict::faster ||
                           c.verdict == DuelVerdict::slower;
    if (c.verdict == DuelVerdict::undecided) found.emplace_back("it has no verdict");
    // A case fails between looks: the last one had decided nothing.
    const DuelVerdict looked = c.verdict == DuelVerdict::failed ? DuelVerdict::undecided : c.verdict;
    if (c.last() != nullptr ? c.last()->verdict != looked : is_judged)
        found.emplace_back("its verdict is not that of its last look");
    if ((is_judged || !c.launches.empty()) && !c.outputs)
        found.emplace_back("it was timed and its results were not compared");
    if (c.outputs && c.verdict != DuelVerdict::wrong && !c.outputs->bound_is_relative &&
        !(c.outputs->max_abs_error <= c.outputs->bound))
        found.emplace_back("its results differ by more than the bound and it is not WRONG");
    if (c.verdict == DuelVerdict::wrong && !c.launches.empty())
        found.emplace_back("it is WRONG and was timed");
    if (c.outputs && c.outputs->equal_bits != (c.outputs->base_sha256 == c.outputs->now_sha256))
        found.emplace_back("its results have equal bits and other hashes, or the other way round");
    return found;
}

void check_matrix_of(const DuelRecord& record, std::vector<std::string>& found) {
    const Duel& duel = record.duel;
    const BenchmarkMatrix& matrix = duel.settings.matrix;
    if (const auto protocol = named_protocol(matrix.protocol); protocol && !same_protocol(*protocol, matrix))
        found.push_back("its matrix is not that of the protocol " + matrix.protocol);
    const auto wanted = cases_of(matrix, 1);
    if (duel.case_total != static_cast<std::int64_t>(wanted.size()))
        found.emplace_back("it does not have as many cases as its matrix");
    if (duel.cases.size() > wanted.size() || (!duel.cancelled && duel.cases.size() != wanted.size()))
        found.emplace_back("the cases are not as many as its matrix gives");
    for (std::size_t i = 0; i < std::min(duel.cases.size(), wanted.size()); ++i) {
        const BenchmarkCase& a = duel.cases[i].what;
        const BenchmarkCase& b = wanted[i];
        if (a.key != b.key || a.label != b.label || a.width != b.width || a.height != b.height)
            found.push_back("case " + std::to_string(i + 1) + " is not that of its matrix");
    }
    if (record.command_line != duel_command_line(duel.settings, utf8_path(duel.base.path),
                                                 utf8_path(duel.now.path), record.max_regression))
        found.emplace_back("its command line is not the one that measures it");
}

struct LookedAtDuel {
    Verification verification;
    std::optional<DuelRecord> record;
};

std::optional<DuelRecord> check_duel_json(const fs::path& path, Verification& v, const TaskControl& control) {
    const std::string name = path.filename().string();
    const auto problem = [&](const std::string& text) {
        v.problems.push_back(escaped(name + ": " + text, longest_problem));
    };
    auto text = read_file(path, record_json_limits.bytes);
    if (!text) {
        problem(text.error().message);
        return std::nullopt;
    }
    auto record = duel_record_from_json(*text);
    if (!record) {
        problem(record.error().message);
        return std::nullopt;
    }
    v.checked.push_back(escaped(name, longest_problem) + ": schema");
    v.checked.push_back(escaped(name, longest_problem) + ": content_sha256");
    v.record_id = record->record_id;
    const auto found = inconsistencies(*record, control);
    for (const auto& sentence : found) problem(sentence);
    if (found.empty())
        v.checked.push_back(escaped(name, longest_problem) + ": verdicts follow from the pairs");
    return std::move(*record);
}

Result<LookedAtDuel> look_at_duel(const fs::path& path, const TaskControl& control) {
    std::error_code error;
    LookedAtDuel looked;
    if (!fs::is_directory(path, error)) {
        looked.record = check_duel_json(path, looked.verification, control);
        if (looked.verification.problems.empty())
            looked.verification.notes.emplace_back(
                "a lone duel.json is checked against itself: verify the record's directory for its "
                "signature, or "
                "compare the record_id with one that you were given");
        return looked;
    }
    IIR2D_TRY(auto files, check_record_directory(path));
    looked.verification = std::move(files.verification);
    Verification& v = looked.verification;
    for (const char* needed : {"duel.json", "duel.md"}) {
        if (!files.names.contains(needed)) v.problems.push_back(std::string(needed) + ": it is missing");
    }
    if (!files.names.contains("duel.json")) return looked;
    looked.record = check_duel_json(path / "duel.json", v, control);
    if (looked.record && files.names.contains("duel.md")) {
        const auto text = read_file(path / "duel.md", record_json_limits.bytes);
        if (text && *text == duel_record_to_markdown(*looked.record)) {
            v.checked.emplace_back("duel.md: follows from duel.json");
        } else {
            v.problems.emplace_back("duel.md: it is not what duel.json gives");
        }
    }
    return looked;
}

Result<void> unless_cancelled(const TaskControl& control) {
    if (!control.cancelled()) return {};
    return fail(ErrorKind::cancelled, "verifying the duel's record was cancelled");
}

}  // namespace

std::vector<std::string> inconsistencies(const DuelRecord& record, const TaskControl& control) {
    std::vector<std::string> found;
    const Duel& duel = record.duel;
    if (duel.finished_utc < duel.started_utc) found.emplace_back("it ended before it began");
    try {
        check_matrix_of(record, found);
        for (std::size_t i = 0; i < duel.cases.size(); ++i) {
            control.report(static_cast<double>(i) / static_cast<double>(duel.cases.size()),
                           "verifying " + duel.cases[i].what.label);
            const auto seed = splitmix64(duel.settings.rule.seed, i);
            for (const auto& wrong : wrong_with(duel.cases[i], duel.settings, seed, control))
                found.push_back("case " + std::to_string(i + 1) + ": " + wrong);
        }
    } catch (const std::exception& error) {
        found.push_back(std::string("its figures cannot be checked: ") + error.what());  // memory
    }
    return found;
}

bool is_duel_record(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return fs::exists(path / "duel.json", error);
    return path.filename() == "duel.json";
}

Result<Verification> verify_duel_record(const fs::path& path, const TaskControl& control) {
    IIR2D_TRY(auto looked, look_at_duel(path, control));
    IIR2D_RETURN_IF_ERROR(unless_cancelled(control));
    return std::move(looked.verification);
}

Result<DuelRecord> load_duel_record(const fs::path& path, const TaskControl& control) {
    IIR2D_TRY(auto looked, look_at_duel(path, control));
    IIR2D_RETURN_IF_ERROR(unless_cancelled(control));
    if (!looked.verification.problems.empty())
        return fail(ErrorKind::check_failed, "the duel's record " + quoted(path) +
                                                 " is not accepted: " + looked.verification.problems.front());
    DuelRecord record = *std::move(looked.record);
    record.path = utf8_path(path);
    record.signer = looked.verification.signer;
    return record;
}

}  // namespace workbench
