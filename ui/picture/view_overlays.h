// SPDX-License-Identifier: MIT
// Paints over the picture: grid, split, the proxy-or-exact mark. Free functions on a painter.
#pragma once

#include <QColor>
#include <QRect>
#include <QString>

#include "ui/picture/view_transform.h"

class QPainter;

namespace workbench {

// Says whether the picture shows the exact result.
struct ViewMark {
    enum class Kind { none, proxy, computing, exact, failed, original };
    Kind kind = Kind::none;
    QString text;
    double progress = -1.0;  // in [0, 1]; below 0: none
    bool operator==(const ViewMark&) const = default;
};

// Paints, in device pixels, lines between the pixels of an image of `pixels` that covers the whole view
// image.
void paintPixelGrid(QPainter& painter, const ViewTransform& transform, QSize pixels);
// The smallest zoom at which single pixels are framed.
inline constexpr double gridZoom = 8.0;

// Readable on any picture, in both themes.
inline constexpr QColor pillBackground(0, 0, 0, 178);
inline constexpr QColor pillText(0xf2, 0xf4, 0xf6);
// Paints, in logical pixels, a text in a corner, at `anchor`, with a dot or a progress where there is one.
// Returns the rectangle.
QRect paintPill(QPainter& painter, QPoint anchor, Qt::Alignment alignment, const QString& text,
                const QColor& dot = {}, double progress = -1.0);

// Paints, in logical pixels, a line at x with a handle, and names what is left (`before`) and right of it.
void paintSplit(QPainter& painter, const QRect& view, int x, bool active, const QString& before);
// Paints, in logical pixels, a pill in the view's top right corner. Returns the rectangle.
QRect paintMark(QPainter& painter, const QRect& view, const ViewMark& mark);
// Paints, in logical pixels, a small cross where the keyboard reads a pixel.
void paintProbe(QPainter& painter, QPointF at);

}  // namespace workbench
