// SPDX-License-Identifier: MIT
// The part of the benchmark page that looks at cases over time, and measures the ceiling of the roofline.
#include <QFileDialog>
#include <QFileInfo>
#include <QTabWidget>
#include <filesystem>

#include "ui/benchmark/background_job.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/result_note.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/session/kept_runs.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString recordSubject = QStringLiteral("record");
const QString keptSubject = QStringLiteral("kept");

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

}  // namespace

void BenchmarkPage::connectHistory() {
    m_history->setFile(historyFileOf(m_session.settings()));
    connect(m_history, &HistoryView::openWanted, this, &BenchmarkPage::openKeptRecord);
    connect(m_history, &HistoryView::compareWanted, this, &BenchmarkPage::compareWithKept);
    connect(m_history, &HistoryView::noteWritten, this, &BenchmarkPage::writeNote);
    connect(m_note, &ResultNote::noteWritten, this, &BenchmarkPage::writeNote);
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

// The roofline ------------------------------------------------------------------------------------------

void BenchmarkPage::showCeilings() {
    RooflineView& roofline = m_charts->roofline();
    if (m_record) {
        const bool onCpu = m_record->run.device.backend == iir2d::Backend::cpu;
        roofline.setMachine(m_record->run.threads, onCpu,
                            tr("The arithmetic ceiling of a GPU is not measured here: it is not known."));
    } else if (m_opened) {
        const Record& r = *m_opened;
        const bool onCpu = r.run.device.backend == iir2d::Backend::cpu;
        roofline.setMachine(
            r.run.threads, onCpu && is_of_this_machine(r),
            onCpu ? tr("The record is of another machine, %1: its arithmetic ceiling is not known.")
                        .arg(toText(r.environment.host.value_or(r.environment.cpu_model.value_or(""))))
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
        m_history->showNothing(tr("There is no history yet: the first run makes it."));
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
                for (const HistoryEntry& entry : contents->entries)
                    m_notes.insert(toText(entry.record_id), toText(entry.note));
                for (auto one = m_unwritten.cbegin(); one != m_unwritten.cend(); ++one)
                    m_notes.insert(one.key(), one.value());
                showNote();
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

// What became of the run that just ended.
void BenchmarkPage::showKept(const KeptRun& kept) {
    if (kept.problem.isEmpty()) {
        m_messages->clear(keptSubject);
        m_notes.insert(kept.id, {});
        return;
    }
    m_messages->show(
        keptSubject, MessageArea::Severity::warning,
        tr("These results are not in the history: %1. Export them to keep them.").arg(kept.problem));
}

void BenchmarkPage::showNote() {
    QString id = m_record ? m_keptId : QString();
    if (m_opened && isKeptPath(toText(m_opened->path))) id = toText(m_opened->record_id);
    m_note->showRecord(id, m_notes.value(id));
}

void BenchmarkPage::writeNote(const QString& id, const QString& note) {
    m_notes.insert(id, note);
    m_unwritten.insert(id, note);
    showNote();
    if (m_noteJob == nullptr) return;  // going: the destructor writes it
    m_noteJob->start(tr("Writing the note"),
                     [this, notes = m_unwritten, file = m_history->file()](const TaskControl&) {
                         const auto done = writeNotes(file, notes);
                         return std::function<void()>([this, notes, done] {
                             // The list shows it already; reading it again would take the place of what was
                             // asked for since.
                             if (!done) {
                                 sayRecordError(done.error());
                                 return;
                             }
                             m_unwritten.removeIf([&](const auto& one) {
                                 return notes.contains(one.key()) && notes.value(one.key()) == one.value();
                             });
                         });
                     });
}

void BenchmarkPage::addToHistory() {
    const QString path = keptRecordPath();
    if (path.isEmpty() || isBusy()) return;
    const QString file = m_history->file();
    m_job->start(
        tr("Adding the record %1 to the history").arg(recordNameAt(path)),
        [this, path, file](const TaskControl& /*control*/) {
            Result<History::Added> added;
            if (auto history = History::open(toPath(file)); history) {
                added = history->add(toPath(path));
            } else {
                added = std::unexpected(history.error());
            }
            return std::function<void()>([this, path, added = std::move(added)] {
                const QString text =
                    !added         ? toSentence(added.error().message)
                    : added->added ? tr("The record %1 is in the history.").arg(recordNameAt(path))
                                   : tr("The record %1 was in the history already.").arg(recordNameAt(path));
                m_messages->show(recordSubject,
                                 added ? MessageArea::Severity::info : MessageArea::Severity::error, text);
                Q_EMIT message(text);
                if (added) readHistory(true);
            });
        });
}

}  // namespace workbench
