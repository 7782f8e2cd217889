// SPDX-License-Identifier: MIT
// The state of the Benchmark page, without a widget: what is shown, kept, put aside, restored and noted.
#include "ui/benchmark/record_desk.h"

#include <gmock/gmock.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/benchmark/made_records.h"
#include "tests/ui/patience.h"
#include "ui/session/kept_runs.h"

namespace workbench {
namespace {

BenchmarkMatrix tinyMatrix(int filter = 1) {
    BenchmarkMatrix matrix;
    matrix.sizes = {{64, 64}};
    matrix.filter_ids = {filter};
    matrix.precisions = {iir2d::Precision::f32};
    matrix.device = "cpu";
    matrix.threads = 1;
    matrix.warmup = 0;
    matrix.iterations = 3;
    return matrix;
}

class RecordDeskTest : public ::testing::Test {
  protected:
    explicit RecordDeskTest(const QString& history = {})
        : desk(history.isEmpty() ? folder.filePath(QStringLiteral("h.sqlite")) : history) {
        QObject::connect(&desk, &RecordDesk::failed,
                         [this](const Error& error) { problem = QString::fromStdString(error.message); });
    }

    void wait() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !desk.isBusy() && !desk.isRunning(); }, patience_ms));
    }
    void measure(int filter = 1) {
        desk.measure(tinyMatrix(filter), {});
        wait();
    }
    void open(const QString& path) {
        desk.open(path);
        wait();
    }
    QString made(const QString& name, int seed = 1) {
        return written(madeRecord({{1, 1.0}, {2, 1.0}}, std::uint64_t(seed)), folder, name);
    }
    static std::string json(int seed = 1) {
        return record_to_json(madeRecord({{1, 1.0}, {2, 1.0}}, std::uint64_t(seed)));
    }
    // A history that cannot be made, so that a run is not kept.
    void breakHistory() {
        desk.history().setFile(folder.filePath(QStringLiteral("no/such/folder/h.sqlite")));
    }
    std::string shownKey() { return desk.results().results().at(0).what.key; }

    QTemporaryDir folder;
    QString problem;
    RecordDesk desk;
};

TEST_F(RecordDeskTest, ShowsARecordThatIsOpened) {
    QSignalSpy found(&desk, &RecordDesk::recordFoundAt);
    const QString path = made(QStringLiteral("monday"));
    open(path);
    ASSERT_TRUE(desk.opened());
    EXPECT_FALSE(desk.run());
    EXPECT_EQ(desk.results().rowCount(), 2);
    EXPECT_EQ(desk.shown().path, path);
    EXPECT_FALSE(desk.hasUnkept());
    EXPECT_TRUE(desk.unwritten().empty());
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0][0].toString(), path);
    open(folder.filePath(QStringLiteral("nowhere")));
    EXPECT_FALSE(problem.isEmpty());
    EXPECT_EQ(desk.shown().path, path) << "what was shown stays";
}

TEST_F(RecordDeskTest, ARunInTheHistoryIsKeptAndOneInAFileIsWritten) {
    QSignalSpy running(&desk, &RecordDesk::runningChanged);
    measure();
    EXPECT_EQ(running.size(), 2);
    ASSERT_TRUE(desk.run());
    EXPECT_FALSE(desk.shown().keptId.isEmpty());
    EXPECT_FALSE(desk.hasUnkept());
    EXPECT_EQ(desk.unwritten().size(), 1U) << "the next window shows it again";
    desk.exportWhole(folder.filePath(QStringLiteral("r")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.exporter().isRunning(); }, patience_ms));
    EXPECT_EQ(desk.shown().path, folder.filePath(QStringLiteral("r")));
    EXPECT_TRUE(desk.unwritten().empty());
}

TEST_F(RecordDeskTest, EveryRunThatNothingKeepsComesBack) {
    breakHistory();
    for (const int filter : {1, 2, 4}) measure(filter);
    EXPECT_TRUE(desk.hasUnkept());
    ASSERT_EQ(desk.aside().size(), 2U);
    EXPECT_EQ(desk.unwritten().size(), 3U);
    const std::string third = shownKey();
    open(made(QStringLiteral("monday")));
    EXPECT_TRUE(desk.hasUnkept()) << "although a record is shown";
    ASSERT_EQ(desk.aside().size(), 3U);
    desk.showAside();
    EXPECT_EQ(shownKey(), third);
    EXPECT_EQ(desk.aside().size(), 2U);
    desk.showAside();
    EXPECT_NE(shownKey(), third);
    EXPECT_EQ(desk.unwritten().size(), 3U) << "none is lost by looking at another";
}

TEST_F(RecordDeskTest, ARunIsWrittenAlsoWhenAnotherIsShownBeforeItIs) {
    breakHistory();
    measure();
    desk.exportWhole(folder.filePath(QStringLiteral("r")));
    open(made(QStringLiteral("monday")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.exporter().isRunning(); }, patience_ms));
    EXPECT_TRUE(desk.aside().empty());
    EXPECT_FALSE(desk.hasUnkept());
}

TEST_F(RecordDeskTest, RestoredResultsAreUnkeptUntilTheHistoryHasThem) {
    QSignalSpy found(&desk, &RecordDesk::recordFoundAt);
    desk.restore({json()});
    EXPECT_TRUE(desk.hasUnkept()) << "at once";
    EXPECT_EQ(desk.unwritten().size(), 1U);
    wait();
    ASSERT_TRUE(desk.opened()) << problem.toStdString();
    EXPECT_TRUE(desk.hasUnkept());
    EXPECT_EQ(desk.unwritten().size(), 1U);
    EXPECT_TRUE(found.isEmpty()) << "the state folder is not a folder of records";
    ASSERT_TRUE(desk.mayAddToHistory());
    desk.addToHistory();
    wait();
    EXPECT_FALSE(desk.hasUnkept()) << problem.toStdString();
    EXPECT_FALSE(desk.mayAddToHistory());
}

TEST_F(RecordDeskTest, RestoredResultsThatTheHistoryHasAreKept) {
    const Record record = madeRecord({{1, 1.0}, {2, 1.0}});
    ASSERT_TRUE(keepRun(desk.history().file(), record).problem.isEmpty());
    desk.restore({record_to_json(record)});
    wait();
    ASSERT_TRUE(desk.opened()) << problem.toStdString();
    EXPECT_FALSE(desk.hasUnkept());
    EXPECT_EQ(desk.unwritten().size(), 1U) << "the next window shows it again";
}

TEST_F(RecordDeskTest, SeveralRestoredResultsAreAllKeptInSight) {
    const std::string older = json(1);
    const std::string newer = json(2);
    desk.restore({older, newer});
    wait();
    ASSERT_TRUE(desk.opened());
    EXPECT_TRUE(*desk.shown().restored == newer);
    EXPECT_EQ(desk.aside().size(), 1U);
    EXPECT_EQ(desk.unwritten().size(), 2U);
    desk.showAside();
    wait();
    EXPECT_TRUE(*desk.shown().restored == older);
    EXPECT_EQ(desk.unwritten().size(), 2U);
}

TEST_F(RecordDeskTest, ResultsAreTakenOverWhileABenchmarkRuns) {
    desk.measure(tinyMatrix(), {});
    ASSERT_TRUE(desk.isRunning());
    const std::string results = json();
    desk.restore({results});
    EXPECT_EQ(desk.unwritten().size(), 1U);
    wait();
    ASSERT_TRUE(desk.run()) << "the run that was under way is shown";
    ASSERT_EQ(desk.aside().size(), 1U);
    EXPECT_EQ(desk.unwritten().size(), 2U);
    desk.showAside();
    wait();
    ASSERT_TRUE(desk.opened());
    EXPECT_TRUE(*desk.shown().restored == results);
}

TEST_F(RecordDeskTest, DamagedRestoredResultsAreRefusedWithAReason) {
    desk.restore({"{\"schema\": 1"});
    wait();
    EXPECT_FALSE(problem.isEmpty());
    EXPECT_FALSE(desk.hasUnkept());
}

TEST_F(RecordDeskTest, RestoredResultsStayAsideWhenReadingThemIsCancelled) {
    const std::string json = record_to_json(madeRecord({{1, 1.0}}));
    desk.restore({json});
    desk.job().cancel();
    wait();
    ASSERT_TRUE(desk.hasUnkept());
    ASSERT_EQ(desk.unwritten().size(), 1U) << "autosave keeps what is listed here";
    if (desk.shown().isEmpty()) desk.showAside();  // Cancelling may have come too late.
    wait();
    EXPECT_FALSE(desk.shown().isEmpty());
}

TEST_F(RecordDeskTest, ACancelledReproductionShowsTheRecordAgain) {
    // Of another size than is measured in no time.
    Record record = madeRecord({{1, 1.0}, {2, 1.0}});
    const QString path = written(record, folder, QStringLiteral("monday"));
    open(path);
    bool wasReproduction = false;
    QObject::connect(&desk, &RecordDesk::runCancelled, [&](bool was) { wasReproduction = was; });
    desk.reproduce({});
    ASSERT_TRUE(desk.isRunning());
    EXPECT_TRUE(desk.reproducing());
    desk.cancelRun();
    wait();
    EXPECT_EQ(desk.shown().path, path);
    EXPECT_FALSE(desk.reproducing());
    EXPECT_EQ(desk.results().rowCount(), 2);
    EXPECT_FALSE(desk.hasUnkept()) << (wasReproduction ? "cancelled" : "failed");
}

TEST_F(RecordDeskTest, ComparesWithARecordAndTheOtherWayRound) {
    QSignalSpy compared(&desk, &RecordDesk::compared);
    open(made(QStringLiteral("now"), 2));
    desk.compareWith(made(QStringLiteral("base"), 1));
    wait();
    ASSERT_EQ(compared.size(), 1) << problem.toStdString();
    EXPECT_EQ(recordName(*compared[0][0].value<ComparedRecordsPtr>()->base).toStdString(), "base");
    desk.swapCompared();
    wait();
    ASSERT_EQ(compared.size(), 2);
    const auto swapped = compared[1][0].value<ComparedRecordsPtr>();
    EXPECT_EQ(recordName(*swapped->base).toStdString(), "now");
    EXPECT_EQ(recordName(*swapped->now).toStdString(), "base");
}

TEST_F(RecordDeskTest, RefusesUnlikeRecordsUnlessAsked) {
    Record other = madeRecord({{1, 1.0}, {2, 1.0}}, 1);
    other.run.threads = 4;
    other.environment.threads = 4;
    open(made(QStringLiteral("now"), 2));
    QSignalSpy compared(&desk, &RecordDesk::compared);
    bool unlike = false;
    QObject::connect(&desk, &RecordDesk::refused,
                     [&](const auto&, const auto&, const Error&, bool was) { unlike = was; });
    desk.compareWith(written(other, folder, QStringLiteral("base")));
    wait();
    EXPECT_TRUE(unlike);
    EXPECT_TRUE(compared.isEmpty());
    desk.compareAlthoughUnlike();
    wait();
    EXPECT_EQ(compared.size(), 1);
}

TEST_F(RecordDeskTest, ANoteIsRetriedInTheHistoryThatItBelongsTo) {
    const Record record = madeRecord({{1, 1.0}, {2, 1.0}});
    const QString away = folder.filePath(QStringLiteral("away/h.sqlite"));
    const QString here = desk.history().file();
    const KeptRun kept = keepRun(here, record);
    ASSERT_TRUE(kept.problem.isEmpty());
    const auto noteIn = [&](const QString& file) {
        const auto entries = History::open_to_read(file.toStdString())->list();
        return entries->at(0).note;
    };
    // Its folder is not there, as on a disk that is not mounted.
    desk.history().writeNote(away, kept.id, QStringLiteral("of another machine"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !problem.isEmpty(); }, patience_ms));
    EXPECT_TRUE(desk.history().hasUnwrittenNotes());
    desk.history().writeNote(here, kept.id, QStringLiteral("of this machine"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return noteIn(here) == "of this machine"; }, patience_ms));
    EXPECT_TRUE(desk.history().hasUnwrittenNotes());
    EXPECT_EQ(desk.history().note(away, kept.id), QStringLiteral("of another machine"));
    // It is there again.
    ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("away")));
    ASSERT_TRUE(keepRun(away, record).problem.isEmpty());
    desk.history().writeNote(here, kept.id, QStringLiteral("of this machine still"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.history().hasUnwrittenNotes(); }, patience_ms));
    EXPECT_EQ(noteIn(away), "of another machine");
    EXPECT_EQ(noteIn(here), "of this machine still");
}

TEST(RecordHistory, WritesTheNewestNoteWhenItGoes) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("h.sqlite"));
    const KeptRun kept = keepRun(file, madeRecord({{1, 1.0}}));
    ASSERT_TRUE(kept.problem.isEmpty());
    {
        Job job(JobPolicy::newest_wins);
        RecordHistory history(file, job);
        for (int i = 1; i <= 5; ++i) history.writeNote(file, kept.id, QStringLiteral("note %1").arg(i));
    }
    EXPECT_EQ(History::open_to_read(file.toStdString())->list()->at(0).note, "note 5");
}

}  // namespace
}  // namespace workbench
