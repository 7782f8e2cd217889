// SPDX-License-Identifier: MIT
// The controls of one filter's operations. Edits a draft: what the controls show, which the recipe takes only
// when it is valid. Knows no recipe; its owner accepts or refuses.
#pragma once

#include <QWidget>
#include <span>
#include <vector>

#include "core/recipe/recipe.h"
#include "iir2d/filter.h"

class QCheckBox;
class QComboBox;

namespace workbench {

class FormGrid;
class ParameterRow;
class RefusalLine;
class ToneLabel;

class FilterEditor : public QWidget {
    Q_OBJECT
  public:
    explicit FilterEditor(const iir2d::FilterRow& filter, QWidget* parent = nullptr);

    int filterId() const { return m_filterId; }
    // Shows an operation of this filter, drops the draft and any refusal; emits nothing.
    void setOperation(const FilterOperation& operation);

    // Answers to edited(): what the recipe has now, or why it keeps what setOperation or accept gave last.
    void accept();
    void refuse(int control, const QString& reason);

  Q_SIGNALS:
    // Reports the draft after the user changed `control` (a number of this editor's, at least 1), `what`
    // naming it.
    void edited(const workbench::FilterOperation& draft, int control, const QString& what);
    void finished();  // of a series of edits with one control: a drag, a turn of the wheel

  private:
    void buildBorder(FormGrid& grid);
    void buildArithmetic(FormGrid& grid);
    double parameterOf(const FilterOperation& operation, std::size_t index) const;
    void setParameter(std::size_t index, double value);
    void showDraft();
    void showStartNote();
    void clearRefusals();

    int m_filterId;
    std::span<const iir2d::FilterParameter> m_parameters;
    FilterOperation m_inForce;
    FilterOperation m_draft;
    std::vector<ParameterRow*> m_rows;  // one a parameter
    QComboBox* m_border = nullptr;
    ParameterRow* m_constant = nullptr;
    QComboBox* m_precision = nullptr;
    QComboBox* m_start = nullptr;
    ToneLabel* m_startNote = nullptr;
    QCheckBox* m_gain = nullptr;
    RefusalLine* m_refusal = nullptr;  // of the controls that are no ParameterRow
};

}  // namespace workbench
