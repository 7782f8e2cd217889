// SPDX-License-Identifier: MIT
// Paints over the picture of a pooling operation's input: the gradient with respect to its samples, and the
// argmax. Free functions on a painter.
#pragma once

#include <QRect>
#include <QRectF>
#include <QString>
#include <vector>

#include "core/recipe/argmax_map.h"
#include "ui/picture/view_transform.h"

class QPainter;

namespace workbench {

// An area in image coordinates, and how much: a derivative, or a gradient that was painted.
struct GradientMark {
    QRectF area;
    double weight = 0.0;
    bool operator==(const GradientMark&) const = default;
};

struct GradientPicture {
    std::vector<GradientMark> marks;    // samples of the input
    std::vector<GradientMark> painted;  // pixels of the pooled image; empty when none was painted
    QString caption;
    bool operator==(const GradientPicture&) const = default;
};

// Paints a gradient, in device pixels. Each sample is as strong as its weight relative to the largest, with
// its number where there is room; framed as a whole, or the painted pixels framed one by one.
void paintGradient(QPainter& painter, const ViewTransform& transform, const GradientPicture& picture);
// Paints, in logical pixels, which colour is which derivative, and the caption, above `anchor`, the bottom
// left corner. Returns the rectangle.
QRect paintGradientScale(QPainter& painter, QPoint anchor, const GradientPicture& picture);

// Paints an argmax map, in device pixels. The map covers the whole image. Samples of a few pixels are framed
// one by one, smaller ones are tinted, and where several share a pixel it is tinted as strongly as the part
// of them that is taken.
void paintArgmax(QPainter& painter, const ViewTransform& transform, const ArgmaxMap& argmax);

}  // namespace workbench
