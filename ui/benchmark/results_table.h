// SPDX-License-Identifier: MIT
// The table of results: sorted by any column, its current row is the chosen case.
#pragma once

#include <QTableView>

namespace workbench {

class ResultsModel;
class ResultsOrder;

class ResultsTable : public QTableView {
    Q_OBJECT
  public:
    explicit ResultsTable(ResultsModel& model, QWidget* parent = nullptr);

    // `index` is a row of the model, whatever the order shown. Says nothing by caseChosen.
    void chooseCase(int index);
    // Selected rows with the headers, tab-separated, numbers in full and in the C locale; everything when
    // nothing is selected.
    QString selectionAsTsv() const;

  public Q_SLOTS:
    void copySelection();

  Q_SIGNALS:
    void caseChosen(int index);

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void changeEvent(QEvent* event) override;

  private:
    void fitColumns();

    ResultsModel& m_model;
    ResultsOrder* m_order;
    bool m_following = false;
    bool m_fitted = false;
};

}  // namespace workbench
