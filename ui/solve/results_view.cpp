// SPDX-License-Identifier: MIT
#include "ui/solve/results_view.h"

#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QStackedWidget>
#include <QTabWidget>

#include "ui/charts/chart_export.h"
#include "ui/charts/plot_chart.h"
#include "ui/picture/image_view.h"
#include "ui/solve/map_view.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

SolveResultsView::SolveResultsView(SolveModel& model, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_tabs(new QTabWidget(this)),
      m_solutions(new QStackedWidget(m_tabs)),
      m_solution(new PlotChart(tr("Solution"), QStringLiteral("solution"), m_solutions)),
      m_path(new PlotChart(tr("Path"), QStringLiteral("path"), m_solutions)),
      m_history(new PlotChart(tr("Convergence"), QStringLiteral("convergence"), m_tabs)),
      m_errors(new PlotChart(tr("Errors by h"), QStringLiteral("errors"), m_tabs)),
      m_maps(new SolutionMapView(m_solutions)) {
    auto* layout = makeColumn(this, 0);
    m_tabs->setObjectName(QStringLiteral("solveTabs"));
    m_tabs->setAccessibleName(tr("What was solved"));
    m_tabs->setDocumentMode(true);
    m_linePage = makeLine();
    m_tunedPage = makeTuned();
    for (QWidget* page :
         {m_linePage, static_cast<QWidget*>(m_maps), static_cast<QWidget*>(m_path), m_tunedPage})
        m_solutions->addWidget(page);
    m_tabs->addTab(m_solutions, tr("Solution"));
    m_tabs->addTab(m_history, tr("Convergence"));
    m_tabs->addTab(m_errors, tr("Errors by h"));
    layout->addWidget(m_tabs, 1);
    connect(&model, &SolveModel::liveChanged, this, &SolveResultsView::showLive);
    connect(&model, &SolveModel::tunedChanged, this, &SolveResultsView::showTuned);
    connect(&model, &SolveModel::stateChanged, this, &SolveResultsView::showState);
    showOutcome();
}

// What was there before is not what a run makes: it is back when that ends with nothing.
void SolveResultsView::showState() {
    m_put->setEnabled(m_model.mayPutIntoRecipe());
    if (m_model.isRunning() == m_isRunShown) return;
    m_isRunShown = m_model.isRunning();
    if (!m_isRunShown) return showOutcome();
    const Plot none{.nothing = tr("Being solved")};
    for (PlotChart* chart : {m_solution, m_path, m_history, m_errors}) chart->showPlot(none);
    m_maps->showOutcome(nullptr);
    m_timeRow->hide();
    showTabsOf(m_model.choices().problem);
}

QWidget* SolveResultsView::makeLine() {
    auto* page = new QWidget(m_solutions);
    auto* column = makeColumn(page, 0);
    column->addWidget(m_solution, 1);
    m_timeRow = new QWidget(page);
    auto* row = makeRow(m_timeRow, normalSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    auto* label = new QLabel(tr("Time"), m_timeRow);
    m_time = new QSlider(Qt::Horizontal, m_timeRow);
    m_time->setObjectName(QStringLiteral("timeSlider"));
    m_time->setAccessibleName(tr("Time of the solution that is shown"));
    m_time->setToolTip(tr("The time whose solution is shown, from the start to the end"));
    label->setBuddy(m_time);
    m_timeText = new QLabel(m_timeRow);
    m_timeText->setFont(tabularFont());
    m_timeText->setMinimumWidth(
        m_timeText->fontMetrics().horizontalAdvance(QStringLiteral("t = 0.00000000")));
    row->addWidget(label);
    row->addWidget(m_time, 1);
    row->addWidget(m_timeText);
    column->addWidget(m_timeRow);
    connect(m_time, &QSlider::valueChanged, this, &SolveResultsView::showTime);
    return page;
}

QWidget* SolveResultsView::makeTuned() {
    auto* page = new QWidget(m_solutions);
    auto* column = makeColumn(page, smallSpacing);
    m_tuned = new ImageView(page);
    m_tuned->setObjectName(QStringLiteral("tunedView"));
    m_tuned->setAccessibleName(tr("The picture as it is tuned"));
    auto* row = makeRow(nullptr, normalSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_tunedText = new ElidedLabel(page);
    m_put = new QPushButton(tr("P&ut into the recipe"), page);
    m_put->setObjectName(QStringLiteral("putIntoRecipe"));
    m_put->setAccessibleName(tr("Put into the recipe"));
    m_put->setToolTip(tr("Adds the filter with the parameter that was found to the recipe"));
    row->addWidget(m_tunedText, 1);
    row->addWidget(m_put);
    column->addWidget(m_tuned, 1);
    column->addLayout(row);
    connect(m_put, &QPushButton::clicked, &m_model, &SolveModel::putIntoRecipe);
    return page;
}

void SolveResultsView::showTabsOf(SolveProblem problem) {
    m_tabs->setTabVisible(errorsTab, !isMinimisation(problem));
    m_tabs->setTabVisible(historyTab, problem != SolveProblem::heat);
    m_solutions->setCurrentWidget(problem == SolveProblem::poisson2d ? m_maps
                                  : isDescent(problem)               ? static_cast<QWidget*>(m_path)
                                  : problem == SolveProblem::fit     ? m_tunedPage
                                                                     : m_linePage);
}

void SolveResultsView::showOutcome() {
    const SolveOutcomePtr& outcome = m_model.outcome();
    m_maps->showOutcome(outcome);
    m_put->setEnabled(m_model.mayPutIntoRecipe());
    m_timeRow->setVisible(outcome && !outcome->last().snapshots.empty());
    if (!outcome) return;
    const solve::Solved& last = outcome->last();
    if (!last.snapshots.empty()) {
        const QSignalBlocker quiet(m_time);
        m_time->setRange(0, int(last.snapshots.size()) - 1);
        m_time->setPageStep(std::max(1, int(last.snapshots.size()) / 10));
        m_time->setValue(m_time->maximum());
    }
    showTime();
    if (outcome->field) m_path->showPlot(pathPlot(last, *outcome->field));
    m_history->showPlot(
        historyPlot(last.history, tr("%1 by %2").arg(toText(last.problem), toText(last.method))));
    m_errors->showPlot(errorsPlot(outcome->solved));
    showTuned();
    showTabsOf(outcome->choices.problem);
}

void SolveResultsView::showTime() {
    if (!m_model.outcome()) return;
    const solve::Solved& last = m_model.outcome()->last();
    m_solution->showPlot(solutionPlot(last, m_time->value()));
    if (last.snapshots.empty()) return;
    const auto at = std::size_t(std::clamp(m_time->value(), 0, int(last.snapshots.size()) - 1));
    m_timeText->setText(tr("t = %1").arg(shortNumber(last.snapshots[at].time)));
    m_time->setAccessibleDescription(m_timeText->text());
}

void SolveResultsView::showLive() {
    if (!m_model.isRunning() || m_model.live().empty()) return;
    m_history->showPlot(historyPlot(m_model.live(), tr("So far")));
}

void SolveResultsView::showTuned() {
    const TunedImage& tuned = m_model.tuned();
    const ImagePtr& source = tuned.source;
    if (!tuned.image) {
        m_tuned->setSource(nullptr);
        m_shownSource.reset();
        m_tunedText->setFullText({});
        return;
    }
    if (m_shownSource != source) {
        m_shownSource = source;
        m_tuned->setSource(source);
        m_tuned->setSplit(true);
    }
    m_tuned->setResult(tuned.image, QSize(int(source->pixels.width()), int(source->pixels.height())));
    const SolveOutcomePtr& outcome = m_model.outcome();
    const bool isDone = !m_model.isRunning() && outcome && outcome->filter;
    m_tunedText->setFullText(isDone ? tr("Found: %1").arg(toText(describe(*outcome->filter)))
                                    : tr("Parameter %1").arg(shortNumber(tuned.parameter)));
}

QByteArray SolveResultsView::shownAsSvg(const QString& caption) {
    QWidget* shown = m_tabs->currentWidget();
    if (shown == m_solutions) {
        if (m_solutions->currentWidget() == m_maps) return m_maps->asSvg(caption);
        if (m_solutions->currentWidget() == m_tunedPage) return {};
        shown = m_solutions->currentWidget() == m_path ? m_path : m_solution;
    }
    auto* chart = qobject_cast<PlotChart*>(shown);
    if (!chart || !chart->emptyText().isEmpty()) return {};
    return chartAsSvg(*chart, caption);
}

QString SolveResultsView::shownStem() const {
    const QWidget* shown = m_tabs->currentWidget();
    if (const auto* chart = qobject_cast<const PlotChart*>(shown)) return chart->fileStem();
    return m_solutions->currentWidget() == m_path ? m_path->fileStem() : m_solution->fileStem();
}

}  // namespace workbench
