// SPDX-License-Identifier: MIT
// The half of the benchmark page that is about records: opening, comparing and reproducing them, their
// history, and the ceilings of the roofline.
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QTabWidget>
#include <filesystem>
#include <utility>

#include "core/support/files.h"
#include "ui/benchmark/background_job.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/benchmark/run_panel.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString recordSubject = QStringLiteral("record");
const QString runSubject = QStringLiteral("run");

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

// A directory, or JSON that is no recipe: those are the window's.
bool mayBeRecord(const QString& path) {
    const QFileInfo info(path);
    if (info.isDir()) return true;
    if (!path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) return false;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return true;  // opening it says why
    const QByteArray head = file.read(1 << 16);
    return head.contains("iir2d-workbench/record") || !head.contains("\"operations\"");
}

QString droppedRecord(const QMimeData* data) {
    if (!data || !data->hasUrls()) return {};
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile() && mayBeRecord(url.toLocalFile())) return url.toLocalFile();
    }
    return {};
}

// As long as the record took, copies included.
double secondsOf(const Record& record) {
    double milliseconds = 0;
    for (const CaseResult& c : record.run.results) {
        for (const TimedSample& sample : c.samples) milliseconds += sample.latency_ms;
        for (const TimedSample& sample : c.copy_samples) milliseconds += 2 * sample.latency_ms;
    }
    return 1.3 * milliseconds / 1e3;
}

}  // namespace

void BenchmarkPage::connectRecords() {
    connect(m_job, &BackgroundJob::started, this, [this](const QString& what) {
        m_jobBar->begin(what);
        showRecordActions();
    });
    connect(m_job, &BackgroundJob::progressed, m_jobBar, &JobBar::setFraction);
    connect(m_job, &BackgroundJob::ended, this, [this] {
        m_jobBar->end();
        showRecordActions();
    });
    connect(m_jobBar, &JobBar::cancelRequested, m_job, &BackgroundJob::cancel);
    connect(m_compare, &CompareView::recordWanted, this, &BenchmarkPage::compareWith);
    connect(m_compare, &CompareView::reportWanted, this, &BenchmarkPage::exportReport);
    connect(m_compare, &CompareView::recordExportWanted, this, &BenchmarkPage::exportRecord);
    connect(m_compare, &CompareView::settingsChanged, this, [this] {
        if (m_base && m_now) compareShown(m_base, m_now, m_allowUnlike);
    });
    connect(m_compare, &CompareView::swapWanted, this, [this] {
        if (m_base && m_now) compareShown(m_now, m_base, m_allowUnlike);
    });
    connect(m_compare, &CompareView::insisted, this, [this] {
        if (m_base && m_now) compareShown(m_base, m_now, true);
    });
    connect(&m_charts->roofline(), &RooflineView::ceilingWanted, this, &BenchmarkPage::measureCeiling);
    connectHistory();
}

BenchmarkPage::Tab BenchmarkPage::tab() const {
    return Tab(m_tabs->currentIndex());
}

void BenchmarkPage::setTab(Tab tab) {
    m_tabs->setCurrentIndex(int(tab));
}

bool BenchmarkPage::isBusy() const {
    return m_job->isRunning();
}

QList<QAction*> BenchmarkPage::recordActions() const {
    return {m_openAction, m_compareAction, m_previousAction, m_reproduceAction};
}

// Where what is shown lies as a record; empty: in the history alone, or nowhere.
QString BenchmarkPage::keptRecordPath() const {
    if (!m_opened) return m_recordWrittenTo;
    const QString path = toText(m_opened->path);
    return isKeptPath(path) ? QString() : path;
}

void BenchmarkPage::showRecordActions() {
    const bool free = !isRunning() && !isBusy();
    m_openAction->setEnabled(free);
    m_compareAction->setEnabled(free);
    m_previousAction->setEnabled(free && (m_record || m_opened));
    m_reproduceAction->setEnabled(free && m_opened != nullptr && m_hindrance.isEmpty());
    m_openAction->setToolTip(tr("Open a record, a directory or its record.json (%1)")
                                 .arg(m_openAction->shortcut().toString(QKeySequence::NativeText)));
    m_compareAction->setToolTip(tr("Compare what is shown with a record measured before (%1)")
                                    .arg(m_compareAction->shortcut().toString(QKeySequence::NativeText)));
    m_previousAction->setToolTip(
        tr("Compare what is shown with the record before it in the history, of the same cases (%1)")
            .arg(m_previousAction->shortcut().toString(QKeySequence::NativeText)));
    m_reproduceAction->setToolTip(
        m_opened ? tr("Measure again what this record measured, and compare outputs and timings (%1)")
                       .arg(m_reproduceAction->shortcut().toString(QKeySequence::NativeText))
                 : tr("Open a record to reproduce it"));
    const QString path = keptRecordPath();
    m_history->setAddable(free && !path.isEmpty(), recordNameAt(path));
    m_history->setFree(free);
    m_charts->roofline().setBusy(!free);
}

// Opening -----------------------------------------------------------------------------------------------

QString BenchmarkPage::askForRecord(const QString& title) {
    const std::string& directory = m_session.settings().record_directory;
    const QString from = directory.empty() ? exportDirectory() : QString::fromStdString(directory);
    const QString path = QFileDialog::getOpenFileName(
        this, title, from, tr("Records (record.json);;JSON (*.json);;All files (*)"));
    if (path.isEmpty()) return {};
    // The file stands for its directory, where it is one's: then all of it is verified.
    const QFileInfo file(path);
    const bool isWhole = file.fileName() == QLatin1String("record.json") &&
                         file.absoluteDir().exists(QStringLiteral("SHA256SUMS"));
    return isWhole ? file.absolutePath() : path;
}

void BenchmarkPage::openRecord() {
    if (isRunning() || isBusy()) return;
    Q_EMIT attentionWanted();
    const QString path = askForRecord(tr("Open a record"));
    if (!path.isEmpty()) openRecordAt(path);
}

void BenchmarkPage::openRecordAt(const QString& path) {
    openBy(tr("Opening the record %1").arg(recordNameAt(path)),
           [path](const TaskControl& control) { return load_record(toPath(path), control); });
}

void BenchmarkPage::openKeptRecord(const QString& id) {
    if (id.isEmpty()) return;
    openBy(tr("Opening a record of the history"),
           [id, file = m_history->file()](const TaskControl&) { return openKept(file, id); });
}

void BenchmarkPage::openBy(const QString& what, std::function<Result<Record>(const TaskControl&)> open) {
    if (isRunning()) return;
    m_messages->clear(recordSubject);
    m_job->start(what, [this, open = std::move(open)](const TaskControl& control) {
        auto opened = open(control);
        return std::function<void()>([this, opened = std::move(opened)]() mutable {
            if (opened) {
                showOpened(std::make_shared<const Record>(std::move(*opened)));
            } else {
                sayRecordError(opened.error());
            }
        });
    });
}

void BenchmarkPage::sayRecordError(const Error& error) {
    const QString text = toSentence(error.message);
    m_messages->show(
        recordSubject,
        error.kind == ErrorKind::cancelled ? MessageArea::Severity::info : MessageArea::Severity::error,
        text);
    Q_EMIT message(text);
}

// What is shown gives way; a run that nothing keeps can be brought back.
void BenchmarkPage::showOpened(OpenedRecordPtr opened) {
    if (hasUnkeptResults()) m_replaced = m_record;
    m_record.reset();
    m_recordWrittenTo.clear();
    m_keptId.clear();
    m_opened = std::move(opened);
    rememberRecordFolder(m_opened->path);
    showShown();
    offerReplaced();
    Q_EMIT message(tr("Opened the record %1").arg(recordName(*m_opened)));
}

// After a refusal the folder stays the one that held a record.
void BenchmarkPage::rememberRecordFolder(const std::string& record) {
    const QString path = toText(record);
    if (path.isEmpty() || isKeptPath(path)) return;
    const std::string folder = QFileInfo(QDir::cleanPath(path)).absolutePath().toStdString();
    if (std::exchange(m_session.settings().record_directory, folder) != folder) m_session.saveSettings();
}

void BenchmarkPage::offerReplaced() {
    if (!m_replaced || isRunning()) return;
    m_messages->show(recordSubject, MessageArea::Severity::warning,
                     tr("The run before was neither exported nor kept in the history."),
                     {{tr("Show it again"), [this] { showRun(std::exchange(m_replaced, nullptr)); }}});
}

void BenchmarkPage::showRun(RecordPtr record) {
    if (isRunning()) return;
    m_replaced = hasUnkeptResults() ? m_record : nullptr;
    m_record = std::move(record);
    m_recordWrittenTo.clear();
    m_keptId.clear();
    m_opened.reset();
    showShown();
    offerReplaced();
}

void BenchmarkPage::showShown() {
    m_userChose = false;
    m_chosen = 0;
    m_model->replace((m_record ? m_record : m_opened)->run.results);
    setTab(Tab::results);
    showCeilings();
    showState();
    m_charts->showResults(m_model->results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

// Dropping ----------------------------------------------------------------------------------------------

void BenchmarkPage::dragEnterEvent(QDragEnterEvent* event) {
    const QString path = droppedRecord(event->mimeData());
    if (path.isEmpty() || isRunning()) {
        event->ignore();  // the window may know what to do with it
        return;
    }
    event->acceptProposedAction();
    m_dropCue->appear(
        (hasResults() ? tr("Drop to compare with the record %1") : tr("Drop to open the record %1"))
            .arg(recordNameAt(path)));
}

void BenchmarkPage::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
    m_dropCue->hide();
}

void BenchmarkPage::dropEvent(QDropEvent* event) {
    m_dropCue->hide();
    const QString path = droppedRecord(event->mimeData());
    if (path.isEmpty() || isRunning()) {
        event->ignore();
        return;
    }
    event->acceptProposedAction();
    if (hasResults()) {
        compareWithRecordAt(path);
    } else {
        openRecordAt(path);
    }
}

// Comparing ---------------------------------------------------------------------------------------------

void BenchmarkPage::compareWith() {
    if (isRunning() || isBusy()) return;
    Q_EMIT attentionWanted();
    if (!hasResults()) {
        const QString text = tr("There is nothing to compare yet: run a benchmark or open a record first.");
        m_messages->show(recordSubject, MessageArea::Severity::info, text,
                         {{tr("Open a record…"), [this] { openRecord(); }}});
        Q_EMIT message(text);
        return;
    }
    const QString path = askForRecord(tr("Compare with the record (the base)"));
    if (!path.isEmpty()) compareWithRecordAt(path);
}

void BenchmarkPage::compareWithRecordAt(const QString& path) {
    compareWithBase(
        tr("Comparing with the record %1").arg(recordNameAt(path)),
        [path](const Record&, const TaskControl& control) { return load_record(toPath(path), control); });
}

void BenchmarkPage::compareWithKept(const QString& id) {
    if (id.isEmpty()) return;
    compareWithBase(
        tr("Comparing with a record of the history"),
        [id, file = m_history->file()](const Record&, const TaskControl&) { return openKept(file, id); });
}

void BenchmarkPage::compareWithPrevious() {
    if (isBusy()) return;
    Q_EMIT attentionWanted();
    compareWithBase(tr("Comparing with the previous record"),
                    [file = m_history->file()](const Record& now, const TaskControl&) -> Result<Record> {
                        const auto history = History::open_to_read(toPath(file));
                        if (!history) return std::unexpected(history.error());
                        const auto id = history->previous(now);
                        if (!id) return std::unexpected(id.error());
                        return openKept(file, toText(*id));
                    });
}

void BenchmarkPage::compareWithBase(const QString& what, BaseOf baseOf) {
    if (isRunning() || (!m_record && !m_opened)) return;
    m_messages->clear(recordSubject);
    m_job->start(what, [this, baseOf = std::move(baseOf), record = m_record,
                        opened = m_opened](const TaskControl& control) {
        const OpenedRecordPtr now = opened ? opened : record;
        Result<Record> base = baseOf(*now, control);
        return std::function<void()>([this, now, base = std::move(base)]() mutable {
            if (base) {
                rememberRecordFolder(base->path);
                compareShown(std::make_shared<const Record>(std::move(*base)), now, false);
            } else {
                sayRecordError(base.error());
            }
        });
    });
}

void BenchmarkPage::compareShown(OpenedRecordPtr base, OpenedRecordPtr now, bool allowUnlike) {
    m_base = base;
    m_now = now;
    m_allowUnlike = allowUnlike;
    CompareSettings settings = m_compare->settings();
    settings.allow_unlike = allowUnlike;
    setTab(Tab::comparison);
    m_job->start(tr("Comparing with the record %1").arg(recordName(*base)), [this, base, now, settings](
                                                                                const TaskControl& control) {
        auto compared = compareOpened(base, now, settings, control);
        return std::function<void()>([this, base, now, settings, compared = std::move(compared)] {
            if (compared) {
                m_compare->showComparison(*compared);
                Q_EMIT message(tr("Compared with the record %1").arg(recordName(*base)));
                return;
            }
            const Error& error = compared.error();
            const QString text = toSentence(error.message);
            if (error.kind == ErrorKind::cancelled) {
                m_messages->show(recordSubject, MessageArea::Severity::info, text);
            } else {
                m_compare->showRefusal(*base, *now, text,
                                       error.kind == ErrorKind::check_failed && !settings.allow_unlike);
            }
            Q_EMIT message(text);
        });
    });
}

void BenchmarkPage::exportReport() {
    if (!m_compare->compared()) return;
    exportReportTo(QFileDialog::getSaveFileName(
        this, tr("Write the comparison as Markdown"),
        QDir(exportDirectory()).filePath(QStringLiteral("comparison.md")), tr("Markdown (*.md)")));
}

void BenchmarkPage::exportReportTo(const QString& path) {
    const ComparedRecordsPtr& compared = m_compare->compared();
    if (!compared || path.isEmpty() || m_exporter->isRunning()) return;
    m_exportInto = QFileInfo(path).absolutePath();
    m_exporter->writeFiles({{path, QByteArray::fromStdString(comparison_to_markdown(compared->comparison))}},
                           tr("The comparison"));
    showState();
}

// Reproducing -------------------------------------------------------------------------------------------

void BenchmarkPage::reproduce() {
    reproduceOn({});
}

void BenchmarkPage::reproduceOn(const QString& image) {
    if (!m_opened || !mayMeasure()) return;
    Q_EMIT attentionWanted();
    m_messages->clear(runSubject);
    m_messages->clear(recordSubject);
    setTab(Tab::results);
    m_original = m_opened;
    m_freshRun = true;
    m_userChose = false;
    m_run->begin(std::size_t(m_original->run.case_total), secondsOf(*m_original));
    m_runner->reproduce(m_original,
                        {.compare = m_compare->settings(), .image = image.toStdString(), .device = {}},
                        m_history->file());
    m_form->setEnabled(false);
    showState();
    Q_EMIT runningChanged(true);
}

// What the record was measured on may lie elsewhere now.
void BenchmarkPage::showReproductionFailure(const QString& why) {
    const QString text = tr("The record could not be reproduced: %1").arg(why);
    std::vector<MessageArea::Button> buttons;
    if (m_opened && m_opened->run.matrix.image_identity) {
        buttons.push_back({tr("Choose the image…"), [this] {
                               const QString path = QFileDialog::getOpenFileName(
                                   this, tr("The image that the record was measured on"));
                               if (!path.isEmpty()) reproduceOn(path);
                           }});
    }
    m_messages->show(runSubject, MessageArea::Severity::error, text, buttons);
    Q_EMIT message(text);
}

void BenchmarkPage::finishReproduction(const Reproduced& reproduced, const QString& keptId) {
    m_original.reset();
    m_opened.reset();
    m_record = std::make_shared<const Record>(reproduced.reproduction.record);
    m_recordWrittenTo.clear();
    m_keptId = keptId;
    finish();
    m_base = reproduced.compared->base;
    m_now = reproduced.compared->now;
    m_allowUnlike = !reproduced.compared->comparison.unlike.empty();
    m_compare->showReproduction(reproduced.reproduction, reproduced.compared);
    setTab(Tab::comparison);
    Q_EMIT message(reproduced.reproduction.reproduced() ? tr("The record was reproduced")
                                                        : tr("The record was not reproduced"));
}

}  // namespace workbench
