// SPDX-License-Identifier: MIT
#include "ui/picture/view_overlays.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

struct OverlaysWords {
    Q_DECLARE_TR_FUNCTIONS(ImageView)
};

}  // namespace

QRect paintPill(QPainter& painter, QPoint anchor, Qt::Alignment alignment, const QString& text,
                const QColor& dot, double progress) {
    const QFontMetrics metrics(painter.font());
    const int dotRoom = dot.isValid() ? metrics.height() / 2 + 2 * smallSpacing : 0;
    const QSize size(metrics.horizontalAdvance(text) + 2 * normalSpacing + dotRoom,
                     metrics.height() + 2 * smallSpacing);
    QRect pill(anchor, size);
    if (alignment & Qt::AlignRight) pill.moveRight(anchor.x());
    if (alignment & Qt::AlignBottom) pill.moveBottom(anchor.y());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pillBackground);
    painter.drawRoundedRect(pill, 4, 4);
    if (dot.isValid()) {
        const double diameter = metrics.height() / 2.0;
        const QRectF circle(pill.left() + normalSpacing, pill.center().y() + 0.5 - diameter / 2, diameter,
                            diameter);
        if (progress >= 0.0) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(QColor(255, 255, 255, 70), 2));
            painter.drawEllipse(circle);
            painter.setPen(QPen(dot, 2));
            painter.drawArc(circle, 90 * 16, -int(std::clamp(progress, 0.02, 1.0) * 360 * 16));
        } else {
            painter.setBrush(dot);
            painter.drawEllipse(circle);
        }
    }
    painter.setPen(pillText);
    painter.drawText(pill.adjusted(normalSpacing + dotRoom, 0, -normalSpacing, 0),
                     Qt::AlignVCenter | Qt::AlignLeft, text);
    painter.restore();
    return pill;
}

void paintPixelGrid(QPainter& painter, const ViewTransform& transform, QSize pixels) {
    const QRectF area = transform.imageInView();
    const double stepX = area.width() / pixels.width();
    const double stepY = area.height() / pixels.height();
    if (std::min(stepX, stepY) < gridZoom) return;
    const QSize view = transform.viewSize();
    const double left = std::max(area.left(), 0.0);
    const double right = std::min(area.right(), double(view.width()));
    const double top = std::max(area.top(), 0.0);
    const double bottom = std::min(area.bottom(), double(view.height()));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    // Middle gray, half transparent: visible on black and on white.
    painter.setPen(QPen(QColor(128, 128, 128, stepX < 2 * gridZoom ? 70 : 120), 0));
    for (auto i = std::ceil((left - area.left()) / stepX); area.left() + i * stepX <= right; ++i) {
        const double x = std::round(area.left() + i * stepX);
        painter.drawLine(QPointF(x, top), QPointF(x, bottom - 1));
    }
    for (auto i = std::ceil((top - area.top()) / stepY); area.top() + i * stepY <= bottom; ++i) {
        const double y = std::round(area.top() + i * stepY);
        painter.drawLine(QPointF(left, y), QPointF(right - 1, y));
    }
    painter.restore();
}

void paintSplit(QPainter& painter, const QRect& view, int x, bool active, const QString& before) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor(0, 0, 0, 130), 3));
    painter.drawLine(QPointF(x + 0.5, view.top()), QPointF(x + 0.5, view.bottom() + 1));
    painter.setPen(QPen(active ? themeColours().accent : QColor(Qt::white), 1));
    painter.drawLine(QPointF(x + 0.5, view.top()), QPointF(x + 0.5, view.bottom() + 1));
    // Below the middle, where it covers neither the probe nor, mostly, what is looked at.
    const QPointF middle(x + 0.5, view.top() + view.height() * 0.7);
    painter.setPen(QPen(QColor(0, 0, 0, 130), 1));
    painter.setBrush(active ? themeColours().accent : QColor(Qt::white));
    painter.drawEllipse(middle, 11, 11);
    painter.setPen(QPen(QColor(0x20, 0x24, 0x28), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    for (const int side : {-1, 1}) {
        const QPointF tip = middle + QPointF(side * 6.5, 0);
        painter.drawPolyline(
            QPolygonF{tip + QPointF(-side * 3.5, -3.5), tip, tip + QPointF(-side * 3.5, 3.5)});
    }
    painter.restore();
    const int bottom = view.bottom() - normalSpacing;
    const QString after = OverlaysWords::tr("Result");
    const QFontMetrics metrics(painter.font());
    if (x - view.left() > metrics.horizontalAdvance(before) + 6 * normalSpacing) {
        paintPill(painter, {x - normalSpacing, bottom}, Qt::AlignRight | Qt::AlignBottom, before, {}, -1);
    }
    if (view.right() - x > metrics.horizontalAdvance(after) + 6 * normalSpacing) {
        paintPill(painter, {x + normalSpacing + 1, bottom}, Qt::AlignLeft | Qt::AlignBottom, after, {}, -1);
    }
}

QRect paintMark(QPainter& painter, const QRect& view, const ViewMark& mark) {
    if (mark.kind == ViewMark::Kind::none) return {};
    // On the dark pill the dark theme's colours are the readable ones, whatever the theme.
    QColor dot(0x56, 0xc9, 0x8d);
    if (mark.kind == ViewMark::Kind::proxy || mark.kind == ViewMark::Kind::computing) dot = QColor(0xf2b84b);
    if (mark.kind == ViewMark::Kind::failed) dot = QColor(0xff7b72);
    if (mark.kind == ViewMark::Kind::original) dot = QColor(0x5aa9ff);
    return paintPill(painter, view.topRight() + QPoint(-normalSpacing, normalSpacing), Qt::AlignRight,
                     mark.text, dot, mark.progress);
}

void paintProbe(QPainter& painter, QPointF at) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const auto& [colour, width] :
         {std::pair{QColor(0, 0, 0, 160), 3}, std::pair{QColor(Qt::white), 1}}) {
        painter.setPen(QPen(colour, width));
        painter.drawLine(at - QPointF(8, 0), at - QPointF(3, 0));
        painter.drawLine(at + QPointF(3, 0), at + QPointF(8, 0));
        painter.drawLine(at - QPointF(0, 8), at - QPointF(0, 3));
        painter.drawLine(at + QPointF(0, 3), at + QPointF(0, 8));
    }
    painter.restore();
}

}  // namespace workbench
