// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QTabWidget>
#include <QToolButton>
#include <utility>

#include "ui/session/session.h"
#include "ui/tuning/decision_tab.h"
#include "ui/tuning/measured_tab.h"
#include "ui/tuning/tuning_panel.h"
#include "ui/tuning/tuning_tabs.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

const QString tuningSubject = QStringLiteral("tuning");
const QString tuningFile = QStringLiteral("export");

}  // namespace

TuningPage::TuningPage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new TuningModel(session, this)),
      m_messages(new MessageArea(this)) {
    setObjectName(QStringLiteral("tuningPage"));
    setAccessibleName(tr("Tuning"));
    auto* layout = makeRow(this, 0);
    layout->addWidget(new TuningPanel(*m_model, this));
    QWidget* const right = makeRight();
    layout->addWidget(right, 1);
    (new FloatingColumn(FloatingColumn::Edge::bottom, right))->add(m_messages);  // not over Run and Cancel
    connect(m_model, &TuningModel::workChanged, this, &TuningPage::showState);
    connect(m_model, &TuningModel::figuresChanged, this, &TuningPage::showState);
    connect(m_model, &TuningModel::ended, this, &TuningPage::showEnd);
    connect(m_model, &TuningModel::changeFailed, this, [this](const QString& message) {
        m_messages->show(QStringLiteral("change"), MessageArea::Severity::error, message);
    });
    connect(m_model, &TuningModel::stateRead, this, [this] {
        const QStringList& failures = m_model->state()->readFailures;
        if (failures.isEmpty())
            m_messages->clear(QStringLiteral("read"));
        else
            m_messages->show(QStringLiteral("read"), MessageArea::Severity::warning,
                             failures.join(QLatin1Char('\n')));
    });
    connect(m_model, &TuningModel::written, this, [this](const QString& path) {
        m_session.keepExportFolder(QFileInfo(path).absolutePath());
        m_messages->show(tuningFile, MessageArea::Severity::info,
                         tr("Written: %1").arg(QDir::toNativeSeparators(path)));
    });
    connect(m_model, &TuningModel::writeFailed, this, [this](const QString& message) {
        m_messages->show(tuningFile, MessageArea::Severity::error, message);
    });
    showState();
}

TuningPage::~TuningPage() {
    delete m_model;  // joined here, while all that it tells is still there
}

QWidget* TuningPage::makeRight() {
    auto* right = new QWidget(this);
    auto* column = makeColumn(right, smallSpacing, {0, normalSpacing, 0, 0});
    m_tabs = new QTabWidget(right);
    m_tabs->setObjectName(QStringLiteral("tuningTabs"));
    m_tabs->setAccessibleName(tr("What there is of the tuner"));
    m_tabs->setDocumentMode(true);
    m_decision = new DecisionTab(*m_model, m_tabs);
    m_measured = new MeasuredTab(*m_model, m_tabs);
    m_tabs->addTab(new ModelsTab(*m_model, m_tabs), tr("Models"));
    m_tabs->addTab(m_decision, tr("Decision"));
    m_tabs->addTab(m_measured->predictions(), tr("Predicted and measured"));
    m_tabs->addTab(m_measured->regret(), tr("Regret"));
    m_tabs->addTab(m_measured->headroom(), tr("Headroom"));
    m_tabs->addTab(new UseTab(*m_model, m_tabs), tr("Use"));

    auto* corner = new QWidget(m_tabs);
    auto* row = makeRow(corner, smallSpacing, {0, 0, normalSpacing, 0});
    auto* refresh = iconButton(QStringLiteral("refresh"), tr("Read models and counters again"), corner);
    connect(refresh, &QToolButton::clicked, m_model, &TuningModel::reload);
    m_export = iconButton(QStringLiteral("export"), tr("Export what was judged"), corner);
    m_export->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_export);
    menu->addAction(tr("&CSV of the problems…"), this, [this] {
        exportJudged(tr("Export as CSV"), QStringLiteral("csv"), TuningModel::Format::csv);
    });
    menu->addAction(tr("&JSON of the figures…"), this, [this] {
        exportJudged(tr("Export as JSON"), QStringLiteral("json"), TuningModel::Format::json);
    });
    menu->addAction(tr("&Headroom as Markdown…"), this, [this] {
        exportAs(tr("Export as Markdown"), QStringLiteral("headroom"), QStringLiteral("md"),
                 [this](const QString& path) { m_model->exportTo(TuningModel::Format::markdown, {}, path); });
    });
    menu->addAction(tr("&SVG of the chart…"), this, [this] {
        const QByteArray svg = m_measured->shownAsSvg(m_tabs->currentWidget());
        if (svg.isEmpty()) {
            m_messages->show(tuningFile, MessageArea::Severity::error, tr("No chart is shown"));
            return;
        }
        exportAs(tr("Export as SVG"), m_measured->purpose(), QStringLiteral("svg"),
                 [this, svg](const QString& path) { m_model->writeTo(svg, path); });
    });
    m_export->setMenu(menu);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy as command line"), corner);
    connect(copy, &QToolButton::clicked, this, &TuningPage::copyCommandLine);
    for (QToolButton* button : {refresh, m_export, copy}) row->addWidget(button);
    m_tabs->setCornerWidget(corner);
    column->addWidget(m_tabs, 1);
    connect(m_measured, &MeasuredTab::specChosen, this, &TuningPage::showSpec);
    return right;
}

void TuningPage::setTab(Tab tab) {
    m_tabs->setCurrentIndex(int(tab));
}

TuningPage::Tab TuningPage::tab() const {
    return Tab(m_tabs->currentIndex());
}

void TuningPage::showSpec(const QString& spec) {
    setTab(Tab::decision);
    m_model->explain(spec);
}

// What is there is read when it is looked at for the first time.
void TuningPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(m_wasShown, true)) return;
    m_model->reload();
    m_decision->begin();
}

void TuningPage::showState() {
    m_export->setEnabled(m_model->figures() != nullptr);
    if (m_model->isRunning()) m_messages->clear(tuningSubject);
}

void TuningPage::showEnd() {
    if (!m_model->failure().isEmpty()) {
        m_messages->show(tuningSubject, MessageArea::Severity::error, m_model->failure());
    } else if (!m_model->said().isEmpty()) {
        m_messages->show(tuningSubject, MessageArea::Severity::info, m_model->said().join(QLatin1Char('\n')));
    }
}

// Of the decision that is looked at, else of the work that is chosen.
void TuningPage::copyCommandLine() {
    const QString spec = m_model->decision().spec;
    const QString command =
        tab() == Tab::decision && !spec.isEmpty() ? m_decision->commandLine() : m_model->commandLine();
    QApplication::clipboard()->setText(command);
    m_messages->show(QStringLiteral("copy"), MessageArea::Severity::info, tr("Copied: %1").arg(command));
}

void TuningPage::exportJudged(const QString& title, const QString& suffix, TuningModel::Format format) {
    const QString purpose = m_measured->purpose();
    const JudgedPurpose* const judged = m_model->figures()->of(purpose.toStdString());
    if (judged && !judged->whyNot.isEmpty())
        return m_messages->show(tuningFile, MessageArea::Severity::error, judged->whyNot);
    exportAs(title, purpose, suffix,
             [this, purpose, format](const QString& path) { m_model->exportTo(format, purpose, path); });
}

void TuningPage::exportAs(const QString& title, const QString& stem, const QString& suffix,
                          const std::function<void(const QString&)>& write) {
    const QString path =
        QFileDialog::getSaveFileName(this, title, m_session.inExportFolder(stem + QLatin1Char('.') + suffix),
                                     QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (!path.isEmpty()) write(path);
}

}  // namespace workbench
