// SPDX-License-Identifier: MIT
#include "ui/benchmark/run_panel.h"

#include <QAction>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "ui/benchmark/matrix_choices.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

double secondsLeft(double elapsed, double fraction, double estimated) {
    const double done = std::clamp(fraction, 0.0, 1.0);
    if (done >= 1.0) return 0.0;
    const double beforehand = std::max(0.0, estimated) * (1.0 - done);
    if (done <= 0.0) return beforehand;
    const double measured = elapsed * (1.0 - done) / done;
    // From a fifth on, only what was measured counts.
    const double trust = std::min(1.0, done * 5.0);
    return trust * measured + (1.0 - trust) * beforehand;
}

RunPanel::RunPanel(QWidget* parent)
    : QWidget(parent),
      m_summary(new ToneLabel(ToneLabel::Tone::normal, this)),
      m_progress(new QWidget(this)),
      m_case(new ElidedLabel(m_progress)),
      m_left(new ToneLabel(ToneLabel::Tone::muted, m_progress)),
      m_bar(new QProgressBar(m_progress)),
      m_run(new QPushButton(themedIcon(QStringLiteral("play"), IconGround::accent), tr("Run benchmar&k"),
                            this)),
      m_duel(new QToolButton(this)),
      m_cancel(new QPushButton(themedIcon(QStringLiteral("stop")), tr("&Cancel"), this)) {
    auto* layout = makeColumn(this, normalSpacing,
                              {normalSpacing + smallSpacing, normalSpacing, normalSpacing + smallSpacing,
                               normalSpacing + smallSpacing});
    layout->addWidget(m_summary);

    auto* progress = makeColumn(m_progress, smallSpacing);
    progress->addWidget(m_case);
    progress->addWidget(m_bar);
    progress->addWidget(m_left);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(8);
    m_progress->hide();
    layout->addWidget(m_progress);

    QFont large = font();
    large.setBold(true);
    for (QPushButton* button : {m_run, m_cancel}) {
        button->setFont(large);
        button->setMinimumHeight(36);
    }
    auto* begin = makeRow(nullptr, normalSpacing);
    begin->addWidget(m_run, 1);
    begin->addWidget(m_duel);
    layout->addLayout(begin);
    layout->addWidget(m_cancel);
    m_duel->setObjectName(QStringLiteral("duelButton"));
    m_duel->setMinimumHeight(36);
    m_duel->setFocusPolicy(Qt::StrongFocus);
    m_duel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_run->setObjectName(QStringLiteral("runButton"));
    m_cancel->setObjectName(QStringLiteral("cancelButton"));
    m_summary->setObjectName(QStringLiteral("planSummary"));
    m_run->setAccessibleName(tr("Run benchmark"));
    m_run->setToolTip(tr("Measure the chosen cases (Ctrl+R or F5)"));
    m_cancel->setAccessibleName(tr("Cancel what is measured"));
    m_cancel->setToolTip(tr("Stop measuring and keep the cases that are complete (Esc)"));
    m_cancel->hide();
    connect(m_run, &QPushButton::clicked, this, &RunPanel::runRequested);
    connect(m_cancel, &QPushButton::clicked, this, &RunPanel::cancelRequested);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &RunPanel::tintRun);
    tintRun();
}

void RunPanel::setDuelAction(QAction* action) {
    m_duel->setDefaultAction(action);
    m_duel->setAccessibleName(tr("Duel with another build"));
}

void RunPanel::setPlan(std::size_t cases, double seconds) {
    m_plan = tr("%n case(s), %1", nullptr, int(cases)).arg(durationText(seconds));
    m_problem.clear();
    showPlan();
}

void RunPanel::setProblem(const QString& problem) {
    m_problem = problem;
    showPlan();
}

void RunPanel::setHindrance(const QString& why) {
    m_hindrance = why;
    showPlan();
}

void RunPanel::showPlan() {
    const QString why = m_problem.isEmpty() ? m_hindrance : m_problem;
    m_summary->setTone(!m_problem.isEmpty()     ? ToneLabel::Tone::error
                       : !m_hindrance.isEmpty() ? ToneLabel::Tone::muted
                                                : ToneLabel::Tone::normal);
    m_summary->setText(why.isEmpty() ? m_plan : why);
    m_summary->setAccessibleName(why.isEmpty() ? m_plan : tr("Cannot run: %1").arg(why));
    m_run->setEnabled(why.isEmpty());
    m_run->setAccessibleDescription(m_summary->text());
}

QString RunPanel::summary() const {
    return m_summary->text();
}

void RunPanel::begin(std::size_t cases, double estimatedSeconds) {
    m_cases = cases;
    m_estimated = estimatedSeconds;
    m_clock.start();
    m_summary->hide();
    m_progress->show();
    const bool hadFocus = m_run->hasFocus();
    m_run->hide();
    m_duel->hide();
    m_cancel->setEnabled(true);
    m_cancel->setText(tr("&Cancel"));
    m_cancel->show();
    if (hadFocus) m_cancel->setFocus();
    setProgress(0.0, tr("looking at the machine"), 0);
}

void RunPanel::setProgress(double fraction, const QString& what, int casesDone) {
    const int current = std::min(casesDone + 1, int(m_cases));
    const QString text = tr("Case %1 of %2: %3").arg(current).arg(m_cases).arg(what);
    m_case->setFullText(text);
    m_bar->setValue(int(std::clamp(fraction, 0.0, 1.0) * 1000.0));
    m_bar->setAccessibleName(tr("Progress of what is measured"));
    m_bar->setAccessibleDescription(text);
    if (!m_cancel->isEnabled()) return;  // it says that it is cancelling
    const double left = secondsLeft(double(m_clock.elapsed()) / 1e3, fraction, m_estimated);
    m_left->setText(tr("%1 left").arg(durationText(left)));
}

void RunPanel::setCancelling() {
    m_cancel->setEnabled(false);
    m_cancel->setText(tr("Cancelling"));
    m_left->setText(tr("Complete cases are kept."));
}

void RunPanel::end() {
    m_progress->hide();
    const bool hadFocus = m_cancel->hasFocus() || !m_cancel->isEnabled();
    m_cancel->hide();
    m_run->show();
    m_duel->show();
    showPlan();
    m_summary->show();
    if (hadFocus && isVisible()) m_run->setFocus();
}

// The one button that the page is about carries the accent.
void RunPanel::tintRun() {
    const ThemeColours& c = themeColours();
    QPalette palette;
    palette.setColor(QPalette::Active, QPalette::Button, c.accent);
    palette.setColor(QPalette::Inactive, QPalette::Button, c.accent);
    palette.setColor(QPalette::Active, QPalette::ButtonText, c.accentText);
    palette.setColor(QPalette::Inactive, QPalette::ButtonText, c.accentText);
    m_run->setPalette(palette);
}

void RunPanel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().panel);
    painter.fillRect(QRect(0, 0, width(), 1), themeColours().border);
}

}  // namespace workbench
