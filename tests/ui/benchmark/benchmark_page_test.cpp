// SPDX-License-Identifier: MIT
// The page as a user meets it: real runs, small ones, through its own buttons.
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_page.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "core/record/record.h"
#include "tests/ui/benchmark/access.h"
#include "tests/ui/patience.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/run_panel.h"
#include "ui/charts/case_bars_chart.h"
#include "ui/charts/timeline_chart.h"
#include "ui/session/session.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

MatrixChoices tinyChoices() {
    MatrixChoices c;
    c.sizes = {};
    c.customSizes = QStringLiteral("64x64");
    c.filterIds = {1, 4};
    c.precisions = {iir2d::Precision::f32};
    c.pools.ops = {iir2d::PoolOp::max};
    c.device = QStringLiteral("cpu");
    c.threads = 1;
    c.warmup = 1;
    c.iterations = 3;
    return c;
}

class BenchmarkPageTest : public ::testing::Test {
  protected:
    BenchmarkPageTest() {
        applyTheme(*qApp, Theme::light);
        page.resize(1280, 760);
        page.form().setChoices(tinyChoices());
        page.show();
        QApplication::processEvents();
    }

    QPushButton* button(const char* name) { return page.findChild<QPushButton*>(QLatin1String(name)); }
    void runToItsEnd() {
        page.run();
        EXPECT_TRUE(QTest::qWaitFor([this] { return !page.isRunning(); }, patience_ms));
    }
    void waitForExport() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !page.desk().exporter().isRunning(); }, patience_ms));
    }
    QString exportMessage() { return page.messages().textOf(QStringLiteral("export")); }

    Session session;
    BenchmarkPage page{session};
    QTemporaryDir directory;
};

TEST_F(BenchmarkPageTest, SaysBeforehandWhatWillHappen) {
    EXPECT_FALSE(page.isRunning());
    EXPECT_FALSE((page.desk().results().rowCount() > 0));
    QStringList texts;
    for (const auto* label : page.findChildren<QLabel*>()) {
        if (label->isVisible()) texts.append(label->text());
    }
    const QString all = texts.join(QLatin1Char('\n'));
    EXPECT_TRUE(all.contains(QStringLiteral("No benchmark yet")));
    EXPECT_TRUE(all.contains(QStringLiteral("3 case"))) << all.toStdString();
    EXPECT_TRUE(all.contains(QStringLiteral("timed 3 times"))) << all.toStdString();
}

TEST_F(BenchmarkPageTest, RunsAndFillsTableAndCharts) {
    QSignalSpy running(&page, &BenchmarkPage::runningChanged);
    QSignalSpy inserted(&page.desk().results(), &QAbstractItemModel::rowsInserted);
    QTest::mouseClick(button("runButton"), Qt::LeftButton);
    EXPECT_TRUE(page.isRunning());
    EXPECT_TRUE(button("cancelButton")->isVisible());
    EXPECT_FALSE(button("runButton")->isVisible());
    ASSERT_TRUE(QTest::qWaitFor([this] { return !page.isRunning(); }, patience_ms));
    ASSERT_EQ(running.size(), 2);
    EXPECT_TRUE(running[0][0].toBool());
    EXPECT_FALSE(running[1][0].toBool());
    EXPECT_EQ(inserted.size(), 3) << "case by case";
    EXPECT_TRUE((page.desk().results().rowCount() > 0));
    ASSERT_EQ(page.desk().results().results().size(), 3U);
    for (const CaseResult& result : page.desk().results().results()) {
        EXPECT_FALSE(result.failure) << *result.failure;
        EXPECT_EQ(result.samples.size(), 3U);
        EXPECT_GT(result.latency.p50, 0.0);
    }
    ASSERT_EQ(page.charts().latency().bars().size(), 3U);
    EXPECT_DOUBLE_EQ(page.charts().latency().bars()[1].value, page.desk().results().results()[1].latency.p50);
    EXPECT_EQ(page.charts().timeline().samples().size(), 3);
    EXPECT_TRUE(button("runButton")->isVisible());
    EXPECT_FALSE(page.messages().has(QStringLiteral("run")));
}

TEST_F(BenchmarkPageTest, TableAndChartsChooseTogether) {
    runToItsEnd();
    EXPECT_EQ(page.results().chosenCase(), 0);
    page.table().setFocus();
    QTest::keyClick(&page.table(), Qt::Key_Down);
    EXPECT_EQ(page.results().chosenCase(), 1);
    EXPECT_DOUBLE_EQ(page.charts().timeline().samples().first().y(),
                     page.desk().results().results()[1].samples[0].latency_ms);
    Q_EMIT page.charts().latency().caseChosen(2);
    EXPECT_EQ(page.results().chosenCase(), 2);
    EXPECT_EQ(page.table().currentIndex().row(), 2);
    page.table().sortByColumn(ResultsModel::case_name, Qt::DescendingOrder);
    Q_EMIT page.charts().latency().caseChosen(0);
    EXPECT_EQ(page.table().currentIndex().siblingAtColumn(0).data().toString().toStdString(),
              page.desk().results().results()[0].what.label);
}

TEST_F(BenchmarkPageTest, CancellingKeepsWhatIsComplete) {
    MatrixChoices c = tinyChoices();
    c.pools = {};
    c.customSizes = QStringLiteral("32x32, 1200x1200");
    c.iterations = 60;
    c.warmup = 0;
    c.filterIds = {1, 2, 3, 4, 5, 6, 7, 8};
    page.form().setChoices(c);
    QSignalSpy inserted(&page.desk().results(), &QAbstractItemModel::rowsInserted);
    page.run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !inserted.isEmpty(); }, patience_ms));
    QTest::mouseClick(button("cancelButton"), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !page.isRunning(); }, patience_ms));
    const auto done = page.desk().results().results().size();
    EXPECT_GE(done, 1U);
    EXPECT_LT(done, 16U);
    const auto* state = page.findChild<QLabel*>(QStringLiteral("runState"));
    EXPECT_TRUE(state->text().contains(QStringLiteral("Cancelled: %1 of 16 cases").arg(done)))
        << state->text().toStdString();
    // And it is still exported, as what it is.
    page.exports().exportTo(ExportKind::json, directory.filePath(QStringLiteral("cut.json")));
    waitForExport();
    QFile file(directory.filePath(QStringLiteral("cut.json")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("\"cancelled\": true"));
}

TEST_F(BenchmarkPageTest, CancellingBeforeTheFirstCaseSaysSo) {
    MatrixChoices c = tinyChoices();
    c.customSizes = QStringLiteral("1500x1500");
    c.iterations = 5000;
    page.form().setChoices(c);
    page.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&page));
    button("runButton")->setFocus();
    QTest::keyClick(button("runButton"), Qt::Key_Space);
    EXPECT_TRUE(page.isRunning());
    QTest::keyClick(&page, Qt::Key_Escape);
    EXPECT_TRUE(QTest::qWaitFor([this] { return !page.isRunning(); }, patience_ms));
    EXPECT_FALSE((page.desk().results().rowCount() > 0));
    EXPECT_TRUE(page.messages().textOf(QStringLiteral("run")).contains(QStringLiteral("nothing to keep")));
}

TEST_F(BenchmarkPageTest, GoingWhileItRunsIsClean) {
    auto* other = new BenchmarkPage(session);
    MatrixChoices c = tinyChoices();
    c.customSizes = QStringLiteral("1500x1500");
    c.iterations = 100'000;  // more than the patience below
    other->form().setChoices(c);
    other->run();
    QTest::qWait(50);
    EXPECT_TRUE(other->isRunning());
    QElapsedTimer clock;
    clock.start();
    delete other;
    EXPECT_LT(clock.elapsed(), patience_ms);
}

TEST_F(BenchmarkPageTest, AFailureToRunIsSaidInPlaceAndKeepsTheOldResults) {
    runToItsEnd();
    MatrixChoices c = tinyChoices();
    c.device = QStringLiteral("cuda:7");
    page.form().setChoices(c);
    runToItsEnd();
    const QString text = page.messages().textOf(QStringLiteral("run"));
    EXPECT_TRUE(text.contains(QStringLiteral("cuda"))) << text.toStdString();
    EXPECT_EQ(page.desk().results().rowCount(), 3);
    EXPECT_TRUE(page.findChild<QToolButton*>(QStringLiteral("exportButton"))->isEnabled());
}

TEST_F(BenchmarkPageTest, RefusesAnInvalidChoiceBesideIt) {
    MatrixChoices c = tinyChoices();
    c.customSizes = QStringLiteral("64y64");
    page.form().setChoices(c);
    EXPECT_TRUE(page.form().problemAt(MatrixField::sizes).contains(QStringLiteral("64y64")));
    EXPECT_FALSE(button("runButton")->isEnabled());
    page.run();  // by the menu
    EXPECT_FALSE(page.isRunning());
    EXPECT_TRUE(page.messages().textOf(QStringLiteral("run")).contains(QStringLiteral("64y64")));
    auto* sizes = page.findChild<QLineEdit*>(QStringLiteral("customSizes"));
    sizes->clear();
    QTest::keyClicks(sizes, QStringLiteral("64x64"));
    EXPECT_TRUE(button("runButton")->isEnabled());
    EXPECT_TRUE(page.form().problemAt(MatrixField::sizes).isEmpty());
}

TEST_F(BenchmarkPageTest, TheFormKeepsWhatItIsGiven) {
    MatrixChoices c = tinyChoices();
    EXPECT_EQ(page.form().choices(), c);
    c = applied(MatrixPreset::full, c);
    page.form().setChoices(c);
    EXPECT_EQ(page.form().choices(), c);
    EXPECT_EQ(page.findChild<QComboBox*>(QStringLiteral("presetBox"))->currentText().toStdString(), "Full");
    c.sizes = {{512, 512}, {100, 50}};  // one that has no box is typed
    page.form().setChoices(c);
    EXPECT_EQ(page.form().choices().customSizes.toStdString(), "100x50");
    EXPECT_EQ(page.findChild<QComboBox*>(QStringLiteral("presetBox"))->currentText().toStdString(), "Custom");
}

TEST_F(BenchmarkPageTest, TheRecipeIsMeasuredAsItIs) {
    session.resetRecipe(
        {.name = "Two", .operations = {{.what = FilterOperation{}}, {.what = PoolOperation{}}}});
    MatrixChoices c = tinyChoices();
    c.filterIds = {};
    c.pools = {};
    c.recipe = true;
    page.form().setChoices(c);
    runToItsEnd();
    ASSERT_EQ(page.desk().results().results().size(), 1U);
    EXPECT_FALSE(page.desk().results().results()[0].failure);
    EXPECT_EQ(page.desk().results().results()[0].what.label, "Two 64x64");
}

TEST_F(BenchmarkPageTest, ExportsARecordThatVerifies) {
    runToItsEnd();
    const QString path = directory.filePath(QStringLiteral("record"));
    page.exports().exportTo(ExportKind::record, path);
    EXPECT_FALSE(page.findChild<QToolButton*>(QStringLiteral("exportButton"))->isEnabled());
    waitForExport();
    EXPECT_TRUE(exportMessage().contains(path)) << exportMessage().toStdString();
    EXPECT_TRUE(exportMessage().contains(QStringLiteral("accepted"))) << exportMessage().toStdString();
    const auto verification = verify_record(path.toStdString());
    ASSERT_TRUE(verification);
    EXPECT_TRUE(verification->problems.empty());
    EXPECT_EQ(session.settings().export_directory, directory.path().toStdString());

    page.exports().exportTo(ExportKind::record, path);  // a second time: it exists
    waitForExport();
    EXPECT_TRUE(exportMessage().contains(QStringLiteral("Nothing was exported")))
        << exportMessage().toStdString();
}

TEST_F(BenchmarkPageTest, ExportsTexts) {
    runToItsEnd();
    const auto written = [&](ExportKind kind, const QString& name) {
        const QString path = directory.filePath(name);
        page.exports().exportTo(kind, path);
        waitForExport();
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << exportMessage().toStdString();
        return file.readAll();
    };
    const QByteArray csv = written(ExportKind::csv, QStringLiteral("b.csv"));
    EXPECT_TRUE(csv.startsWith("timestamp_utc,host,platform,"));
    EXPECT_EQ(csv.trimmed().count('\n'), 3);
    const QJsonDocument json = QJsonDocument::fromJson(written(ExportKind::json, QStringLiteral("b.json")));
    EXPECT_TRUE(json.isObject());
    EXPECT_TRUE(json.object().contains(QStringLiteral("schema_version")));
    EXPECT_TRUE(written(ExportKind::markdown, QStringLiteral("b.md")).startsWith("#"));
}

TEST_F(BenchmarkPageTest, ExportsEveryChart) {
    runToItsEnd();
    page.exports().exportTo(ExportKind::all_charts, directory.path());
    waitForExport();
    const QDir dir(directory.path());
    EXPECT_EQ(dir.entryList({QStringLiteral("*.png")}).size(), 6);
    ASSERT_EQ(dir.entryList({QStringLiteral("*.svg")}).size(), 6);
    for (const QString& name : dir.entryList({QStringLiteral("*.png")})) {
        EXPECT_FALSE(QImage(dir.filePath(name)).isNull()) << name.toStdString();
    }
    for (const QString& name : dir.entryList({QStringLiteral("*.svg")})) {
        EXPECT_TRUE(QSvgRenderer(dir.filePath(name)).isValid()) << name.toStdString();
    }
    page.exports().exportChartTo(3, ExportKind::svg, dir.filePath(QStringLiteral("alone.svg")));
    waitForExport();
    EXPECT_TRUE(QSvgRenderer(dir.filePath(QStringLiteral("alone.svg"))).isValid());
}

TEST_F(BenchmarkPageTest, AnExportThatCannotBeWrittenIsSaidInPlace) {
    runToItsEnd();
    page.exports().exportTo(ExportKind::csv, directory.filePath(QStringLiteral("missing/b.csv")));
    waitForExport();
    EXPECT_TRUE(exportMessage().contains(QStringLiteral("missing"))) << exportMessage().toStdString();
    EXPECT_FALSE(QFile::exists(directory.filePath(QStringLiteral("missing"))));
    EXPECT_TRUE(page.findChild<QToolButton*>(QStringLiteral("exportButton"))->isEnabled());
}

TEST_F(BenchmarkPageTest, EverythingHasAnAccessibleName) {
    expectAccessibleNames(page);
    runToItsEnd();
    page.charts().refreshAll();
    expectAccessibleNames(page);
    for (ChartView* chart : page.charts().charts()) {
        EXPECT_FALSE(chart->accessibleDescription().isEmpty()) << chart->name().toStdString();
    }
}

TEST(RunPanel, TimeLeftTrustsTheClockMoreAndMore) {
    EXPECT_DOUBLE_EQ(secondsLeft(0, 0, 30), 30);
    EXPECT_DOUBLE_EQ(secondsLeft(10, 0.5, 1000), 10);
    EXPECT_DOUBLE_EQ(secondsLeft(10, 1.0, 1000), 0);
    const double early = secondsLeft(1, 0.1, 90);  // by the clock 9 s, by the estimate 81 s
    EXPECT_GT(early, 9);
    EXPECT_LT(early, 81);
}

}  // namespace
}  // namespace workbench
