// SPDX-License-Identifier: MIT
#include "ui/charts/line_legend.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "ui/charts/chart_style.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double sampleWidth = 24;  // of the line before a name
constexpr double gap = 6;
constexpr double columnGap = 18;

double rowHeight() {
    return QFontMetricsF(chartFont()).height() + 2;
}

}  // namespace

QString hiddenText(int hidden) {
    return QCoreApplication::translate("LineLegend", "and %n more", nullptr, hidden);
}

LineLegend layOutLegend(const std::vector<LegendEntry>& entries, double width, double mostHeight) {
    LineLegend legend;
    if (entries.empty()) return legend;
    QFont bold = chartFont();  // as the chosen one is
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    double widest = 0;
    for (const LegendEntry& entry : entries) widest = std::max(widest, metrics.horizontalAdvance(entry.name));
    legend.columnWidth = std::min(width, sampleWidth + gap + widest + columnGap);
    const auto columns = std::max<std::size_t>(1, std::size_t(width / legend.columnWidth));
    const auto mostRows = std::max<std::size_t>(1, std::size_t(mostHeight / rowHeight()));
    legend.rows = int(std::min(mostRows, (entries.size() + columns - 1) / columns));
    const std::size_t room = std::size_t(legend.rows) * columns;
    legend.shown = entries;
    if (entries.size() > room) {
        // The last place says how many more there are.
        const std::size_t kept = room > 1 ? room - 1 : 1;
        const auto chosen = std::ranges::find(entries, true, &LegendEntry::chosen);
        legend.shown.resize(kept);
        if (chosen != entries.end() && std::size_t(chosen - entries.begin()) >= kept)
            legend.shown.back() = *chosen;
        legend.hidden = int(entries.size() - kept);
    }
    return legend;
}

double LineLegend::height() const {
    return rows * rowHeight();
}

void LineLegend::draw(QPainter& painter, const QRectF& area) const {
    if (rows == 0) return;
    const ThemeColours& c = themeColours();
    const double height = rowHeight();
    const auto placeOf = [&](std::size_t i) {
        const std::size_t column = i / std::size_t(rows);
        return QRectF(area.left() + double(column) * columnWidth,
                      area.top() + double(i % std::size_t(rows)) * height, columnWidth, height);
    };
    const auto write = [&](const QRectF& place, const QString& text, bool bold) {
        QFont font = chartFont();
        font.setBold(bold);
        painter.setFont(font);
        painter.setPen(c.text);
        const double left = sampleWidth + gap;
        const double room = place.width() - left;
        painter.drawText(QRectF(place.left() + left, place.top(), room, place.height()),
                         int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                         QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, room));
    };
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const QRectF place = placeOf(i);
        const double y = place.center().y();
        painter.setPen(shown[i].pen);
        painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + sampleWidth, y));
        write(place, shown[i].name, shown[i].chosen);
    }
    if (hidden > 0) write(placeOf(shown.size()), hiddenText(hidden), false);
}

}  // namespace workbench
