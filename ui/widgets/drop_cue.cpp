// SPDX-License-Identifier: MIT
#include "ui/widgets/drop_cue.h"

#include <QPainter>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {

DropCue::DropCue(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropCue::appear(const QString& text) {
    m_text = text;
    setAccessibleName(text);
    setGeometry(parentWidget()->rect());
    raise();
    show();
    update();
}

void DropCue::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = themeColours().window;
    veil.setAlphaF(0.86F);
    painter.fillRect(rect(), veil);
    const QRectF frame = QRectF(rect()).adjusted(16, 16, -16, -16);
    QPen pen(themeColours().accent, 2, Qt::DashLine);
    painter.setPen(pen);
    painter.drawRoundedRect(frame, 10, 10);
    constexpr int side = 56;
    const QRect glyph(QPoint(width() / 2 - side / 2, height() / 2 - side), QSize(side, side));
    themedIcon(QStringLiteral("drop")).paint(&painter, glyph, Qt::AlignCenter, QIcon::Normal, QIcon::On);
    QFont font = painter.font();
    font.setPointSizeF(font.pointSizeF() * 1.3);
    painter.setFont(font);
    painter.setPen(themeColours().text);
    painter.drawText(QRectF(frame.left() + 16, glyph.bottom() + 16, frame.width() - 32, 80),
                     Qt::AlignHCenter | Qt::TextWordWrap, m_text);
}

}  // namespace workbench
