// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_page.h"

#include <QAction>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/benchmark/background_job.h"
#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/result_note.h"
#include "ui/benchmark/results_header.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/run_panel.h"
#include "ui/charts/figures.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

constexpr int formWidth = 320;

}  // namespace

BenchmarkPage::BenchmarkPage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new ResultsModel(this)),
      m_runner(new BenchmarkRunner(this)),
      m_exporter(new ResultExporter(this)),
      m_job(new BackgroundJob(this)),
      m_noteJob(new BackgroundJob(this)) {
    setObjectName(QStringLiteral("benchmarkPage"));
    setAccessibleName(tr("Benchmark"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    layout->addWidget(m_splitter);
    m_splitter->addWidget(makeFormColumn());

    m_splitter->addWidget(makeRightSide());
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({formWidth, 960});

    m_dropCue = new DropCue(this);
    setAcceptDrops(true);

    makeActions();
    connectRunner();
    connectExporter();
    connectRecords();
    connect(m_form, &MatrixForm::changed, this, &BenchmarkPage::showForm);
    connect(m_run, &RunPanel::runRequested, this, &BenchmarkPage::run);
    connect(m_run, &RunPanel::cancelRequested, this, &BenchmarkPage::cancel);
    const auto choose = [this](int index) {
        m_userChose = true;
        chooseCase(index);
    };
    connect(m_table, &ResultsTable::caseChosen, this, choose);
    connect(m_charts, &ChartsArea::caseChosen, this, choose);
    showForm();
    showState();
}

BenchmarkPage::~BenchmarkPage() {
    // Joined here, while everything that they tell is still there.
    delete m_runner;
    delete m_exporter;
    delete m_job;
    delete std::exchange(m_noteJob, nullptr);
    m_note->commit();
    static_cast<void>(writeNotes(m_history->file(), m_unwritten));  // nobody is left to read why not
}

void BenchmarkPage::connectRunner() {
    connect(m_runner, &BenchmarkRunner::progressed, this, [this](double fraction, const QString& what) {
        m_run->setProgress(fraction, what, m_freshRun ? 0 : m_model->rowCount());
    });
    connect(m_runner, &BenchmarkRunner::caseFinished, this,
            [this](const std::shared_ptr<const CaseResult>& result) { addResult(*result); });
    connect(m_runner, &BenchmarkRunner::finished, this, [this](const RecordPtr& record, const KeptRun& kept) {
        m_record = record;
        m_recordWrittenTo.clear();
        m_keptId = kept.id;
        finish();
        showKept(kept);
        const BenchmarkRun& run = record->run;
        Q_EMIT message(run.cancelled
                           ? tr("Benchmark cancelled: %1 of %n case(s) kept", nullptr, int(run.case_total))
                                 .arg(run.results.size())
                           : tr("Benchmark done: %n case(s)", nullptr, int(run.results.size())));
    });
    connect(m_runner, &BenchmarkRunner::reproduced, this,
            [this](const std::shared_ptr<const Reproduced>& what, const KeptRun& kept) {
                finishReproduction(*what, kept.id);
                showKept(kept);
            });
    connect(m_runner, &BenchmarkRunner::cancelledEmpty, this, [this] {
        const bool wasReproduction = m_original != nullptr;
        finish();
        const QString text =
            wasReproduction ? tr("The reproduction was cancelled: what it had measured is not kept.")
                            : tr("Cancelled before the first case was complete: there is nothing to keep.");
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::info, text);
        Q_EMIT message(text);
    });
    connect(m_runner, &BenchmarkRunner::failed, this, [this](const QString& why) {
        const bool wasReproduction = m_original != nullptr;
        finish();
        if (wasReproduction) {
            showReproductionFailure(why);
            return;
        }
        const QString text = tr("The benchmark could not run: %1").arg(why);
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::error, text);
        Q_EMIT message(text);
    });
}

bool BenchmarkPage::isRunning() const {
    return m_runner->isRunning();
}

bool BenchmarkPage::hasResults() const {
    return m_model->rowCount() > 0;
}

bool BenchmarkPage::hasUnkeptResults() const {
    return m_record && m_keptId.isEmpty() && m_recordWrittenTo.isEmpty();
}

void BenchmarkPage::setHindrance(const QString& why) {
    if (std::exchange(m_hindrance, why) == why) return;
    m_run->setHindrance(why);
    showRecordActions();
}

// Says why not: whatever else computes would take processors from what is measured.
bool BenchmarkPage::mayMeasure() {
    if (isRunning()) return false;
    const QString text = !m_hindrance.isEmpty()
                             ? m_hindrance
                             : tr("A record is still being worked on: run when that is done, or cancel it.");
    if (m_hindrance.isEmpty() && !isBusy()) return true;
    m_messages->show(QStringLiteral("run"), MessageArea::Severity::info, text);
    Q_EMIT message(text);
    return false;
}

void BenchmarkPage::run() {
    if (!mayMeasure()) return;
    m_form->refresh();  // memory may have become free
    const auto& chosen = m_form->matrix();
    if (!chosen) {
        const QString text = chosen.error().front().text;
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::error, text);
        m_form->focusProblem();
        Q_EMIT message(text);
        return;
    }
    m_messages->clear(QStringLiteral("run"));
    m_messages->clear(QStringLiteral("export"));
    setTab(Tab::results);
    m_freshRun = true;
    m_userChose = false;
    m_run->begin(chosen->cases, chosen->seconds);
    const ImagePtr& image = chosen->matrix.image;
    m_runner->start(chosen->matrix,
                    image ? QString::fromStdU16String(image->info.path.u16string()) : QString(),
                    m_history->file());
    m_form->setEnabled(false);
    showState();
    Q_EMIT runningChanged(true);
}

void BenchmarkPage::cancel() {
    if (!isRunning()) return;
    m_runner->cancel();
    m_run->setCancelling();
}

void BenchmarkPage::addResult(const CaseResult& result) {
    if (m_freshRun) {
        // The results of the run before stay until there are new ones.
        m_freshRun = false;
        if (hasUnkeptResults()) m_replaced = m_record;
        m_record.reset();
        m_keptId.clear();
        m_opened.reset();
        m_chosen = -1;
        m_model->clear();
    }
    m_model->append(result);
    if (m_chosen < 0 || !m_userChose) m_chosen = 0;
    showState();
    m_charts->showResults(m_model->results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

void BenchmarkPage::finish() {
    m_freshRun = false;
    m_run->end();
    m_form->setEnabled(true);
    m_form->refresh();
    if (m_original) {
        // Not to its end: what it was to be reproduced is shown again.
        showOpened(std::exchange(m_original, nullptr));
    } else {
        showState();
    }
    showCeilings();
    offerReplaced();
    Q_EMIT runningChanged(false);
}

void BenchmarkPage::chooseCase(int index) {
    if (index < 0 || index >= m_model->rowCount() || index == m_chosen) return;
    m_chosen = index;
    m_charts->showResults(m_model->results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

void BenchmarkPage::showForm() {
    const auto& chosen = m_form->matrix();
    if (chosen) {
        m_run->setPlan(chosen->cases, chosen->seconds);
    } else {
        m_run->setProblem(chosen.error().front().text);
    }
    showState();
}

void BenchmarkPage::showState() {
    const bool running = isRunning();
    m_stack->setCurrentIndex(hasResults() ? 1 : 0);
    m_export->setEnabled(mayExport());
    for (QAction* action : m_exportActions) action->setEnabled(mayExport());
    m_exportRecordAction->setEnabled(mayExport() && m_record);
    m_export->setToolTip(running ? tr("Results can be exported when the run has ended")
                                 : tr("Write the record, its CSV, JSON or Markdown, or a chart"));
    showRecordActions();
    showEmptyText();
    showNote();
    const int done = m_model->rowCount();
    auto tone = ToneLabel::Tone::normal;
    QString text;
    if (running && !m_freshRun) {
        text = m_original ? tr("Reproducing %1: %n case(s) done", nullptr, done).arg(recordName(*m_original))
                          : tr("Running: %n case(s) done", nullptr, done);
    } else if (running && m_original) {
        text = tr("Reproducing; these are the results of the record");
        tone = ToneLabel::Tone::muted;
    } else if (running) {
        text = tr("Running; these are the results of the run before");
        tone = ToneLabel::Tone::muted;
    } else if (m_record) {
        const BenchmarkRun& run = m_record->run;
        text = run.cancelled ? tr("Cancelled: %1 of %n case(s)", nullptr, int(run.case_total)).arg(done)
                             : tr("%n case(s)", nullptr, done);
        if (run.cancelled) tone = ToneLabel::Tone::error;
        text += QStringLiteral(" · ") + toText(run.device.name) + QStringLiteral(", ") +
                tr("%n thread(s)", nullptr, run.threads);
    } else if (m_opened) {
        const Record& r = *m_opened;
        text = tr("Record %1").arg(recordText(r)) + QStringLiteral(" · ") + tr("%n case(s)", nullptr, done) +
               QStringLiteral(", ") + tr("%n thread(s)", nullptr, r.run.threads);
        if (r.run.cancelled)
            text += QStringLiteral(" · ") + tr("cancelled after %1 of %2").arg(done).arg(r.run.case_total);
    }
    const auto failed =
        std::ranges::count_if(m_model->results(), [](const CaseResult& r) { return r.failure.has_value(); });
    if (failed > 0) {
        text += QStringLiteral(" · ") + tr("%n failed, see the table", nullptr, int(failed));
        tone = ToneLabel::Tone::error;
    }
    const auto throttled = std::ranges::count_if(
        m_model->results(), [](const CaseResult& r) { return !throttled_by(r).empty(); });
    if (throttled > 0)
        text += QStringLiteral(" · ") + tr("%n throttled, see the table", nullptr, int(throttled));
    m_header->setState(text, tone);
}

void BenchmarkPage::showEmptyText() {
    const bool running = isRunning();
    const auto& plan = m_form->matrix();
    if (running) {
        m_emptyTitle->setText(tr("Measuring the first case"));
        m_emptyText->setText(
            tr("It is checked against the double-precision reference before it is timed. Each "
               "case appears here as it is done."));
    } else if (plan) {
        m_emptyTitle->setText(tr("No benchmark yet"));
        m_emptyText->setText(
            tr("%n case(s) will be measured in %1.", nullptr, int(plan->cases))
                .arg(durationText(plan->seconds)) +
            QStringLiteral("\n\n") +
            tr("Each is checked against the double-precision reference, run %n time(s) to warm up", nullptr,
               plan->matrix.warmup) +
            tr(" and timed %n time(s), beside a copy of the same plane. Every sample is kept.", nullptr,
               plan->matrix.iterations));
    } else {
        m_emptyTitle->setText(tr("No benchmark yet"));
        m_emptyText->setText(plan.error().front().text);
    }
}

}  // namespace workbench
