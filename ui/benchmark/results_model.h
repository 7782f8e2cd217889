// SPDX-License-Identifier: MIT
// The results of a run as a table: one row a case in the order they were run, every figure a column.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

#include "core/benchmark/benchmark.h"

namespace workbench {

class ResultsModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column {
        case_name,
        failure,
        throttled,
        p50,
        p95,
        ratio,
        mpix,
        gb,
        parity,
        max_error,
        bound,
        minimum,
        p5,
        p99,
        maximum,
        mean,
        deviation,
        mad,
        copy_p50,
        samples,
        preempted,
        size,
        operation,
        pass,
        border,
        precision,
        kernel,
        column_count
    };
    // The value to sort by, and to copy: a number or a text; invalid when the case has none.
    static constexpr int ValueRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    const std::vector<CaseResult>& results() const { return m_results; }
    bool anyFailed() const;
    bool anyThrottled() const;
    void clear();
    void append(const CaseResult& result);
    void replace(std::vector<CaseResult> results);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<CaseResult> m_results;
};

// Sorts by value; what a case does not have stays at the end in both directions.
class ResultsOrder : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit ResultsOrder(QObject* parent = nullptr);

  protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace workbench
