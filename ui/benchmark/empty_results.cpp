// SPDX-License-Identifier: MIT
#include "ui/benchmark/empty_results.h"

#include <QPushButton>

#include "ui/charts/figures.h"

namespace workbench {

EmptyResults::EmptyResults(QWidget* parent) : EmptyPage(QStringLiteral("benchmark"), parent) {
    auto* open = new QPushButton(tr("Open a record…"), this);
    open->setObjectName(QStringLiteral("openRecordButton"));
    open->setAccessibleName(tr("Open a record"));
    open->setToolTip(tr("Look at a record that was measured before, compare and reproduce it"));
    connect(open, &QPushButton::clicked, this, &EmptyResults::openWanted);
    addButtons({open});
}

void EmptyResults::showRunning() {
    setTexts(tr("Measuring the first case"),
             tr("It is checked against the double-precision reference before it is timed. Each "
                "case appears here as it is done."));
}

void EmptyResults::showPlan(const std::expected<ChosenMatrix, std::vector<MatrixProblem>>& plan) {
    const QString title = tr("No benchmark yet");
    if (!plan) return setTexts(title, plan.error().front().text);
    setTexts(
        title,
        tr("%n case(s) will be measured in %1.", nullptr, int(plan->cases)).arg(durationText(plan->seconds)) +
            QStringLiteral("\n\n") +
            tr("Each is checked against the double-precision reference, run %n time(s) to warm up", nullptr,
               plan->matrix.warmup) +
            tr(" and timed %n time(s), beside a copy of the same plane. Every sample is kept.", nullptr,
               plan->matrix.iterations));
}

}  // namespace workbench
