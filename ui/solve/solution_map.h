// SPDX-License-Identifier: MIT
// Values on the nodes of a square as a picture. No widgets; thread-safe.
#pragma once

#include <QColor>
#include <QPoint>
#include <vector>

#include "core/image/image.h"

namespace workbench {

// Goes from blue over green to yellow, or, for what has a sign, from blue over white to red; at in [0, 1].
QColor mapColour(double at, bool isSigned);

// A node is a pixel, the first row of nodes the lowest of the picture. Of more than `mostMapSide` nodes a
// side, every second, third and so on is one.
inline constexpr int mostMapSide = 2049;
struct SolutionMap {
    ImagePtr image;            // RGB
    double low = 0, high = 0;  // the ends of the colours; signed: as far below 0 as above
    bool isSigned = false;
    int side = 0;    // nodes
    int stride = 1;  // nodes a pixel

    std::size_t nodeAt(QPoint pixel) const;
};
// Values are of `side` rows of `side` nodes; those that are no numbers are left out of the range.
SolutionMap makeSolutionMap(const std::vector<double>& values, bool isSigned);

}  // namespace workbench
