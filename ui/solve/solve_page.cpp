// SPDX-License-Identifier: MIT
#include "ui/solve/solve_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>

#include "core/solve/report.h"
#include "ui/charts/figures.h"
#include "ui/session/session.h"
#include "ui/solve/results_view.h"
#include "ui/solve/solve_form.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/work_panel.h"

namespace workbench {
namespace {

const QString solveSubject = QStringLiteral("solve");
const QString fileSubject = QStringLiteral("export");

}  // namespace

SolvePage::SolvePage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new SolveModel(session, this)),
      m_messages(new MessageArea(this)) {
    setObjectName(QStringLiteral("solvePage"));
    setAccessibleName(tr("Solve"));
    auto* layout = makeRow(this, 0);
    layout->addWidget(makeLeft());
    layout->addWidget(makeRight(), 1);
    (new FloatingColumn(FloatingColumn::Edge::bottom, this))->add(m_messages);
    connect(m_model, &SolveModel::stateChanged, this, &SolvePage::showState);
    connect(m_model, &SolveModel::ended, this, [this] {
        if (!m_model->failure().isEmpty())
            m_messages->show(solveSubject, MessageArea::Severity::error, m_model->failure());
    });
    connect(m_model, &SolveModel::progressed, m_run, &WorkPanel::showProgress);
    connect(m_model, &SolveModel::written, this, [this](const QString& path) {
        m_session.keepExportFolder(QFileInfo(path).absolutePath());
        m_messages->show(fileSubject, MessageArea::Severity::info,
                         tr("Written: %1").arg(QDir::toNativeSeparators(path)));
    });
    connect(m_model, &SolveModel::writeFailed, this, [this](const QString& message) {
        m_messages->show(fileSubject, MessageArea::Severity::error, message);
    });
    showState();
}

SolvePage::~SolvePage() {
    delete m_model;  // joined here, while all that it tells is still there
}

QWidget* SolvePage::makeLeft() {
    auto* left = new QWidget(this);
    auto* column = makeColumn(left, 0);
    auto* scroll = new QScrollArea(left);
    scroll->setAccessibleName(tr("What to solve"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* form = new SolveForm(*m_model, scroll);
    scroll->setWidget(form);
    column->addWidget(scroll, 1);

    m_run = new WorkPanel(QStringLiteral("solve"), tr("solving"), left);
    column->addWidget(m_run);
    connect(m_run, &WorkPanel::runAsked, m_model, &SolveModel::run);
    connect(m_run, &WorkPanel::cancelAsked, m_model, &SolveModel::cancel);
    // Wide enough for the form beside its scroll bar, whichever problem it shows.
    const int needed =
        std::max(form->minimumSizeHint().width(), 280) + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    left->setFixedWidth(needed);
    return left;
}

QWidget* SolvePage::makeRight() {
    auto* right = new QWidget(this);
    auto* column = makeColumn(right, smallSpacing, {0, normalSpacing, 0, 0});
    auto* row = makeRow(nullptr, smallSpacing, {normalSpacing, 0, normalSpacing, 0});
    m_figures = new ElidedLabel(right);
    m_figures->setObjectName(QStringLiteral("solveFigures"));
    row->addWidget(m_figures, 1);

    m_export = iconButton(QStringLiteral("export"), tr("Export"), right);
    m_export->setPopupMode(QToolButton::InstantPopup);
    auto* exports = new QMenu(m_export);
    exports->addAction(tr("&CSV…"), this, [this] {
        exportAs(tr("Export as CSV"), QStringLiteral("csv"), tr("CSV (*.csv)"),
                 [this](const QString& path) { m_model->exportTo(SolveModel::Format::csv, path); });
    });
    exports->addAction(tr("&JSON…"), this, [this] {
        exportAs(tr("Export as JSON"), QStringLiteral("json"), tr("JSON (*.json)"),
                 [this](const QString& path) { m_model->exportTo(SolveModel::Format::json, path); });
    });
    exports->addAction(tr("&SVG of what is shown…"), this, [this] {
        const QByteArray svg =
            m_results->shownAsSvg(m_model->outcome() ? m_model->outcome()->command : QString());
        if (svg.isEmpty()) {
            m_messages->show(fileSubject, MessageArea::Severity::error, tr("No plot is shown"));
            return;
        }
        exportAs(tr("Export as SVG"), QStringLiteral("svg"), tr("SVG (*.svg)"),
                 [this, svg](const QString& path) { m_model->writeTo(svg, path); });
    });
    m_export->setMenu(exports);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy as command line"), right);
    connect(copy, &QToolButton::clicked, this, &SolvePage::copyCommandLine);
    auto* kernels = new QPushButton(tr("Show its &kernels"), right);
    kernels->setAccessibleName(tr("Show its kernels"));
    kernels->setToolTip(tr("The kernels that solve this problem, as sources and compiled"));
    m_kernels = new QMenu(kernels);
    kernels->setMenu(m_kernels);
    connect(m_kernels, &QMenu::aboutToShow, this, &SolvePage::fillKernels);
    for (QWidget* button :
         {static_cast<QWidget*>(m_export), static_cast<QWidget*>(copy), static_cast<QWidget*>(kernels)})
        row->addWidget(button);
    column->addLayout(row);

    m_stack = new QStackedWidget(right);
    auto* empty = new EmptyPage(QStringLiteral("solve"), m_stack);
    empty->setTexts(tr("Nothing solved yet"),
                    tr("Choose a problem on the left and run it: its solution, how it was reached and how "
                       "far it is from the exact one are shown here."));
    m_results = new SolveResultsView(*m_model, m_stack);
    m_stack->addWidget(empty);
    m_stack->addWidget(m_results);
    column->addWidget(m_stack, 1);
    return right;
}

void SolvePage::showState() {
    const bool isRunning = m_model->isRunning();
    m_run->showState(isRunning, m_model->hindrance());
    m_export->setEnabled(m_model->outcome() && !isRunning);
    m_stack->setCurrentIndex(m_model->outcome() || isRunning ? 1 : 0);
    showFigures();
    if (isRunning) m_messages->clear(solveSubject);
}

void SolvePage::showFigures() {
    const SolveOutcomePtr& outcome = m_model->outcome();
    if (!outcome || m_model->isRunning()) {
        m_figures->setFullText(m_model->isRunning() ? tr("Being solved") : QString());
        return;
    }
    const solve::Solved& last = outcome->last();
    QStringList parts{tr("%1 by %2").arg(toText(last.problem), toText(last.method)),
                      tr("%n unknown(s)", nullptr, int(last.unknowns)),
                      tr("%n iteration(s)", nullptr, int(last.iterations))};
    if (last.residual) parts << tr("residual %1").arg(shortNumber(*last.residual));
    if (!last.history.empty() && last.history.back().objective)
        parts << tr("objective %1").arg(shortNumber(*last.history.back().objective));
    if (last.errors.max) parts << tr("largest error %1").arg(shortNumber(*last.errors.max));
    parts << msWithUnit(1e3 * (last.assembly_seconds + last.solve_seconds));
    m_figures->setFullText(parts.join(QStringLiteral(" · ")), toText(to_text(outcome->solved)));
}

void SolvePage::fillKernels() {
    m_kernels->clear();
    const auto choices = m_model->choices();
    for (const QString& name : kernelsOf(choices)) {
        m_kernels->addAction(name, this,
                             [this, name] { Q_EMIT kernelAsked(QStringLiteral("solve/") + name); });
    }
}

void SolvePage::copyCommandLine() {
    const QString command = m_model->commandLine();
    QApplication::clipboard()->setText(command);
    m_messages->show(QStringLiteral("copy"), MessageArea::Severity::info, tr("Copied: %1").arg(command));
}

void SolvePage::exportAs(const QString& title, const QString& suffix, const QString& filter,
                         const std::function<void(const QString&)>& write) {
    const QString stem =
        suffix == QLatin1String("svg") ? m_results->shownStem() : toText(m_model->outcome()->last().problem);
    const QString path = QFileDialog::getSaveFileName(
        this, title, m_session.inExportFolder(stem + QLatin1Char('.') + suffix), filter);
    if (!path.isEmpty()) write(path);
}

}  // namespace workbench
