// SPDX-License-Identifier: MIT
// A height and a width in a form: two boxes, and a button that keeps them equal; below them the reason when
// a value was refused.
#pragma once

#include <QObject>
#include <QTimer>

#include "iir2d/tensor.h"
#include "ui/widgets/form_parts.h"

namespace workbench {

class PairRow : public QObject {
    Q_OBJECT
  public:
    // Adds a row, owned by the grid's parent. `label` may carry a mnemonic.
    PairRow(FormGrid& grid, const QString& label, const QString& help, int minimum);

    QString name() const { return m_name; }
    // Shows a value, emitting nothing; a square one links the two.
    void setValue(iir2d::Extent value);
    // Shows a value likewise, but leaves the link as the user set it.
    void showValue(iir2d::Extent value);
    void setEnabled(bool enabled, const QString& why = {});
    void setVisible(bool visible);

    void refuse(const QString& reason, iir2d::Extent valueInForce);
    void clearRefusal();
    QString refusal() const { return m_refusal->reason(); }

  Q_SIGNALS:
    void valueEdited(iir2d::Extent value);
    void finished();

  private:
    void edit(iir2d::Extent value);
    void finishBurst();

    QString m_name;
    QString m_help;
    iir2d::Extent m_inForce;
    QLabel* m_label;
    CountBox* m_height;
    CountBox* m_width;
    QToolButton* m_link;
    RefusalLine* m_refusal;
    bool m_inBurst = false;
    QTimer m_burst;
};

}  // namespace workbench
