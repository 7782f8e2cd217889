// SPDX-License-Identifier: MIT
// Writes what was measured, in the background and whole or not at all. GUI thread only, but for the writing.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "ui/session/job.h"

namespace workbench {

enum class ExportKind { record, csv, json, markdown, png, svg, all_charts };

// A chart drawn already, to be written.
struct RenderedFile {
    QString path;
    QByteArray content;
};

class ResultExporter : public QObject {
    Q_OBJECT
  public:
    explicit ResultExporter(QObject* parent = nullptr);
    ~ResultExporter() override;

    bool isRunning() const { return m_job.isRunning(); }
    // Write to `path`, a file; for a record the directory to make, which is verified at once.
    void writeRecord(RecordPtr record, const QString& path);
    void writeText(ExportKind kind, RecordPtr record, const QString& path);
    // Writes files. `what` names a single file in the message that follows: "The chart".
    void writeFiles(std::vector<RenderedFile> files, const QString& what);

  Q_SIGNALS:
    void written(const QString& path, const QString& what);  // `path`: to open, a file or directory
    void failed(const QString& message);
    // Reports whether a record that was written verifies. Follows `written`.
    void verified(const QString& path, bool accepted, const QString& message);

  private:
    struct Verdict {
        bool accepted = false;
        QString text;
    };
    struct Export {
        QString path;
        QString what;
        std::optional<Verdict> verdict;
    };
    static Verdict verdictOn(const QString& path);
    template <class Work>
    void start(Work work);

    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
