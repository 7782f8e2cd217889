// SPDX-License-Identifier: MIT
// The charts that are about records: roofline and trend.
#include <gmock/gmock.h>

#include <QApplication>
#include <QChart>
#include <QTest>

#include "tests/ui/benchmark/made_records.h"
#include "tests/ui/benchmark/made_results.h"
#include "ui/charts/histogram.h"
#include "ui/charts/roofline_chart.h"
#include "ui/charts/trend_chart.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using ::testing::ElementsAre;

ArithmeticCeiling ceilingOf(double f32, double f64) {
    return {.threads = 1, .gflops_f32 = f32, .gflops_f64 = f64, .method = "a probe"};
}

TEST(RooflineChart, HasEachTimedCaseUnderItsRoofs) {
    applyTheme(*qApp, Theme::light);
    std::vector<CaseResult> results = madeRecord({{1, 1.0}, {8, 3.0}}).run.results;
    results.push_back(failedCase(2, 512, "no"));
    RooflineChart chart;
    chart.resize(640, 400);
    chart.show();
    chart.showResults(results, 1);
    QApplication::processEvents();
    const auto wanted = roofline_points(results);
    ASSERT_EQ(chart.points().size(), 2U);
    EXPECT_EQ(chart.points()[1].intensity, wanted[1].intensity);
    EXPECT_DOUBLE_EQ(chart.bandwidth(), bandwidth_ceiling(wanted));
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("not known")));
    chart.setCeiling(ceilingOf(40, 20));
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("40")));
    // Every point is found where it is drawn, and tells itself.
    int found = 0;
    for (int x = 0; x < chart.width(); x += 4) {
        for (int y = 0; y < chart.height(); y += 4) found |= 1 << (chart.caseAt(QPointF(x, y)) + 1);
    }
    EXPECT_EQ(found, 0b111) << "nothing, the first and the second";
    chart.showResults({failedCase(2, 512, "no")}, 0);
    EXPECT_FALSE(chart.emptyText().isEmpty());
}

TrendPoint pointOf(const std::string& when, double p50, const std::string& output) {
    return {.record_id = std::string(64, '1'),
            .started_utc = when,
            .host = "h",
            .device_name = "d",
            .commit = "abcdef0123456789",
            .samples = 50,
            .p50 = p50,
            .p95 = p50 * 1.1,
            .p50_interval = {p50 * 0.98, p50 * 1.03},
            .input_sha256 = "in",
            .output_sha256 = output};
}

TEST(TrendChart, TellsEachRecordAndWhatChanged) {
    TrendChart chart;
    chart.resize(700, 400);
    chart.show();
    chart.showTrend(QStringLiteral("filter:1"), Metric::latency,
                    {pointOf("2026-01-01T00:00:00Z", 1, "a"), pointOf("2026-01-02T00:00:00Z", 1.2, "b")}, {});
    QApplication::processEvents();
    EXPECT_EQ(chart.chosen(), 1) << "the newest";
    const QString text = chart.accessibleDescription();
    EXPECT_TRUE(text.contains(QStringLiteral("2 records"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("1.0000 ms, 95 % interval 0.9800 ms to 1.0300 ms")))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("the output is not that of the record before")));
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(chart.chosen(), 0);
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(chart.chosen(), 0);
    chart.showTrend({}, Metric::latency, {}, QStringLiteral("nothing here"));
    EXPECT_EQ(chart.emptyText().toStdString(), "nothing here");
}

TEST(Histograms, OfTwoLieInTheSameBins) {
    const std::vector<double> all{1, 2, 3, 4, 5, 6, 7, 8};
    const Histogram bins = histogramOf(all);
    const Histogram part = histogramIn(bins, std::vector<double>{0.5, 1, 8, 100});
    EXPECT_EQ(part.counts.size(), bins.counts.size());
    EXPECT_EQ(part.counts.front(), 2) << "what lies before is in the first";
    EXPECT_EQ(part.counts.back(), 2) << "what lies behind in the last";
    EXPECT_EQ(part.clipped, 1);
}

}  // namespace
}  // namespace workbench
