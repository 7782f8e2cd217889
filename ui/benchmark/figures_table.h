// SPDX-License-Identifier: MIT
// A table of figures, a row a case: sorted by any column, copied as tab-separated text, its current row is
// the chosen case.
#pragma once

#include <QTableView>

namespace workbench {

class ResultsOrder;

class FiguresTable : public QTableView {
    Q_OBJECT
  public:
    // A role for what is copied where that is neither the sorted value nor the text shown.
    static constexpr int CopyRole = Qt::UserRole + 1;

    // Shows a model, which gives what to sort by as ResultsModel::ValueRole.
    explicit FiguresTable(QAbstractItemModel& model, QWidget* parent = nullptr);

    // Selects a case. `index` is a row of the model, whatever the order shown. Does not emit caseChosen.
    void chooseCase(int index);
    void fitColumns();  // to what they show; where they were fitted before, none becomes narrower
    // Returns the selected rows with the headers, tab-separated, numbers in full and in the C locale;
    // everything when nothing is selected.
    QString selectionAsTsv() const;

  public Q_SLOTS:
    void copySelection();

  Q_SIGNALS:
    void caseChosen(int index);

  protected:
    // Called when rows came or went, before the columns are fitted.
    virtual void followModel() {}
    virtual int wantedWidth(int column);

    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void changeEvent(QEvent* event) override;

  private:
    void follow();

    QAbstractItemModel& m_model;
    ResultsOrder* m_order;
    bool m_following = false;
    bool m_fitted = false;
};

}  // namespace workbench
