// SPDX-License-Identifier: MIT
// What may be said of two builds that were timed in turn. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evidence/paired_ratio.h"

namespace workbench {

enum class DuelVerdict {
    undecided,  // so far; measuring goes on
    same,       // the whole interval is within the margin
    faster,     // the interval leaves out 1 and the estimate is beyond the margin and the control's interval
    slower,     // the same
    ambiguous,  // none of these could be said with what may be spent
    wrong,      // the results differ by more than they may; never timed
    failed,     // there is nothing to compare: a library is missing something, crashed or hung
};
std::string_view name_of(DuelVerdict verdict);  // "UNDECIDED", "SAME", ...
// Returns the verdict of a name, or `undecided` where there is none of that name and `known` becomes false.
DuelVerdict duel_verdict_from_name(std::string_view name, bool& known);

// How a verdict is reached, over all looks.
struct DuelRule {
    double margin = 0.02;   // relative; differences within it count as none
    double alpha = 0.05;    // spent over the looks
    int least_pairs = 25;   // before the first verdict
    int most_pairs = 6400;  // after which measuring ends
    int resamples = 300;
    std::uint64_t seed = 1;
};

// What a look found.
struct DuelLook {
    RatioEstimate effect;   // of the new build's time over the base's
    RatioEstimate control;  // of the base's time over the base's
    double fraction = 0;    // of what may be spent, in pairs or in time, that was spent by then
    double alpha = 0;       // of both intervals
    DuelVerdict verdict = DuelVerdict::undecided;
    std::string reason;  // why it is undecided, or ambiguous
};

// Judges figures that grow. One object a case, looks in order.
class DuelJudge {
  public:
    explicit DuelJudge(const DuelRule& rule) : m_rule(rule), m_spending(rule.alpha) {}
    // Looks at all launches so far, when `fraction` of the most pairs or of the budget has been spent,
    // whichever is more; it must not be chosen by what the figures are. Each launch has the blocks of the
    // effect and of the control. The verdict is `undecided` where one may be had from more.
    DuelLook look(std::span<const LaunchRatios> effect, std::span<const LaunchRatios> control,
                  double fraction);

  private:
    DuelRule m_rule;
    AlphaSpending m_spending;
};

// Returns the verdict of two intervals, `undecided` with its reason where there is none. It follows from what
// is handed in alone, so that a record can be judged again. Where the control is off by more than half the
// margin, only a change has one whose whole interval is beyond the margin by more than that.
struct DuelJudgement {
    DuelVerdict verdict = DuelVerdict::undecided;
    std::string reason;
};
DuelJudgement judge_duel(const RatioEstimate& effect, const RatioEstimate& control, double margin);

}  // namespace workbench
