// SPDX-License-Identifier: MIT
// A duel as its views show it, while it is measured and afterwards: a row a case, with what is known of it so
// far.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "core/duel/duel.h"

namespace workbench {

struct DuelRow {
    enum class State { waiting, measuring, done };

    BenchmarkCase what;
    State state = State::waiting;
    DuelVerdict verdict = DuelVerdict::undecided;
    QString reason;                // of AMBIGUOUS, WRONG and FAILED
    std::optional<DuelLook> look;  // the last; while it is measured, what is found between looks
    std::size_t pairs = 0;
    std::size_t preempted = 0;  // of these
    std::optional<double> baseMs, nowMs;
    std::optional<double> baseToCopy, nowToCopy;
    std::optional<DuelOutputs> outputs;
    double seconds = 0;

    // Returns the look where it says something: an interval that has two ends. Null: there is none yet.
    const DuelLook* shownLook() const;
    // Returns "▶ SLOWER +5.1 %", "… 240 pairs", "waiting".
    QString figure() const;
    // Returns what is to be read of it besides its figures: the reason, results that differ, what was
    // preempted.
    QString notes() const;
};

struct DuelRows {
    std::vector<DuelRow> rows;
    QStringList names;  // one a row, as short as can be
    QString common;     // what all of them share
    double margin = DuelRule{}.margin;

    std::size_t count(DuelVerdict verdict) const;  // of the rows that are done
    std::size_t done() const;
};

// Returns the rows of cases that none was measured of.
DuelRows waitingRows(const std::vector<BenchmarkCase>& cases, double margin);
DuelRow rowOf(const DuelCase& measured);
DuelRows rowsOf(const Duel& duel);

// Returns "−1.2 % to +0.4 %".
QString intervalText(const Interval& interval);

}  // namespace workbench
