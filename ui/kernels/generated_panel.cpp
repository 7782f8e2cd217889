// SPDX-License-Identifier: MIT
#include "ui/kernels/generated_panel.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

#include "ui/charts/chart_export.h"
#include "ui/charts/plot_chart.h"
#include "ui/kernels/data_set_chart.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/make_form.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {

GeneratedPanel::GeneratedPanel(Session& session, ShownKernelModel& shown, DataSetDesk& desk, QWidget* parent)
    : QWidget(parent), m_session(session), m_shown(shown), m_desk(desk) {
    auto* column =
        makeColumn(this, smallSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    m_open = new QPushButton(themedIcon(QStringLiteral("open")), tr(" Open a data set…"), this);
    m_open->setAccessibleName(tr("Open a data set"));
    column->addWidget(m_open, 0, Qt::AlignLeft);
    m_note = new ToneLabel(ToneLabel::Tone::muted, this);
    m_note->setObjectName(QStringLiteral("dataSetNote"));
    column->addWidget(m_note);
    m_bar = new JobBar(this);
    column->addWidget(m_bar);
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("dataSetTabs"));
    tabs->setAccessibleName(tr("The data set"));
    tabs->setDocumentMode(true);
    m_counts = new TextTable(tr("Counts of the data set"), tabs);
    m_counts->setObjectName(QStringLiteral("dataSetCounts"));
    m_form = new MakeForm(tabs);
    m_tabs = tabs;
    tabs->addTab(makeRecords(), tr("Records"));
    tabs->addTab(m_counts, tr("Counts"));
    tabs->addTab(makeCharts(), tr("Charts"));
    tabs->addTab(m_form, tr("Make one"));
    m_mismatchTab = tabs->addTab(makeMismatches(), tr("Mismatches"));
    column->addWidget(tabs, 1);
    connect(m_open, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a data set"));
        if (!folder.isEmpty()) m_desk.open(folder);
    });
    connect(m_bar, &JobBar::cancelRequested, &m_desk, &DataSetDesk::cancel);
    connect(&m_desk, &DataSetDesk::dataSetChanged, this, &GeneratedPanel::showDataSet);
    connect(&m_desk, &DataSetDesk::recordChanged, this, &GeneratedPanel::showRecord);
    connect(&m_desk, &DataSetDesk::workChanged, this, &GeneratedPanel::showWork);
    connect(m_form, &MakeForm::shown, &m_desk, &DataSetDesk::findTargets);
    connect(m_form, &MakeForm::makeAsked, &m_desk, &DataSetDesk::make);
    connect(&m_desk, &DataSetDesk::targetsFound, this, [this] { m_form->setTargets(m_desk.knownTargets()); });
    showDataSet();
    showRecord();
    showWork();
}

void GeneratedPanel::setTab(Tab tab) {
    m_tabs->setCurrentIndex(int(tab));
}

QWidget* GeneratedPanel::makeRecords() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, smallSpacing, {0, normalSpacing, 0, 0});
    m_search = new QLineEdit(page);
    m_search->setPlaceholderText(tr("Search: array mean valid"));
    m_search->setAccessibleName(tr("Search records by category, operation, split or id"));
    m_search->setClearButtonEnabled(true);
    m_records = new TextTable(tr("Records of the data set"), page);
    m_records->setObjectName(QStringLiteral("records"));
    auto* choice = makeRow(nullptr, smallSpacing);
    m_target = new QComboBox(page);
    m_target->setAccessibleName(tr("Text for"));
    m_target->setObjectName(QStringLiteral("recordTarget"));
    guardWheel(m_target);
    m_other = new QComboBox(page);
    m_other->setAccessibleName(tr("As a difference to"));
    m_other->setObjectName(QStringLiteral("otherTarget"));
    m_other->setToolTip(tr("Another target: shown is what its text has otherwise"));
    guardWheel(m_other);
    m_backward = new QCheckBox(tr("Backward"), page);
    m_backward->setAccessibleName(tr("Show the backward kernel"));
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the record as command line"), page);
    choice->addWidget(m_target, 1);
    choice->addWidget(m_other, 1);
    choice->addWidget(m_backward);
    choice->addWidget(m_copy);
    column->addWidget(m_search);
    column->addWidget(m_records, 1);
    column->addLayout(choice);
    connect(m_search, &QLineEdit::textChanged, m_records, &TextTable::setFilter);
    connect(m_records, &TextTable::chosen, this, [this](int row) {
        if (m_desk.dataSet() && row >= 0)
            m_desk.chooseRecord(toText(m_desk.dataSet()->rows[std::size_t(row)].id));
    });
    connect(m_target, &QComboBox::activated, this,
            [this](int index) { m_desk.setTarget(m_target->itemText(index)); });
    connect(m_other, &QComboBox::activated, this,
            [this](int index) { m_desk.setOtherTarget(m_other->itemData(index).toString()); });
    connect(m_backward, &QCheckBox::clicked, &m_desk, &DataSetDesk::setBackward);
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_desk.commandLine()); });
    return page;
}

QWidget* GeneratedPanel::makeCharts() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, smallSpacing, {0, normalSpacing, 0, 0});
    m_chosenChart = new QComboBox(page);
    m_chosenChart->setObjectName(QStringLiteral("dataSetChartChoice"));
    m_chosenChart->setAccessibleName(tr("Chart"));
    m_chosenChart->addItems({tr("Records by category and split"), tr("Rejected by reason"),
                             tr("Sizes of texts by target"), tr("Skeletons over records"),
                             tr("Pairs a second over time")});
    guardWheel(m_chosenChart);
    m_save = iconButton(QStringLiteral("save"), tr("Save the chart"), page);
    m_save->setPopupMode(QToolButton::InstantPopup);
    auto* files = new QMenu(m_save);
    files->addAction(tr("Save as &PNG…"), this, [this] { saveChart(QStringLiteral("png")); });
    files->addAction(tr("Save as &SVG…"), this, [this] { saveChart(QStringLiteral("svg")); });
    m_save->setMenu(files);
    auto* choice = makeRow(nullptr, smallSpacing);
    choice->addWidget(m_chosenChart, 1);
    choice->addWidget(m_save);
    m_charts = new QStackedWidget(page);
    m_bars = new DataSetChart(m_charts);
    m_line = new PlotChart(tr("Line of the data set"), QStringLiteral("data-set-line"), m_charts);
    m_charts->addWidget(inScrollArea(m_bars, m_charts));
    m_charts->addWidget(m_line);
    for (ChartView* chart : {static_cast<ChartView*>(m_bars), static_cast<ChartView*>(m_line)}) {
        chart->addActions(files->actions());  // the same on the chart itself
        chart->setContextMenuPolicy(Qt::ActionsContextMenu);
    }
    column->addLayout(choice);
    column->addWidget(m_charts, 1);
    connect(m_chosenChart, &QComboBox::currentIndexChanged, this, &GeneratedPanel::showChart);
    connect(&m_desk, &DataSetDesk::paceChanged, this, [this] {
        if (Chart(m_chosenChart->currentIndex()) == Chart::pace) showChart();
    });
    return page;
}

void GeneratedPanel::setChart(Chart chart) {
    m_chosenChart->setCurrentIndex(int(chart));
}

ChartView& GeneratedPanel::shownChart() const {
    if (m_charts->currentWidget() == m_line) return *m_line;
    return *m_bars;
}

void GeneratedPanel::showChart() {
    const auto chosen = Chart(m_chosenChart->currentIndex());
    const auto& set = m_desk.dataSet();
    const QString nothing = tr("No data set is open");
    m_charts->setCurrentIndex(chosen == Chart::skeletons || chosen == Chart::pace ? 1 : 0);
    switch (chosen) {
        case Chart::records:
            m_bars->showBars(set ? recordsBars(*set) : DataSetBars{.nothing = nothing});
            break;
        case Chart::rejected:
            m_bars->showBars(set ? rejectedBars(*set) : DataSetBars{.nothing = nothing});
            break;
        case Chart::sizes:
            m_bars->showBars(set ? sizesBars(*set) : DataSetBars{.nothing = nothing});
            break;
        case Chart::skeletons:
            m_line->showPlot(set ? skeletonsPlot(*set) : Plot{.nothing = nothing});
            break;
        case Chart::pace:
            m_line->showPlot(pacePlot(m_desk.pace()));
            break;
    }
    const bool isThere = shownChart().emptyText().isEmpty();
    m_save->setEnabled(isThere);
    for (QAction* action : m_save->menu()->actions()) action->setEnabled(isThere);
}

void GeneratedPanel::saveChart(const QString& suffix) {
    const char* const stems[] = {"records", "rejected", "sizes", "skeletons", "pace"};
    const QString name =
        QStringLiteral("data-set-%1.%2").arg(QLatin1String(stems[m_chosenChart->currentIndex()]), suffix);
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save the chart"), m_session.inExportFolder(name),
                                     QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (!file.isEmpty()) saveChartTo(file);
}

void GeneratedPanel::saveChartTo(const QString& file) {
    ChartView& chart = shownChart();
    if (!chart.emptyText().isEmpty()) return;
    // How fast one was made is not said of the data set that is open: it may be another.
    const bool isOfSet = Chart(m_chosenChart->currentIndex()) != Chart::pace;
    const QString caption = isOfSet ? fromPath(m_desk.dataSet()->folder) : QString();
    const bool isSvg = file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
    const QByteArray bytes = isSvg ? chartAsSvg(chart, caption) : chartAsPng(chart, caption);
    m_shown.write(file, [bytes] { return bytes.toStdString(); });
}

QWidget* GeneratedPanel::makeMismatches() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, smallSpacing, {0, normalSpacing, 0, 0});
    auto* note = new ToneLabel(ToneLabel::Tone::muted, page);
    note->setText(
        tr("Kernels whose compiled text did not give what is expected. A chosen one is run again, and what "
           "differs is shown at the right."));
    m_mismatches = new TextTable(tr("Mismatches of the data set"), page);
    m_mismatches->setObjectName(QStringLiteral("mismatches"));
    column->addWidget(note);
    column->addWidget(m_mismatches, 1);
    connect(m_mismatches, &TextTable::chosen, this, [this](int row) {
        if (m_desk.dataSet() && row >= 0)
            m_desk.lookInto(m_desk.dataSet()->mismatches[std::size_t(row)].index);
    });
    return page;
}

void GeneratedPanel::showDataSet() {
    QList<TextTableModel::Row> records;
    QList<TextTableModel::Row> counts;
    QList<TextTableModel::Row> mismatches;
    const auto& set = m_desk.dataSet();
    if (set) {
        for (const inspect::RecordRow& one : set->rows)
            records.append({.cells = {toText(one.category), toText(one.name), toText(one.ops),
                                      toText(one.split), toText(one.complexity), toText(one.id)},
                            .share = -1,
                            .toolTip = toText(one.id)});
        for (const inspect::MismatchRow& one : set->mismatches)
            mismatches.append({.cells = {countCell(one.index), toText(one.category), toText(one.detail)},
                               .share = -1,
                               .toolTip = toText(one.detail)});
        const auto all = double(std::max<std::size_t>(1, set->rows.size()));
        const auto add = [&](const QString& what, std::uint64_t value, double share) {
            counts.append({.cells = {what, countCell(value)}, .share = share, .toolTip = {}});
        };
        add(tr("Records"), set->rows.size(), -1.0);
        add(tr("Pairs"), set->pairs, -1.0);
        add(tr("Skeletons"), set->skeletons, double(set->skeletons) / all);
        for (const auto& [name, count] : set->splits)
            add(tr("Split: %1").arg(toText(name)), count, double(count) / all);
        for (const auto& [name, splits] : set->categories) {
            std::uint64_t count = 0;
            for (const auto& [split, of_split] : splits) count += of_split;
            add(tr("Category: %1").arg(toText(name)), count, double(count) / all);
        }
        for (const auto& [name, count] : set->rejected)
            add(tr("Rejected: %1").arg(toText(name)), count, double(count) / all);
        for (const auto& [name, sizes] : set->sizes)
            add(tr("Mean bytes: %1").arg(toText(name)), std::uint64_t(sizes.mean), -1.0);
    }
    m_records->setRows(
        {tr("Category"), tr("Name"), tr("Operations"), tr("Split"), tr("Complexity"), tr("Id")}, records);
    m_counts->setRows({tr("What"), tr("How many")}, counts);
    m_mismatches->setRows({tr("Candidate"), tr("Category"), tr("What")}, mismatches);
    m_tabs->setTabVisible(m_mismatchTab, !mismatches.isEmpty());
    showChart();
    showNote();
}

void GeneratedPanel::showNote() {
    const auto& set = m_desk.dataSet();
    m_note->setText(
        !set ? tr("No data set is open. One is a folder that iir2d synth generate, or the tab Make one, "
                  "has made.")
             : tr("%1: %n record(s)%2", nullptr, int(set->rows.size()))
                   .arg(fromPath(set->folder),
                        set->is_complete ? QString() : tr(" of %1, not complete").arg(set->count)));
}

void GeneratedPanel::showRecord() {
    const QSignalBlocker quiet(m_target);
    const QSignalBlocker quietOther(m_other);
    const auto& record = m_desk.record();
    m_target->clear();
    m_target->addItems(m_desk.targets());
    m_target->setCurrentText(m_desk.target());
    m_target->setEnabled(m_target->count() > 0);
    m_other->clear();
    m_other->addItem(tr("No other"));
    for (const QString& target : m_desk.targets()) {
        if (target != m_desk.target()) m_other->addItem(tr("To %1").arg(target), target);
    }
    m_other->setCurrentIndex(std::max(0, m_other->findData(m_desk.otherTarget())));
    m_other->setEnabled(m_other->count() > 1);
    m_backward->setChecked(m_desk.isBackward());
    m_backward->setEnabled(record && !record->backward_source.empty());
    m_copy->setEnabled(!m_desk.commandLine().isEmpty());
    m_copy->setToolTip(m_copy->isEnabled() || !record
                           ? m_copy->accessibleName()
                           : tr("No command prints a difference of backward texts: choose no other target"));
    const auto& set = m_desk.dataSet();
    if (!set) return;
    // The row of what is shown, in one of the tables: a row that is current cannot be chosen again.
    const auto choose = [](TextTable* table, const auto& rows, const auto& isShown) {
        const auto found = std::ranges::find_if(rows, isShown);
        const int row = found == rows.end() ? -1 : int(found - rows.begin());
        if (table->chosenRow() != row) table->chooseRow(row);
    };
    const auto& mismatch = m_desk.mismatch();
    choose(m_records, set->rows,
           [&](const inspect::RecordRow& one) { return !mismatch && record && one.id == record->row.id; });
    choose(m_mismatches, set->mismatches,
           [&](const inspect::MismatchRow& one) { return mismatch && one.index == mismatch->index; });
}

void GeneratedPanel::showWork() {
    const bool isMaking = m_desk.isMaking();
    m_open->setEnabled(!isMaking);
    m_form->setBusy(isMaking);
    if (!isMaking && !m_desk.isOpening() && !m_desk.isLooking()) {
        if (m_bar->isActive()) showNote();
        return m_bar->end();
    }
    if (!m_bar->isActive()) m_bar->begin({});
    m_bar->setText(isMaking ? tr("Making") : m_desk.isOpening() ? tr("Reading") : tr("Running again"));
    m_bar->setFraction(m_desk.progress().isEmpty() ? -1 : m_desk.fraction());
    if (!m_desk.progress().isEmpty())
        m_note->setText(m_desk.progress());
    else if (isMaking)
        m_note->setText(tr("Starting the compilers…"));
}

}  // namespace workbench
