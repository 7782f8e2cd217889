// SPDX-License-Identifier: MIT
#include "ui/operations/parameter_row.h"
#include "ui/support/text.h"

#include <QCheckBox>
#include <QEvent>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyleOptionSlider>
#include <algorithm>

namespace workbench {
namespace {

// Longer than a held arrow waits before it repeats.

// A press on the groove brings the handle there, ready to be dragged on.
class ValueSlider : public QSlider {
  public:
    explicit ValueSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
        setMinimumWidth(40);
        guardWheel(this);
    }

  protected:
    void mousePressEvent(QMouseEvent* event) override {
        QStyleOptionSlider option;
        initStyleOption(&option);
        const QRect groove =
            style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
        const QRect handle =
            style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
        const QPoint at = event->position().toPoint();
        if (event->button() == Qt::LeftButton && !handle.contains(at)) {
            const int span = groove.width() - handle.width();
            const int offset = at.x() - groove.x() - handle.width() / 2;
            setSliderDown(true);  // from here on it is one drag
            setSliderPosition(
                QStyle::sliderValueFromPosition(minimum(), maximum(), offset, span, option.upsideDown));
        }
        QSlider::mousePressEvent(event);
    }

    void mouseReleaseEvent(QMouseEvent* event) override {
        QSlider::mouseReleaseEvent(event);
        if (event->button() == Qt::LeftButton) setSliderDown(false);
    }
};

}  // namespace

ParameterRow::ParameterRow(FormGrid& grid, const iir2d::FilterParameter& parameter)
    : ParameterRow(grid, parameter, SliderScale(parameter.minimum, parameter.maximum, parameter.step)) {}

ParameterRow::ParameterRow(FormGrid& grid, const iir2d::FilterParameter& parameter, const SliderScale& scale)
    : QObject(grid.parent()),
      m_parameter(parameter),
      m_scale(scale),
      m_label(toText(parameter.label)),
      m_value(parameter.default_value) {
    m_burst.setSingleShot(true);
    m_burst.setInterval(editBurst_ms);
    connect(&m_burst, &QTimer::timeout, this, &ParameterRow::finishBurst);
    if (parameter.is_switch) {
        buildSwitch(grid);
    } else {
        buildNumber(grid);
    }
    m_reset = iconButton(QStringLiteral("reset"), QString(), grid.parent());
    grid.add(m_reset, 3);
    connect(m_reset, &QToolButton::clicked, this, [this] { edit(m_parameter.default_value, true); });
    m_refusal = grid.addRefusalLine();
    connect(m_refusal, &RefusalLine::revertRequested, this, [this] { edit(m_inForce, true); });
    showValue();
}

void ParameterRow::buildSwitch(FormGrid& grid) {
    m_check = new QCheckBox(m_label, grid.parent());
    m_check->setAccessibleName(m_label);
    m_check->setToolTip(toText(m_parameter.help));
    grid.addRow();
    grid.add(m_check, 0, 3);
    connect(m_check, &QCheckBox::toggled, this, [this](bool on) { edit(on ? 1 : 0, true); });
}

void ParameterRow::buildNumber(FormGrid& grid) {
    m_slider = new ValueSlider(grid.parent());
    m_slider->setRange(0, m_scale.lastPosition());
    m_slider->setSingleStep(std::max(1, m_scale.lastPosition() / 100));
    m_slider->setPageStep(std::max(1, m_scale.lastPosition() / 10));
    m_slider->setAccessibleName(tr("%1, slider").arg(m_label));

    m_box = new NumberBox(grid.parent());
    m_box->setScale(m_scale);
    m_box->setRange(m_parameter.minimum, m_parameter.maximum);
    if (!m_parameter.unit.empty()) m_box->setSuffix(QLatin1Char(' ') + toText(m_parameter.unit));
    m_box->setAccessibleName(m_label);

    m_range = tr("%1 to %2%3")
                  .arg(m_box->textFromValue(m_parameter.minimum), m_box->textFromValue(m_parameter.maximum),
                       m_box->suffix());
    const QString toolTip = tr("%1\nRange: %2").arg(toText(m_parameter.help), m_range);
    m_slider->setToolTip(toolTip);
    m_box->setToolTip(toolTip);
    m_text = grid.addLabel(m_label, m_box, toolTip);
    grid.add(m_slider, 1);
    grid.add(m_box, 2);

    connect(m_slider, &QSlider::valueChanged, this,
            [this](int position) { edit(m_scale.valueAt(position), false); });
    connect(m_slider, &QSlider::sliderReleased, this, &ParameterRow::finishBurst);
    connect(m_box, &QDoubleSpinBox::valueChanged, this, [this](double value) { edit(value, false); });
    connect(m_box, &QDoubleSpinBox::editingFinished, this, &ParameterRow::finishBurst);
    m_slider->installEventFilter(this);
}

void ParameterRow::edit(double value, bool atOnce) {
    m_value = value;
    showValue();
    m_inBurst = true;
    m_burst.start();
    Q_EMIT valueEdited(value);
    if (atOnce) finishBurst();
}

void ParameterRow::finishBurst() {
    if (m_slider != nullptr && m_slider->isSliderDown()) {
        m_burst.start();  // held still: the drag goes on
        return;
    }
    if (!m_inBurst) return;
    m_inBurst = false;
    m_burst.stop();
    Q_EMIT finished();
}

bool ParameterRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_slider && event->type() == QEvent::FocusOut) finishBurst();
    return QObject::eventFilter(watched, event);
}

void ParameterRow::setValue(double value) {
    m_value = value;
    showValue();
}

void ParameterRow::showValue() {
    if (m_check != nullptr) {
        const QSignalBlocker quiet(m_check);
        m_check->setChecked(m_value != 0);
    } else {
        const QSignalBlocker quietSlider(m_slider);
        const QSignalBlocker quietBox(m_box);
        // While it is held, the slider is where the pointer is.
        if (!m_slider->isSliderDown()) m_slider->setValue(m_scale.positionOf(m_value));
        m_box->setValue(m_value);
        m_slider->setAccessibleDescription(
            tr("%1%2, range %3").arg(m_box->textFromValue(m_value), m_box->suffix(), m_range));
    }
    if (m_reset == nullptr) return;
    const QString standard = m_check != nullptr
                                 ? (m_parameter.default_value != 0 ? tr("on") : tr("off"))
                                 : m_box->textFromValue(m_parameter.default_value) + m_box->suffix();
    const bool differs = m_value != m_parameter.default_value;
    m_reset->setEnabled(differs && (m_box == nullptr || m_box->isEnabled()));
    m_reset->setToolTip(tr("Reset to %1").arg(standard));
    m_reset->setAccessibleName(tr("Reset %1 to %2").arg(m_label, standard));
}

void ParameterRow::setVisible(bool visible) {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_text, m_slider, m_box, m_check, m_reset}) {
        if (widget != nullptr) widget->setVisible(visible);
    }
    if (!visible) clearRefusal();
}

void ParameterRow::setEnabled(bool enabled) {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_text, m_slider, m_box, m_check}) {
        if (widget != nullptr) widget->setEnabled(enabled);
    }
    showValue();
}

void ParameterRow::refuse(const QString& reason, double valueInForce) {
    m_inForce = valueInForce;
    const QString kept =
        m_check != nullptr ? (valueInForce != 0 ? tr("on") : tr("off")) : m_box->textFromValue(valueInForce);
    m_refusal->setReason(reason, kept);
    setRefused(m_check != nullptr ? static_cast<QWidget*>(m_check) : m_box, reason);
}

void ParameterRow::clearRefusal() {
    if (m_refusal->reason().isEmpty()) return;
    m_refusal->clear();
    setRefused(m_check != nullptr ? static_cast<QWidget*>(m_check) : m_box, QString());
}

}  // namespace workbench
