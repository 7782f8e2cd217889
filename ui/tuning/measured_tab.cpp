// SPDX-License-Identifier: MIT
#include "ui/tuning/measured_tab.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>

#include "iir2d/tune_model.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/plot_chart.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/tuning_model.h"
#include "ui/tuning/tuning_plots.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {

MeasuredTab::MeasuredTab(TuningModel& model, QWidget* parent) : QObject(parent), m_model(model) {
    makePredictions(parent);
    makeRegret(parent);
    makeHeadroom(parent);
    connect(&model, &TuningModel::figuresChanged, this, [this] {
        m_problem = -1;
        showFigures();
    });
    showFigures();
}

QWidget* MeasuredTab::makePurposeRow(QWidget* parent) {
    auto* line = new QWidget(parent);
    auto* row = makeRow(line, normalSpacing, {normalSpacing, 0, normalSpacing, 0});
    auto* label = new QLabel(tr("Purpose"), line);
    auto* box = new QComboBox(line);
    for (const std::string_view purpose : iir2d::model_purposes(iir2d::Backend::cpu))
        box->addItem(toText(purpose));
    box->setAccessibleName(tr("Purpose that is shown"));
    guardWheel(box);
    label->setBuddy(box);
    row->addWidget(label);
    row->addWidget(box);
    row->addStretch(1);
    m_purposes.push_back(box);
    connect(box, &QComboBox::currentIndexChanged, this, &MeasuredTab::setPurpose);
    return line;
}

void MeasuredTab::makePredictions(QWidget* parent) {
    m_predictions = new QWidget(parent);
    auto* column = makeColumn(m_predictions, smallSpacing, {0, normalSpacing, 0, 0});
    auto* line = makePurposeRow(m_predictions);
    auto* look = new QPushButton(tr("Why this decision"), line);
    look->setAccessibleName(tr("Why this decision"));
    look->setToolTip(tr("Shows the decision of the chosen problem, with all candidates"));
    line->layout()->addWidget(look);
    column->addWidget(line);
    auto* split = new QSplitter(Qt::Vertical, m_predictions);
    split->setChildrenCollapsible(false);
    m_scatter = new PlotChart(tr("Predicted and measured"), QStringLiteral("predictions"), split);
    auto* tables = new QSplitter(Qt::Horizontal, split);
    tables->setChildrenCollapsible(false);
    m_problems = new TextTable(tr("Measured problems"), tables);
    m_configs = new TextTable(tr("Configs of the chosen problem"), tables);
    tables->addWidget(m_problems);
    tables->addWidget(m_configs);
    tables->setStretchFactor(0, 3);
    tables->setStretchFactor(1, 2);
    split->addWidget(m_scatter);
    split->addWidget(tables);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({3000, 2000});  // their hints would leave the chart nothing
    column->addWidget(split, 1);
    connect(m_scatter, &ChartView::caseChosen, this, &MeasuredTab::chooseProblem);
    connect(m_problems, &TextTable::chosen, this, &MeasuredTab::chooseProblem);
    connect(look, &QPushButton::clicked, this, [this] {
        const JudgedPurpose* const shown = judged();
        if (shown && m_problem >= 0 && m_problem < int(shown->problems.size()))
            Q_EMIT specChosen(toText(shown->problems[std::size_t(m_problem)].spec));
    });
}

void MeasuredTab::makeRegret(QWidget* parent) {
    m_regret = new QWidget(parent);
    auto* column = makeColumn(m_regret, smallSpacing, {0, normalSpacing, 0, normalSpacing});
    column->addWidget(makePurposeRow(m_regret));
    m_curve = new PlotChart(tr("Regret"), QStringLiteral("regret"), m_regret);
    column->addWidget(m_curve, 1);
    auto* words = makeColumn(nullptr, 0, {normalSpacing, 0, normalSpacing, 0});
    m_regretWords = new ToneLabel(ToneLabel::Tone::muted, m_regret);
    words->addWidget(m_regretWords);
    column->addLayout(words);
}

void MeasuredTab::makeHeadroom(QWidget* parent) {
    m_headroom = new QWidget(parent);
    auto* column = makeColumn(m_headroom, smallSpacing, {0, normalSpacing, 0, 0});
    auto* words = makeColumn(nullptr, 0, {normalSpacing, 0, normalSpacing, 0});
    m_headroomWords = new ToneLabel(ToneLabel::Tone::muted, m_headroom);
    words->addWidget(m_headroomWords);
    column->addLayout(words);
    m_families = new TextTable(tr("Headroom by family and knob"), m_headroom);
    column->addWidget(m_families, 1);
}

QString MeasuredTab::purpose() const {
    return toText(iir2d::model_purposes(iir2d::Backend::cpu)[std::size_t(m_purpose)]);
}

void MeasuredTab::setPurpose(int index) {
    if (m_isShowing || index == m_purpose) return;
    m_purpose = index;
    m_problem = -1;
    showFigures();
}

const JudgedPurpose* MeasuredTab::judged() const {
    const TuningFiguresPtr& figures = m_model.figures();
    if (!figures || std::size_t(m_purpose) >= figures->purposes.size()) return nullptr;
    return &figures->purposes[std::size_t(m_purpose)];
}

void MeasuredTab::chooseProblem(int index) {
    m_problem = index;
    showProblem();
}

void MeasuredTab::showFigures() {
    const QScopedValueRollback showing(m_isShowing, true);
    for (QComboBox* box : m_purposes) box->setCurrentIndex(m_purpose);
    const TuningFiguresPtr& figures = m_model.figures();
    const Plot none{.nothing = tr("Nothing judged yet: measure, or judge a database, on the left")};
    const JudgedPurpose* const shown = judged();
    TableValues problems, families;
    if (shown) problems = problemRows(*shown);
    m_problems->setRows(problems.headers, std::move(problems.rows));
    m_curve->showPlot(shown ? regretPlot(*shown) : none);
    if (figures) families = headroomRows(figures->headroom);
    m_families->setRows(families.headers, std::move(families.rows));
    if (!figures) {
        m_headroomWords->setText(none.nothing);
    } else {
        const tune::Headroom& h = figures->headroom;
        m_headroomWords->setText(
            tr("%1: static's time over the best measured config's, each found in one half of "
               "the rounds and judged by the other. %2 unstable problems and %3 not "
               "measured are left out, and %4 contended visits.")
                .arg(fromPath(figures->database))
                .arg(h.unstable)
                .arg(h.not_measured)
                .arg(h.contended_visits));
    }
    if (shown && shown->whyNot.isEmpty()) {
        const tune::Evaluation& e = shown->evaluation;
        m_regretWords->setText(
            tr("Decisions take %1 of static's time. %2 of the problems are above 1.02 (static's second "
               "timing: "
               "%3), %4 surely. The band is what noise alone makes; the best single config is %5.")
                .arg(QString::number(e.decision_geomean, 'f', 3),
                     QString::number(100 * e.decision_slower, 'f', 1) + QStringLiteral(" %"),
                     QString::number(100 * e.second_static_slower, 'f', 1) + QStringLiteral(" %"))
                .arg(e.surely_slower.size())
                .arg(toText(e.single)));
    } else {
        m_regretWords->setText({});
    }
    showProblem();
}

void MeasuredTab::showProblem() {
    const JudgedPurpose* const shown = judged();
    const Plot none{.nothing = tr("Nothing judged yet: measure, or judge a database, on the left")};
    m_scatter->showPlot(shown ? predictionPlot(*shown, m_problem) : none);
    const bool isChosen = shown && m_problem >= 0 && m_problem < int(shown->problems.size());
    TableValues configs{.headers = {tr("Config")}, .rows = {}};
    if (isChosen) {
        m_problems->chooseRow(m_problem);
        configs = judgedConfigRows(shown->problems[std::size_t(m_problem)]);
    }
    m_configs->setRows(configs.headers, std::move(configs.rows));
}

QByteArray MeasuredTab::shownAsSvg(const QWidget* tab) {
    PlotChart* const chart = tab == m_predictions ? m_scatter : tab == m_regret ? m_curve : nullptr;
    if (!chart || !chart->emptyText().isEmpty()) return {};
    return chartAsSvg(*chart, fromPath(m_model.figures()->database));
}

}  // namespace workbench
