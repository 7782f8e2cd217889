// SPDX-License-Identifier: MIT
#include "ui/benchmark/empty_results.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/charts/figures.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/glyph.h"
#include "ui/widgets/theme.h"

namespace workbench {

EmptyResults::EmptyResults(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_text(new ToneLabel(ToneLabel::Tone::muted, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(normalSpacing);
    layout->addStretch(2);
    layout->addWidget(new Glyph(QStringLiteral("benchmark"), 72, this), 0, Qt::AlignHCenter);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    m_title->setFont(large);
    layout->addWidget(m_title, 0, Qt::AlignHCenter);
    m_text->setAlignment(Qt::AlignHCenter);
    m_text->setMaximumWidth(480);
    auto* middle = new QHBoxLayout;  // an alignment would give the label the height of another width
    middle->addStretch(1);
    middle->addWidget(m_text, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    auto* open = new QPushButton(tr("Open a record…"), this);
    open->setObjectName(QStringLiteral("openRecordButton"));
    open->setAccessibleName(tr("Open a record"));
    open->setToolTip(tr("Look at a record that was measured before, compare and reproduce it"));
    connect(open, &QPushButton::clicked, this, &EmptyResults::openWanted);
    layout->addWidget(open, 0, Qt::AlignHCenter);
    layout->addStretch(3);
}

void EmptyResults::showRunning() {
    m_title->setText(tr("Measuring the first case"));
    m_text->setText(
        tr("It is checked against the double-precision reference before it is timed. Each "
           "case appears here as it is done."));
}

void EmptyResults::showPlan(const std::expected<ChosenMatrix, std::vector<MatrixProblem>>& plan) {
    m_title->setText(tr("No benchmark yet"));
    if (!plan) {
        m_text->setText(plan.error().front().text);
        return;
    }
    m_text->setText(
        tr("%n case(s) will be measured in %1.", nullptr, int(plan->cases)).arg(durationText(plan->seconds)) +
        QStringLiteral("\n\n") +
        tr("Each is checked against the double-precision reference, run %n time(s) to warm up", nullptr,
           plan->matrix.warmup) +
        tr(" and timed %n time(s), beside a copy of the same plane. Every sample is kept.", nullptr,
           plan->matrix.iterations));
}

}  // namespace workbench
