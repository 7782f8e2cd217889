// SPDX-License-Identifier: MIT
// What is painted over the picture of a pooling operation's input: how much pooled pixels depend on its
// samples, and which samples a maximum takes. Free functions on a painter.
#pragma once

#include <QRect>
#include <QRectF>
#include <QString>
#include <vector>

#include "core/recipe/argmax_mask.h"
#include "ui/picture/view_transform.h"

class QPainter;

namespace workbench {

// An area in image coordinates, and how much: a derivative, or a gradient that was painted.
struct PullMark {
    QRectF area;
    double weight = 0.0;
    bool operator==(const PullMark&) const = default;
};

struct PullPicture {
    std::vector<PullMark> marks;    // samples of the input
    std::vector<PullMark> painted;  // pixels of the pooled image; empty when none was painted
    QString caption;
    bool operator==(const PullPicture&) const = default;
};

// Device pixels. Each sample as strong as its weight is beside the largest, with its number where there is
// room; framed as a whole, or the painted pixels framed one by one.
void paintPulls(QPainter& painter, const ViewTransform& transform, const PullPicture& picture);
// Logical pixels: which colour is which derivative, and the caption, above `anchor`, the bottom left corner.
// Returns where.
QRect paintPullScale(QPainter& painter, QPoint anchor, const PullPicture& picture);

// Device pixels. ArgmaxMask cover the whole image. Samples of a few pixels are framed one by one, smaller
// ones are tinted, and where several share a pixel it is tinted as strongly as their part that wins.
void paintWinners(QPainter& painter, const ViewTransform& transform, const ArgmaxMask& winners);

}  // namespace workbench
