// SPDX-License-Identifier: MIT
#include "ui/widgets/work_panel.h"

#include <QProgressBar>
#include <QPushButton>

#include "ui/widgets/elided_label.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

WorkPanel::WorkPanel(const QString& name, const QString& work, QWidget* parent) : QWidget(parent) {
    auto* column =
        makeColumn(this, smallSpacing, {normalSpacing, smallSpacing, normalSpacing, normalSpacing});
    m_hindrance = new ToneLabel(ToneLabel::Tone::error, this);
    m_hindrance->setObjectName(name + QStringLiteral("Hindrance"));
    m_what = new ElidedLabel(this);
    m_what->setTone(ElidedLabel::Tone::muted);
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(8);
    m_progress->setAccessibleName(tr("Progress of %1").arg(work));
    m_run = new QPushButton(themedIcon(QStringLiteral("play")), tr("Run"), this);
    m_run->setObjectName(name + QStringLiteral("Run"));
    m_run->setAccessibleName(tr("Run %1").arg(work));
    m_cancel = new QPushButton(themedIcon(QStringLiteral("stop")), tr("Cancel"), this);
    m_cancel->setObjectName(name + QStringLiteral("Cancel"));
    m_cancel->setAccessibleName(tr("Cancel %1").arg(work));
    column->addWidget(m_hindrance);
    column->addWidget(m_what);
    column->addWidget(m_progress);
    auto* buttons = makeRow(nullptr, normalSpacing);
    buttons->addWidget(m_run, 1);
    buttons->addWidget(m_cancel);
    column->addLayout(buttons);
    connect(m_run, &QPushButton::clicked, this, &WorkPanel::runAsked);
    connect(m_cancel, &QPushButton::clicked, this, &WorkPanel::cancelAsked);
}

void WorkPanel::showState(bool isRunning, const QString& hindrance) {
    m_hindrance->setText(hindrance);
    m_hindrance->setVisible(!hindrance.isEmpty());
    m_run->setEnabled(!isRunning && hindrance.isEmpty());
    m_run->setToolTip(hindrance);
    m_cancel->setEnabled(isRunning);
    m_progress->setVisible(isRunning);
    m_what->setVisible(isRunning);
    if (!isRunning) showProgress(0, {});
}

void WorkPanel::showProgress(double fraction, const QString& what) {
    m_progress->setValue(int(fraction * m_progress->maximum()));
    m_what->setFullText(what);
}

}  // namespace workbench
