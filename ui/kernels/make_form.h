// SPDX-License-Identifier: MIT
// The form of a new data set: where, how many of which categories, compiled to what, held to which levels.
#pragma once

#include <QWidget>
#include <vector>

#include "core/compile/target.h"
#include "ui/kernels/data_set_request.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace workbench {

class CountBox;
class NumberBox;
class PathField;

class MakeForm : public QWidget {
    Q_OBJECT
  public:
    explicit MakeForm(QWidget* parent = nullptr);

    DataSetRequest request() const;
    void setRequest(const DataSetRequest& request);
    // Sets the targets that exist, available or not.
    void setTargets(const std::vector<compile::TargetState>& targets);
    void setBusy(bool busy);

  Q_SIGNALS:
    void makeAsked(const workbench::DataSetRequest& request);  // also to resume
    void shown();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    struct CategoryRow {
        QCheckBox* wanted = nullptr;
        NumberBox* weight = nullptr;
        QLabel* quota = nullptr;
    };
    void addFields(QVBoxLayout& column);
    void addCategories(QVBoxLayout& column);
    void addTargets(QVBoxLayout& column);
    void addButtons(QVBoxLayout& column);
    void showState();
    void takeTyped();

    QWidget* m_inside = nullptr;
    PathField* m_folder = nullptr;
    CountBox* m_count = nullptr;
    CountBox* m_seed = nullptr;
    QCheckBox* m_backward = nullptr;
    std::vector<CategoryRow> m_categories;
    QCheckBox* m_defaultTargets = nullptr;
    QListWidget* m_targets = nullptr;
    std::vector<QCheckBox*> m_levels;
    QPushButton* m_make = nullptr;
    QPushButton* m_resume = nullptr;
    QToolButton* m_copy = nullptr;
    bool m_busy = false;
};

}  // namespace workbench
