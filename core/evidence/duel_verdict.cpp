// SPDX-License-Identifier: MIT
#include "core/evidence/duel_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/evidence/compare.h"

namespace workbench {

namespace {

constexpr std::array<std::pair<DuelVerdict, std::string_view>, 7> verdict_names = {{
    {DuelVerdict::undecided, "UNDECIDED"},
    {DuelVerdict::same, "SAME"},
    {DuelVerdict::faster, "FASTER"},
    {DuelVerdict::slower, "SLOWER"},
    {DuelVerdict::ambiguous, "AMBIGUOUS"},
    {DuelVerdict::wrong, "WRONG"},
    {DuelVerdict::failed, "FAILED"},
}};

}  // namespace

std::string_view name_of(DuelVerdict verdict) {
    return std::ranges::find(verdict_names, verdict, &std::pair<DuelVerdict, std::string_view>::first)
        ->second;
}

DuelVerdict duel_verdict_from_name(std::string_view name, bool& known) {
    const auto* found =
        std::ranges::find(verdict_names, name, &std::pair<DuelVerdict, std::string_view>::second);
    known = found != verdict_names.end();
    return known ? found->first : DuelVerdict::undecided;
}

DuelJudgement judge_duel(const RatioEstimate& effect, const RatioEstimate& control, double margin) {
    // How far from 1, whichever way.
    const auto apart = [](double ratio) { return std::max(ratio, 1 / ratio) - 1; };
    const double off = apart(control.ratio);
    const bool is_off = off > margin / 2;
    const double above = 1 + margin;
    if (!is_off && effect.interval.low >= 1 / above && effect.interval.high <= above)
        return {DuelVerdict::same, {}};
    // A control that is off by 1 % does not explain 80 %.
    const bool slower =
        is_off ? effect.interval.low > above * (1 + off) : effect.interval.low > 1 && effect.ratio > above;
    const bool faster = is_off ? effect.interval.high * above * (1 + off) < 1
                               : effect.interval.high < 1 && effect.ratio < 1 / above;
    if (!slower && !faster) {
        const bool apart_from_one = effect.interval.low > 1 || effect.interval.high < 1;
        return {DuelVerdict::undecided, is_off ? "the control, base against base, is off by " +
                                                     percent_text(off) + ", more than half the margin"
                                        : apart_from_one
                                            ? "the difference may be within the margin or beyond it"
                                            : "the interval is too wide"};
    }
    if (slower ? effect.ratio <= control.interval.high : effect.ratio >= control.interval.low)
        return {DuelVerdict::undecided, "the difference is within the noise of the control"};
    return {slower ? DuelVerdict::slower : DuelVerdict::faster, {}};
}

DuelLook DuelJudge::look(std::span<const LaunchRatios> effect, std::span<const LaunchRatios> control,
                         double fraction) {
    std::size_t pairs = 0;
    for (const LaunchRatios& launch : effect) {
        for (const RatioBlock& block : launch) pairs += block.size();
    }
    DuelLook look{.fraction = fraction};
    if (pairs >= static_cast<std::size_t>(m_rule.least_pairs)) {
        look.alpha = m_spending.next_look(fraction);
    }
    RatioSettings settings{.alpha = look.alpha, .resamples = m_rule.resamples, .seed = m_rule.seed};
    look.effect = estimate_ratio(effect, settings);
    settings.seed = ~m_rule.seed;
    look.control = estimate_ratio(control, settings);
    if (!(look.alpha > 0)) {
        look.reason = "there are too few pairs for a look";
        return look;
    }
    auto judged = judge_duel(look.effect, look.control, m_rule.margin);
    look.verdict = judged.verdict;
    look.reason = std::move(judged.reason);
    return look;
}

}  // namespace workbench
