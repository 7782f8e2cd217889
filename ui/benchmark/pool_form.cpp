// SPDX-License-Identifier: MIT
#include "ui/benchmark/pool_form.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <algorithm>

#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int largestWindow = 64;
constexpr int largestOutput = 4096;

}  // namespace

PoolForm::PoolForm(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("poolForm"));
    auto* layout = makeColumn(this, smallSpacing);
    const QScopedValueRollback setting(m_setting, true);
    makeOperations(layout);
    makeVariants(layout);
    setChoices({});
}

template <class T>
QCheckBox* PoolForm::addBox(Boxes<T>& boxes, T value, const QString& spoken, const QString& toolTip) {
    auto* box = new QCheckBox(toText(name_of(value)), this);
    box->setAccessibleName(spoken);
    box->setToolTip(toolTip);
    connect(box, &QCheckBox::toggled, this, &PoolForm::notice);
    boxes.emplace_back(value, box);
    return box;
}

CountBox* PoolForm::addCount(QBoxLayout* layout, int minimum, int maximum, const QString& text,
                             const QString& spoken, const QString& toolTip) {
    auto* box = new CountBox(minimum, this);
    box->setMaximum(maximum);
    box->setSuffix(tr(" px"));
    box->setAccessibleName(spoken);
    box->setToolTip(toolTip);
    auto* label = new QLabel(text, this);
    label->setBuddy(box);
    label->setToolTip(toolTip);
    layout->addWidget(label);
    layout->addWidget(box);
    connect(box, &QSpinBox::valueChanged, this, &PoolForm::notice);
    return box;
}

void PoolForm::makeOperations(QBoxLayout* layout) {
    auto* ops = new QGridLayout;
    ops->setHorizontalSpacing(normalSpacing);
    ops->setVerticalSpacing(smallSpacing);
    int plain = 0;
    int adaptive = 0;
    for (const iir2d::PoolOp op : offered_pools) {
        const QString text = toText(iir2d::name_of(op));
        const bool isAdaptive = is_adaptive(op);
        QCheckBox* box = addBox(m_ops, op, tr("%1 pooling").arg(text),
                                isAdaptive ? tr("%1 pooling to an output of the size below").arg(text)
                                           : tr("%1 pooling of the window below").arg(text));
        ops->addWidget(box, isAdaptive ? 1 : 0, isAdaptive ? adaptive : plain);
        ++(isAdaptive ? adaptive : plain);
    }
    ops->setColumnStretch(3, 1);
    layout->addLayout(ops);
    auto* sizes = makeRow(nullptr, smallSpacing);
    m_window = addCount(sizes, 1, largestWindow, tr("&Window"), tr("Pooling window, pixels on each side"),
                        tr("Side of the square window in pixels, not of adaptive operations"));
    m_stride = addCount(sizes, 0, largestWindow, tr("Str&ide"), tr("Pooling stride, pixels; 0 is the window"),
                        tr("Pixels from one window to the next; 0 is the same as the window"));
    m_stride->setSpecialValueText(tr("same"));
    m_output =
        addCount(sizes, 1, largestOutput, tr("O&utput"), tr("Size of adaptive outputs, pixels on each side"),
                 tr("Side of the square output of adaptive operations, in pixels"));
    sizes->addStretch();
    layout->addLayout(sizes);
}

void PoolForm::makeVariants(QBoxLayout* layout) {
    auto* elements = makeRow(nullptr, normalSpacing);
    using enum iir2d::ElementType;
    for (const auto& [element, help] :
         {std::pair{f32, tr("32-bit samples")}, std::pair{f64, tr("64-bit samples and arithmetic")},
          std::pair{f16, tr("IEEE 16-bit samples, 32-bit arithmetic")},
          std::pair{bf16, tr("The upper half of 32-bit samples, 32-bit arithmetic")}}) {
        elements->addWidget(
            addBox(m_elements, element, tr("Pooling of %1").arg(toText(name_of(element))), help));
    }
    elements->addStretch();
    layout->addLayout(elements);
    auto* passes = makeRow(nullptr, normalSpacing);
    passes->addWidget(addBox(m_passes, PoolPass::forward, tr("Forward pass of pooling"),
                             tr("From the picture to the pooled one")));
    passes->addWidget(addBox(m_passes, PoolPass::backward, tr("Backward pass of pooling"),
                             tr("From the pooled picture's gradient to the picture's")));
    passes->addStretch();
    layout->addLayout(passes);
}

PoolChoices PoolForm::choices() const {
    const auto checked = [](const auto& boxes, auto& values) {
        values.clear();
        for (const auto& [value, box] : boxes) {
            if (box->isChecked()) values.push_back(value);
        }
    };
    PoolChoices c;
    checked(m_ops, c.ops);
    checked(m_elements, c.elements);
    checked(m_passes, c.passes);
    c.window = m_window->value();
    c.stride = m_stride->value();
    c.output = m_output->value();
    return c;
}

void PoolForm::setChoices(const PoolChoices& choices) {
    {
        const QScopedValueRollback setting(m_setting, true);
        const auto check = [](const auto& boxes, const auto& values) {
            for (const auto& [value, box] : boxes)
                box->setChecked(std::ranges::find(values, value) != values.end());
        };
        check(m_ops, choices.ops);
        check(m_elements, choices.elements);
        check(m_passes, choices.passes);
        m_window->setValue(choices.window);
        m_stride->setValue(choices.stride);
        m_output->setValue(choices.output);
    }
    notice();
}

void PoolForm::notice() {
    if (m_setting) return;
    const PoolChoices now = choices();
    const auto any = [&now](bool adaptive) {
        return std::ranges::any_of(now.ops,
                                   [adaptive](iir2d::PoolOp op) { return is_adaptive(op) == adaptive; });
    };
    m_window->setEnabled(any(false));
    m_stride->setEnabled(any(false));
    m_output->setEnabled(any(true));
    for (const auto& [element, box] : m_elements) box->setEnabled(!now.ops.empty());
    for (const auto& [pass, box] : m_passes) box->setEnabled(!now.ops.empty());
    Q_EMIT changed();
}

void PoolForm::focusProblem() {
    (choices().elements.empty() ? m_elements.front().second : m_passes.front().second)->setFocus();
}

}  // namespace workbench
