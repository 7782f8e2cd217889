// SPDX-License-Identifier: MIT
// A line below the header of the results: that they are in the history, and the note they have there.
#pragma once

#include <QWidget>

class QLineEdit;

namespace workbench {

class ToneLabel;

class ResultNote : public QWidget {
    Q_OBJECT
  public:
    explicit ResultNote(QWidget* parent = nullptr);

    // Shows the note on a record of a history; without an id nothing is shown.
    void showRecord(const QString& historyFile, const QString& id, const QString& note);
    QString id() const { return m_id; }
    // Emits what was typed and not yet emitted.
    void commit();

  Q_SIGNALS:
    void noteWritten(const QString& historyFile, const QString& id, const QString& note);

  private:
    ToneLabel* m_label;
    QLineEdit* m_note;
    QString m_historyFile, m_id;
    QString m_written;
};

}  // namespace workbench
