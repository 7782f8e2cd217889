// SPDX-License-Identifier: MIT
// What is painted over the picture: grid, split, the proxy-or-exact mark. Free functions on a painter.
#pragma once

#include <QColor>
#include <QRect>
#include <QString>

#include "ui/picture/view_transform.h"

class QPainter;

namespace workbench {

// Whether what the picture shows is the real thing.
struct ViewMark {
    enum class Kind { none, proxy, computing, exact, failed, original };
    Kind kind = Kind::none;
    QString text;
    double progress = -1.0;  // in [0, 1]; below 0: none
    bool operator==(const ViewMark&) const = default;
};

// Device pixels. Lines between the pixels of an image of `pixels` that covers the whole view image.
void paintPixelGrid(QPainter& painter, const ViewTransform& transform, QSize pixels);
// The smallest zoom at which single pixels are framed.
inline constexpr double gridZoom = 8.0;

// Readable on any picture, in both themes.
inline constexpr QColor pillBackground(0, 0, 0, 178);
inline constexpr QColor pillText(0xf2, 0xf4, 0xf6);
// Logical pixels: a text in a corner, at `anchor`, with a dot or a progress where there is one. Returns
// where.
QRect paintPill(QPainter& painter, QPoint anchor, Qt::Alignment alignment, const QString& text,
                const QColor& dot = {}, double progress = -1.0);

// Logical pixels. A line at x with a handle, and what is left (`before`) and right of it.
void paintSplit(QPainter& painter, const QRect& view, int x, bool active, const QString& before);
// Logical pixels: a pill in the view's top right corner. Returns where.
QRect paintMark(QPainter& painter, const QRect& view, const ViewMark& mark);
// Logical pixels: a small cross where the keyboard reads a pixel.
void paintProbe(QPainter& painter, QPointF at);

}  // namespace workbench
