// SPDX-License-Identifier: MIT
// A comparison as it is seen: the model, the charts, and what is behind a verdict.
#include <gmock/gmock.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/benchmark/made_records.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/comparison_model.h"
#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/status_strip.h"
#include "ui/charts/compare_charts.h"
#include "ui/charts/verdict_style.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using Compared = ComparisonModel;

std::string shown(const ComparisonModel& model, int row, int column) {
    return model.index(row, column).data().toString().toStdString();
}

double channel(double c) {
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
// WCAG 2: relative luminance, and the contrast of two colours.
double luminance(const QColor& c) {
    return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(VerdictStyle, IsReadableInBothPalettesAndNeverColourAlone) {
    QSet<QString> symbols;
    for (const Verdict verdict :
         {Verdict::same, Verdict::faster, Verdict::slower, Verdict::ambiguous, Verdict::not_timed}) {
        symbols.insert(verdictSymbol(verdict));
        EXPECT_TRUE(verdictText(verdict).contains(
            QString::fromUtf8(name_of(verdict).data(), qsizetype(name_of(verdict).size()))));
        for (const Theme theme : {Theme::light, Theme::dark}) {
            applyTheme(*qApp, theme);
            EXPECT_GE(contrast(verdictColour(verdict), themeColours().base), 4.5)
                << verdictText(verdict).toStdString();
            EXPECT_GE(contrast(verdictColour(verdict), themeColours().window), 4.5)
                << verdictText(verdict).toStdString();
        }
    }
    EXPECT_EQ(symbols.size(), 5);
    applyTheme(*qApp, Theme::light);
}

TEST(ComparisonModel, HasARowForEachCaseAndEachMissingOne) {
    const auto compared = fourVerdicts();
    ComparisonModel model;
    model.show(compared);
    ASSERT_EQ(model.rowCount(), 6);
    EXPECT_EQ(shown(model, 0, Compared::verdict), "= SAME");
    EXPECT_EQ(shown(model, 1, Compared::verdict), "▶ SLOWER, regression");
    EXPECT_EQ(shown(model, 2, Compared::verdict), "◀ FASTER");
    EXPECT_EQ(shown(model, 3, Compared::verdict), "? AMBIGUOUS");
    EXPECT_EQ(shown(model, 4, Compared::verdict), "∅ missing in new");
    EXPECT_EQ(shown(model, 5, Compared::verdict), "∅ missing in base");
    EXPECT_EQ(model.keyAt(4).toStdString(), "filter:5 border:mirror precision:f32 size:512x512");
    EXPECT_EQ(shown(model, 0, Compared::case_name), "Filter 1");
    EXPECT_EQ(compared->common.toStdString(), "mirror, f32, 512 × 512");
    const CaseComparison& slower = compared->comparison.cases[1];
    EXPECT_EQ(model.index(1, Compared::ratio).data(ResultsModel::ValueRole).toDouble(), slower.cost_ratio);
    EXPECT_EQ(shown(model, 1, Compared::base_samples), "50");
    EXPECT_EQ(shown(model, 1, Compared::output), "same bits");
    EXPECT_EQ(shown(model, 4, Compared::ratio), "–");
    EXPECT_EQ(model.headerData(Compared::base_p50, Qt::Horizontal, Qt::DisplayRole).toString().toStdString(),
              "Base p50, times copy");
}

TEST(ComparisonModel, GivesTheStatisticsBehindAVerdict) {
    CompareSettings settings;
    settings.max_regression = 0.1;
    const auto compared = fourVerdicts(settings);
    ComparisonModel model;
    model.show(compared);
    const QString evidence = evidenceOf(model, 1);
    for (const char* part : {"SLOWER", "a regression", "95 % interval", "Mann-Whitney", "2000 resamples",
                             "Limit: 10.0 %", "the outputs are the same bit for bit"}) {
        EXPECT_TRUE(evidence.contains(QString::fromUtf8(part))) << part;
    }
    EXPECT_TRUE(evidenceOf(model, 3).contains(QStringLiteral("not shown to be within the limit")));
    EXPECT_TRUE(evidenceOf(model, 5).contains(QStringLiteral("missing in base")));
    EXPECT_TRUE(evidenceOf(model, -1).contains(QStringLiteral("Choose a case")));
}

TEST(ComparisonModel, EscapesWhatAStrangerWrote) {
    Record hostile = madeRecord({{1, 1.0}});
    hostile.run.results[0].what.key = "<img src=x> size:512x512";
    const auto record = opened(hostile);
    const auto compared = compareOpened(record, record, {});
    ASSERT_TRUE(compared) << compared.error().message;
    ComparisonModel model;
    model.show(*compared);
    EXPECT_FALSE(evidenceOf(model, 0).contains(QStringLiteral("<img")));
    EXPECT_TRUE(evidenceOf(model, 0).contains(QStringLiteral("&lt;img")));
}

class CompareViewTest : public ::testing::Test {
  protected:
    CompareViewTest() {
        applyTheme(*qApp, Theme::light);
        view.resize(1000, 700);
        view.show();
        QApplication::processEvents();
    }
    CompareView view;
};

TEST_F(CompareViewTest, CallsNothingPassedThatIsAmbiguous) {
    // Medians alike, samples that are too few and too far apart to say so.
    const auto base = opened(madeRecord({{.filter = 1, .median_ms = 1.0, .spread = 0.5}}, 1));
    const auto now = opened(madeRecord({{.filter = 1, .median_ms = 1.04, .spread = 0.5}}, 2));
    const auto undecided = compareOpened(base, now, {});
    ASSERT_TRUE(undecided) << undecided.error().message;
    ASSERT_EQ((*undecided)->comparison.cases[0].verdict, Verdict::ambiguous);
    view.showComparison(*undecided);
    EXPECT_TRUE(view.verdictStrip().title().startsWith(QStringLiteral("Undecided")))
        << view.verdictStrip().title().toStdString();
    EXPECT_FALSE(view.verdictStrip().details().contains(QStringLiteral("iir2d duel"))) << "one build";
    Record old = madeRecord({{.filter = 1, .median_ms = 1.0, .spread = 0.5}}, 1);
    Record changed = madeRecord({{.filter = 1, .median_ms = 1.04, .spread = 0.5}}, 2);
    old.environment.host = changed.environment.host = std::string("desk");
    old.run.device.id = changed.run.device.id = "cpu";
    old.environment.library_path = std::string("/old/libiir2d.so");
    changed.environment.library_path = std::string("/new/libiir2d.so");
    old.environment.library_sha256 = std::string(64, 'a');
    changed.environment.library_sha256 = std::string(64, 'b');
    const auto two = compareOpened(opened(old), opened(changed), {});
    ASSERT_TRUE(two) << two.error().message;
    view.showComparison(*two);
    EXPECT_TRUE(view.verdictStrip().details().contains(
        QStringLiteral("iir2d duel /old/libiir2d.so /new/libiir2d.so")))
        << view.verdictStrip().details().toStdString();
    view.showComparison(*undecided);
    const std::string report = comparison_to_markdown((*undecided)->comparison);
    EXPECT_EQ(report.find("**Passed**"), std::string::npos);
    EXPECT_NE(report.find("**Undecided**"), std::string::npos);
    // With a limit that it is shown to be within it passes, and why is said.
    CompareSettings limited;
    limited.max_regression = 5.0;
    ComparedRecordsPtr within;
    for (const double spread : {0.02, 0.05, 0.1, 0.2}) {
        const auto steady = opened(madeRecord({{.filter = 1, .median_ms = 1.0, .spread = spread}}, 1));
        for (const double median : {1.03, 1.04, 1.045, 1.05, 1.055, 1.06}) {
            const auto other = opened(madeRecord({{.filter = 1, .median_ms = median, .spread = spread}}, 2));
            const auto compared = compareOpened(steady, other, limited);
            ASSERT_TRUE(compared);
            const CaseComparison& c = (*compared)->comparison.cases[0];
            if (c.verdict == Verdict::ambiguous && !c.unresolved) within = *compared;
        }
    }
    ASSERT_TRUE(within) << "no pair is ambiguous without drifting";
    view.showComparison(within);
    EXPECT_TRUE(view.verdictStrip().title().startsWith(QStringLiteral("Passed, within the limit")))
        << view.verdictStrip().title().toStdString();
    EXPECT_NE(comparison_to_markdown(within->comparison).find("**Passed, within the limit**"),
              std::string::npos);
}

TEST_F(CompareViewTest, ShowsChartsOfBothRecords) {
    const auto compared = fourVerdicts();
    view.showComparison(compared);
    QApplication::processEvents();
    EXPECT_TRUE(view.verdictStrip().title().contains(QStringLiteral("Not passed")));
    EXPECT_TRUE(view.verdictStrip().title().contains(QStringLiteral("▶ 1 SLOWER")));
    EXPECT_TRUE(view.verdictStrip().title().contains(QStringLiteral("∅ 2 missing")));
    EXPECT_TRUE(view.unlikeStrip().isHidden());
    ASSERT_EQ(view.ratioChart().bars().size(), 4U);
    const CaseComparison& slower = compared->comparison.cases[1];
    EXPECT_DOUBLE_EQ(view.ratioChart().bars()[1].value, slower.cost_ratio);
    EXPECT_DOUBLE_EQ(*view.ratioChart().bars()[1].whiskerFrom, slower.ratio_interval.low);
    EXPECT_DOUBLE_EQ(*view.ratioChart().bars()[1].whisker, slower.ratio_interval.high);
    EXPECT_DOUBLE_EQ(*view.barsChart().bars()[1].beside, slower.base.p50);
    EXPECT_DOUBLE_EQ(view.barsChart().bars()[1].value, slower.now.p50);
    EXPECT_EQ(view.chosenCase(), 0);
    // The whole of both sides lies in the same bins.
    view.chooseCase(1);
    const Histogram& base = view.distributionChart().base();
    const Histogram& now = view.distributionChart().now();
    EXPECT_EQ(base.low, now.low);
    EXPECT_EQ(base.width, now.width);
    const auto total = [](const Histogram& h) {
        int sum = 0;
        for (const int count : h.counts) sum += count;
        return sum;
    };
    EXPECT_EQ(total(base), 50);
    EXPECT_EQ(total(now), 50);
    EXPECT_TRUE(view.evidence().contains(QStringLiteral("SLOWER")));
    for (ChartView* chart : view.charts()) {
        EXPECT_FALSE(chart->accessibleDescription().isEmpty()) << chart->name().toStdString();
    }
}

TEST_F(CompareViewTest, TableAndChartsChooseTogether) {
    view.showComparison(fourVerdicts());
    view.table().setFocus();
    QTest::keyClick(&view.table(), Qt::Key_Down);
    EXPECT_EQ(view.chosenCase(), 1);
    Q_EMIT view.ratioChart().caseChosen(3);
    EXPECT_EQ(view.chosenCase(), 3);
    EXPECT_TRUE(view.evidence().contains(QStringLiteral("AMBIGUOUS")));
    // A missing one has evidence of its own, and no samples.
    view.chooseCase(5);
    EXPECT_TRUE(view.evidence().contains(QStringLiteral("missing in base")));
    EXPECT_FALSE(view.distributionChart().emptyText().isEmpty());
}

TEST_F(CompareViewTest, ItsControlsMakeTheSettings) {
    QSignalSpy changed(&view, &CompareView::settingsChanged);
    EXPECT_EQ(view.settings().metric, Metric::ratio_to_copy);
    EXPECT_FALSE(view.settings().max_regression);
    view.findChild<QComboBox*>(QStringLiteral("metricBox"))->setCurrentIndex(2);
    view.findChild<QCheckBox*>(QStringLiteral("limitSwitch"))->setChecked(true);
    view.findChild<QDoubleSpinBox*>(QStringLiteral("limitBox"))->setValue(12.5);
    view.findChild<QDoubleSpinBox*>(QStringLiteral("marginBox"))->setValue(3);
    EXPECT_EQ(changed.size(), 4);
    const CompareSettings s = view.settings();
    EXPECT_EQ(s.metric, Metric::throughput);
    EXPECT_DOUBLE_EQ(*s.max_regression, 0.125);
    EXPECT_DOUBLE_EQ(s.margin, 0.03);
    EXPECT_FALSE(s.allow_unlike);
}

TEST_F(CompareViewTest, KeepsTheCaseWhenTheMetricChanges) {
    view.showComparison(fourVerdicts());
    view.chooseCase(2);
    CompareSettings settings;
    settings.metric = Metric::latency;
    view.showComparison(fourVerdicts(settings));
    EXPECT_EQ(view.chosenCase(), 2);
    EXPECT_TRUE(view.evidence().contains(QStringLiteral("Latency")));
}

TEST_F(CompareViewTest, RefusesWithTheSentenceAndAChoice) {
    const auto base = opened(madeRecord({{1, 1.0}}));
    Record other = madeRecord({{1, 1.0}});
    other.run.device.name = "Another Processor";
    const auto now = opened(other);
    const auto refused = compareOpened(base, now, {});
    ASSERT_FALSE(refused);
    const QString why = QString::fromStdString(refused.error().message);
    QSignalSpy insisted(&view, &CompareView::insisted);
    view.showRefusal(*base, *now, why, true);
    auto* strip = view.findChild<StatusStrip*>(QStringLiteral("refusalStrip"));
    EXPECT_EQ(strip->text(), why);
    EXPECT_FALSE(view.findChild<QWidget*>(QStringLiteral("reportButton"))->isEnabled());
    QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("insistButton")), Qt::LeftButton);
    EXPECT_EQ(insisted.size(), 1);
    CompareSettings settings;
    settings.allow_unlike = true;
    view.showComparison(*compareOpened(base, now, settings));
    EXPECT_TRUE(strip->isHidden());
    EXPECT_TRUE(view.unlikeStrip().isVisible());
    EXPECT_TRUE(view.unlikeStrip().text().contains(QStringLiteral("Another Processor")));
}

TEST_F(CompareViewTest, FollowsTheTheme) {
    view.showComparison(fourVerdicts());
    view.chooseCase(1);
    applyTheme(*qApp, Theme::dark);
    QApplication::processEvents();
    EXPECT_EQ(view.model().index(1, Compared::verdict).data(Qt::ForegroundRole).value<QColor>(),
              themeColours().error);
    applyTheme(*qApp, Theme::light);
}

TEST(ComparedRecords, NamesRecordsByWhereTheyLie) {
    Record record;
    EXPECT_EQ(recordName(record).toStdString(), "this run");
    record.path = "/records/monday";
    EXPECT_EQ(recordName(record).toStdString(), "monday");
    record.path = "/records/monday/record.json";
    EXPECT_EQ(recordName(record).toStdString(), "monday");
    record.path = "/records/tuesday.json";
    EXPECT_EQ(recordName(record).toStdString(), "tuesday.json");
}

}  // namespace
}  // namespace workbench
