// SPDX-License-Identifier: MIT
// A table of texts and numbers that can be searched, sorted and copied.
#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QStringList>
#include <QTableView>
#include <QVariant>
#include <cstdint>
#include <optional>
#include <utility>

class QSortFilterProxyModel;

namespace workbench {

// Returns a cell that is a count.
inline QVariant countCell(std::uint64_t value) {
    return QVariant(qulonglong(value));
}

// A number that is shown and copied in words of its own, and sorts as a number; one without a value comes
// last.
struct ShownNumber {
    std::optional<double> value;
    QString text;
};

// Returns a cell of a number that is shown as `text`.
inline QVariant shownNumberCell(std::optional<double> value, QString text) {
    return QVariant::fromValue(ShownNumber{value, std::move(text)});
}

// Holds rows of cells; numbers are shown as the locale writes them, and sort as numbers.
class TextTableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;
    enum Role { sortRole = Qt::UserRole + 1, copyRole, shareRole };
    struct Row {
        QList<QVariant> cells;
        double share = -1;  // in [0, 1]: drawn as a bar behind the last cell
        QString toolTip;
    };
    void setRows(const QStringList& headers, QList<Row> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QStringList m_headers;
    QList<Row> m_rows;
};

class TextTable : public QTableView {
    Q_OBJECT
  public:
    // Makes an empty table. `name`: its accessible name.
    explicit TextTable(const QString& name, QWidget* parent = nullptr);

    void setRows(const QStringList& headers, QList<TextTableModel::Row> rows);
    // Shows rows that have all of these words, in any column.
    void setFilter(const QString& words);
    int shownRows() const;
    int chosenRow() const;    // of those that were set; -1: none
    void chooseRow(int row);  // without chosen(); -1: none
    void copySelection() const;
    QString asTsv() const;

  Q_SIGNALS:
    void chosen(int row);  // of those that were set

  protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    TextTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    bool m_choosing = false;
};

}  // namespace workbench
