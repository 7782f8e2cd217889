// SPDX-License-Identifier: MIT
#include "ui/operations/pair_row.h"

#include <QSignalBlocker>
#include <algorithm>

namespace workbench {
namespace {

int shown(std::int64_t value) {
    return int(std::clamp<std::int64_t>(value, 0, CountBox::largest));
}

}  // namespace

PairRow::PairRow(FormGrid& grid, const QString& label, const QString& help, int minimum)
    : QObject(grid.parent()), m_name(QString(label).remove(QLatin1Char('&'))), m_help(help) {
    m_height = new CountBox(minimum, grid.parent());
    m_width = new CountBox(minimum, grid.parent());
    m_height->setAccessibleName(tr("%1, height").arg(m_name));
    m_width->setAccessibleName(tr("%1, width").arg(m_name));
    m_link =
        iconButton(QStringLiteral("link"), tr("%1: keep height and width equal").arg(m_name), grid.parent());
    m_link->setCheckable(true);

    m_label = grid.addLabel(label, m_height, help);
    grid.add(m_height, 1);
    grid.add(m_width, 2);
    grid.add(m_link, 3);
    m_refusal = grid.addRefusalLine();
    setEnabled(true);

    m_burst.setSingleShot(true);
    m_burst.setInterval(editBurst_ms);
    connect(&m_burst, &QTimer::timeout, this, &PairRow::finishBurst);
    connect(m_height, &QSpinBox::valueChanged, this, [this](int h) {
        edit({h, m_link->isChecked() ? h : m_width->value()});
    });
    connect(m_width, &QSpinBox::valueChanged, this, [this](int w) {
        edit({m_link->isChecked() ? w : m_height->value(), w});
    });
    connect(m_link, &QToolButton::clicked, this, [this](bool linked) {
        if (!linked || m_height->value() == m_width->value()) return;
        edit({m_height->value(), m_height->value()});
        finishBurst();
    });
    for (const CountBox* box : {m_height, m_width}) {
        connect(box, &QSpinBox::editingFinished, this, &PairRow::finishBurst);
    }
    connect(m_refusal, &RefusalLine::revertRequested, this, [this] {
        edit(m_inForce);
        finishBurst();
    });
}

void PairRow::edit(iir2d::Extent value) {
    showValue(value);
    m_inBurst = true;
    m_burst.start();
    Q_EMIT valueEdited(value);
}

void PairRow::finishBurst() {
    if (!m_inBurst) return;
    m_inBurst = false;
    m_burst.stop();
    Q_EMIT finished();
}

void PairRow::setValue(iir2d::Extent value) {
    showValue(value);
    m_link->setChecked(value.h == value.w);
}

void PairRow::showValue(iir2d::Extent value) {
    const QSignalBlocker quietHeight(m_height);
    const QSignalBlocker quietWidth(m_width);
    m_height->setValue(shown(value.h));
    m_width->setValue(shown(value.w));
    if (value.h != value.w) m_link->setChecked(false);
}

void PairRow::setEnabled(bool enabled, const QString& why) {
    const QString help = why.isEmpty() ? m_help : m_help + QLatin1Char('\n') + why;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_label, m_height, m_width, m_link}) {
        widget->setEnabled(enabled);
        if (widget != m_link) widget->setToolTip(help);
    }
}

void PairRow::setVisible(bool visible) {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_label, m_height, m_width, m_link})
        widget->setVisible(visible);
    m_refusal->setVisible(visible && !m_refusal->reason().isEmpty());
}

void PairRow::refuse(const QString& reason, iir2d::Extent valueInForce) {
    m_inForce = valueInForce;
    m_refusal->setReason(reason, tr("%1 × %2").arg(valueInForce.h).arg(valueInForce.w));
    setRefused(m_height, reason);
    setRefused(m_width, reason);
}

void PairRow::clearRefusal() {
    if (m_refusal->reason().isEmpty()) return;
    m_refusal->clear();
    setRefused(m_height, QString());
    setRefused(m_width, QString());
}

}  // namespace workbench
