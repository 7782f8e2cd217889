// SPDX-License-Identifier: MIT
// A view of one of a release's tables. A click on a header sorts by that column, then the other way, then as
// the release has it; Ctrl+C copies the rows that are selected.
#pragma once

#include <QStringList>
#include <QTableView>

class QSortFilterProxyModel;

namespace workbench {

class ReleaseTableModel;

class ReleaseTable : public QTableView {
    Q_OBJECT
  public:
    // Shows `model`, which must not go before it, under its name.
    explicit ReleaseTable(ReleaseTableModel& model, QWidget* parent = nullptr);

    void copySelection() const;
    // Makes the columns as wide as their texts; not where the same texts are shown, since somebody may have
    // widened a column.
    void fitColumns();

  private:
    QSortFilterProxyModel* m_sorted;
    QStringList m_fitted;  // the texts that the columns are as wide as
};

}  // namespace workbench
