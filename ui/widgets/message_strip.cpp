// SPDX-License-Identifier: MIT
#include "ui/widgets/message_strip.h"

#include <QAccessible>
#include <QPainter>

#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {

MessageStrip::MessageStrip(QWidget* parent)
    : QFrame(parent), m_text(new ToneLabel(ToneLabel::Tone::normal, this)) {
    auto* layout = makeRow(this, normalSpacing, {normalSpacing, smallSpacing, smallSpacing, smallSpacing});
    auto* icon = new QLabel(this);
    const auto drawIcon = [icon] { icon->setPixmap(themedIcon(QStringLiteral("error")).pixmap(16, 16)); };
    drawIcon();
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, icon, drawIcon);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = iconButton(QStringLiteral("close"), tr("Dismiss the message"), this);
    connect(close, &QToolButton::clicked, this, &MessageStrip::clear);
    layout->addWidget(icon, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void MessageStrip::setMessage(const QString& message) {
    m_text->setText(message);
    setAccessibleName(tr("Error: %1").arg(message));
    show();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

QString MessageStrip::message() const {
    return m_text->text();
}

void MessageStrip::clear() {
    m_text->clear();
    setAccessibleName({});
    hide();
}

void MessageStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = themeColours().error;
    painter.setPen(fill);
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

}  // namespace workbench
