// SPDX-License-Identifier: MIT
#include "ui/benchmark/results_table.h"

#include "ui/benchmark/results_model.h"

namespace workbench {
namespace {

constexpr int failureWidth = 320;

}  // namespace

ResultsTable::ResultsTable(ResultsModel& model, QWidget* parent)
    : FiguresTable(model, parent), m_results(model) {
    setObjectName(QStringLiteral("resultsTable"));
    setAccessibleName(tr("Results"));
    setAccessibleDescription(
        tr("One row a case. Choosing a row shows its samples in the charts; Ctrl+C copies rows."));
    setColumnHidden(ResultsModel::failure, true);
    setColumnHidden(ResultsModel::throttled, true);
}

void ResultsTable::followModel() {
    setColumnHidden(ResultsModel::failure, !m_results.anyFailed());
    setColumnHidden(ResultsModel::throttled, !m_results.anyThrottled());
}

int ResultsTable::wantedWidth(int column) {
    return column == ResultsModel::failure ? failureWidth : FiguresTable::wantedWidth(column);
}

}  // namespace workbench
