// SPDX-License-Identifier: MIT
#include "ui/charts/duel_rows.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/figures.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

struct DuelWords {
    Q_DECLARE_TR_FUNCTIONS(DuelRows)
};

void nameRows(DuelRows& rows) {
    std::vector<BenchmarkCase> cases;
    for (const DuelRow& row : rows.rows) cases.push_back(row.what);
    const CaseNames names = nameCases(cases);
    rows.names = names.cases;
    rows.common = names.common;
}

}  // namespace

const DuelLook* DuelRow::shownLook() const {
    return look && look->effect.launches > 1 && std::isfinite(look->effect.interval.high) ? &*look : nullptr;
}

QString DuelRow::figure() const {
    if (state == State::waiting) return DuelWords::tr("waiting");
    if (state == State::measuring)
        return pairs == 0 ? DuelWords::tr("… beginning") : DuelWords::tr("… %n pair(s)", nullptr, int(pairs));
    const DuelLook* last = shownLook();
    return last ? verdictText(verdict) + QLatin1Char(' ') + percentText(last->effect.ratio - 1)
                : verdictText(verdict);
}

QString DuelRow::notes() const {
    QStringList parts;
    if (!reason.isEmpty()) parts.append(reason);
    if (outputs && !outputs->equal_bits && verdict != DuelVerdict::wrong) {
        parts.append(DuelWords::tr("results differ by at most %1 (%2 ULP), %3 is allowed")
                         .arg(errorText(outputs->max_abs_error))
                         .arg(outputs->max_ulp)
                         .arg(errorText(outputs->bound)));
    }
    if (preempted > 0) parts.append(DuelWords::tr("%n pair(s) preempted", nullptr, int(preempted)));
    return parts.join(QStringLiteral("; "));
}

std::size_t DuelRows::count(DuelVerdict verdict) const {
    return std::size_t(std::ranges::count_if(rows, [verdict](const DuelRow& row) {
        return row.state == DuelRow::State::done && row.verdict == verdict;
    }));
}

std::size_t DuelRows::done() const {
    return std::size_t(std::ranges::count(rows, DuelRow::State::done, &DuelRow::state));
}

DuelRows waitingRows(const std::vector<BenchmarkCase>& cases, double margin) {
    DuelRows rows{.margin = margin};
    for (const BenchmarkCase& one : cases) rows.rows.push_back({.what = one});
    nameRows(rows);
    return rows;
}

DuelRow rowOf(const DuelCase& measured) {
    DuelRow row{.what = measured.what,
                .state = DuelRow::State::done,
                .verdict = measured.verdict,
                .reason = toText(measured.reason),
                .pairs = measured.pairs(),
                .preempted = preempted_pairs(measured),
                .baseMs = median_ms(measured, Participant::base),
                .nowMs = median_ms(measured, Participant::now),
                .baseToCopy = ratio_to_copy(measured, Participant::base),
                .nowToCopy = ratio_to_copy(measured, Participant::now),
                .outputs = measured.outputs,
                .seconds = measured.seconds};
    if (const DuelLook* last = measured.last()) row.look = *last;
    return row;
}

DuelRows rowsOf(const Duel& duel) {
    DuelRows rows{.margin = duel.settings.rule.margin};
    for (const DuelCase& one : duel.cases) rows.rows.push_back(rowOf(one));
    nameRows(rows);
    return rows;
}

QString intervalText(const Interval& interval) {
    return DuelWords::tr("%1 to %2").arg(percentText(interval.low - 1), percentText(interval.high - 1));
}

}  // namespace workbench
