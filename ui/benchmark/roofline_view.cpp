// SPDX-License-Identifier: MIT
#include "ui/benchmark/roofline_view.h"

#include <QPushButton>

#include "ui/charts/figures.h"
#include "ui/charts/roofline_chart.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent),
      m_chart(new RooflineChart(this)),
      m_note(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_measure(new QPushButton(tr("Measure the cei&ling"), this)) {
    auto* layout = makeColumn(this, 0);
    layout->addWidget(m_chart, 1);
    auto* row = makeRow(nullptr, normalSpacing,
                        {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    row->addWidget(m_note, 1);
    row->addWidget(m_measure, 0, Qt::AlignVCenter);
    layout->addLayout(row);
    m_measure->setObjectName(QStringLiteral("measureCeiling"));
    m_measure->setAccessibleName(tr("Measure the arithmetic ceiling of this machine"));
    m_measure->setToolTip(
        tr("Multiply-adds in registers, on as many threads as the results had, for about a second"));
    connect(m_measure, &QPushButton::clicked, this, [this] { Q_EMIT ceilingWanted(m_threads); });
    showNote();
}

void RooflineView::setMachine(int threads, bool measurable, const QString& why) {
    m_threads = threads;
    m_measurable = measurable;
    m_why = why;
    const bool fits = measurable && m_ceiling && m_ceiling->threads == threads;
    m_chart->setCeiling(fits ? m_ceiling : std::nullopt);
    showNote();
}

void RooflineView::setCeiling(const ArithmeticCeiling& ceiling) {
    m_ceiling = ceiling;
    if (m_measurable && ceiling.threads == m_threads) m_chart->setCeiling(ceiling);
    showNote();
}

bool RooflineView::hasCeiling() const {
    return m_chart->hasCeiling();
}

void RooflineView::setBusy(bool busy) {
    m_busy = busy;
    showNote();
}

QString RooflineView::note() const {
    return m_note->text();
}

void RooflineView::showNote() {
    QString text;
    if (hasCeiling()) {
        text = tr("Arithmetic measured now, on %n thread(s): f32 %1 and f64 %2 GFLOP/s by %3.", nullptr,
                  m_threads)
                   .arg(rateText(m_ceiling->gflops_f32), rateText(m_ceiling->gflops_f64),
                        toText(m_ceiling->method));
    } else if (m_measurable) {
        text = tr("The arithmetic ceiling has not been measured yet.");
    } else {
        text = m_why;
    }
    m_note->setText(text);
    m_note->setAccessibleName(text);
    m_measure->setVisible(m_measurable);
    m_measure->setEnabled(!m_busy);
}

}  // namespace workbench
