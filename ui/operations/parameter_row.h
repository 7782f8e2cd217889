// SPDX-License-Identifier: MIT
// Edits one parameter in a form: label, slider, spin box with its unit, reset button, and below them the
// reason when a value was refused. A switch is a check box with a reset button.
#pragma once

#include <QObject>
#include <QTimer>

#include "iir2d/filter.h"
#include "ui/widgets/form_parts.h"

class QCheckBox;
class QSlider;

namespace workbench {

class ParameterRow : public QObject {
    Q_OBJECT
  public:
    // Adds a row, owned by the grid's parent. The slider covers `scale`, the spin box the parameter's whole
    // range.
    ParameterRow(FormGrid& grid, const iir2d::FilterParameter& parameter, const SliderScale& scale);
    ParameterRow(FormGrid& grid, const iir2d::FilterParameter& parameter);

    QString label() const { return m_label; }
    double value() const { return m_value; }
    // Shows a value, emitting nothing.
    void setValue(double value);
    void setVisible(bool visible);
    void setEnabled(bool enabled);

    // Shows the value in the box as refused, `valueInForce` being what the recipe keeps.
    void refuse(const QString& reason, double valueInForce);
    void clearRefusal();
    QString refusal() const { return m_refusal->reason(); }

  Q_SIGNALS:
    // Reports an edit by the user. Many follow each other in a drag, a turn of the wheel or a held arrow;
    // finished() comes when it is over.
    void valueEdited(double value);
    void finished();

  private:
    void buildSwitch(FormGrid& grid);
    void buildNumber(FormGrid& grid);
    void edit(double value, bool atOnce);
    void finishBurst();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showValue();

    iir2d::FilterParameter m_parameter;
    SliderScale m_scale;
    QString m_label;
    QString m_range;
    double m_value;
    double m_inForce = 0;
    QLabel* m_text = nullptr;      // null for a switch
    QSlider* m_slider = nullptr;   // null for a switch
    NumberBox* m_box = nullptr;    // null for a switch
    QCheckBox* m_check = nullptr;  // only for a switch
    QToolButton* m_reset = nullptr;
    RefusalLine* m_refusal = nullptr;
    bool m_inBurst = false;
    QTimer m_burst;  // ends one when no change has come for a while
};

}  // namespace workbench
