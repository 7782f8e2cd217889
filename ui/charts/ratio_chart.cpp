// SPDX-License-Identifier: MIT
#include "ui/charts/ratio_chart.h"

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

RatioChart::RatioChart(QWidget* parent)
    : ResultBarsChart(tr("Against a copy"), QStringLiteral("ratio-to-copy"), parent) {}

std::vector<CaseBarsChart::Bar> RatioChart::barsOf(const std::vector<CaseResult>& results) const {
    const CaseNames names = nameCases(results);
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CaseResult& r = results[i];
        Bar bar{.name = names.cases[qsizetype(i)]};
        if (isTimed(r)) {
            bar.value = r.ratio_to_copy;
            bar.figure = ratioText(r.ratio_to_copy);
            bar.toolTip = tr("%1\n%2 of a copy\np50 %3\ncopy p50 %4")
                              .arg(toText(r.what.label), ratioText(r.ratio_to_copy),
                                   msWithUnit(r.latency.p50), msWithUnit(r.copy_latency.p50));
        } else {
            bar.failed = true;
            bar.figure = tr("not timed");
            bar.toolTip = tr("%1\nNot timed: %2").arg(toText(r.what.label), toText(r.failure.value_or("")));
        }
        bars.push_back(std::move(bar));
    }
    return bars;
}

QString RatioChart::describe(const std::vector<CaseResult>& results) const {
    QStringList lines;
    for (const CaseResult& r : results) {
        lines.append(isTimed(r) ? tr("%1: %2").arg(toText(r.what.label), ratioText(r.ratio_to_copy))
                                : tr("%1: not timed").arg(toText(r.what.label)));
    }
    return tr("Bars of the median latency as a multiple of copying the plane, by case. %1")
        .arg(lines.join(QStringLiteral("; ")));
}

QString RatioChart::titleText() const {
    return tr("Latency against a copy");
}

QString RatioChart::axisTitle() const {
    return tr("Multiple of copying the same plane");
}

QColor RatioChart::barColour() const {
    return themeColours().accent2;
}

QString RatioChart::referenceText() const {
    return tr("1×: a copy");
}

}  // namespace workbench
