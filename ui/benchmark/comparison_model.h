// SPDX-License-Identifier: MIT
// A comparison as a table: one row a case, then those that only one of the records has.
#pragma once

#include <QAbstractTableModel>

#include "ui/charts/compared_records.h"

namespace workbench {

class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column {
        case_name,
        verdict,
        ratio,
        interval,
        p_value,
        base_p50,
        new_p50,
        base_p95,
        new_p95,
        base_samples,
        new_samples,
        base_drift,
        new_drift,
        output,
        notes,
        column_count
    };

    using QAbstractTableModel::QAbstractTableModel;

    // Shows a comparison; null: nothing.
    void show(ComparedRecordsPtr compared);
    const ComparedRecordsPtr& compared() const { return m_compared; }
    // Returns the case of a row; null for one that is missing on a side.
    const CaseComparison* caseAt(int row) const;
    // Returns the key of a row, and what is said of it where a side has it not.
    QString keyAt(int row) const;
    QString missingText(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString missingKey(int row, bool& inNew) const;

    ComparedRecordsPtr m_compared;
};

// Returns what a row's verdict rests on, as rich text: every figure, and the notes.
QString evidenceOf(const ComparisonModel& model, int row);

}  // namespace workbench
