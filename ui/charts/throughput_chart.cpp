// SPDX-License-Identifier: MIT
#include "ui/charts/throughput_chart.h"

#include <QBarCategoryAxis>
#include <QChart>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double largestLegendShare = 0.35;  // of the chart's height
constexpr int legendEdge = 12;

constexpr std::array penStyles = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

// Wide samples have dots in both.
int styleOf(const BenchmarkCase& what) {
    const auto* pool = what.pool();
    if (pool == nullptr) return int(precision_of(what));
    switch (pool->element) {
        case iir2d::ElementType::f16:
            return 1;
        case iir2d::ElementType::f64:
            return 2;
        case iir2d::ElementType::bf16:
            return 3;
        case iir2d::ElementType::f32:
            break;
    }
    return 0;
}

using SizeKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // by area, then width
SizeKey sizeKey(const BenchmarkCase& what) {
    return {what.width * what.height, what.width, what.height};
}

bool holds(const ThroughputChart::Line& line, int index) {
    return std::ranges::find(line.cases, index) != line.cases.end();
}

}  // namespace

ThroughputChart::ThroughputChart(QWidget* parent)
    : ChartView(tr("Throughput"), QStringLiteral("throughput"), parent),
      m_sizeAxis(new QBarCategoryAxis),
      m_rateAxis(new QValueAxis) {
    chart()->addAxis(m_sizeAxis, Qt::AlignBottom);
    chart()->addAxis(m_rateAxis, Qt::AlignLeft);
    m_sizeAxis->setTitleText(tr("Size (width × height, px)"));
    m_rateAxis->setTitleText(tr("Throughput (Mpix/s)"));
    setOverlay([this](QPainter& painter) { draw(painter); });
}

QString ThroughputChart::build(const std::vector<CaseResult>& results, int chosen) {
    m_chosen = chosen;
    m_lines.clear();
    m_series.clear();
    m_toolTips.clear();
    chart()->removeAllSeries();

    std::map<SizeKey, QString> sizes;
    for (const CaseResult& r : results) sizes[sizeKey(r.what)] = sizeText(r.what);
    m_sizes.clear();
    for (const auto& [key, text] : sizes) m_sizes.append(text);

    const CaseNames names = nameCases(results);
    std::map<QString, std::size_t> lineOf;  // by the whole name: shortened ones may collide
    double largest = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const CaseResult& r = results[i];
        m_toolTips.push_back(tr("%1\n%2 Mpix/s\n%3 GB/s\np50 %4")
                                 .arg(toText(r.what.label), rateText(r.throughput_mpix_per_s_p50),
                                      rateText(r.throughput_gb_per_s_p50), msWithUnit(r.latency.p50)));
        if (!isTimed(r)) continue;
        const auto [found, isNew] = lineOf.try_emplace(familyText(r.what), m_lines.size());
        if (isNew) {
            const auto* pool = r.what.pool();
            m_lines.push_back({.name = names.families[qsizetype(i)],
                               .style = styleOf(r.what),
                               .backward = pool != nullptr && pool->pass == PoolPass::backward});
        }
        Line& line = m_lines[found->second];
        line.points.emplace_back(double(std::distance(sizes.begin(), sizes.find(sizeKey(r.what)))),
                                 r.throughput_mpix_per_s_p50);
        line.cases.push_back(int(i));
        largest = std::max(largest, r.throughput_mpix_per_s_p50);
    }
    if (m_lines.empty()) {
        setEmptyText(tr("No case was timed."));
        return emptyText();
    }
    m_sizeAxis->clear();
    m_sizeAxis->append(m_sizes);
    m_sizeAxis->setRange(m_sizes.first(), m_sizes.last());
    applyScale(*m_rateAxis, tickScale(0.0, largest, 5));

    QStringList lines;
    for (Line& line : m_lines) {
        // Sizes may have been typed in any order; a line goes from small to large.
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < line.points.size(); ++i) order.emplace_back(line.points[i].x(), i);
        std::ranges::sort(order);
        Line sorted{.name = line.name, .style = line.style, .backward = line.backward};
        for (const auto& [x, i] : order) {
            sorted.points.push_back(line.points[i]);
            sorted.cases.push_back(line.cases[i]);
        }
        line = std::move(sorted);

        auto* series = new QLineSeries;
        series->setName(line.name);
        series->replace(QList<QPointF>(line.points.begin(), line.points.end()));
        chart()->addSeries(series);
        series->attachAxis(m_sizeAxis);
        series->attachAxis(m_rateAxis);
        m_series.push_back(series);

        QStringList points;
        for (const QPointF& point : line.points) {
            points.append(tr("%1 Mpix/s at %2").arg(rateText(point.y()), m_sizes[int(point.x())]));
        }
        lines.append(line.name + QStringLiteral(": ") + points.join(QStringLiteral(", ")));
    }
    const QString title = tr("Throughput against size");
    setHeading(m_lines.size() == 1 ? title + QStringLiteral(" · ") + m_lines.front().name : title);
    chart()->legend()->hide();
    return tr("Lines of throughput against size. %1").arg(lines.join(QStringLiteral("; ")));
}

void ThroughputChart::restyle() {
    styleAxis(*m_sizeAxis, false);
    styleAxis(*m_rateAxis, true);
    // Lines of one operation and pass share a colour; the dashes tell the precision.
    std::map<std::pair<QString, bool>, int> colourOf;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const QString operation = m_lines[i].name.section(QLatin1String(", "), 0, 0);
        const int colour =
            colourOf.try_emplace({operation, m_lines[i].backward}, int(colourOf.size())).first->second;
        const bool chosen = holds(m_lines[i], m_chosen);
        m_series[i]->setPen(linePen(seriesColour(colour), chosen ? 2.6 : 1.6,
                                    penStyles[std::size_t(m_lines[i].style) % penStyles.size()]));
    }
}

// One line is named by the heading.
void ThroughputChart::arrange(const QSizeF& size) {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < m_series.size() && m_series.size() > 1; ++i)
        entries.push_back({m_lines[i].name, m_series[i]->pen(), holds(m_lines[i], m_chosen)});
    m_legend = layOutLegend(entries, size.width() - 2 * legendEdge, largestLegendShare * size.height());
    setFreeEdges(8, 12, m_legend.rows == 0 ? 4 : int(m_legend.height()) + legendEdge);
}

void ThroughputChart::draw(QPainter& painter) const {
    const ThemeColours& c = themeColours();
    const QRectF all = chart()->rect();
    m_legend.draw(painter, {all.left() + legendEdge, all.bottom() - m_legend.height() - 4,
                            all.width() - 2 * legendEdge, m_legend.height()});
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const QColor colour = m_series[i]->pen().color();
        for (std::size_t p = 0; p < m_lines[i].points.size(); ++p) {
            const bool chosen = m_lines[i].cases[p] == m_chosen;
            const QPointF at = chart()->mapToPosition(m_lines[i].points[p], m_series[i]);
            painter.setPen(QPen(chosen ? c.text : colour, chosen ? 2.0 : 1.0));
            painter.setBrush(chosen ? colour : c.base);
            painter.drawEllipse(at, chosen ? 5.0 : 3.0, chosen ? 5.0 : 3.0);
        }
    }
}

std::optional<ThroughputChart::Place> ThroughputChart::placeAt(const QPointF& position) const {
    std::optional<Place> nearest;
    double best = pointReach;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        for (std::size_t p = 0; p < m_lines[i].points.size(); ++p) {
            const QPointF at = chart()->mapToPosition(m_lines[i].points[p], m_series[i]);
            const double distance = std::hypot(at.x() - position.x(), at.y() - position.y());
            if (distance < best) {
                best = distance;
                nearest = Place{i, p};
            }
        }
    }
    return nearest;
}

QString ThroughputChart::toolTipAt(const QPointF& position) const {
    const int index = caseAt(position);
    return index < 0 ? QString() : m_toolTips[std::size_t(index)];
}

int ThroughputChart::caseAt(const QPointF& position) const {
    const auto place = placeAt(position);
    return place ? m_lines[place->line].cases[place->point] : -1;
}

}  // namespace workbench
