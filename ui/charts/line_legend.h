// SPDX-License-Identifier: MIT
// The names of a chart's lines in columns below it. Qt's own legend cuts names that share their beginning to
// that beginning.
#pragma once

#include <QPen>
#include <QRectF>
#include <QString>
#include <vector>

class QPainter;

namespace workbench {

struct LegendEntry {
    QString name;
    QPen pen;
    bool chosen = false;
};

// Says which entries are shown in a width and a height: names are cut only where one alone is wider.
struct LineLegend {
    std::vector<LegendEntry>
        shown;       // column by column, in the order of the lines; the chosen one is among them
    int hidden = 0;  // that had no room
    int rows = 0;
    double columnWidth = 0;

    double height() const;  // 0 when there is none
    void draw(QPainter& painter, const QRectF& area) const;
};

LineLegend layOutLegend(const std::vector<LegendEntry>& entries, double width, double mostHeight);
// Returns the last entry's text: "and 3 more".
QString hiddenText(int hidden);

}  // namespace workbench
