// SPDX-License-Identifier: MIT
// The product's kernels as a list that can be searched.
#pragma once

#include <QWidget>

class QLineEdit;

namespace workbench {

class OurKernels;
class TextTable;
class ToneLabel;

class OursPanel : public QWidget {
    Q_OBJECT
  public:
    explicit OursPanel(OurKernels& ours, QWidget* parent = nullptr);
    TextTable& list() const { return *m_list; }
    QLineEdit& search() const { return *m_search; }

  private:
    void show();
    void choose(const QString& name);

    OurKernels& m_ours;
    QLineEdit* m_search;
    TextTable* m_list;
    ToneLabel* m_note;
};

}  // namespace workbench
