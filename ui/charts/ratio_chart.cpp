// SPDX-License-Identifier: MIT
#include "ui/charts/ratio_chart.h"

#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

RatioChart::RatioChart(QWidget* parent)
    : ResultBarsChart(tr("Against a copy"), QStringLiteral("ratio-to-copy"), parent) {}

CaseBarsChart::Bar RatioChart::barOf(const CaseResult& r) const {
    return {.value = r.ratio_to_copy,
            .figure = ratioText(r.ratio_to_copy),
            .toolTip = tr("%1\n%2 of a copy\np50 %3\ncopy p50 %4")
                           .arg(toText(r.what.label), ratioText(r.ratio_to_copy), msWithUnit(r.latency.p50),
                                msWithUnit(r.copy_latency.p50))};
}

QString RatioChart::wordsOf(const CaseResult& r) const {
    return ratioText(r.ratio_to_copy);
}

QString RatioChart::subject() const {
    return tr("Bars of the median latency as a multiple of copying the plane, by case.");
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
