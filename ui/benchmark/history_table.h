// SPDX-License-Identifier: MIT
// The records of a history, the newest first, each with a note that can be written in place.
#pragma once

#include <QTableWidget>
#include <vector>

class QAction;

namespace workbench {

struct HistoryEntry;

class HistoryTable : public QTableWidget {
    Q_OBJECT
  public:
    enum Column { measured, device, cases, commit, note, columns };

    explicit HistoryTable(QWidget* parent = nullptr);

    // Oldest first, as a history lists them.
    void showEntries(const std::vector<HistoryEntry>& entries);
    QString chosenId() const;  // the record_id of the current row; empty: none
    // Sets whether records may be opened and compared now.
    void setFree(bool free);

  Q_SIGNALS:
    void openWanted(const QString& id);
    void compareWanted(const QString& id);  // as the base of what is shown
    void noteWritten(const QString& id, const QString& note);
    void choiceChanged();

  private:
    QString idOf(int row) const;

    QAction* m_open;
    QAction* m_compare;
    bool m_filling = false;
};

}  // namespace workbench
