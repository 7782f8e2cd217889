// SPDX-License-Identifier: MIT
// The controls of one pooling operation. Edits a draft as FilterEditor does.
#pragma once

#include <QWidget>

#include "core/recipe/recipe.h"

class QCheckBox;
class QComboBox;

namespace workbench {

class CountBox;
class FormGrid;
class PairRow;
class ParameterRow;
class RefusalLine;

// Names the control that an edit changed, as PoolEditor's signals carry it.
enum class PoolControl {
    type = 1,
    window,
    stride,
    padding,
    dilation,
    ceil_mode,
    exponent,
    include_pad,
    divisor,
    output
};

class PoolEditor : public QWidget {
    Q_OBJECT
  public:
    explicit PoolEditor(QWidget* parent = nullptr);

    // Shows an operation, drops the draft and any refusal; emits nothing.
    void setOperation(const PoolOperation& operation);

    // Sets what the operation makes of its input now; an operation that becomes adaptive keeps it.
    void setResultSize(iir2d::Extent size) { m_resultSize = size; }

    // Answers to edited(): what the recipe has now, or why it keeps what setOperation or accept gave last.
    void accept();
    void refuse(int control, const QString& reason);

  Q_SIGNALS:
    // Reports the draft after the user changed `control` (a PoolControl), `what` naming it.
    void edited(const workbench::PoolOperation& draft, int control, const QString& what);
    void finished();

  private:
    void buildPairs(FormGrid& grid);
    void buildAverage(FormGrid& grid);
    void chooseOp(int index);
    void showDraft();
    void clearRefusals();
    void change(PoolControl control, const QString& what);

    PoolOperation m_inForce;
    PoolOperation m_draft;
    QComboBox* m_op = nullptr;
    iir2d::Extent m_resultSize = {256, 256};
    PairRow* m_output = nullptr;
    PairRow* m_window = nullptr;
    PairRow* m_stride = nullptr;
    QCheckBox* m_strideAsWindow = nullptr;
    PairRow* m_padding = nullptr;
    PairRow* m_dilation = nullptr;
    QCheckBox* m_ceil = nullptr;
    ParameterRow* m_p = nullptr;
    QCheckBox* m_includePad = nullptr;
    QCheckBox* m_ownDivisor = nullptr;
    CountBox* m_divisor = nullptr;
    RefusalLine* m_divisorRefusal = nullptr;
    RefusalLine* m_refusal = nullptr;  // of the other controls
};

}  // namespace workbench
