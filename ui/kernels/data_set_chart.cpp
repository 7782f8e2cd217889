// SPDX-License-Identifier: MIT
#include "ui/kernels/data_set_chart.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QHorizontalBarSeries>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLocale>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <utility>

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
QString rowText(const DataSetBars& bars, qsizetype row) {
    QStringList parts;
    for (const DataSetBars::Set& set : bars.sets)
        parts << (set.name.isEmpty() ? QString() : set.name + QLatin1Char(' ')) + countText(set.values[row]);
    return QStringLiteral("%1: %2").arg(bars.rows[row], parts.join(QStringLiteral(", ")));
}

void sayRows(DataSetBars& bars) {
    QStringList said;
    for (qsizetype row = 0; row < bars.rows.size(); ++row) said << rowText(bars, row);
    bars.words = bars.heading + QStringLiteral(". ") + said.join(QStringLiteral("; "));
}

}  // namespace

DataSetBars recordsBars(const inspect::DataSetView& set) {
    DataSetBars made{.heading = DataSetChart::tr("Records by category and split"),
                     .xTitle = DataSetChart::tr("Records")};
    if (set.rows.empty()) made.nothing = DataSetChart::tr("No records");
    // Train first, as it is the most.
    std::vector<std::pair<std::string, std::uint64_t>> splits(set.splits.begin(), set.splits.end());
    std::ranges::stable_sort(splits, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [split, all] : splits) {
        DataSetBars::Set& bars =
            made.sets.emplace_back(DataSetBars::Set{.name = toText(split), .values = {}});
        for (const auto& [category, counts] : set.categories) {
            const auto found = counts.find(split);
            bars.values << (found == counts.end() ? 0.0 : double(found->second));
        }
    }
    for (const auto& [category, counts] : set.categories) made.rows << toText(category);
    sayRows(made);
    return made;
}

DataSetBars rejectedBars(const inspect::DataSetView& set) {
    DataSetBars made{.heading = DataSetChart::tr("Rejected candidates by reason"),
                     .xTitle = DataSetChart::tr("Candidates")};
    if (set.rejected.empty()) made.nothing = DataSetChart::tr("Nothing was rejected");
    DataSetBars::Set& bars = made.sets.emplace_back();
    for (const auto& [reason, count] : set.rejected) {
        made.rows << toText(reason);
        bars.values << double(count);
    }
    sayRows(made);
    return made;
}

DataSetBars sizesBars(const inspect::DataSetView& set) {
    DataSetBars made{.heading = DataSetChart::tr("Sizes of sources and texts"),
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

Plot skeletonsPlot(const inspect::DataSetView& set) {
    Plot made{.heading = DataSetChart::tr("Skeletons over records"),
              .xTitle = DataSetChart::tr("Records"),
              .yTitle = DataSetChart::tr("Skeletons"),
              .countsX = true,
              .countsY = true};
    if (set.growth.empty()) {
        made.nothing = DataSetChart::tr("No records");
        return made;
    }
    QList<QPointF> points{QPointF(0, 0)};
    for (const auto& [records, skeletons] : set.growth) points << QPointF(double(records), double(skeletons));
    made.words = DataSetChart::tr("%1: %2 among %3 records.")
                     .arg(made.heading, countText(points.back().y()), countText(points.back().x()));
    made.lines = {{.name = {}, .points = points}};
    return made;
}

Plot pacePlot(const std::vector<DataSetDesk::Pace>& pace) {
    Plot made{.heading = DataSetChart::tr("Pairs a second, over time"),
              .xTitle = DataSetChart::tr("Seconds"),
              .yTitle = DataSetChart::tr("Pairs a second")};
    QList<QPointF> points;
    // Reports come in bunches: a rate is of half a second at least, or of a hundredth of the run.
    const double least = pace.empty() ? 0 : std::max(0.5, pace.back().seconds / 100);
    for (std::size_t k = 0, from = 0; k < pace.size(); ++k) {
        const double seconds = pace[k].seconds - pace[from].seconds;
        if (seconds < least) continue;
        const double pairs = double(pace[k].pairs) - double(pace[from].pairs);
        points << QPointF(pace[k].seconds, std::max(0.0, pairs) / seconds);
        from = k;
    }
    if (points.isEmpty()) {
        made.nothing = pace.empty() ? DataSetChart::tr("No data set was made here yet")
                                    : DataSetChart::tr("Too little was made for a rate");
        return made;
    }
    made.words = DataSetChart::tr("%1: %2 at last, after %3 seconds.")
                     .arg(made.heading, countText(std::round(points.back().y())),
                          countText(std::round(points.back().x())));
    made.lines = {{.name = {}, .points = points}};
    // Both axes begin at 0, and go on behind a point that stands alone, or its dot would be cut.
    const double beyond = points.size() == 1 ? 1.1 : 0;
    made.xRange.emplace(0.0, beyond * points.back().x());
    made.yRange.emplace(0.0, beyond * points.back().y());
    return made;
}

DataSetChart::DataSetChart(QWidget* parent)
    : ChartView(tr("Chart of the data set"), QStringLiteral("data-set"), parent) {}

void DataSetChart::showBars(DataSetBars bars) {
    m_bars = std::move(bars);
    setMinimumHeight(m_bars.rows.isEmpty() ? 0 : int(m_bars.rows.size()) * heightOfRow + heightBesideRows);
    present(int(m_bars.rows.size()), -1, m_bars.nothing, [this] { return make(); });
}

QString DataSetChart::make() {
    chart()->removeAllSeries();
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    QAbstractBarSeries* bars = nullptr;
    if (m_bars.isStacked)
        bars = new QHorizontalStackedBarSeries;
    else
        bars = new QHorizontalBarSeries;
    double most = 0;
    // The axis of rows begins at the bottom.
    const qsizetype rows = m_bars.rows.size();
    std::vector<double> sums(std::size_t(rows), 0.0);
    for (const DataSetBars::Set& set : m_bars.sets) {
        auto* values = new QBarSet(set.name);
        for (qsizetype row = rows; row-- > 0;) {
            *values << set.values[row];
            sums[std::size_t(row)] += set.values[row];
            most = std::max(most, m_bars.isStacked ? sums[std::size_t(row)] : set.values[row]);
        }
        bars->append(values);
    }
    bars->setBarWidth(0.75);
    chart()->addSeries(bars);
    auto* names = new QBarCategoryAxis;
    names->append(QStringList(m_bars.rows.rbegin(), m_bars.rows.rend()));
    auto* values = new QValueAxis;
    applyScale(*values, tickScale(0, most, 3, true));
    values->setTitleText(m_bars.xTitle);
    chart()->addAxis(names, Qt::AlignLeft);
    chart()->addAxis(values, Qt::AlignBottom);
    bars->attachAxis(names);
    bars->attachAxis(values);
    m_series = bars;
    chart()->legend()->setVisible(m_bars.sets.size() > 1);
    setHeading(m_bars.heading);
    return m_bars.words;
}

void DataSetChart::restyle() {
    for (QAbstractAxis* axis : chart()->axes())
        styleAxis(*axis, axis->type() == QAbstractAxis::AxisTypeValue);
    if (!m_series) return;
    int index = 0;
    for (QBarSet* set : m_series->barSets()) {
        set->setColor(seriesColour(index++));
        set->setBorderColor(themeColours().base);
    }
    // The legend keeps the brush of before, and a bar has no shape of its own to show there.
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
    index = 0;
    for (QLegendMarker* marker : chart()->legend()->markers(m_series)) {
        marker->setBrush(seriesColour(index++));
        marker->setPen(Qt::NoPen);
    }
}

QString DataSetChart::toolTipAt(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    if (!emptyText().isEmpty() || !plot.contains(position)) return {};
    const double share = (position.y() - plot.top()) / plot.height();
    const auto row =
        std::clamp(qsizetype(share * double(m_bars.rows.size())), qsizetype(0), m_bars.rows.size() - 1);
    return rowText(m_bars, row);
}

}  // namespace workbench
