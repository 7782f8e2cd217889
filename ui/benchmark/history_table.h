// SPDX-License-Identifier: MIT
// The records and duels of a history, the newest first, each record with a note that can be written in place.
#pragma once

#include <QTableWidget>
#include <vector>

class QAction;

namespace workbench {

struct DuelEntry;
struct HistoryEntry;

class HistoryTable : public QTableWidget {
    Q_OBJECT
  public:
    enum Column { measured, device, cases, commit, note, columns };

    explicit HistoryTable(QWidget* parent = nullptr);

    // Shows entries, oldest first, as a history lists them.
    void showEntries(const std::vector<HistoryEntry>& entries, const std::vector<DuelEntry>& duels);
    QString chosenId() const;  // the record_id of the current row; empty: none
    bool isDuelChosen() const;
    // Sets whether records may be opened and compared now.
    void setFree(bool free);

  public Q_SLOTS:
    void openChosen();

  Q_SIGNALS:
    void openWanted(const QString& id);
    void openDuelWanted(const QString& id);
    void compareWanted(const QString& id);  // as the base of what is shown
    void noteWritten(const QString& id, const QString& note);
    void choiceChanged();

  private:
    struct Row {
        QString when, id, device, help, cases, commit, wholeCommit, note;
        bool isDuel = false;
    };
    void fill(int row, const Row& shown);
    QString idOf(int row) const;
    bool isDuel(int row) const;
    void showPossible();

    bool m_free = true;
    QAction* m_open;
    QAction* m_compare;
    bool m_filling = false;
};

}  // namespace workbench
