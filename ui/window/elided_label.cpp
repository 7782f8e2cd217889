// SPDX-License-Identifier: MIT
#include "ui/window/elided_label.h"

#include <QPainter>

namespace workbench {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setTextFormat(Qt::PlainText);
}

void ElidedLabel::setFullText(const QString& text, const QString& toolTip) {
    setToolTip(toolTip.isEmpty() ? text : toolTip);
    if (text == m_text) return;
    m_text = text;
    setText(text);  // for those who read the screen
    updateGeometry();
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.setFont(font());
    painter.drawText(rect(), int(alignment() | Qt::TextSingleLine),
                     fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

}  // namespace workbench
