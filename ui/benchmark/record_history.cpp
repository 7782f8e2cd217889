// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_history.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <memory>
#include <utility>

#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/charts/compared_records.h"
#include "ui/session/kept_runs.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

Result<HistoryContents> contentsOf(const QString& file) {
    IIR2D_TRY(auto history, History::open_to_read(toPath(file)));
    IIR2D_TRY(auto entries, history.list());
    IIR2D_TRY(auto duels, history.duels());
    IIR2D_TRY(auto keys, history.keys());
    return HistoryContents{std::move(entries), std::move(duels), std::move(keys)};
}

Result<History::Added> addRecord(const QString& file, const QString& path) {
    IIR2D_TRY(auto history, History::open(toPath(file)));
    return history.add(toPath(path));
}

}  // namespace

RecordHistory::RecordHistory(QString file, Job& job, QObject* parent)
    : QObject(parent),
      m_file(std::move(file)),
      m_job(job),
      m_noteJob(std::make_unique<Job>(JobPolicy::newest_wins)) {}

RecordHistory::~RecordHistory() {
    m_noteJob.reset();  // An older note must not be written after the newest.
    NotesOfFiles written;
    static_cast<void>(write(m_unwritten, &written));  // Nobody is left to read why not.
}

void RecordHistory::read() {
    if (!QFileInfo::exists(m_file)) {
        Q_EMIT contentsFailed(tr("There is no history yet: the first run makes it."));
        return;
    }
    m_job.start(
        tr("Reading the history"), [file = m_file](const TaskControl&) { return contentsOf(file); },
        [this, file = m_file](const Result<HistoryContents>& contents) {
            if (!contents) {
                Q_EMIT contentsFailed(toSentence(contents.error().message));
                return;
            }
            Notes& notes = m_notes[file];
            for (const HistoryEntry& entry : contents->entries)
                notes.insert(toText(entry.record_id), toText(entry.note));
            notes.insert(m_unwritten.value(file));
            Q_EMIT notesChanged();
            Q_EMIT contentsRead(*contents);
        });
}

void RecordHistory::readTrend(const QString& key, Metric metric, const QString& device) {
    if (key.isEmpty()) return;
    m_job.start(
        tr("Reading the history"),
        [key, metric, device, file = m_file](const TaskControl&) -> Result<std::vector<TrendPoint>> {
            IIR2D_TRY(const auto history, History::open_to_read(toPath(file)));
            return history.trend(key.toStdString(), metric, device.toStdString());
        },
        [this, key, metric](const Result<std::vector<TrendPoint>>& points) {
            if (points) {
                Q_EMIT trendRead(key, metric, *points);
            } else {
                Q_EMIT trendFailed(toSentence(points.error().message));
            }
        });
}

void RecordHistory::add(const QString& path) {
    m_job.start(
        tr("Adding the record %1 to the history").arg(recordNameAt(path)),
        [path, file = m_file](const TaskControl&) { return addRecord(file, path); },
        [this, path](const Result<History::Added>& done) {
            if (done) {
                Q_EMIT added(path, done->added);
            } else {
                Q_EMIT failed(done.error());
            }
        });
}

void RecordHistory::addJson(const std::shared_ptr<const std::string>& json) {
    m_job.start(
        tr("Adding the results to the history"),
        [json, file = m_file](const TaskControl&) -> Result<History::Added> {
            const QTemporaryDir folder;
            const QString path = folder.filePath(QStringLiteral("record.json"));
            IIR2D_RETURN_IF_ERROR(write_file_atomically(toPath(path), *json));
            return addRecord(file, path);
        },
        [this, json](const Result<History::Added>& done) {
            if (!done) {
                Q_EMIT failed(done.error());
                return;
            }
            Q_EMIT addedJson(json, toText(done->record_id));
            Q_EMIT added({}, done->added);
        });
}

QString RecordHistory::note(const QString& file, const QString& id) const {
    return m_notes.value(file).value(id);
}

void RecordHistory::writeNote(const QString& file, const QString& id, const QString& note) {
    m_notes[file].insert(id, note);
    m_unwritten[file].insert(id, note);
    Q_EMIT notesChanged();
    auto written = std::make_shared<NotesOfFiles>();
    m_noteJob->start(
        tr("Writing the note"),
        [notes = m_unwritten, written](const TaskControl&) { return write(notes, written.get()); },
        [this, written](const Result<void>& done) {
            for (auto of = written->cbegin(); of != written->cend(); ++of) {
                Notes& waiting = m_unwritten[of.key()];
                // One that was changed since waits for its own turn.
                waiting.removeIf([&](const auto& one) {
                    return of->contains(one.key()) && of->value(one.key()) == one.value();
                });
                if (waiting.isEmpty()) m_unwritten.remove(of.key());
            }
            if (!done) Q_EMIT failed(done.error());
        });
}

// Any thread. Goes on after a failure; `written` has what was written.
Result<void> RecordHistory::write(const NotesOfFiles& notes, NotesOfFiles* written) {
    Result<void> all;
    for (auto file = notes.cbegin(); file != notes.cend(); ++file) {
        const auto done = writeNotes(file.key(), *file);
        if (done) {
            written->insert(file.key(), *file);
        } else if (all) {
            all = std::unexpected(done.error());
        }
    }
    return all;
}

}  // namespace workbench
