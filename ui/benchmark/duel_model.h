// SPDX-License-Identifier: MIT
// A duel as a table: one row a case, which changes while it is measured.
#pragma once

#include <QAbstractTableModel>

#include "ui/charts/duel_rows.h"

namespace workbench {

class DuelModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column {
        case_name,
        verdict,
        change,
        interval,
        control,
        pairs,
        base_ms,
        new_ms,
        base_to_copy,
        new_to_copy,
        seconds,
        notes,
        column_count
    };

    using QAbstractTableModel::QAbstractTableModel;

    void show(DuelRows rows);
    void setRow(int row, const DuelRow& now);
    const DuelRows& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    DuelRows m_rows;
};

}  // namespace workbench
