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
#include "ui/session/session.h"
#include "ui/session/text.h"
#include "ui/window/drop_cue.h"
#include "ui/window/job_bar.h"
#include "ui/window/message_bar.h"

namespace workbench {
namespace {

const QString recordSubject = QStringLiteral("record");
const QString runSubject = QStringLiteral("run");

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

QString nameOf(const QString& path) {
    MeasuredRecord record;
    record.path = path.toStdString();
    return recordName(record);
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
double secondsOf(const MeasuredRecord& record) {
    double milliseconds = 0;
    for (const MeasuredCase& c : record.cases) {
        for (const double sample : c.samples_ms) milliseconds += sample;
        for (const double sample : c.copy_samples_ms) milliseconds += 2 * sample;
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

    const std::string& kept = m_session.settings().history_file;
    m_history->setFile(kept.empty() ? QString::fromStdU16String(default_history_file().u16string())
                                    : QString::fromStdString(kept));
    connect(m_history, &HistoryView::addWanted, this, &BenchmarkPage::addToHistory);
    connect(m_history, &HistoryView::refreshWanted, this, [this] { readHistory(true); });
    connect(m_history, &HistoryView::trendWanted, this, &BenchmarkPage::readTrend);
    connect(m_history, &HistoryView::fileWanted, this, [this] {
        // One that does not exist is made when a record is added.
        const QString file = QFileDialog::getSaveFileName(
            this, tr("Choose or name a history database"), m_history->file(),
            tr("Histories (*.sqlite);;All files (*)"), nullptr, QFileDialog::DontConfirmOverwrite);
        if (!file.isEmpty()) setHistoryFile(file);
    });
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        if (tab() == Tab::history) readHistory(true);
    });
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
    return {m_openAction, m_compareAction, m_reproduceAction};
}

// Where what is shown lies as a record; empty: nowhere.
QString BenchmarkPage::keptRecordPath() const {
    return m_opened ? QString::fromStdString(m_opened->measured.path) : m_recordWrittenTo;
}

void BenchmarkPage::showRecordActions() {
    const bool free = !isRunning() && !isBusy();
    m_openAction->setEnabled(free);
    m_compareAction->setEnabled(free);
    m_reproduceAction->setEnabled(free && m_opened != nullptr);
    m_openAction->setToolTip(tr("Open a record, a directory or its record.json (%1)")
                                 .arg(m_openAction->shortcut().toString(QKeySequence::NativeText)));
    m_compareAction->setToolTip(tr("Compare what is shown with a record measured before (%1)")
                                    .arg(m_compareAction->shortcut().toString(QKeySequence::NativeText)));
    m_reproduceAction->setToolTip(
        m_opened ? tr("Measure again what this record measured, and compare outputs and timings (%1)")
                       .arg(m_reproduceAction->shortcut().toString(QKeySequence::NativeText))
                 : tr("Open a record to reproduce it"));
    const QString path = keptRecordPath();
    m_history->setAddable(free && !path.isEmpty(), nameOf(path));
    m_charts->roofline().setBusy(!free);
}

// Opening -----------------------------------------------------------------------------------------------

QString BenchmarkPage::askForRecord(const QString& title) {
    std::string& directory = m_session.settings().record_directory;
    const QString from = directory.empty() ? exportDirectory() : QString::fromStdString(directory);
    const QString path = QFileDialog::getOpenFileName(
        this, title, from, tr("Records (record.json);;JSON (*.json);;All files (*)"));
    if (path.isEmpty()) return {};
    // The file stands for its directory, where it is one's: then all of it is verified.
    const QFileInfo file(path);
    const bool isWhole = file.fileName() == QLatin1String("record.json") &&
                         file.absoluteDir().exists(QStringLiteral("SHA256SUMS"));
    QDir above = file.absoluteDir();
    above.cdUp();
    directory = (isWhole ? above : file.absoluteDir()).path().toStdString();
    m_session.saveSettings();
    return isWhole ? file.absolutePath() : path;
}

void BenchmarkPage::openRecord() {
    if (isRunning() || isBusy()) return;
    Q_EMIT attentionWanted();
    const QString path = askForRecord(tr("Open a record"));
    if (!path.isEmpty()) openRecordAt(path);
}

void BenchmarkPage::openRecordAt(const QString& path) {
    if (isRunning()) return;
    m_messages->clear(recordSubject);
    m_job->start(tr("Opening the record %1").arg(nameOf(path)), [this, path](const TaskControl& control) {
        auto opened = open_record(toPath(path), control);
        return std::function<void()>([this, opened = std::move(opened)]() mutable {
            if (opened) {
                showOpened(std::make_shared<const OpenedRecord>(std::move(*opened)));
                return;
            }
            const QString text = toSentence(opened.error().message);
            const bool cancelled = opened.error().kind == ErrorKind::cancelled;
            m_messages->show(recordSubject,
                             cancelled ? MessageArea::Severity::info : MessageArea::Severity::error, text);
            Q_EMIT message(text);
        });
    });
}

// What is shown gives way; a run that was not exported can be brought back.
void BenchmarkPage::showOpened(OpenedRecordPtr opened) {
    const RecordPtr before = m_recordWrittenTo.isEmpty() ? m_record : nullptr;
    m_record.reset();
    m_recordWrittenTo.clear();
    m_opened = std::move(opened);
    showShown();
    const QString text = tr("Opened the record %1").arg(recordName(m_opened->measured));
    if (before) {
        m_messages->show(recordSubject, MessageArea::Severity::info,
                         tr("%1. The run before was not exported.").arg(text),
                         {{tr("Show it again"), [this, before] { showRun(before); }}});
    }
    Q_EMIT message(text);
}

void BenchmarkPage::showRun(RecordPtr record) {
    if (isRunning()) return;
    m_record = std::move(record);
    m_recordWrittenTo.clear();
    m_opened.reset();
    showShown();
}

void BenchmarkPage::showShown() {
    m_userChose = false;
    m_chosen = 0;
    m_model->replace(m_record ? m_record->run.results : m_opened->results);
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
            .arg(nameOf(path)));
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
    if (isRunning() || (!m_record && !m_opened)) return;
    m_messages->clear(recordSubject);
    m_job->start(
        tr("Comparing with the record %1").arg(nameOf(path)),
        [this, path, record = m_record, opened = m_opened](const TaskControl& control) {
            Result<OpenedRecordPtr> now = opened;
            if (!opened) {
                auto fresh = opened_record_of(*record);
                now = fresh ? Result<OpenedRecordPtr>(std::make_shared<const OpenedRecord>(std::move(*fresh)))
                            : Result<OpenedRecordPtr>(std::unexpected(fresh.error()));
            }
            Result<OpenedRecord> base =
                now ? open_record(toPath(path), control) : Result<OpenedRecord>(std::unexpected(now.error()));
            return std::function<void()>([this, now = std::move(now), base = std::move(base)]() mutable {
                if (base) {
                    compareShown(std::make_shared<const OpenedRecord>(std::move(*base)), *now, false);
                    return;
                }
                const QString text = toSentence(base.error().message);
                const bool cancelled = base.error().kind == ErrorKind::cancelled;
                m_messages->show(recordSubject,
                                 cancelled ? MessageArea::Severity::info : MessageArea::Severity::error,
                                 text);
                Q_EMIT message(text);
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
    m_job->start(
        tr("Comparing with the record %1").arg(recordName(base->measured)),
        [this, base, now, settings](const TaskControl& control) {
            auto compared = compareOpened(base, now, settings, control);
            return std::function<void()>([this, base, now, settings, compared = std::move(compared)] {
                if (compared) {
                    m_compare->showComparison(*compared);
                    Q_EMIT message(tr("Compared with the record %1").arg(recordName(base->measured)));
                    return;
                }
                const Error& error = compared.error();
                const QString text = toSentence(error.message);
                if (error.kind == ErrorKind::cancelled) {
                    m_messages->show(recordSubject, MessageArea::Severity::info, text);
                } else {
                    m_compare->showRefusal(base->measured, now->measured, text,
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
    if (isRunning() || isBusy() || !m_opened) return;
    Q_EMIT attentionWanted();
    m_messages->clear(runSubject);
    m_messages->clear(recordSubject);
    setTab(Tab::results);
    m_original = m_opened;
    m_freshRun = true;
    m_userChose = false;
    m_run->begin(std::size_t(m_original->measured.case_total), secondsOf(m_original->measured));
    m_runner->reproduce(m_original, {.compare = m_compare->settings(), .image = {}, .device = {}});
    m_form->setEnabled(false);
    showState();
    Q_EMIT runningChanged(true);
}

void BenchmarkPage::finishReproduction(const Reproduced& reproduced) {
    m_original.reset();
    m_opened.reset();
    m_record = std::make_shared<const Record>(reproduced.reproduction.record);
    m_recordWrittenTo.clear();
    finish();
    m_base = reproduced.compared->base;
    m_now = reproduced.compared->now;
    m_allowUnlike = !reproduced.compared->comparison.unlike.empty();
    m_compare->showReproduction(reproduced.reproduction, reproduced.compared);
    setTab(Tab::comparison);
    Q_EMIT message(reproduced.reproduction.reproduced() ? tr("The record was reproduced")
                                                        : tr("The record was not reproduced"));
}

// The roofline ------------------------------------------------------------------------------------------

void BenchmarkPage::showCeilings() {
    RooflineView& roofline = m_charts->roofline();
    if (m_record) {
        const bool onCpu = m_record->run.device.backend == iir2d::Backend::cpu;
        roofline.setMachine(m_record->run.threads, onCpu,
                            tr("The arithmetic ceiling of a GPU is not measured here: it is not known."));
    } else if (m_opened) {
        const MeasuredRecord& r = m_opened->measured;
        const bool onCpu = r.backend == "cpu";
        roofline.setMachine(
            r.threads, onCpu && is_of_this_machine(r),
            onCpu ? tr("The record is of another machine, %1: its arithmetic ceiling is not known.")
                        .arg(toText(r.host.empty() ? r.processor : r.host))
                  : tr("The arithmetic ceiling of a GPU is not measured here: it is not known."));
    }
}

void BenchmarkPage::measureCeiling(int threads) {
    if (isRunning() || isBusy()) return;
    m_job->start(tr("Measuring the arithmetic ceiling"), [this, threads](const TaskControl& control) {
        auto ceiling = measure_arithmetic(threads, control);
        return std::function<void()>([this, ceiling = std::move(ceiling)] {
            if (ceiling) {
                m_charts->roofline().setCeiling(*ceiling);
            } else {
                m_messages->show(recordSubject, MessageArea::Severity::info,
                                 toSentence(ceiling.error().message));
            }
        });
    });
}

// The history -------------------------------------------------------------------------------------------

void BenchmarkPage::setHistoryFile(const QString& path) {
    m_history->setFile(path);
    m_session.settings().history_file = path.toStdString();
    m_session.saveSettings();
    readHistory(false);
}

void BenchmarkPage::readHistory(bool keepChoice) {
    if (!keepChoice || m_history->key().isEmpty()) {
        if (m_chosen >= 0 && m_chosen < m_model->rowCount())
            m_history->setKey(toText(m_model->results()[std::size_t(m_chosen)].what.key));
    }
    const QString file = m_history->file();
    if (!QFileInfo::exists(file)) {
        m_history->showNothing(tr("There is no history yet: adding a record makes it."));
        return;
    }
    m_job->start(tr("Reading the history"), [this, file](const TaskControl& /*control*/) {
        Result<HistoryContents> contents;
        if (auto history = History::open_to_read(toPath(file)); !history) {
            contents = std::unexpected(history.error());
        } else if (auto entries = history->list(); !entries) {
            contents = std::unexpected(entries.error());
        } else if (auto keys = history->keys(); !keys) {
            contents = std::unexpected(keys.error());
        } else {
            contents = HistoryContents{std::move(*entries), std::move(*keys)};
        }
        return std::function<void()>([this, contents = std::move(contents)] {
            if (contents) {
                m_history->showContents(*contents);
            } else {
                m_history->showNothing(toSentence(contents.error().message));
            }
        });
    });
}

void BenchmarkPage::readTrend() {
    const QString key = m_history->key();
    if (key.isEmpty()) return;
    m_job->start(
        tr("Reading the history"), [this, key, file = m_history->file(), metric = m_history->metric(),
                                    device = m_history->device()](const TaskControl& /*control*/) {
            const auto history = History::open_to_read(toPath(file));
            auto points = history ? history->trend(key.toStdString(), metric, device.toStdString())
                                  : Result<std::vector<TrendPoint>>(std::unexpected(history.error()));
            return std::function<void()>([this, key, metric, points = std::move(points)] {
                if (points) {
                    m_history->showTrend(key, metric, *points);
                } else {
                    m_history->showTrendFailure(toSentence(points.error().message));
                }
            });
        });
}

void BenchmarkPage::addToHistory() {
    const QString path = keptRecordPath();
    if (path.isEmpty() || isBusy()) return;
    const QString file = m_history->file();
    m_job->start(
        tr("Adding the record %1 to the history").arg(nameOf(path)),
        [this, path, file](const TaskControl& /*control*/) {
            Result<History::Added> added;
            if (auto history = History::open(toPath(file)); history) {
                added = history->add(toPath(path));
            } else {
                added = std::unexpected(history.error());
            }
            return std::function<void()>([this, path, added = std::move(added)] {
                const QString text = !added ? toSentence(added.error().message)
                                     : added->added
                                         ? tr("The record %1 is in the history.").arg(nameOf(path))
                                         : tr("The record %1 was in the history already.").arg(nameOf(path));
                m_messages->show(recordSubject,
                                 added ? MessageArea::Severity::info : MessageArea::Severity::error, text);
                Q_EMIT message(text);
                if (added) readHistory(true);
            });
        });
}

}  // namespace workbench
