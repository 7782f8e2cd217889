// SPDX-License-Identifier: MIT
#include "ui/widgets/drop_cue.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPainter>
#include <QUrl>
#include <utility>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {

DropCue::DropCue(QWidget* target, Say say, Take take)
    : QWidget(target), m_say(std::move(say)), m_take(std::move(take)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    target->setAcceptDrops(true);
    target->installEventFilter(this);
}

void DropCue::appear(const QString& text) {
    m_text = text;
    setAccessibleName(text);
    setGeometry(parentWidget()->rect());
    raise();
    show();
    update();
}

std::pair<QString, QString> DropCue::fileIn(const QMimeData* dragged) const {
    if (!dragged || !dragged->hasUrls()) return {};
    for (const QUrl& url : dragged->urls()) {
        if (!url.isLocalFile()) continue;
        if (const QString text = m_say(url.toLocalFile()); !text.isEmpty()) return {url.toLocalFile(), text};
    }
    return {};
}

bool DropCue::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::DragEnter: {
            auto* enter = static_cast<QDragEnterEvent*>(event);
            const auto [path, text] = fileIn(enter->mimeData());
            if (path.isEmpty()) break;
            enter->acceptProposedAction();
            appear(text);
            break;
        }
        case QEvent::DragLeave:
            hide();
            break;
        case QEvent::Drop: {
            hide();
            auto* drop = static_cast<QDropEvent*>(event);
            const QString path = fileIn(drop->mimeData()).first;
            if (path.isEmpty()) break;
            drop->acceptProposedAction();
            m_take(path);
            break;
        }
        case QEvent::Resize:
            if (isVisible()) setGeometry(parentWidget()->rect());
            break;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
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
