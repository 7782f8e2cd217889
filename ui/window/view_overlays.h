// SPDX-License-Identifier: MIT
// What is painted over the picture: grid, split, the proxy-or-exact mark. Free functions on a painter.
#pragma once

#include <QRect>
#include <QRectF>
#include <QString>
#include <vector>

#include "ui/window/view_transform.h"

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

// A sample that a pixel of the result depends on, in image coordinates, and how much: the derivative.
struct PullMark {
    QRectF area;
    double weight = 0.0;
    bool operator==(const PullMark&) const = default;
};
// Device pixels. The samples of a window: framed as a whole, each as strong as its weight is beside the
// largest, with its number where there is room.
void paintPulls(QPainter& painter, const ViewTransform& transform, const std::vector<PullMark>& marks);

// Logical pixels. A line at x with a handle, and what is left and right of it.
void paintSplit(QPainter& painter, const QRect& view, int x, bool active);
// Logical pixels: a pill in the view's top right corner. Returns where.
QRect paintMark(QPainter& painter, const QRect& view, const ViewMark& mark);
// Logical pixels: a small cross where the keyboard reads a pixel.
void paintProbe(QPainter& painter, QPointF at);

}  // namespace workbench
