// SPDX-License-Identifier: MIT
#include "ui/benchmark/results_page.h"

#include <QSplitter>
#include <algorithm>

#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/result_note.h"
#include "ui/benchmark/results_header.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"

namespace workbench {

ResultsPage::ResultsPage(RecordDesk& desk, Session& session, QWidget* parent)
    : QWidget(parent),
      m_desk(desk),
      m_header(new ResultsHeader(this)),
      m_note(new ResultNote(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)),
      m_charts(new ChartsArea(m_splitter)),
      m_table(new ResultsTable(desk.results(), m_splitter)),
      m_exports(new ExportMenu(desk, *m_charts, session, m_header->exportButton())) {
    auto* layout = makeColumn(this, 0);
    layout->addWidget(m_header);
    layout->addWidget(m_note);
    m_splitter->setChildrenCollapsible(false);
    m_charts->setMinimumHeight(180);
    m_table->setMinimumHeight(90);
    m_splitter->addWidget(m_charts);
    m_splitter->addWidget(m_table);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({460, 240});
    layout->addWidget(m_splitter, 1);

    const auto choose = [this](int index) {
        m_userChose = true;
        chooseCase(index);
    };
    connect(m_table, &ResultsTable::caseChosen, this, choose);
    connect(m_charts, &ChartsArea::caseChosen, this, choose);
    connect(m_exports, &ExportMenu::copyTableWanted, this, [this] {
        m_table->clearSelection();
        m_table->copySelection();
        m_table->chooseCase(m_chosen);
    });
    connect(m_note, &ResultNote::noteWritten, this,
            [this](const QString& file, const QString& id, const QString& note) {
                m_desk.history().writeNote(file, id, note);
            });
    connect(&desk, &RecordDesk::shownChanged, this, &ResultsPage::showOther);
    connect(&desk, &RecordDesk::resultAdded, this, &ResultsPage::showAdded);
    connect(&desk, &RecordDesk::stateChanged, this, &ResultsPage::showState);
    connect(&desk, &RecordDesk::runningChanged, this, [this](bool running) {
        if (running) m_userChose = false;
        showState();
        showCeilings();
    });
    connect(&desk.history(), &RecordHistory::notesChanged, this, &ResultsPage::showNote);
    showState();
}

void ResultsPage::showOther() {
    m_userChose = false;
    m_chosen = 0;
    showCeilings();
    showState();
    showCases();
}

void ResultsPage::showAdded() {
    if (!m_userChose) m_chosen = 0;
    showState();
    showCases();
}

void ResultsPage::showCases() {
    m_charts->showResults(m_desk.results().results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

void ResultsPage::chooseCase(int index) {
    if (index < 0 || index >= m_desk.results().rowCount() || index == m_chosen) return;
    m_chosen = index;
    showCases();
}

void ResultsPage::showNote() {
    const DeskResults& shown = m_desk.shown();
    m_note->showRecord(shown.historyFile, shown.keptId,
                       m_desk.history().note(shown.historyFile, shown.keptId));
}

void ResultsPage::showState() {
    showNote();
    const bool running = m_desk.isBenchmarking();
    const int done = m_desk.results().rowCount();
    const OpenedRecordPtr& original = m_desk.reproducing();
    auto tone = ToneLabel::Tone::normal;
    QString text;
    if (running && !m_desk.isFresh()) {
        text = original ? tr("Reproducing %1: %n case(s) done", nullptr, done).arg(recordName(*original))
                        : tr("Running: %n case(s) done", nullptr, done);
    } else if (running && original) {
        text = tr("Reproducing; these are the results of the record");
        tone = ToneLabel::Tone::muted;
    } else if (running) {
        text = tr("Running; these are the results of the run before");
        tone = ToneLabel::Tone::muted;
    } else if (m_desk.run()) {
        const BenchmarkRun& run = m_desk.run()->run;
        text = run.cancelled ? tr("Cancelled: %1 of %n case(s)", nullptr, int(run.case_total)).arg(done)
                             : tr("%n case(s)", nullptr, done);
        if (run.cancelled) tone = ToneLabel::Tone::error;
        text += QStringLiteral(" · ") + toText(run.device.name) + QStringLiteral(", ") +
                tr("%n thread(s)", nullptr, run.threads);
    } else if (m_desk.opened()) {
        const Record& r = *m_desk.opened();
        text = (m_desk.shown().restored ? tr("Restored: %1") : tr("Record %1")).arg(recordText(r)) +
               QStringLiteral(" · ") + tr("%n case(s)", nullptr, done) + QStringLiteral(", ") +
               tr("%n thread(s)", nullptr, r.run.threads);
        if (r.run.cancelled)
            text += QStringLiteral(" · ") + tr("cancelled after %1 of %2").arg(done).arg(r.run.case_total);
    }
    const auto& results = m_desk.results().results();
    const auto failed =
        std::ranges::count_if(results, [](const CaseResult& r) { return r.failure.has_value(); });
    if (failed > 0) {
        text += QStringLiteral(" · ") + tr("%n failed, see the table", nullptr, int(failed));
        tone = ToneLabel::Tone::error;
    }
    const auto throttled =
        std::ranges::count_if(results, [](const CaseResult& r) { return !throttled_by(r).empty(); });
    if (throttled > 0)
        text += QStringLiteral(" · ") + tr("%n throttled, see the table", nullptr, int(throttled));
    m_header->setState(text, tone);
}

void ResultsPage::showCeilings() {
    RooflineView& roofline = m_charts->roofline();
    const QString unknown = tr("The arithmetic ceiling of a GPU is not measured here: it is not known.");
    if (m_desk.run()) {
        const BenchmarkRun& run = m_desk.run()->run;
        roofline.setMachine(run.threads, run.device.backend == iir2d::Backend::cpu, unknown);
    } else if (m_desk.opened()) {
        const Record& r = *m_desk.opened();
        const bool onCpu = r.run.device.backend == iir2d::Backend::cpu;
        roofline.setMachine(
            r.run.threads, onCpu && is_of_this_machine(r),
            onCpu ? tr("The record is of another machine, %1: its arithmetic ceiling is not known.")
                        .arg(toText(r.environment.host.value_or(r.environment.cpu_model.value_or(""))))
                  : unknown);
    }
}

}  // namespace workbench
