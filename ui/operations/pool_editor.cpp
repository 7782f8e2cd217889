// SPDX-License-Identifier: MIT
#include "ui/operations/pool_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <algorithm>
#include <array>

#include "ui/operations/pair_row.h"
#include "ui/operations/parameter_row.h"
#include "ui/operations/recipe_edits.h"

namespace workbench {
namespace {

constexpr std::array ops{iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp,
                         iir2d::PoolOp::adaptive_max, iir2d::PoolOp::adaptive_avg};

constexpr iir2d::FilterParameter p_parameter{
    .name = "p",
    .label = "Exponent p",
    .unit = "",
    .minimum = 0.001,
    .maximum = 10000,
    .default_value = 2,
    .step = 0.1,
    .help = "1 adds magnitudes, 2 is the root of the sum of squares, a large p comes near the maximum."};

QCheckBox* checkBox(QWidget* parent, const QString& text, const QString& help) {
    auto* box = new QCheckBox(text, parent);
    box->setToolTip(help);
    box->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    return box;
}

}  // namespace

PoolEditor::PoolEditor(QWidget* parent) : QWidget(parent) {
    FormGrid grid(this);
    grid.shareColumns();

    m_op = new QComboBox(this);
    for (const iir2d::PoolOp each : ops) m_op->addItem(poolName(each));
    const QString opHelp = tr("What becomes of the samples under a window");
    m_op->setToolTip(opHelp);
    m_op->setAccessibleName(tr("Pooling operation"));
    m_op->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_op->setMinimumContentsLength(8);
    guardWheel(m_op);
    grid.addLabel(tr("T&ype"), m_op, opHelp);
    grid.add(m_op, 1, 2);
    connect(m_op, &QComboBox::activated, this, &PoolEditor::chooseOp);

    buildPairs(grid);

    m_ceil = checkBox(this, tr("Round the size &up"),
                      tr("Ceil mode: a last window that overhangs the picture counts too"));
    grid.addRow();
    grid.add(m_ceil, 1, 3);
    connect(m_ceil, &QCheckBox::clicked, this, [this](bool on) {
        m_draft.ceil_mode = on;
        change(PoolControl::ceil_mode, tr("ceil mode"));
    });

    m_p = new ParameterRow(grid, p_parameter, SliderScale(0.25, 16, 0.1));
    connect(m_p, &ParameterRow::valueEdited, this, [this](double value) {
        m_draft.p = value;
        change(PoolControl::exponent, tr("p"));
    });
    connect(m_p, &ParameterRow::finished, this, &PoolEditor::finished);

    buildAverage(grid);

    m_refusal = grid.addRefusalLine();
    connect(m_refusal, &RefusalLine::revertRequested, this, [this] { setOperation(m_inForce); });
    setOperation({});
}

void PoolEditor::buildPairs(FormGrid& grid) {
    const auto follow = [this](PairRow* row, PoolControl control, auto assign) {
        connect(row, &PairRow::valueEdited, this, [this, row, control, assign](iir2d::Extent value) {
            assign(value);
            change(control, row->name().toLower());
        });
        connect(row, &PairRow::finished, this, &PoolEditor::finished);
    };
    auto* heading = new QLabel(tr("Height"), this);
    auto* headingOfWidth = new QLabel(tr("Width"), this);
    grid.addRow();
    grid.add(heading, 1);
    grid.add(headingOfWidth, 2);
    for (QLabel* each : {heading, headingOfWidth}) each->setForegroundRole(QPalette::PlaceholderText);

    m_output = new PairRow(grid, tr("Ou&tput"),
                           tr("The size of the result, in pixels; the windows follow from it"), 1);
    follow(m_output, PoolControl::output, [this](iir2d::Extent v) { m_draft.output = v; });
    m_window = new PairRow(grid, tr("&Window"), tr("The samples that become one, in pixels"), 1);
    follow(m_window, PoolControl::window, [this](iir2d::Extent v) { m_draft.window = v; });

    m_stride = new PairRow(grid, tr("Str&ide"), tr("From one window to the next, in pixels"), 1);
    follow(m_stride, PoolControl::stride, [this](iir2d::Extent v) { m_draft.stride = v; });
    m_strideAsWindow = checkBox(this, tr("Stri&de as the window"), tr("Windows stand side by side"));
    grid.addRow();
    grid.add(m_strideAsWindow, 1, 3);
    connect(m_strideAsWindow, &QCheckBox::clicked, this, [this](bool asWindow) {
        m_draft.stride = asWindow ? std::nullopt : std::optional(m_draft.window);
        change(PoolControl::stride, tr("stride"));
    });

    m_padding = new PairRow(grid, tr("Paddi&ng"), tr("Added at every edge, at most half the window"), 0);
    follow(m_padding, PoolControl::padding, [this](iir2d::Extent v) { m_draft.padding = v; });
    m_dilation =
        new PairRow(grid, tr("Di&lation"), tr("Between the samples of a window; 1 leaves no gaps"), 1);
    follow(m_dilation, PoolControl::dilation, [this](iir2d::Extent v) { m_draft.dilation = v; });
}

void PoolEditor::buildAverage(FormGrid& grid) {
    m_includePad =
        checkBox(this, tr("&Count the padding"),
                 tr("Padding counts as zeros in the average; else only samples of the picture do"));
    grid.addRow();
    grid.add(m_includePad, 1, 3);
    connect(m_includePad, &QCheckBox::clicked, this, [this](bool on) {
        m_draft.count_include_pad = on;
        change(PoolControl::include_pad, tr("counting of the padding"));
    });

    m_ownDivisor = checkBox(this, tr("Fi&xed divisor"),
                            tr("Divide each window's sum by this number instead of its size"));
    m_divisor = new CountBox(-CountBox::largest, this);
    m_divisor->setAccessibleName(tr("Divisor"));
    m_divisor->setToolTip(m_ownDivisor->toolTip());
    grid.addRow();
    grid.add(m_ownDivisor, 1);
    grid.add(m_divisor, 2);
    connect(m_ownDivisor, &QCheckBox::clicked, this, [this](bool own) {
        m_draft.divisor_override = own ? std::optional(m_draft.window.h * m_draft.window.w) : std::nullopt;
        change(PoolControl::divisor, tr("divisor"));
    });
    connect(m_divisor, &QSpinBox::valueChanged, this, [this](int value) {
        m_draft.divisor_override = value;
        change(PoolControl::divisor, tr("divisor"));
    });
    connect(m_divisor, &QSpinBox::editingFinished, this, &PoolEditor::finished);
    m_divisorRefusal = grid.addRefusalLine();
    connect(m_divisorRefusal, &RefusalLine::revertRequested, this, [this] {
        m_draft.divisor_override = m_inForce.divisor_override;
        change(PoolControl::divisor, tr("divisor"));
    });
}

// What only another operation knows goes back to its default, so that nothing hidden is in force.
void PoolEditor::chooseOp(int index) {
    m_draft.op = ops[std::size_t(index)];
    const PoolOperation plain;
    if (is_adaptive(m_draft.op)) {
        m_draft = {.op = m_draft.op, .output = is_adaptive(m_inForce.op) ? m_draft.output : m_resultSize};
    } else {
        m_draft.output = plain.output;
    }
    if (m_draft.op != iir2d::PoolOp::lp) m_draft.p = plain.p;
    if (m_draft.op == iir2d::PoolOp::lp) m_draft.padding = plain.padding;
    if (m_draft.op != iir2d::PoolOp::avg) {
        m_draft.count_include_pad = plain.count_include_pad;
        m_draft.divisor_override = plain.divisor_override;
    }
    change(PoolControl::type, tr("type"));
}

void PoolEditor::setOperation(const PoolOperation& operation) {
    m_inForce = operation;
    m_draft = operation;
    clearRefusals();
    m_output->setValue(m_draft.output);
    m_window->setValue(m_draft.window);
    m_stride->setValue(m_draft.stride.value_or(m_draft.window));
    m_padding->setValue(m_draft.padding);
    m_dilation->setValue(m_draft.dilation);
    showDraft();
}

void PoolEditor::showDraft() {
    const bool isLp = m_draft.op == iir2d::PoolOp::lp;
    const bool isAverage = m_draft.op == iir2d::PoolOp::avg;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i] == m_draft.op) m_op->setCurrentIndex(int(i));
    }
    m_output->showValue(m_draft.output);
    m_window->showValue(m_draft.window);
    m_stride->showValue(m_draft.stride.value_or(m_draft.window));
    m_stride->setEnabled(m_draft.stride.has_value(),
                         m_draft.stride ? QString() : tr("It is that of the window."));
    m_strideAsWindow->setChecked(!m_draft.stride);
    m_padding->showValue(m_draft.padding);
    m_padding->setEnabled(!isLp, isLp ? tr("Lp pooling takes no padding.") : QString());
    m_dilation->showValue(m_draft.dilation);
    m_ceil->setChecked(m_draft.ceil_mode);
    const bool adaptive = is_adaptive(m_draft.op);
    m_output->setVisible(adaptive);
    for (PairRow* row : {m_window, m_stride, m_padding, m_dilation}) row->setVisible(!adaptive);
    m_strideAsWindow->setVisible(!adaptive);
    m_ceil->setVisible(!adaptive);

    m_p->setVisible(isLp);
    m_p->setValue(m_draft.p);

    for (QWidget* each : std::initializer_list<QWidget*>{m_includePad, m_ownDivisor, m_divisor}) {
        each->setVisible(isAverage);
    }
    m_includePad->setChecked(m_draft.count_include_pad);
    m_ownDivisor->setChecked(m_draft.divisor_override.has_value());
    m_divisor->setEnabled(m_draft.divisor_override.has_value());
    const QSignalBlocker quiet(m_divisor);
    m_divisor->setValue(
        int(std::clamp<std::int64_t>(m_draft.divisor_override.value_or(m_draft.window.h * m_draft.window.w),
                                     -CountBox::largest, CountBox::largest)));
}

void PoolEditor::change(PoolControl control, const QString& what) {
    showDraft();
    Q_EMIT edited(m_draft, int(control), what);
}

void PoolEditor::clearRefusals() {
    for (PairRow* row : {m_output, m_window, m_stride, m_padding, m_dilation}) row->clearRefusal();
    m_p->clearRefusal();
    m_refusal->clear();
    m_divisorRefusal->clear();
    setRefused(m_divisor, QString());
}

void PoolEditor::accept() {
    m_inForce = m_draft;
    clearRefusals();
}

void PoolEditor::refuse(int control, const QString& reason) {
    clearRefusals();
    switch (PoolControl(control)) {
        case PoolControl::output:
            return m_output->refuse(reason, m_inForce.output);
        case PoolControl::window:
            return m_window->refuse(reason, m_inForce.window);
        case PoolControl::stride:
            return m_stride->refuse(reason, m_inForce.stride.value_or(m_inForce.window));
        case PoolControl::padding:
            return m_padding->refuse(reason, m_inForce.padding);
        case PoolControl::dilation:
            return m_dilation->refuse(reason, m_inForce.dilation);
        case PoolControl::exponent:
            return m_p->refuse(reason, m_inForce.p);
        case PoolControl::divisor:
            setRefused(m_divisor, reason);
            m_divisorRefusal->setReason(reason, m_inForce.divisor_override
                                                    ? QString::number(*m_inForce.divisor_override)
                                                    : tr("the window's size"));
            return;
        default:
            m_refusal->setReason(reason, tr("what was"));
    }
}

}  // namespace workbench
