// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_page.h"

#include <QAction>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

#include "core/evidence/reproduce.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/duel_actions.h"
#include "ui/benchmark/duel_view.h"
#include "ui/benchmark/empty_results.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_actions.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/record_drops.h"
#include "ui/benchmark/record_messages.h"
#include "ui/benchmark/result_note.h"
#include "ui/benchmark/results_header.h"
#include "ui/benchmark/results_page.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/benchmark/run_column.h"
#include "ui/benchmark/run_panel.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

constexpr int formWidth = 320;
using Of = RecordMessages::Of;

}  // namespace

// What it is made of ------------------------------------------------------------------------------------

BenchmarkPage::BenchmarkPage(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_desk(new RecordDesk(historyFileOf(session.settings()), this)) {
    setObjectName(QStringLiteral("benchmarkPage"));
    setAccessibleName(tr("Benchmark"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    layout->addWidget(splitter);
    auto* column = new RunColumn(session, splitter);
    m_form = &column->form();
    m_run = &column->panel();
    splitter->addWidget(column);
    splitter->addWidget(makeRightSide(splitter));
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({formWidth, 960});

    makeActions();
    connectRun();
    connectRecords();
    connectComparison();
    connectHistory();
    connectDuels();
    auto* drops = new RecordDrops(
        *m_desk, *m_duels, [this] { return runningText(); }, this);
    connect(drops, &RecordDrops::refused, this,
            [this](const QString& why) { m_said->say(Of::record, false, why); });
    showPlan();
}

BenchmarkPage::~BenchmarkPage() {
    m_results->note().commit();
    // Joined here, while everything that follows it is still there.
    m_desk->disconnect();
    delete m_desk;
}

// Results, comparison, duel and history, below what is said and what is under way.
QWidget* BenchmarkPage::makeRightSide(QWidget* parent) {
    auto* right = new QWidget(parent);
    auto* layout = makeColumn(right, 0);
    m_messages = new MessageArea(right);
    m_said = new RecordMessages(*m_desk, *m_messages, this);
    connect(m_said, &RecordMessages::said, this, &BenchmarkPage::message);
    connect(m_said, &RecordMessages::imageChosen, this, &BenchmarkPage::reproduceOn);
    m_jobBar = new JobBar(right);
    m_tabs = new QTabWidget(right);
    m_tabs->setObjectName(QStringLiteral("benchmarkTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Results, comparison, duel, history"));
    m_tabs->tabBar()->setAccessibleName(m_tabs->accessibleName());
    m_stack = new QStackedWidget(m_tabs);
    m_empty = new EmptyResults(m_stack);
    m_results = new ResultsPage(*m_desk, m_session, m_stack);
    exports().setMessages(m_messages);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_results);
    m_compare = new CompareView(m_tabs);
    m_duelView = new DuelView(m_desk->duel(), m_tabs);
    m_historyView = new HistoryView(m_desk->history(), m_tabs);
    m_tabs->addTab(m_stack, tr("Results"));
    m_tabs->addTab(m_compare, tr("Comparison"));
    m_tabs->addTab(m_duelView, tr("Duel"));
    m_tabs->addTab(m_historyView, tr("History"));
    layout->addWidget(m_tabs, 1);
    auto* column = new FloatingColumn(FloatingColumn::Edge::bottom, right);
    column->add(m_messages);
    column->add(m_jobBar);
    return right;
}

void BenchmarkPage::makeActions() {
    m_records = new RecordActions(*m_desk, m_session, exports(), this);
    for (QAction* action : m_records->all()) m_results->header().addAction(action);
    connect(m_records, &RecordActions::reproduceWanted, this, &BenchmarkPage::reproduce);
    connect(m_records, &RecordActions::attentionWanted, this, &BenchmarkPage::attentionWanted);
    connect(m_records, &RecordActions::nothingToCompare, this,
            [this] { m_said->sayNothingToCompare([this] { m_records->open(); }); });
    m_duels = new DuelActions({.desk = *m_desk,
                               .session = m_session,
                               .form = *m_form,
                               .exports = exports(),
                               .messages = *m_messages,
                               .page = this});
    m_run->setDuelAction(m_duels->duelAction());
    m_duelView->addActions(QList<QAction*>{m_duels->duelAction()} + m_duels->recordActions());
    m_duelView->addEmptyActions({m_duels->duelAction(), m_records->openAction()});
    // The window has Ctrl+R; these are the page's own, and only while it has the focus.
    auto* run = new QAction(tr("Run benchmark"), this);
    run->setShortcut(QKeySequence(Qt::Key_F5));
    auto* stop = new QAction(tr("Cancel what is measured"), this);
    stop->setShortcut(QKeySequence(Qt::Key_Escape));
    for (QAction* action : {run, stop}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    connect(run, &QAction::triggered, this, &BenchmarkPage::run);
    connect(stop, &QAction::triggered, this, &BenchmarkPage::cancel);
    stop->setEnabled(false);
    connect(this, &BenchmarkPage::runningChanged, stop, &QAction::setEnabled);
    addAction(exports().recordAction());
}

ChartsArea& BenchmarkPage::charts() const {
    return m_results->charts();
}

ResultsTable& BenchmarkPage::table() const {
    return m_results->table();
}

ExportMenu& BenchmarkPage::exports() const {
    return m_results->exports();
}

BenchmarkPage::Tab BenchmarkPage::tab() const {
    return Tab(m_tabs->currentIndex());
}

void BenchmarkPage::setTab(Tab tab) {
    m_tabs->setCurrentIndex(int(tab));
}

QList<QAction*> BenchmarkPage::recordActions() const {
    return m_records->all();
}

// State -------------------------------------------------------------------------------------------------

bool BenchmarkPage::isRunning() const {
    return m_desk->isRunning();
}

QString BenchmarkPage::runningText() const {
    return m_desk->isDuelling()  ? tr("A duel is still running.")
           : m_desk->isRunning() ? tr("A benchmark is still running.")
                                 : QString();
}

QAction* BenchmarkPage::duelAction() const {
    return m_duels->duelAction();
}

bool BenchmarkPage::isFree() const {
    return !m_desk->isRunning() && !m_desk->isBusy();
}

void BenchmarkPage::setHindrance(const QString& why) {
    if (std::exchange(m_hindrance, why) == why) return;
    m_run->setHindrance(why);
    showState();
}

void BenchmarkPage::showPlan() {
    const auto& chosen = m_form->matrix();
    if (chosen) {
        m_run->setPlan(chosen->cases, chosen->seconds);
    } else {
        m_run->setProblem(chosen.error().front().text);
    }
    showState();
}

void BenchmarkPage::showState() {
    m_stack->setCurrentIndex(m_desk->results().rowCount() > 0 ? 1 : 0);
    if (m_desk->isBenchmarking()) {
        m_empty->showRunning();
    } else {
        m_empty->showPlan(m_form->matrix());
    }
    const bool free = isFree();
    m_records->showState(m_hindrance.isEmpty());
    m_duels->showState(m_hindrance);
    m_historyView->setAddable(free && m_desk->mayAddToHistory(), recordNameAt(m_desk->shown().path));
    m_historyView->setFree(free);
    charts().roofline().setBusy(!free);
}

// Measuring ---------------------------------------------------------------------------------------------

void BenchmarkPage::connectRun() {
    connect(m_form, &MatrixForm::changed, this, &BenchmarkPage::showPlan);
    connect(m_run, &RunPanel::runRequested, this, &BenchmarkPage::run);
    connect(m_run, &RunPanel::cancelRequested, this, &BenchmarkPage::cancel);
    connect(m_desk, &RecordDesk::progressed, this, [this](double fraction, const QString& what) {
        m_run->setProgress(fraction, what, m_desk->isFresh() ? 0 : m_desk->results().rowCount());
    });
    connect(m_desk, &RecordDesk::resultAdded, this, &BenchmarkPage::showState);
    connect(m_desk, &RecordDesk::runningChanged, this, [this](bool running) {
        m_form->setEnabled(!running);
        if (!running) {
            m_run->end();
            m_form->refresh();
        }
        showState();
        Q_EMIT runningChanged(running);
    });
}

// Says why not: whatever else computes would take processors from what is measured.
bool BenchmarkPage::mayMeasure() {
    if (isRunning()) return false;
    if (m_hindrance.isEmpty() && isFree()) return true;
    m_said->say(Of::run, false,
                !m_hindrance.isEmpty()
                    ? m_hindrance
                    : tr("A record is still being worked on: run when that is done, or cancel it."));
    return false;
}

void BenchmarkPage::run() {
    if (!mayMeasure()) return;
    m_form->refresh();  // memory may have become free
    const auto& chosen = m_form->matrix();
    if (!chosen) {
        m_form->focusProblem();
        m_said->say(Of::run, true, chosen.error().front().text);
        return;
    }
    m_said->clear(Of::run);
    m_messages->clear(QStringLiteral("export"));
    setTab(Tab::results);
    m_run->begin(chosen->cases, chosen->seconds);
    const ImagePtr& image = chosen->matrix.image;
    m_desk->measure(chosen->matrix, image ? fromPath(image->info.path) : QString());
}

void BenchmarkPage::cancel() {
    if (!isRunning()) return;
    m_desk->cancelRun();
    m_run->setCancelling();
}

void BenchmarkPage::reproduceOn(const QString& image) {
    if (!m_desk->opened() || !mayMeasure()) return;
    Q_EMIT attentionWanted();
    m_said->clear(Of::run);
    m_said->clear(Of::record);
    setTab(Tab::results);
    const Record& record = *m_desk->opened();
    m_run->begin(std::size_t(record.run.case_total), reproduction_seconds(record));
    m_desk->reproduce(image);
}

// Opening -----------------------------------------------------------------------------------------------

void BenchmarkPage::connectRecords() {
    Job* job = &m_desk->job();
    connect(job, &Job::started, this, [this](const QString& what) {
        m_jobBar->begin(what);
        showState();
    });
    connect(job, &Job::progressed, m_jobBar, &JobBar::setFraction);
    connect(job, &Job::ended, this, [this] {
        m_jobBar->end();
        showState();
    });
    connect(m_jobBar, &JobBar::cancelRequested, job, &Job::cancel);
    connect(m_empty, &EmptyResults::openWanted, m_records, &RecordActions::open);
    connect(m_desk, &RecordDesk::shownChanged, this, [this] {
        if (!isRunning()) setTab(Tab::results);
        showState();
    });
    connect(m_desk, &RecordDesk::openedRecord, this,
            [this] { Q_EMIT message(tr("Opened the record %1").arg(recordName(*m_desk->opened()))); });
    connect(m_desk, &RecordDesk::stateChanged, this, &BenchmarkPage::showState);
    connect(m_desk, &RecordDesk::exported, this, &BenchmarkPage::showState);
    connect(&exports(), &ExportMenu::message, this, &BenchmarkPage::message);
}

// Comparing ---------------------------------------------------------------------------------------------

void BenchmarkPage::connectComparison() {
    m_desk->setCompareSettings(m_compare->settings());
    connect(m_compare, &CompareView::recordWanted, m_records, &RecordActions::compare);
    connect(m_compare, &CompareView::reportWanted, this,
            [this] { exports().exportReport(m_compare->compared()); });
    connect(m_compare, &CompareView::recordExportWanted, &exports(), &ExportMenu::exportRecord);
    connect(m_compare, &CompareView::settingsChanged, this,
            [this] { m_desk->setCompareSettings(m_compare->settings()); });
    connect(m_compare, &CompareView::swapWanted, m_desk, &RecordDesk::swapCompared);
    connect(m_compare, &CompareView::insisted, m_desk, &RecordDesk::compareAlthoughUnlike);
    connect(m_desk, &RecordDesk::comparing, this, [this] { setTab(Tab::comparison); });
    connect(m_desk, &RecordDesk::compared, this, [this](const ComparedRecordsPtr& compared) {
        m_compare->showComparison(compared);
        Q_EMIT message(tr("Compared with the record %1").arg(recordName(*compared->base)));
    });
    connect(m_desk, &RecordDesk::refused, this,
            [this](const OpenedRecordPtr& base, const OpenedRecordPtr& now, const Error& why, bool unlike) {
                const QString text = toSentence(why.message);
                m_compare->showRefusal(*base, *now, text, unlike);
                Q_EMIT message(text);
            });
    connect(m_desk, &RecordDesk::reproduced, this, [this](const std::shared_ptr<const Reproduced>& what) {
        m_compare->showReproduction(what->reproduction, what->compared);
        setTab(Tab::comparison);
        Q_EMIT message(what->reproduction.reproduced() ? tr("The record was reproduced")
                                                       : tr("The record was not reproduced"));
    });
}

// Duels -------------------------------------------------------------------------------------------------

void BenchmarkPage::connectDuels() {
    DuelDesk* duel = &m_desk->duel();
    connect(m_duels, &DuelActions::attentionWanted, this, &BenchmarkPage::attentionWanted);
    connect(m_duels, &DuelActions::message, this, &BenchmarkPage::message);
    connect(m_duels, &DuelActions::begun, this, [this, duel] {
        setTab(Tab::duel);
        const std::size_t cases = duel->shown().rows.rows.size();
        m_run->begin(cases, double(cases) * duel->request().settings.budget_seconds);
    });
    connect(duel, &DuelDesk::progressed, this, [this, duel](double fraction, const QString& what) {
        if (!duel->isMeasuring()) return;
        const int current = duel->current();
        m_run->setProgress(fraction, current >= 0 ? duel->shown().rows.names[current] : what,
                           int(duel->shown().rows.done()));
    });
    connect(duel, &DuelDesk::opened, this, [this] { setTab(Tab::duel); });
}

// The history, and the ceiling of the roofline ----------------------------------------------------------

void BenchmarkPage::connectHistory() {
    connect(m_historyView, &HistoryView::openWanted, m_desk, &RecordDesk::openKept);
    connect(m_historyView, &HistoryView::openDuelWanted, &m_desk->duel(), &DuelDesk::openKept);
    connect(m_historyView, &HistoryView::compareWanted, m_desk, &RecordDesk::compareWithKept);
    connect(m_historyView, &HistoryView::addWanted, m_desk, &RecordDesk::addToHistory);
    connect(m_historyView, &HistoryView::refreshWanted, this, [this] { readHistory(true); });
    connect(m_historyView, &HistoryView::fileChosen, this, &BenchmarkPage::setHistoryFile);
    connect(&m_desk->history(), &RecordHistory::added, this, [this](const QString& path, bool isNew) {
        readHistory(true);
        m_said->say(
            Of::record, false,
            (isNew ? tr("The record %1 is in the history.") : tr("The record %1 was in the history already."))
                .arg(recordNameAt(path)));
    });
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        if (tab() == Tab::history) readHistory(true);
    });
    connect(&charts().roofline(), &RooflineView::ceilingWanted, this, [this](int threads) {
        if (!isFree()) return;
        m_desk->job().start(
            tr("Measuring the arithmetic ceiling"),
            [threads](const TaskControl& control) { return measure_arithmetic(threads, control); },
            [this](const Result<ArithmeticCeiling>& ceiling) {
                if (ceiling) {
                    charts().roofline().setCeiling(*ceiling);
                } else {
                    m_said->say(Of::record, false, toSentence(ceiling.error().message));
                }
            });
    });
}

void BenchmarkPage::setHistoryFile(const QString& path) {
    m_desk->history().setFile(path);
    m_historyView->showFile();
    m_session.settings().history_file = path.toStdString();
    m_session.saveSettings();
    readHistory(false);
}

void BenchmarkPage::readHistory(bool keepChoice) {
    const int chosen = m_results->chosenCase();
    if ((!keepChoice || m_historyView->key().isEmpty()) && chosen >= 0 &&
        chosen < m_desk->results().rowCount())
        m_historyView->setKey(toText(m_desk->results().results()[std::size_t(chosen)].what.key));
    m_desk->history().read();
}

}  // namespace workbench
