// SPDX-License-Identifier: MIT
#include "ui/charts/latency_chart.h"

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

LatencyChart::LatencyChart(QWidget* parent)
    : ResultBarsChart(tr("Latency"), QStringLiteral("latency"), parent) {}

CaseBarsChart::Bar LatencyChart::barOf(const CaseResult& r) const {
    return {.value = r.latency.p50,
            .whisker = r.latency.p95,
            .figure = msText(r.latency.p50),
            .toolTip = tr("%1\np50 %2\np95 %3\np5 %4\n%5 of a copy")
                           .arg(toText(r.what.label), msWithUnit(r.latency.p50), msWithUnit(r.latency.p95),
                                msWithUnit(r.latency.p5), ratioText(r.ratio_to_copy))};
}

QString LatencyChart::wordsOf(const CaseResult& r) const {
    return tr("p50 %1, p95 %2").arg(msWithUnit(r.latency.p50), msWithUnit(r.latency.p95));
}

QString LatencyChart::subject() const {
    return tr("Bars of the median latency by case.");
}

QString LatencyChart::titleText() const {
    return tr("Latency");
}

QString LatencyChart::axisTitle() const {
    return isLogarithmic() ? tr("p50, whisker to p95 (ms, log)") : tr("p50, whisker to p95 (ms)");
}

QColor LatencyChart::barColour() const {
    return themeColours().accent;
}

}  // namespace workbench
