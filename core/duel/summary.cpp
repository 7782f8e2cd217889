// SPDX-License-Identifier: MIT
// Figures that follow from a duel, and what is wrong with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/duel/duel.h"
#include "core/evidence/compare.h"
#include "core/support/listed.h"

namespace workbench {

namespace {

constexpr std::array<std::string_view, participant_count> participant_names = {"base", "new", "control",
                                                                               "copy"};

double ms_of(const DuelRound& round, Participant who) {
    return round.ms[static_cast<std::size_t>(who)];
}

template <class Value>
std::optional<double> median_over_rounds(const DuelCase& c, Value value) {
    std::vector<double> values;
    for (const DuelLaunch& launch : c.launches) {
        for (const DuelRound& round : launch.rounds) values.push_back(value(round));
    }
    if (values.empty()) return std::nullopt;
    return percentile(values, 50);
}

}  // namespace

std::string_view name_of(Participant participant) {
    return participant_names[static_cast<std::size_t>(participant)];
}

std::size_t DuelCase::pairs() const {
    std::size_t count = 0;
    for (const DuelLaunch& launch : launches) count += launch.rounds.size();
    return count;
}

std::vector<LaunchRatios> ratios_of(const std::vector<DuelLaunch>& launches, Participant participant) {
    std::vector<LaunchRatios> ratios;
    for (const DuelLaunch& launch : launches) {
        LaunchRatios of_launch;
        for (std::size_t i = 0; i + 1 < launch.rounds.size(); i += 2) {
            RatioBlock block;
            for (const std::size_t at : {i, i + 1}) {
                const DuelRound& round = launch.rounds[at];
                block.push_back(std::log(ms_of(round, participant) / ms_of(round, Participant::base)));
            }
            of_launch.push_back(std::move(block));
        }
        if (!of_launch.empty()) ratios.push_back(std::move(of_launch));
    }
    return ratios;
}

std::optional<double> ratio_to_copy(const DuelCase& c, Participant participant) {
    return median_over_rounds(c, [participant](const DuelRound& round) {
        return ms_of(round, participant) / ms_of(round, Participant::copy);
    });
}

std::optional<double> median_ms(const DuelCase& c, Participant participant) {
    return median_over_rounds(c, [participant](const DuelRound& round) { return ms_of(round, participant); });
}

std::size_t preempted_pairs(const DuelCase& c) {
    std::size_t count = 0;
    for (const DuelLaunch& launch : c.launches) {
        for (const DuelRound& round : launch.rounds) {
            const bool either = round.preempted[static_cast<std::size_t>(Participant::base)] ||
                                round.preempted[static_cast<std::size_t>(Participant::now)];
            count += either ? 1 : 0;
        }
    }
    return count;
}

std::size_t Duel::count(DuelVerdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(cases, verdict, &DuelCase::verdict));
}

std::string change_text(double ratio) {
    const std::string text = percent_text(ratio - 1);
    return ratio >= 1 ? "+" + text : text;
}

std::string change_text(const Interval& interval) {
    return change_text(interval.low) + " to " + change_text(interval.high);
}

std::vector<std::string> shortcomings(const Duel& duel, std::optional<double> max_regression) {
    const double most = 1 + max_regression.value_or(0);
    std::vector<std::pair<double, std::string>> found;  // how bad, and the sentence
    for (const DuelCase& c : duel.cases) {
        const std::string name = "\"" + c.what.key + "\"";
        const DuelLook* look = c.last();
        if (c.verdict == DuelVerdict::wrong) {
            found.emplace_back(1e9, name + " is WRONG: " + c.reason);
        } else if (c.verdict == DuelVerdict::failed) {
            found.emplace_back(1e8, name + " FAILED: " + c.reason);
        } else if (c.verdict == DuelVerdict::slower && look != nullptr && look->effect.ratio > most) {
            found.emplace_back(look->effect.ratio, name + " is SLOWER: " + change_text(look->effect.ratio) +
                                                       ", " + change_text(look->effect.interval));
        } else if (c.verdict == DuelVerdict::same && max_regression && look != nullptr &&
                   look->effect.interval.high > most) {
            found.emplace_back(
                0.5, name + " is SAME by a margin of " + percent_text(duel.settings.rule.margin) +
                         ", and not shown to be within the limit: " + change_text(look->effect.interval));
        } else if (c.verdict == DuelVerdict::ambiguous && max_regression &&
                   (look == nullptr || look->effect.interval.high > most)) {
            found.emplace_back(0, name + " is AMBIGUOUS and not shown to be within the limit: " + c.reason);
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<double, std::string>::first);
    std::vector<std::string> sentences;
    for (auto& [badness, sentence] : found) sentences.push_back(std::move(sentence));
    return sentences;
}

std::string verdict_counts(const Duel& duel) {
    std::vector<std::string> texts;
    for (const auto verdict : {DuelVerdict::same, DuelVerdict::faster, DuelVerdict::slower,
                               DuelVerdict::ambiguous, DuelVerdict::wrong, DuelVerdict::failed}) {
        if (const auto n = duel.count(verdict); n > 0)
            texts.push_back(std::to_string(n) + " " + std::string(name_of(verdict)));
    }
    return joined(texts, ", ");
}

}  // namespace workbench
