// SPDX-License-Identifier: MIT
// Records on the benchmark page, as a user meets them: opened, compared, reproduced, remembered.
#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "core/evidence/history.h"
#include "core/image/image_io.h"
#include "core/support/settings.h"
#include "tests/ui/benchmark/access.h"
#include "tests/ui/benchmark/made_records.h"
#include "tests/ui/patience.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/comparison_model.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_page.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/benchmark/status_strip.h"
#include "ui/charts/roofline_chart.h"
#include "ui/charts/trend_chart.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

class RecordsPageTest : public ::testing::Test {
  protected:
    RecordsPageTest() {
        applyTheme(*qApp, Theme::light);
        page.resize(1280, 760);
        page.show();
        page.setHistoryFile(folder.filePath(QStringLiteral("h.sqlite")));
        QApplication::processEvents();
    }

    void wait() {
        EXPECT_TRUE(QTest::qWaitFor(
            [this] {
                return !page.desk().isBusy() && !page.isRunning() && !page.desk().exporter().isRunning();
            },
            patience_ms));
    }
    void open(const QString& path) {
        page.desk().open(path);
        wait();
    }
    void compare(const QString& path) {
        page.desk().compareWith(path);
        wait();
    }
    QString said() { return page.messages().textOf(QStringLiteral("record")); }
    QString state() { return page.findChild<QLabel*>(QStringLiteral("runState"))->text(); }
    QAction* reproduceAction() { return page.recordActions()[3]; }
    QString measured(const QString& name, int seed = 1) {
        return written(madeRecord({{1, 1.0}, {2, 1.0}}, std::uint64_t(seed)), folder, name);
    }
    // Really measured here, so that it can be measured again.
    static Record measure(std::vector<int> filters, std::int64_t side, int iterations) {
        BenchmarkMatrix m;
        m.sizes = {{side, side}};
        m.filter_ids = std::move(filters);
        m.precisions = {iir2d::Precision::f32};
        m.device = "cpu";
        m.threads = 1;
        m.warmup = 0;
        m.iterations = iterations;
        return *measure_record(m, "", "");
    }
    bool drop(const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &event);
        wait();
        return true;
    }

    QTemporaryDir folder;
    Session session;
    BenchmarkPage page{session};
};

TEST_F(RecordsPageTest, OpensARecordWithAllItsFigures) {
    const Record record = madeRecord({{1, 1.0}, {2, 2.0}});
    open(written(record, folder, QStringLiteral("monday")));
    ASSERT_EQ(page.desk().results().results().size(), 2U);
    EXPECT_EQ(page.desk().results().results()[1].latency.p50, record.run.results[1].latency.p50);
    EXPECT_TRUE(state().contains(QStringLiteral("Record monday"))) << state().toStdString();
    EXPECT_TRUE(reproduceAction()->isEnabled());
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::results);
    // Its texts can be exported again; the whole lies where it lies.
    page.exports().exportTo(ExportKind::csv, folder.filePath(QStringLiteral("b.csv")));
    wait();
    QFile csv(folder.filePath(QStringLiteral("b.csv")));
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_EQ(csv.readAll().toStdString(), record_to_csv(record));
}

TEST_F(RecordsPageTest, SaysWhatIsWrongWithARecordAndGoesOn) {
    const QString good = measured(QStringLiteral("good"));
    open(good);
    const QString altered = measured(QStringLiteral("altered"), 3);
    QFile report(altered + QStringLiteral("/record.md"));
    ASSERT_TRUE(report.open(QIODevice::Append));
    report.write("x");
    report.close();
    open(altered);
    EXPECT_TRUE(said().contains(QStringLiteral("not accepted"))) << said().toStdString();
    EXPECT_TRUE(said().contains(QStringLiteral("record.md"))) << said().toStdString();
    EXPECT_TRUE(page.desk().opened()) << "the one before stays";

    const auto isRefused = [&](const QByteArray& content) {
        QFile file(folder.filePath(QStringLiteral("hostile.json")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(content);
        file.close();
        open(file.fileName());
        EXPECT_FALSE(said().isEmpty());
        EXPECT_EQ(QString::fromStdString(page.desk().opened()->path), good);
        const QString text = said();
        page.desk().compareWith(file.fileName());
        wait();
        EXPECT_EQ(said(), text) << "as a base it is refused by the same sentence";
        EXPECT_FALSE(page.compareView().compared());
    };
    isRefused("");
    isRefused(QByteArray(100000, '['));
    isRefused("{\"schema\": \"iir2d-workbench/record\", \"schema_version\": 99}");
    isRefused("{\"a\": 1e999}");
    isRefused(QByteArray("\xff\xfe\x00", 3));
    open(folder.filePath(QStringLiteral("nowhere")));
    EXPECT_TRUE(said().contains(QStringLiteral("does not exist"))) << said().toStdString();
}

TEST_F(RecordsPageTest, MeasuresNothingWhileARecordIsWorkedOn) {
    page.desk().open(measured(QStringLiteral("monday")));
    ASSERT_TRUE(page.desk().isBusy());
    page.run();
    EXPECT_FALSE(page.isRunning());
    EXPECT_TRUE(
        page.messages().textOf(QStringLiteral("run")).contains(QStringLiteral("still being worked on")));
    wait();
    EXPECT_EQ(page.desk().results().results().size(), 2U);
}

TEST_F(RecordsPageTest, ComparesWhatIsShownWithAnother) {
    const QString base = written(madeRecord({{1, 1.0}, {2, 1.0}}, 1), folder, QStringLiteral("base"));
    open(written(madeRecord({{1, 1.0}, {2, 1.4}}, 2), folder, QStringLiteral("now")));
    compare(base);
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::comparison);
    ASSERT_TRUE(page.compareView().compared());
    const RecordComparison& c = page.compareView().compared()->comparison;
    EXPECT_EQ(QString::fromStdString(c.base->path), base);
    EXPECT_EQ(c.cases[0].verdict, Verdict::same);
    EXPECT_EQ(c.cases[1].verdict, Verdict::slower);

    // The other way round it is faster.
    QTest::mouseClick(page.findChild<QToolButton*>(QStringLiteral("swapButton")), Qt::LeftButton);
    wait();
    EXPECT_EQ(page.compareView().compared()->comparison.cases[1].verdict, Verdict::faster);

    page.exports().exportReportTo(page.compareView().compared(), folder.filePath(QStringLiteral("c.md")));
    wait();
    QFile report(folder.filePath(QStringLiteral("c.md")));
    ASSERT_TRUE(report.open(QIODevice::ReadOnly));
    EXPECT_EQ(report.readAll().toStdString(),
              comparison_to_markdown(page.compareView().compared()->comparison));
    EXPECT_TRUE(page.messages().textOf(QStringLiteral("export")).contains(QStringLiteral("The comparison")));
}

TEST_F(RecordsPageTest, RefusesUnlikeRecordsAndSaysSoWhenInsistedOn) {
    Record other = madeRecord({{1, 1.0}, {2, 1.0}}, 1);
    other.run.threads = 4;
    other.environment.threads = 4;
    const QString base = written(other, folder, QStringLiteral("base"));
    open(measured(QStringLiteral("now"), 2));
    compare(base);
    EXPECT_FALSE(page.compareView().compared());
    const auto* strip = page.findChild<StatusStrip*>(QStringLiteral("refusalStrip"));
    ASSERT_TRUE(strip->isVisible());
    // The command line's sentence.
    const auto sentence = compare_records(std::make_shared<const Record>(*load_record(base.toStdString())),
                                          page.desk().opened(), {})
                              .error()
                              .message;
    EXPECT_EQ(strip->text().mid(1).toStdString(), sentence.substr(1));
    EXPECT_TRUE(strip->text().contains(QStringLiteral("threads")));
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("insistButton")), Qt::LeftButton);
    wait();
    ASSERT_TRUE(page.compareView().compared());
    EXPECT_TRUE(page.compareView().unlikeStrip().isVisible());
    // It stays said when something else is changed.
    Q_EMIT page.compareView().settingsChanged();
    wait();
    EXPECT_TRUE(page.compareView().unlikeStrip().isVisible());
    EXPECT_THAT(comparison_to_markdown(page.compareView().compared()->comparison),
                ::testing::HasSubstr("The records are unlike"));
}

TEST_F(RecordsPageTest, TakesADroppedRecord) {
    const QString first = measured(QStringLiteral("first"), 1);
    const QString second = measured(QStringLiteral("second"), 2);
    EXPECT_TRUE(drop(first)) << "a directory";
    EXPECT_TRUE(state().contains(QStringLiteral("Record first")));
    EXPECT_TRUE(drop(second + QStringLiteral("/record.json"))) << "a file";
    ASSERT_TRUE(page.compareView().compared());
    EXPECT_EQ(recordName(*page.compareView().compared()->base).toStdString(), "second");
    // Images and recipes are the window's.
    EXPECT_FALSE(drop(folder.filePath(QStringLiteral("picture.png"))));
    QFile recipe(folder.filePath(QStringLiteral("recipe.json")));
    ASSERT_TRUE(recipe.open(QIODevice::WriteOnly));
    recipe.write("{\"schema_version\": 1, \"operations\": []}");
    recipe.close();
    EXPECT_FALSE(drop(recipe.fileName()));
}

TEST_F(RecordsPageTest, BringsBackARunThatNothingKeeps) {
    page.setHistoryFile(folder.filePath(QStringLiteral("no/such/folder/h.sqlite")));
    wait();
    MatrixChoices choices = page.form().choices();
    choices.sizes = {};
    choices.customSizes = QStringLiteral("64x64");
    choices.filterIds = {1};
    choices.precisions = {iir2d::Precision::f32};
    choices.device = QStringLiteral("cpu");
    choices.iterations = 3;
    page.form().setChoices(choices);
    page.run();
    wait();
    const std::string key = page.desk().results().results().at(0).what.key;
    open(measured(QStringLiteral("monday")));
    EXPECT_EQ(page.desk().results().results().size(), 2U);
    EXPECT_TRUE(page.messages()
                    .textOf(QStringLiteral("aside"))
                    .contains(QStringLiteral("neither exported nor kept")));
    for (auto* button : page.messages().findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Show it again")) QTest::mouseClick(button, Qt::LeftButton);
    }
    ASSERT_EQ(page.desk().results().results().size(), 1U);
    EXPECT_EQ(page.desk().results().results()[0].what.key, key);
    EXPECT_FALSE(page.desk().opened());
    // A run can be compared as well: with a record that has no such case it is refused, in place.
    compare(folder.filePath(QStringLiteral("monday")));
    EXPECT_TRUE(page.findChild<StatusStrip*>(QStringLiteral("refusalStrip"))->isVisible());
}

TEST_F(RecordsPageTest, OffersRestoredResultsAgainWhenReadingThemWasOvertaken) {
    const QString path = measured(QStringLiteral("monday"));
    page.desk().restore({record_to_json(madeRecord({{1, 1.0}}))});
    page.desk().open(path);  // at once
    wait();
    ASSERT_TRUE(page.desk().opened());
    EXPECT_FALSE(page.desk().shown().restored);
    ASSERT_EQ(page.desk().aside().size(), 1U);
    const auto offered = [this] { return page.messages().textOf(QStringLiteral("aside")); };
    EXPECT_TRUE(offered().contains(QStringLiteral("results of an ended session")));
    // Also when the other record is none, so that nothing else is shown.
    page.desk().showAside();
    wait();
    page.desk().restore({record_to_json(madeRecord({{2, 1.0}}))});
    page.desk().open(folder.filePath(QStringLiteral("nowhere")));
    wait();
    EXPECT_TRUE(offered().contains(QStringLiteral("results of an ended session")));
}

TEST_F(RecordsPageTest, ReproducesAnOpenedRecord) {
    const QString path = written(measure({1, 4}, 64, 5), folder, QStringLiteral("monday"));
    EXPECT_FALSE(reproduceAction()->isEnabled());
    open(path);
    const std::string original = page.desk().opened()->record_id;
    QSignalSpy running(&page, &BenchmarkPage::runningChanged);
    reproduceAction()->trigger();
    EXPECT_TRUE(page.isRunning());
    wait();
    ASSERT_EQ(running.size(), 2);
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::comparison);
    const StatusStrip& strip = page.compareView().reproductionStrip();
    ASSERT_TRUE(strip.isVisible());
    EXPECT_TRUE(strip.title().contains(QStringLiteral("REPRODUCED record ") +
                                       QString::fromStdString(short_id(original))))
        << strip.title().toStdString();
    EXPECT_TRUE(strip.text().contains(QStringLiteral("2 of 2 cases the same bit for bit")))
        << strip.text().toStdString();
    EXPECT_TRUE(strip.text().contains(QStringLiteral("Build and machine are the record's")));
    // The new record names the old one.
    const QString again = folder.filePath(QStringLiteral("again"));
    page.exports().exportTo(ExportKind::record, again);
    wait();
    const auto record = load_record(again.toStdString());
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->reproduces, original);
}

TEST_F(RecordsPageTest, SaysWhichOutputsWereNotReproduced) {
    Record record = measure({1}, 64, 5);
    record.run.results[0].output_sha256 = std::string(64, 'e');
    open(written(record, folder, QStringLiteral("false")));
    page.reproduce();
    wait();
    const StatusStrip& strip = page.compareView().reproductionStrip();
    EXPECT_TRUE(strip.title().startsWith(QStringLiteral("NOT REPRODUCED"))) << strip.title().toStdString();
    EXPECT_TRUE(strip.text().contains(QStringLiteral("0 of 1 case the same")));
    EXPECT_TRUE(strip.details().contains(QStringLiteral("changed output: filter:1")))
        << strip.details().toStdString();
}

TEST_F(RecordsPageTest, ShowsTheRecordAgainWhenAReproductionIsCancelled) {
    open(written(measure({1, 2, 3, 4}, 700, 60), folder, QStringLiteral("monday")));
    QSignalSpy inserted(&page.desk().results(), &QAbstractItemModel::rowsInserted);
    page.reproduce();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !inserted.isEmpty(); }, patience_ms));
    EXPECT_FALSE(page.desk().opened()) << "what is shown is what is measured now";
    page.cancel();
    wait();
    EXPECT_EQ(page.desk().results().results().size(), 4U);
    ASSERT_TRUE(page.desk().opened());
    EXPECT_TRUE(
        page.messages().textOf(QStringLiteral("run")).contains(QStringLiteral("reproduction was cancelled")));
    EXPECT_TRUE(reproduceAction()->isEnabled());
}

TEST_F(RecordsPageTest, AsksForTheImageThatIsNoLongerThere) {
    const auto source = std::filesystem::path(IIR2D_SOURCE_DIR) / "resources/samples/chelsea-gray16.png";
    const QString image = folder.filePath(QStringLiteral("there.png"));
    ASSERT_TRUE(QFile::copy(QString::fromStdString(source.string()), image));
    BenchmarkMatrix m;
    m.image = std::make_shared<const Image>(*read_image(image.toStdString(), {.keep_double = true}));
    m.filter_ids = {1};
    m.precisions = {iir2d::Precision::f32};
    m.device = "cpu";
    m.threads = 1;
    m.warmup = 0;
    m.iterations = 3;
    open(written(*measure_record(m, image.toStdString(), ""), folder, QStringLiteral("monday")));
    const QString moved = folder.filePath(QStringLiteral("elsewhere.png"));
    ASSERT_TRUE(QFile::rename(image, moved));
    page.reproduce();
    wait();
    EXPECT_TRUE(page.messages().textOf(QStringLiteral("run")).contains(QStringLiteral("image is needed")));
    QStringList buttons;
    for (auto* button : page.messages().findChildren<QPushButton*>()) buttons.append(button->text());
    EXPECT_TRUE(buttons.contains(QStringLiteral("Choose the image…")));
    ASSERT_TRUE(page.desk().opened()) << "the record is shown still";
    page.reproduceOn(moved);
    wait();
    ASSERT_TRUE(page.compareView().compared());
    EXPECT_TRUE(
        page.compareView().reproductionStrip().text().contains(QStringLiteral("1 of 1 case the same")));
}

TEST_F(RecordsPageTest, KeepsAHistoryAndShowsItsTrend) {
    page.setTab(BenchmarkPage::Tab::history);
    wait();
    EXPECT_TRUE(page.historyView().chart().emptyText().contains(QStringLiteral("no history yet")));
    auto* add = page.findChild<QPushButton*>(QStringLiteral("addToHistory"));
    EXPECT_FALSE(add->isEnabled());
    for (int i = 1; i <= 3; ++i) {
        Record record = madeRecord({{1, 1.0 + 0.1 * i}, {2, 1.0}}, std::uint64_t(i));
        record.run.started_utc = "2026-01-0" + std::to_string(i) + "T03:04:05Z";
        record.run.finished_utc = "2026-01-0" + std::to_string(i) + "T03:05:05Z";
        for (CaseResult& one : record.run.results) one.started_utc = record.run.started_utc;
        open(written(record, folder, QStringLiteral("r%1").arg(i)));
        page.setTab(BenchmarkPage::Tab::history);
        wait();
        EXPECT_TRUE(add->isEnabled());
        QTest::mouseClick(add, Qt::LeftButton);
        wait();
        EXPECT_TRUE(said().contains(QStringLiteral("r%1 is in the history").arg(i))) << said().toStdString();
    }
    ASSERT_EQ(page.historyView().chart().points().size(), 3U);
    const auto history = History::open_to_read(folder.filePath(QStringLiteral("h.sqlite")).toStdString());
    ASSERT_TRUE(history);
    const auto trend = history->trend(page.historyView().key().toStdString(), Metric::ratio_to_copy, "");
    ASSERT_TRUE(trend);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(page.historyView().chart().points()[i].record_id, (*trend)[i].record_id);
        EXPECT_EQ(page.historyView().chart().points()[i].p50, (*trend)[i].p50);
    }
    EXPECT_TRUE(page.historyView().chart().accessibleDescription().contains(QStringLiteral("3 record")));
    QTest::mouseClick(add, Qt::LeftButton);
    wait();
    EXPECT_TRUE(said().contains(QStringLiteral("already")));
    EXPECT_EQ(session.settings().history_file, folder.filePath(QStringLiteral("h.sqlite")).toStdString());

    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return load_settings().history_file == session.settings().history_file; }, patience_ms))
        << "kept for the next start";

    QFile foreign(folder.filePath(QStringLiteral("foreign.sqlite")));
    ASSERT_TRUE(foreign.open(QIODevice::WriteOnly));
    foreign.write(QByteArray(4096, 'x'));
    foreign.close();
    page.setHistoryFile(foreign.fileName());
    wait();
    EXPECT_FALSE(page.historyView().chart().emptyText().isEmpty());
    EXPECT_TRUE(page.historyView().chart().points().empty());
}

TEST_F(RecordsPageTest, MeasuresTheCeilingOnlyOfThisMachine) {
    open(measured(QStringLiteral("here")));
    RooflineView& roofline = page.charts().roofline();
    auto* button = page.findChild<QPushButton*>(QStringLiteral("measureCeiling"));
    page.charts().setCurrentChart(&roofline.chart());
    ASSERT_EQ(roofline.chart().points().size(), 2U);
    EXPECT_FALSE(roofline.hasCeiling());
    if (host_name().value && processor_model().value) {
        EXPECT_TRUE(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        wait();
        EXPECT_TRUE(roofline.hasCeiling());
        EXPECT_TRUE(roofline.note().contains(QStringLiteral("GFLOP/s"))) << roofline.note().toStdString();
    }
    Record other = madeRecord({{1, 1.0}});
    other.environment.host.value = "another-host";
    open(written(other, folder, QStringLiteral("there")));
    page.charts().setCurrentChart(&roofline.chart());
    EXPECT_FALSE(roofline.hasCeiling());
    EXPECT_FALSE(button->isVisible());
    EXPECT_TRUE(roofline.note().contains(QStringLiteral("another-host"))) << roofline.note().toStdString();
    EXPECT_TRUE(roofline.note().contains(QStringLiteral("not known")));
}

TEST_F(RecordsPageTest, EverythingHasAnAccessibleName) {
    open(written(madeRecord({{1, 1.0}, {2, 1.0}}, 1), folder, QStringLiteral("a")));
    compare(measured(QStringLiteral("b"), 2));
    for (const auto tab :
         {BenchmarkPage::Tab::results, BenchmarkPage::Tab::comparison, BenchmarkPage::Tab::history}) {
        page.setTab(tab);
        wait();
        expectAccessibleNames(page);
    }
}

}  // namespace
}  // namespace workbench
