// SPDX-License-Identifier: MIT
#include "ui/widgets/job_bar.h"

#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <algorithm>

#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

JobBar::JobBar(QWidget* parent)
    : QWidget(parent),
      m_text(new QLabel(this)),
      m_bar(new QProgressBar(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_patience(new QTimer(this)) {
    auto* layout = makeRow(this, normalSpacing,
                           {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    layout->addWidget(m_text, 1);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_cancel);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setMinimumWidth(60);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(8);
    m_bar->setMinimumWidth(80);
    m_patience->setSingleShot(true);
    m_patience->setInterval(150);
    connect(m_patience, &QTimer::timeout, this, &QWidget::show);
    connect(m_cancel, &QPushButton::clicked, this, &JobBar::cancelRequested);
    hide();
}

void JobBar::begin(const QString& what) {
    m_active = true;
    setText(what);
    setFraction(-1.0);
    m_patience->start();
}

void JobBar::setText(const QString& what) {
    m_text->setText(what);
    setAccessibleName(what);
    m_bar->setAccessibleName(tr("Progress: %1").arg(what));
    m_cancel->setAccessibleName(tr("Cancel: %1").arg(what));
}

void JobBar::setFraction(double fraction) {
    m_bar->setRange(0, fraction < 0.0 ? 0 : 1000);
    if (fraction >= 0.0) m_bar->setValue(int(std::clamp(fraction, 0.0, 1.0) * 1000.0));
}

void JobBar::end() {
    m_active = false;
    m_patience->stop();
    hide();
}

void JobBar::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().panel);
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColours().border);
}

}  // namespace workbench
