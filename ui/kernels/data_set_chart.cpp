// SPDX-License-Identifier: MIT
#include "ui/kernels/data_set_chart.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QHorizontalBarSeries>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLocale>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Less, and the names of rows are dots.
constexpr int heightOfRow = 24;
constexpr int heightBesideRows = 110;  // heading, axis and legend

QString countText(double value) {
    return QLocale().toString(value, 'f', value == std::floor(value) ? 0 : 1);
}

// "arithmetic: train 90, test 5"
QString rowText(const DataSetPlot& plot, qsizetype row) {
    QStringList parts;
    for (const DataSetPlot::Set& set : plot.sets)
        parts << (set.name.isEmpty() ? QString() : set.name + QLatin1Char(' ')) + countText(set.values[row]);
    return QStringLiteral("%1: %2").arg(plot.rows[row], parts.join(QStringLiteral(", ")));
}

void sayRows(DataSetPlot& plot) {
    QStringList said;
    for (qsizetype row = 0; row < plot.rows.size(); ++row) said << rowText(plot, row);
    plot.words = plot.heading + QStringLiteral(". ") + said.join(QStringLiteral("; "));
}

}  // namespace

DataSetPlot recordsPlot(const inspect::DataSetView& set) {
    DataSetPlot made{.heading = DataSetChart::tr("Records by category and split"),
                     .xTitle = DataSetChart::tr("Records")};
    if (set.rows.empty()) made.nothing = DataSetChart::tr("No records");
    // Train first, as it is the most.
    std::vector<std::pair<std::string, std::uint64_t>> splits(set.splits.begin(), set.splits.end());
    std::ranges::stable_sort(splits, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [split, all] : splits) {
        DataSetPlot::Set& bars =
            made.sets.emplace_back(DataSetPlot::Set{.name = toText(split), .values = {}});
        for (const auto& [category, counts] : set.categories) {
            const auto found = counts.find(split);
            bars.values << (found == counts.end() ? 0.0 : double(found->second));
        }
    }
    for (const auto& [category, counts] : set.categories) made.rows << toText(category);
    sayRows(made);
    return made;
}

DataSetPlot rejectedPlot(const inspect::DataSetView& set) {
    DataSetPlot made{.heading = DataSetChart::tr("Rejected candidates by reason"),
                     .xTitle = DataSetChart::tr("Candidates")};
    if (set.rejected.empty()) made.nothing = DataSetChart::tr("Nothing was rejected");
    DataSetPlot::Set& bars = made.sets.emplace_back();
    for (const auto& [reason, count] : set.rejected) {
        made.rows << toText(reason);
        bars.values << double(count);
    }
    sayRows(made);
    return made;
}

DataSetPlot sizesPlot(const inspect::DataSetView& set) {
    DataSetPlot made{.heading = DataSetChart::tr("Sizes of sources and texts"),
                     .xTitle = DataSetChart::tr("Bytes"),
                     .isStacked = false};
    if (set.sizes.empty()) made.nothing = DataSetChart::tr("No texts");
    made.sets = {{.name = DataSetChart::tr("95th percentile"), .values = {}},
                 {.name = DataSetChart::tr("Median"), .values = {}}};
    for (const auto& [target, sizes] : set.sizes) {
        made.rows << toText(target);
        made.sets[0].values << double(sizes.p95);
        made.sets[1].values << double(sizes.median);
    }
    sayRows(made);
    return made;
}

DataSetPlot skeletonsPlot(const inspect::DataSetView& set) {
    DataSetPlot made{.heading = DataSetChart::tr("Skeletons over records"),
                     .xTitle = DataSetChart::tr("Records"),
                     .yTitle = DataSetChart::tr("Skeletons")};
    if (set.growth.empty()) {
        made.nothing = DataSetChart::tr("No records");
        return made;
    }
    made.line << QPointF(0, 0);
    for (const auto& [records, skeletons] : set.growth)
        made.line << QPointF(double(records), double(skeletons));
    made.words = DataSetChart::tr("%1: %2 among %3 records.")
                     .arg(made.heading, countText(made.line.back().y()), countText(made.line.back().x()));
    return made;
}

DataSetPlot pacePlot(const std::vector<DataSetDesk::Pace>& pace) {
    DataSetPlot made{.heading = DataSetChart::tr("Pairs a second, over time"),
                     .xTitle = DataSetChart::tr("Seconds"),
                     .yTitle = DataSetChart::tr("Pairs a second")};
    // Reports come in bunches: a rate is of half a second at least, or of a hundredth of the run.
    const double least = pace.empty() ? 0 : std::max(0.5, pace.back().seconds / 100);
    for (std::size_t k = 0, from = 0; k < pace.size(); ++k) {
        const double seconds = pace[k].seconds - pace[from].seconds;
        if (seconds < least) continue;
        const double pairs = double(pace[k].pairs) - double(pace[from].pairs);
        made.line << QPointF(pace[k].seconds, std::max(0.0, pairs) / seconds);
        from = k;
    }
    if (made.line.isEmpty()) {
        made.nothing = pace.empty() ? DataSetChart::tr("No data set was made here yet")
                                    : DataSetChart::tr("Too little was made for a rate");
        return made;
    }
    made.words = DataSetChart::tr("%1: %2 at last, after %3 seconds.")
                     .arg(made.heading, countText(std::round(made.line.back().y())),
                          countText(std::round(made.line.back().x())));
    return made;
}

DataSetChart::DataSetChart(QWidget* parent)
    : ChartView(tr("Chart of the data set"), QStringLiteral("data-set"), parent) {}

void DataSetChart::showPlot(DataSetPlot plot) {
    m_plot = std::move(plot);
    setMinimumHeight(m_plot.rows.isEmpty() ? 0 : int(m_plot.rows.size()) * heightOfRow + heightBesideRows);
    present(m_plot.nothing.isEmpty() ? 1 : 0, -1, m_plot.nothing, [this] { return make(); });
}

QString DataSetChart::make() {
    chart()->removeAllSeries();
    m_bars = nullptr;
    m_line = nullptr;
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    if (m_plot.rows.isEmpty())
        makeLine();
    else
        makeBars();
    chart()->legend()->setVisible(m_plot.sets.size() > 1);
    setHeading(m_plot.heading);
    return m_plot.words;
}

void DataSetChart::makeBars() {
    QAbstractBarSeries* bars = nullptr;
    if (m_plot.isStacked)
        bars = new QHorizontalStackedBarSeries;
    else
        bars = new QHorizontalBarSeries;
    double most = 0;
    // The axis of rows begins at the bottom.
    const qsizetype rows = m_plot.rows.size();
    std::vector<double> sums(std::size_t(rows), 0.0);
    for (const DataSetPlot::Set& set : m_plot.sets) {
        auto* values = new QBarSet(set.name);
        for (qsizetype row = rows; row-- > 0;) {
            *values << set.values[row];
            sums[std::size_t(row)] += set.values[row];
            most = std::max(most, m_plot.isStacked ? sums[std::size_t(row)] : set.values[row]);
        }
        bars->append(values);
    }
    bars->setBarWidth(0.75);
    chart()->addSeries(bars);
    auto* names = new QBarCategoryAxis;
    names->append(QStringList(m_plot.rows.rbegin(), m_plot.rows.rend()));
    auto* values = new QValueAxis;
    applyScale(*values, tickScale(0, most, 3, true));
    values->setTitleText(m_plot.xTitle);
    chart()->addAxis(names, Qt::AlignLeft);
    chart()->addAxis(values, Qt::AlignBottom);
    bars->attachAxis(names);
    bars->attachAxis(values);
    m_bars = bars;
}

void DataSetChart::makeLine() {
    auto* line = new QLineSeries;
    line->replace(m_plot.line);
    double most = 0;
    for (const QPointF& point : m_plot.line) most = std::max(most, point.y());
    auto* across = new QValueAxis;
    applyScale(*across, tickScale(0, m_plot.line.back().x(), 4));
    across->setTitleText(m_plot.xTitle);
    auto* up = new QValueAxis;
    applyScale(*up, tickScale(0, most, 4, true));
    up->setTitleText(m_plot.yTitle);
    chart()->addSeries(line);
    chart()->addAxis(across, Qt::AlignBottom);
    chart()->addAxis(up, Qt::AlignLeft);
    line->attachAxis(across);
    line->attachAxis(up);
    m_line = line;
}

void DataSetChart::restyle() {
    for (QAbstractAxis* axis : chart()->axes())
        styleAxis(*axis, axis->type() == QAbstractAxis::AxisTypeValue);
    if (m_line) {
        m_line->setPen(linePen(seriesColour(0), 2));
        m_line->setPointsVisible(m_plot.line.size() < 3);
    }
    if (!m_bars) return;
    int index = 0;
    for (QBarSet* set : m_bars->barSets()) {
        set->setColor(seriesColour(index++));
        set->setBorderColor(themeColours().base);
    }
    // The legend keeps the brush of before, and a bar has no shape of its own to show there.
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
    index = 0;
    for (QLegendMarker* marker : chart()->legend()->markers(m_bars)) {
        marker->setBrush(seriesColour(index++));
        marker->setPen(Qt::NoPen);
    }
}

QString DataSetChart::toolTipAt(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    if (!emptyText().isEmpty() || !plot.contains(position)) return {};
    if (m_bars) {
        const double share = (position.y() - plot.top()) / plot.height();
        const auto row =
            std::clamp(qsizetype(share * double(m_plot.rows.size())), qsizetype(0), m_plot.rows.size() - 1);
        return rowText(m_plot, row);
    }
    double best = pointReach;
    QString text;
    for (const QPointF& point : m_plot.line) {
        const QPointF off = chart()->mapToPosition(point, m_line) - position;
        if (std::hypot(off.x(), off.y()) >= best) continue;
        best = std::hypot(off.x(), off.y());
        text = QStringLiteral("%1: %2\n%3: %4")
                   .arg(m_plot.xTitle, countText(point.x()), m_plot.yTitle, countText(point.y()));
    }
    return text;
}

}  // namespace workbench
