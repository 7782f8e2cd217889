// SPDX-License-Identifier: MIT
// The part of the benchmark form that chooses pooling: operations, their windows, element types and passes.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "ui/benchmark/matrix_choices.h"

class QBoxLayout;
class QCheckBox;

namespace workbench {

class CountBox;

class PoolForm : public QWidget {
    Q_OBJECT
  public:
    explicit PoolForm(QWidget* parent = nullptr);

    PoolChoices choices() const;
    void setChoices(const PoolChoices& choices);
    void focusProblem();  // at element types or passes, whichever are missing

  Q_SIGNALS:
    void changed();

  private:
    template <class T>
    using Boxes = std::vector<std::pair<T, QCheckBox*>>;
    template <class T>
    QCheckBox* addBox(Boxes<T>& boxes, T value, const QString& spoken, const QString& toolTip);
    CountBox* addCount(QBoxLayout* layout, int minimum, int maximum, const QString& text,
                       const QString& spoken, const QString& toolTip);
    void makeOperations(QBoxLayout* layout);
    void makeVariants(QBoxLayout* layout);
    void notice();

    Boxes<iir2d::PoolOp> m_ops;
    Boxes<iir2d::ElementType> m_elements;
    Boxes<PoolPass> m_passes;
    CountBox* m_window = nullptr;
    CountBox* m_stride = nullptr;
    CountBox* m_output = nullptr;
    bool m_setting = false;
};

}  // namespace workbench
