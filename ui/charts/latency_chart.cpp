// SPDX-License-Identifier: MIT
#include "ui/charts/latency_chart.h"

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

LatencyChart::LatencyChart(QWidget* parent)
    : ResultBarsChart(tr("Latency"), QStringLiteral("latency"), parent) {}

std::vector<CaseBarsChart::Bar> LatencyChart::barsOf(const std::vector<CaseResult>& results) const {
    const CaseNames names = nameCases(results);
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CaseResult& r = results[i];
        Bar bar{.name = names.cases[qsizetype(i)]};
        if (isTimed(r)) {
            bar.value = r.latency.p50;
            bar.whisker = r.latency.p95;
            bar.figure = msText(r.latency.p50);
            bar.toolTip = tr("%1\np50 %2\np95 %3\np5 %4\n%5 of a copy")
                              .arg(toText(r.what.label), msWithUnit(r.latency.p50), msWithUnit(r.latency.p95),
                                   msWithUnit(r.latency.p5), ratioText(r.ratio_to_copy));
        } else {
            bar.failed = true;
            bar.figure = tr("not timed");
            bar.toolTip = tr("%1\nNot timed: %2").arg(toText(r.what.label), toText(r.failure.value_or("")));
        }
        bars.push_back(std::move(bar));
    }
    return bars;
}

QString LatencyChart::describe(const std::vector<CaseResult>& results) const {
    QStringList lines;
    for (const CaseResult& r : results) {
        lines.append(
            isTimed(r) ? tr("%1: p50 %2, p95 %3")
                             .arg(toText(r.what.label), msWithUnit(r.latency.p50), msWithUnit(r.latency.p95))
                       : tr("%1: not timed").arg(toText(r.what.label)));
    }
    return tr("Bars of the median latency by case. %1").arg(lines.join(QStringLiteral("; ")));
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
