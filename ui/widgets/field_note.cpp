// SPDX-License-Identifier: MIT
#include "ui/widgets/field_note.h"

#include <QAccessible>
#include <QEvent>
#include <QPainter>
#include <QScrollArea>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int widestNote = 300;

QWidget* hostOf(QWidget* field) {
    for (QWidget* each = field->parentWidget(); each != nullptr; each = each->parentWidget()) {
        const QWidget* viewport = each->parentWidget();
        const auto* area =
            viewport != nullptr ? qobject_cast<const QScrollArea*>(viewport->parentWidget()) : nullptr;
        if (area != nullptr && area->widget() == each) return each;
    }
    return field->window();
}

}  // namespace

FieldNote::FieldNote(QWidget* field) : QLabel(hostOf(field)), m_field(field) {
    setObjectName(QStringLiteral("fieldNote"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setContentsMargins(normalSpacing, smallSpacing, normalSpacing, smallSpacing);
    field->installEventFilter(this);
    parentWidget()->installEventFilter(this);
    hide();
}

void FieldNote::say(const QString& text) {
    setText(text);
    setAccessibleName(text);
    place();
    show();
    raise();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

bool FieldNote::eventFilter(QObject* watched, QEvent* event) {
    const bool moved = event->type() == QEvent::Move || event->type() == QEvent::Resize;
    if (moved && isVisible()) place();
    return QLabel::eventFilter(watched, event);
}

void FieldNote::place() {
    const QWidget* host = parentWidget();
    const int room = std::max(80, host->width() - 2 * smallSpacing);
    QLabel::setWordWrap(false);
    const int oneLine = QLabel::sizeHint().width();
    QLabel::setWordWrap(true);
    const int width = std::min({oneLine, widestNote, room});
    const int height = heightForWidth(width);
    const QRect field(m_field->mapTo(host, QPoint(0, 0)), m_field->size());
    const int x = std::clamp(field.right() - width + 1, smallSpacing,
                             std::max(smallSpacing, host->width() - smallSpacing - width));
    const bool fitsBelow = field.bottom() + 3 + height <= host->height();
    setGeometry(x, fitsBelow ? field.bottom() + 3 : field.top() - 2 - height, width, height);
}

void FieldNote::paintEvent(QPaintEvent* event) {
    const ThemeColours& c = themeColours();
    QPainter painter(this);
    painter.fillRect(rect(), c.base);
    QColor tint = c.error;
    tint.setAlphaF(0.16F);
    painter.fillRect(rect(), tint);
    painter.setPen(c.error);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.end();
    QLabel::paintEvent(event);
}

}  // namespace workbench
