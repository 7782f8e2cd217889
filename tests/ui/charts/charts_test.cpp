// SPDX-License-Identifier: MIT
// The charts hold the right numbers, choose and tell the right case, follow the theme and draw into files.
#include <gmock/gmock.h>

#include <QApplication>
#include <QBarSet>
#include <QChart>
#include <QHorizontalBarSeries>
#include <QImage>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QSet>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTest>
#include <QValueAxis>
#include <numeric>
#include <set>

#include "tests/ui/benchmark/made_results.h"
#include "ui/benchmark/charts_area.h"
#include "ui/charts/case_bars_chart.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/histogram.h"
#include "ui/charts/line_legend.h"
#include "ui/charts/plot_chart.h"
#include "ui/charts/throughput_chart.h"
#include "ui/charts/timeline_chart.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using iir2d::Precision;
using ::testing::ElementsAre;

std::vector<CaseResult> someResults() {
    return {madeCase(1, 512, Precision::f32, {2.0, 2.5, 3.0, 2.0, 2.0}, 3),
            madeCase(1, 1024, Precision::f32, {8.0, 8.5, 9.0}), madeCase(4, 512, Precision::mixed, {4.0}),
            failedCase(8, 512, "parity: worst error 1 of 1e-5")};
}

template <class Chart>
std::unique_ptr<Chart> shownChart(const std::vector<CaseResult>& results, int chosen) {
    auto chart = std::make_unique<Chart>();
    chart->resize(640, 400);
    chart->showResults(results, chosen);
    chart->show();
    QApplication::processEvents();
    return chart;
}

TEST(LatencyChart, HoldsMediansAndWhiskers) {
    const auto results = someResults();
    const auto chart = shownChart<LatencyChart>(results, 1);
    ASSERT_EQ(chart->bars().size(), 4U);
    EXPECT_DOUBLE_EQ(chart->bars()[0].value, 2.0);
    EXPECT_DOUBLE_EQ(*chart->bars()[0].whisker, results[0].latency.p95);
    EXPECT_TRUE(chart->bars()[3].failed);
    EXPECT_TRUE(chart->bars()[3].toolTip.contains(QStringLiteral("worst error")));
    EXPECT_TRUE(chart->emptyText().isEmpty());

    auto* series = qobject_cast<QHorizontalBarSeries*>(chart->chart()->series().front());
    ASSERT_NE(series, nullptr);
    const QBarSet* set = series->barSets().front();
    ASSERT_EQ(set->count(), 4);
    EXPECT_DOUBLE_EQ(set->at(3), 2.0) << "the first case is on top, which is the last category";
    EXPECT_DOUBLE_EQ(set->at(2), 8.5);
    EXPECT_DOUBLE_EQ(set->at(0), 0.0);
    EXPECT_THAT(set->selectedBars(), ElementsAre(2));
    for (const CaseResult& result : results) {
        EXPECT_TRUE(chart->summary().contains(QString::fromStdString(result.what.label)));
    }
}

TEST(LatencyChart, TheNumbersOfItsAxisHaveRoomInANarrowOne) {
    const auto chart = shownChart<LatencyChart>(
        {madeCase(1, 512, Precision::f32, {0.2}), madeCase(4, 512, Precision::f32, {0.1})}, 0);
    const auto* axis = qobject_cast<QValueAxis*>(chart->chart()->axes(Qt::Horizontal).at(0));
    ASSERT_TRUE(axis != nullptr);
    const double wide = axis->tickInterval();
    const int decimals = axis->labelFormat().mid(2).chopped(1).toInt();  // of "%.2f"
    const double number =
        QFontMetricsF(axis->labelsFont()).horizontalAdvance(QString::number(axis->max(), 'f', decimals));
    for (int width = 640; width >= 180; width -= 20) {
        chart->resize(width, 400);
        QApplication::processEvents();
        const double ticks = (axis->max() - axis->min()) / axis->tickInterval();
        EXPECT_GE(chart->chart()->plotArea().width() / ticks, number) << width;
    }
    EXPECT_GT(axis->tickInterval(), wide);
}

TEST(LatencyChart, EveryRowTellsAndChoosesItsCase) {
    const auto chart = shownChart<LatencyChart>(someResults(), 0);
    QSignalSpy chosen(chart.get(), &ChartView::caseChosen);
    const QRectF plot = chart->chart()->plotArea();
    for (int i = 0; i < 4; ++i) {
        const QPointF row(plot.left() + 3, plot.top() + plot.height() * (i + 0.5) / 4);
        EXPECT_EQ(chart->caseAt(row), i);
        EXPECT_EQ(chart->toolTipAt(row).toStdString(), chart->bars()[std::size_t(i)].toolTip.toStdString());
        QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, row.toPoint());
        ASSERT_EQ(chosen.size(), i + 1);
        EXPECT_EQ(chosen.last()[0].toInt(), i);
    }
    EXPECT_EQ(chart->caseAt(QPointF(plot.center().x(), plot.bottom() + 10)), -1);
    chosen.clear();
    QTest::keyClick(chart.get(), Qt::Key_Down);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 1);
    QTest::keyClick(chart.get(), Qt::Key_End);
    EXPECT_EQ(chosen.last()[0].toInt(), 3);
}

TEST(LatencyChart, ALogarithmicAxisKeepsTheBars) {
    const auto chart = shownChart<LatencyChart>(someResults(), 0);
    EXPECT_DOUBLE_EQ(chart->largestOverSmallest(), 8.5 / 2.0);
    chart->setLogarithmic(true);
    auto* series = qobject_cast<QHorizontalBarSeries*>(chart->chart()->series().front());
    ASSERT_NE(series, nullptr);
    EXPECT_DOUBLE_EQ(series->barSets().front()->at(2), 8.5);
    const QImage image = chart->grab().toImage();
    EXPECT_FALSE(image.isNull());
}

TEST(RatioChart, HoldsMultiplesOfTheCopy) {
    const auto chart = shownChart<RatioChart>(someResults(), 0);
    EXPECT_DOUBLE_EQ(chart->bars()[0].value, 4.0);
    EXPECT_DOUBLE_EQ(chart->bars()[1].value, 17.0);
    EXPECT_EQ(chart->bars()[1].figure.toStdString(), "17.00×");
}

TEST(ThroughputChart, HasOneLineForEachFamilyInOrderOfSize) {
    auto results = someResults();
    results.push_back(madeCase(1, 256, Precision::f32, {1.0}));  // typed last, drawn first
    const auto chart = shownChart<ThroughputChart>(results, 1);
    EXPECT_EQ(chart->sizes().join(QLatin1Char('|')).toStdString(), "256 × 256|512 × 512|1024 × 1024");
    ASSERT_EQ(chart->lines().size(), 2U);
    EXPECT_THAT(chart->lines()[0].cases, ElementsAre(4, 0, 1));
    EXPECT_THAT(chart->lines()[1].cases, ElementsAre(2));
    EXPECT_DOUBLE_EQ(chart->lines()[0].points[1].x(), 1.0);
    EXPECT_DOUBLE_EQ(chart->lines()[0].points[1].y(), 512.0 * 512 / 2.0 / 1e3);
    const auto* series = qobject_cast<QLineSeries*>(chart->chart()->series()[0]);
    ASSERT_NE(series, nullptr);
    const QPointF at =
        chart->chart()->mapToPosition(chart->lines()[0].points[2], chart->chart()->series()[0]);
    EXPECT_EQ(chart->caseAt(at + QPointF(3, 2)), 1);
    EXPECT_TRUE(chart->toolTipAt(at).contains(QStringLiteral("Mpix/s")));
    EXPECT_EQ(chart->caseAt(at + QPointF(0, 60)), -1);
}

// Six filters in two precisions each share their beginning; at 1280 x 800 the chart has some 470 pixels.
TEST(ThroughputChart, NamesEveryLineInFull) {
    std::vector<CaseResult> results;
    for (const int filter : {1, 2, 3, 4, 5, 6}) {
        for (const Precision precision : {Precision::f32, Precision::f64}) {
            for (const int side : {512, 1024})
                results.push_back(madeCase(filter, side, precision, {1.0 * filter}));
        }
    }
    ThroughputChart chart;
    chart.resize(470, 340);
    chart.showResults(results, 0);
    chart.show();
    QApplication::processEvents();
    EXPECT_FALSE(chart.chart()->legend()->isVisible()) << "Qt's own cuts names to what they share";
    const LineLegend& legend = chart.legend();
    ASSERT_EQ(legend.shown.size(), 12U);
    EXPECT_EQ(legend.hidden, 0);
    QFont bold = chartFont();
    bold.setBold(true);
    std::set<QString> names;
    for (const LegendEntry& entry : legend.shown) {
        names.insert(entry.name);
        EXPECT_LE(24 + 6 + QFontMetricsF(bold).horizontalAdvance(entry.name), legend.columnWidth)
            << entry.name.toStdString();
    }
    EXPECT_EQ(names.size(), 12U);
    // It lies below the plot with its axis, and within the chart.
    EXPECT_LE(chart.chart()->plotArea().bottom() + legend.height(), chart.chart()->rect().bottom());
    EXPECT_GT(chart.chart()->plotArea().height(), 100);
}

TEST(LineLegend, SaysHowManyLinesItHasNoRoomFor) {
    std::vector<LegendEntry> entries;
    for (int i = 0; i < 100; ++i)
        entries.push_back({QStringLiteral("Filter %1, mixed").arg(i), QPen(), i == 70});
    const LineLegend legend = layOutLegend(entries, 400, 100);
    EXPECT_LE(legend.height(), 100);
    EXPECT_LT(legend.shown.size(), 100U);
    EXPECT_EQ(int(legend.shown.size()) + legend.hidden, 100);
    EXPECT_TRUE(legend.shown.back().chosen) << "the chosen one is named in any case";
    EXPECT_EQ(hiddenText(legend.hidden).toStdString(), "and " + std::to_string(legend.hidden) + " more");
    EXPECT_EQ(layOutLegend({}, 400, 100).rows, 0);
    EXPECT_EQ(layOutLegend({entries[0]}, 10, 1).rows, 1) << "too narrow: cut, and not left out";
}

// What is written at a line of the plot stands between the heading and the plot.
TEST(ChartHeadings, AreNotOverprintedByLabels) {
    const auto results = someResults();
    const auto ratio = shownChart<RatioChart>(results, 0);
    const auto distribution = shownChart<DistributionChart>(results, 0);
    for (const ChartView* chart :
         {static_cast<ChartView*>(ratio.get()), static_cast<ChartView*>(distribution.get())}) {
        EXPECT_FALSE(chart->heading().isEmpty());
        EXPECT_TRUE(chart->chart()->title().isEmpty());
        const double headingBottom = 4 + QFontMetricsF(chartTitleFont()).height();
        const double labelTop = chart->chart()->plotArea().top() - 3 - QFontMetricsF(chartFont()).ascent();
        EXPECT_GE(labelTop, headingBottom) << chart->name().toStdString();
    }
}

TEST(TimelineChart, ShowsEverySampleAndMarksThePreempted) {
    const auto chart = shownChart<TimelineChart>(someResults(), 0);
    EXPECT_THAT(chart->samples(), ElementsAre(QPointF(1, 2.0), QPointF(2, 2.5), QPointF(3, 3.0),
                                              QPointF(4, 2.0), QPointF(5, 2.0)));
    EXPECT_THAT(chart->preempted(), ElementsAre(QPointF(3, 3.0)));
    const QPointF third = chart->chart()->mapToPosition(QPointF(3, 2.2), chart->chart()->series()[0]);
    EXPECT_TRUE(chart->toolTipAt(third).contains(QStringLiteral("Iteration 3")));
    EXPECT_TRUE(chart->toolTipAt(third).contains(QStringLiteral("preempted")));
    const QRectF plot = chart->chart()->plotArea();
    for (const QPointF& sample : chart->samples()) {
        const QPointF at = chart->chart()->mapToPosition(sample, chart->chart()->series()[0]);
        EXPECT_TRUE(plot.adjusted(-1, -1, 1, 1).contains(at));
    }
}

TEST(TimelineChart, SaysWhyThereIsNothingToSee) {
    const auto results = someResults();
    const auto chart = shownChart<TimelineChart>(results, 3);
    EXPECT_TRUE(chart->emptyText().contains(QStringLiteral("worst error")));
    chart->showResults(results, -1);
    EXPECT_FALSE(chart->emptyText().isEmpty());
    chart->showResults({}, -1);
    EXPECT_FALSE(chart->emptyText().isEmpty());
    chart->showResults(results, 1);
    EXPECT_TRUE(chart->emptyText().isEmpty());
}

TEST(TimelineChart, ReducesLongRunsToTheirExtremes) {
    QList<QPointF> points;
    for (int i = 0; i < 10000; ++i) points.append(QPointF(i, i == 5000 ? 99.0 : i == 7000 ? -5.0 : 1.0));
    const QList<QPointF> reduced = reducedToColumns(points, 100);
    EXPECT_LE(reduced.size(), 200);
    EXPECT_TRUE(reduced.contains(QPointF(5000, 99.0)));
    EXPECT_TRUE(reduced.contains(QPointF(7000, -5.0)));
    for (qsizetype i = 1; i < reduced.size(); ++i) EXPECT_LT(reduced[i - 1].x(), reduced[i].x());
    EXPECT_EQ(reducedToColumns(points, 5000), points);
}

TEST(Histogram, CountsEverySampleOnce) {
    std::vector<double> samples;
    for (int i = 0; i < 200; ++i) samples.push_back(1.0 + 0.001 * ((i * 37) % 101));
    const Histogram h = histogramOf(samples);
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0), 200);
    EXPECT_GE(h.counts.size(), 5U);
    EXPECT_LE(h.counts.size(), 60U);
    EXPECT_DOUBLE_EQ(h.low, 1.0);
    EXPECT_EQ(h.clipped, 0);
}

TEST(Histogram, GathersALongTailInItsLastBin) {
    std::vector<double> samples;
    for (int i = 0; i < 100; ++i) samples.push_back(1.0 + 0.001 * i);
    samples.push_back(500.0);
    const Histogram h = histogramOf(samples);
    EXPECT_EQ(h.clipped, 1);
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0), 101);
    EXPECT_LT(h.low + h.width * double(h.counts.size()), 2.0);
    EXPECT_GE(h.counts.back(), 1);
}

TEST(Histogram, EqualSamplesAreOneBin) {
    const std::vector<double> one = {2.0};
    const std::vector<double> equal(50, 3.0);
    const std::vector<double> zeros(3, 0.0);
    EXPECT_THAT(histogramOf(one).counts, ElementsAre(1));
    EXPECT_THAT(histogramOf(equal).counts, ElementsAre(50));
    EXPECT_THAT(histogramOf(zeros).counts, ElementsAre(3));
    EXPECT_GT(histogramOf(zeros).width, 0.0);
    std::vector<double> outlier(50, 3.0);
    outlier.push_back(9.0);
    EXPECT_EQ(histogramOf(outlier).clipped, 1);
}

TEST(DistributionChart, TellsItsBins) {
    const auto chart = shownChart<DistributionChart>(someResults(), 0);
    const Histogram& h = chart->histogram();
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0), 5);
    const QPointF first =
        chart->chart()->mapToPosition(QPointF(h.low + h.width / 2, 0.5), chart->chart()->series().front());
    EXPECT_TRUE(chart->toolTipAt(first).contains(QStringLiteral("sample")));
    EXPECT_TRUE(chart->summary().contains(QStringLiteral("5 samples")));
}

TEST(TickScale, EndsAtTicksAndCoversTheRange) {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, 1}, {0, 8.5}, {0.1234, 0.1235}, {3, 3}, {0, 0}, {1e-5, 2e-5}, {900, 123456}}) {
        const TickScale s = tickScale(low, high, 5);
        EXPECT_LE(s.low, low + 1e-9);
        EXPECT_GE(s.high, high - 1e-9);
        EXPECT_GT(s.high, s.low);
        EXPECT_LE((s.high - s.low) / s.step, 8.0) << low << " " << high;
        // As many decimals as the step has.
        EXPECT_GE(std::pow(10.0, s.decimals) * s.step, 0.999);
    }
    EXPECT_DOUBLE_EQ(tickScale(0, 3, 6, true).step, 1.0);
}

TEST(Charts, FollowTheTheme) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
        applyTheme(*qApp, theme);
        const auto chart = shownChart<LatencyChart>(someResults(), 0);
        EXPECT_EQ(chart->grab().toImage().pixelColor(8, 8), themeColours().base);
        // While it is shown, too.
        applyTheme(*qApp, theme == Theme::dark ? Theme::light : Theme::dark);
        QApplication::processEvents();
        EXPECT_EQ(chart->grab().toImage().pixelColor(8, 8), themeColours().base);
    }
    applyTheme(*qApp, Theme::light);
}

int coloursIn(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
    }
    return int(colours.size());
}

TEST(ChartExport, DrawsEveryChartIntoPngAndSvg) {
    applyTheme(*qApp, Theme::light);
    ChartsArea area;  // never shown: what is behind a tab is exported all the same
    const auto results = someResults();
    area.showResults(results, 0);
    area.refreshAll();
    for (ChartView* chart : area.charts()) {
        SCOPED_TRACE(chart->name().toStdString());
        ASSERT_TRUE(chart->emptyText().isEmpty());
        const QSize size = exportSize(*chart);
        const QByteArray png = chartAsPng(*chart, QStringLiteral("A machine, 2 threads"));
        QImage image;
        ASSERT_TRUE(image.loadFromData(png, "PNG"));
        EXPECT_EQ(image.width(), 2 * size.width());
        EXPECT_GE(image.height(), 2 * size.height());
        EXPECT_GT(coloursIn(image), 20);

        const QByteArray svg = chartAsSvg(*chart, QStringLiteral("A machine, 2 threads"));
        QSvgRenderer renderer(svg);
        EXPECT_TRUE(renderer.isValid());
        EXPECT_TRUE(svg.contains("A machine, 2 threads"));
        QImage drawn(size, QImage::Format_RGB32);
        drawn.fill(Qt::white);
        QPainter painter(&drawn);
        renderer.render(&painter);
        EXPECT_GT(coloursIn(drawn), 10);
    }
}

TEST(ChartExport, DoesNotDisturbTheScreen) {
    const auto chart = shownChart<LatencyChart>(someResults(), 0);
    const QImage before = chart->grab().toImage();
    chartAsPng(*chart, QString());
    QApplication::processEvents();
    EXPECT_EQ(chart->grab().toImage(), before);
}

TEST(ChartsArea, PutsTheCaseBesideWhereThereIsRoom) {
    ChartsArea area;
    const auto results = someResults();
    area.resize(1000, 400);
    area.show();
    area.showResults(results, 0);
    QApplication::processEvents();
    EXPECT_TRUE(area.latency().isVisible());
    EXPECT_TRUE(area.timeline().isVisible());
    EXPECT_EQ(area.timeline().samples().size(), 5);
    area.resize(600, 400);
    QApplication::processEvents();
    EXPECT_TRUE(area.latency().isVisible());
    EXPECT_FALSE(area.timeline().isVisible());
    area.setCurrentChart(&area.timeline());
    QApplication::processEvents();
    EXPECT_TRUE(area.timeline().isVisible());
    area.resize(1000, 400);
    QApplication::processEvents();
    EXPECT_TRUE(area.timeline().isVisible());
    EXPECT_TRUE(area.latency().isVisible());
}

TEST(ThroughputChart, TellsPassesApartByColourAndTypesByDashes) {
    using enum iir2d::ElementType;
    const PoolOperation avg{.op = iir2d::PoolOp::avg};
    const std::vector<CaseResult> results{
        madePool({}, f32, PoolPass::forward), madePool({}, bf16, PoolPass::forward),
        madePool({}, f32, PoolPass::backward), madePool(avg, f32, PoolPass::forward)};
    const auto chart = shownChart<ThroughputChart>(results, 0);
    const auto pen = [&chart](int line) {
        return static_cast<QLineSeries*>(chart->chart()->series().at(line))->pen();
    };
    ASSERT_EQ(chart->lines().size(), 4U);
    EXPECT_EQ(pen(0).color(), pen(1).color());
    EXPECT_NE(pen(0).style(), pen(1).style());
    EXPECT_NE(pen(0).color(), pen(2).color());
    EXPECT_NE(pen(0).color(), pen(3).color());
}

TEST(PlotChart, DrawsABandWhoseFirstLineIsEmpty) {
    PlotChart chart(QStringLiteral("Plot"), QStringLiteral("plot"), nullptr);
    chart.resize(400, 300);
    chart.showPlot({.lines = {{.name = QStringLiteral("none")},
                              {.name = QStringLiteral("some"), .points = {{1, 1}, {2, 3}}}},
                    .yBand = std::pair(1.0, 2.0)});
    EXPECT_FALSE(chart.grab().isNull());
    EXPECT_EQ(chart.emptyText(), QString());
}

}  // namespace
}  // namespace workbench
