// SPDX-License-Identifier: MIT
// The history of records without its view: which database, what is in it, and the notes on its records. Lives
// in the GUI thread; files are read and written off it.
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/evidence/history.h"
#include "ui/session/job.h"

namespace workbench {

struct HistoryContents {
    std::vector<HistoryEntry> entries;
    std::vector<DuelEntry> duels;
    std::vector<std::string> keys;
};

class RecordHistory : public QObject {
    Q_OBJECT
  public:
    // Works as `job`, so that one thing at a time is done with records. The job must outlive it.
    RecordHistory(QString file, Job& job, QObject* parent = nullptr);
    // Writes the notes that are not written yet.
    ~RecordHistory() override;

    const QString& file() const { return m_file; }
    void setFile(const QString& file) { m_file = file; }

    void read();  // contentsRead or contentsFailed follows.
    void readTrend(const QString& key, Metric metric, const QString& device);  // trendRead or trendFailed.
    void add(const QString& path);                                             // added or failed.

    void addJson(
        const std::shared_ptr<const std::string>& json);  // Of a record that lies in no file: the same.

    // Returns the note on a record of a history, as far as it is known here.
    QString note(const QString& file, const QString& id) const;
    // Knows the note at once and writes it in the background. One that could not be written is tried again
    // with the next, in the history that it belongs to. failed follows when it could not be written.
    void writeNote(const QString& file, const QString& id, const QString& note);
    bool hasUnwrittenNotes() const { return !m_unwritten.isEmpty(); }

  Q_SIGNALS:
    void contentsRead(const workbench::HistoryContents& contents);
    void contentsFailed(const QString& why);
    void trendRead(const QString& key, workbench::Metric metric,
                   const std::vector<workbench::TrendPoint>& points);
    void trendFailed(const QString& why);
    void added(const QString& path, bool isNew);
    void addedJson(std::shared_ptr<const std::string> json, const QString& id);  // Before added().
    void failed(const workbench::Error& error);
    void notesChanged();

  private:
    using Notes = QHash<QString, QString>;       // By record_id.
    using NotesOfFiles = QHash<QString, Notes>;  // By the history's file.
    static Result<void> write(const NotesOfFiles& notes, NotesOfFiles* written);

    QString m_file;
    Job& m_job;
    NotesOfFiles m_notes;
    NotesOfFiles m_unwritten;
    std::unique_ptr<Job> m_noteJob;
};

}  // namespace workbench
