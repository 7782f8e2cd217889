// SPDX-License-Identifier: MIT
// A duel in the window, without a widget: real processes measure, small cases; and records that are opened.
#include "ui/benchmark/duel_desk.h"

#include <gmock/gmock.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <fstream>

#include <unistd.h>

#include "core/evidence/history.h"
#include "tests/core/duel/duel_testing.h"
#include "tests/ui/benchmark/made_records.h"
#include "tests/ui/patience.h"
#include "ui/benchmark/duel_plan.h"
#include "ui/benchmark/record_desk.h"
#include "ui/support/paths.h"
#include "ui/support/rate_limit.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

const std::string commit(40, 'a');

int workers() {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        int id = 0;
        std::string name, state;
        int parent = 0;
        if (stat >> id >> name >> state >> parent && name == "(iir2d-worker)" && state != "Z" &&
            parent == ::getpid())
            ++found;
    }
    return found;
}

class DuelDeskTest : public ::testing::Test {
  protected:
    DuelDeskTest() {
        QObject::connect(&desk, &RecordDesk::failed,
                         [this](const Error& error) { problem = QString::fromStdString(error.message); });
        QObject::connect(&duel, &DuelDesk::refused,
                         [this](const Error& error) { problem = QString::fromStdString(error.message); });
        QObject::connect(&duel, &DuelDesk::failed, [this](const QString& why) { problem = why; });
        QObject::connect(&duel, &DuelDesk::saveFailed, [this](const QString& why) { problem = why; });
    }
    static DuelRequest request(const char* kind = "plain", std::vector<int> filters = {1, 2}) {
        DuelRequest r{.base = QString::fromUtf8(IIR2D_REAL_LIBRARY), .revision = {}, .source = {}};
        r.now = QString::fromStdString(planted(kind));
        r.settings = quick_settings();
        r.settings.matrix.filter_ids = std::move(filters);
        return r;
    }
    void wait() {
        ASSERT_TRUE(QTest::qWaitFor(
            [this] { return !desk.isRunning() && !desk.isBusy() && !duel.isSaving(); }, patience_ms));
    }
    void breakHistory() {
        desk.history().setFile(folder.filePath(QStringLiteral("no/such/folder/h.sqlite")));
    }
    QString writtenDuel(const QString& name, double ratio = 1.5) {
        const QString path = folder.filePath(name);
        EXPECT_TRUE(write_duel_record(made_record(ratio, commit, commit), toPath(path)));
        return path;
    }
    const DuelRow& row(std::size_t i) { return duel.shown().rows.rows.at(i); }

    QTemporaryDir folder;
    QString problem;
    RecordDesk desk{folder.filePath(QStringLiteral("h.sqlite"))};
    DuelDesk& duel = desk.duel();
};

TEST_F(DuelDeskTest, MeasuresCaseByCaseAndKeepsItInTheHistory) {
    QSignalSpy running(&desk, &RecordDesk::runningChanged);
    QSignalSpy begun(&duel, &DuelDesk::begun);
    QSignalSpy rows(&duel, &DuelDesk::rowChanged);
    DuelRow::State second = DuelRow::State::done;
    QObject::connect(&duel, &DuelDesk::begun, [&] {
        ASSERT_EQ(duel.shown().rows.rows.size(), 2U);
        EXPECT_EQ(row(0).state, DuelRow::State::measuring);
        second = row(1).state;
        EXPECT_EQ(duel.shown().record, nullptr);
        EXPECT_THAT(duel.commandLine().toStdString(), HasSubstr("iir2d duel "));
    });
    desk.startDuel(request());
    EXPECT_TRUE(desk.isRunning());
    EXPECT_FALSE(desk.isBenchmarking());
    wait();
    EXPECT_EQ(begun.size(), 1);
    EXPECT_EQ(second, DuelRow::State::waiting);
    EXPECT_GE(rows.size(), 3) << "each case, and that the next one is measured";
    EXPECT_EQ(running.size(), 2);
    ASSERT_TRUE(duel.shown().record) << problem.toStdString();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(row(i).state, DuelRow::State::done);
        EXPECT_NE(row(i).verdict, DuelVerdict::undecided);
        EXPECT_GT(row(i).pairs, 0U);
        EXPECT_GT(row(i).baseMs.value_or(0), 0);
    }
    EXPECT_FALSE(duel.shown().keptId.isEmpty()) << problem.toStdString();
    EXPECT_FALSE(desk.hasUnkept());
    const auto history = History::open_to_read(toPath(desk.history().file()));
    ASSERT_TRUE(history);
    ASSERT_EQ(history->duels()->size(), 1U);
    EXPECT_EQ(history->duels()->front().record_id, duel.shown().record->record_id);
    EXPECT_EQ(workers(), 0);
}

TEST_F(DuelDeskTest, ABenchmarkAndADuelNeverRunAtOnce) {
    desk.startDuel(request("plain", {1}));
    desk.measure(quick_settings().matrix, {});
    EXPECT_FALSE(desk.isBenchmarking());
    wait();
    BenchmarkMatrix matrix = quick_settings().matrix;
    matrix.iterations = 3;
    desk.measure(matrix, {});
    desk.startDuel(request());
    EXPECT_TRUE(desk.isBenchmarking());
    EXPECT_FALSE(desk.isDuelling());
    wait();
}

TEST_F(DuelDeskTest, RefusesWhatIsNoLibraryAndKeepsWhatIsShown) {
    desk.open(writtenDuel(QStringLiteral("before")));
    wait();
    ASSERT_TRUE(duel.shown().record) << problem.toStdString();
    QSignalSpy begun(&duel, &DuelDesk::begun);
    DuelRequest wrong = request();
    wrong.base = folder.path();
    desk.startDuel(wrong);
    wait();
    EXPECT_TRUE(begun.isEmpty());
    EXPECT_THAT(problem.toStdString(), HasSubstr("the base: "));
    EXPECT_THAT(problem.toStdString(), HasSubstr("has no libiir2d: name the library itself"));
    EXPECT_FALSE(duel.shown().path.isEmpty());
    wrong = request();
    wrong.revision = QStringLiteral("no-such-revision");
    wrong.source = folder.path();
    desk.startDuel(wrong);
    wait();
    EXPECT_THAT(problem.toStdString(), HasSubstr("git knows no such revision"));
}

TEST_F(DuelDeskTest, CancellingKeepsCompleteCasesAndLeavesNoWorker) {
    DuelRequest r = request("plain", {1, 2, 4, 5});
    r.settings.rule.most_pairs = 100'000;
    r.settings.rule.margin = 1e-9;  // hardly a verdict before its budget is used up
    r.settings.budget_seconds = 1;
    QSignalSpy finished(&duel, &DuelDesk::finished);
    desk.startDuel(r);
    ASSERT_TRUE(QTest::qWaitFor([&] { return duel.shown().rows.done() == 1; }, patience_ms))
        << problem.toStdString();
    desk.cancelRun();
    wait();
    EXPECT_EQ(finished.size(), 1);
    ASSERT_TRUE(duel.shown().record);
    EXPECT_TRUE(duel.shown().record->duel.cancelled);
    EXPECT_LT(duel.shown().rows.rows.size(), 4U);
    EXPECT_NE(row(0).verdict, DuelVerdict::undecided);
    EXPECT_EQ(workers(), 0);
}

TEST_F(DuelDeskTest, CancelledBeforeTheFirstCaseTheOneBeforeIsShownAgain) {
    desk.open(writtenDuel(QStringLiteral("before")));
    wait();
    DuelRequest r = request("hang");
    QSignalSpy cancelled(&duel, &DuelDesk::cancelledEmpty);
    desk.startDuel(r);
    ASSERT_TRUE(QTest::qWaitFor([&] { return duel.isMeasuring(); }, patience_ms));
    EXPECT_TRUE(duel.shown().path.isEmpty());
    desk.cancelRun();
    wait();
    EXPECT_EQ(cancelled.size(), 1);
    EXPECT_EQ(duel.shown().path, folder.filePath(QStringLiteral("before")));
    EXPECT_EQ(workers(), 0);
}

TEST_F(DuelDeskTest, EndsWithItsWorkers) {
    {
        RecordDesk other(folder.filePath(QStringLiteral("o.sqlite")));
        other.startDuel(request("hang"));
        ASSERT_TRUE(QTest::qWaitFor([&] { return workers() > 0; }, patience_ms));
    }
    EXPECT_EQ(workers(), 0);
}

TEST_F(DuelDeskTest, SaysFromTheRowWhyACaseFailed) {
    desk.startDuel(request("refuse", {1}));
    wait();
    EXPECT_EQ(row(0).verdict, DuelVerdict::failed);
    EXPECT_THAT(row(0).notes().toStdString(), HasSubstr("not to the library's taste"));
    EXPECT_EQ(row(0).shownLook(), nullptr);
}

TEST_F(DuelDeskTest, OneThatNothingKeepsIsPutAsideAndComesBack) {
    breakHistory();
    desk.startDuel(request("plain", {1}));
    wait();
    EXPECT_TRUE(desk.hasUnkept());
    const DuelRecordPtr own = duel.shown().record;
    desk.open(writtenDuel(QStringLiteral("other")));
    wait();
    EXPECT_TRUE(desk.hasUnkept()) << "although another is shown";
    ASSERT_EQ(duel.aside().size(), 1U);
    duel.showAside();
    EXPECT_EQ(duel.shown().record, own);
    EXPECT_TRUE(duel.aside().empty());
    QSignalSpy saved(&duel, &DuelDesk::saved);
    duel.save(duel.shown().record, folder.filePath(QStringLiteral("s")), {});
    wait();
    ASSERT_EQ(saved.size(), 1) << problem.toStdString();
    EXPECT_TRUE(saved[0][1].toBool()) << saved[0][2].toString().toStdString();
    EXPECT_FALSE(desk.hasUnkept());
}

TEST_F(DuelDeskTest, SavesSignedAndOpensWithItsSigner) {
    const auto key = SigningKey::generate();
    ASSERT_TRUE(key);
    const QString keyFile = folder.filePath(QStringLiteral("key"));
    ASSERT_TRUE(key->save(toPath(keyFile)));
    desk.open(writtenDuel(QStringLiteral("unsigned")));
    wait();
    ASSERT_TRUE(duel.shown().record) << problem.toStdString();
    EXPECT_FALSE(duel.shown().record->signer);
    EXPECT_EQ(row(0).verdict, DuelVerdict::slower);
    duel.save(duel.shown().record, folder.filePath(QStringLiteral("signed")), keyFile);
    wait();
    desk.open(folder.filePath(QStringLiteral("signed")));
    wait();
    ASSERT_TRUE(duel.shown().record && duel.shown().record->signer) << problem.toStdString();
    EXPECT_EQ(*duel.shown().record->signer, key->public_key());
    duel.save(duel.shown().record, folder.filePath(QStringLiteral("signed")), {});
    wait();
    EXPECT_FALSE(problem.isEmpty()) << "an existing directory is not written over";
}

TEST_F(DuelDeskTest, OpensADuelByItsFileAddsItOnceAndRefusesToCompareWithIt) {
    const QString path = writtenDuel(QStringLiteral("monday"));
    QFile::copy(path + QStringLiteral("/duel.json"), folder.filePath(QStringLiteral("renamed.json")));
    desk.open(folder.filePath(QStringLiteral("renamed.json")));
    wait();
    ASSERT_TRUE(duel.shown().record) << problem.toStdString();
    ASSERT_TRUE(duel.mayAddToHistory());
    QSignalSpy added(&duel, &DuelDesk::addedToHistory);
    duel.addToHistory();
    wait();
    ASSERT_EQ(added.size(), 1) << problem.toStdString();
    EXPECT_TRUE(added[0][0].toBool());
    EXPECT_FALSE(duel.mayAddToHistory());
    desk.open(written(madeRecord({{1, 1.0}}), folder, QStringLiteral("record")));
    wait();
    EXPECT_TRUE(desk.opened());
    EXPECT_TRUE(duel.shown().record) << "each has its own view";
    desk.compareWith(path);
    wait();
    EXPECT_THAT(problem.toStdString(), HasSubstr("open it"));
}

TEST_F(DuelDeskTest, DoesNotOpenOneThatWasAltered) {
    const QString path = writtenDuel(QStringLiteral("altered"));
    QFile file(path + QStringLiteral("/duel.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    QByteArray text = file.readAll();
    text.replace("SLOWER", "FASTER");
    file.seek(0);
    file.write(text);
    file.close();
    desk.open(path);
    wait();
    EXPECT_FALSE(duel.shown().record);
    EXPECT_THAT(problem.toStdString(), HasSubstr("is not accepted"));
}

// A duel of a million pairs is not slowed down by its view.
TEST(RateLimit, LetsThroughTenTimesASecondHoweverOftenItIsOffered) {
    RateLimit limit(shownDuelInterval);
    const auto start = RateLimit::Clock::now();
    int shown = 0;
    for (int i = 0; i < 1'000'000; ++i)
        shown += limit.isDue(start + std::chrono::microseconds(2 * i)) ? 1 : 0;
    EXPECT_EQ(shown, 20) << "in two seconds";
}

TEST_F(DuelDeskTest, ShowsRowsAtThatPace) {
    DuelRequest r = request("plain", {1});
    r.settings.rule.most_pairs = 100'000;
    r.settings.rule.margin = 1e-9;
    r.settings.budget_seconds = 2;
    std::vector<RateLimit::Clock::time_point> times;
    QObject::connect(&duel, &DuelDesk::rowChanged, [&] { times.push_back(RateLimit::Clock::now()); });
    desk.startDuel(r);
    wait();
    EXPECT_GT(times.size(), 2U);
    EXPECT_LE(times.size(), 23U) << "in two seconds, and the verdict";
}

TEST(DuelPlan, LeavesOutWhatCannotBeDuelledAndSaysSo) {
    MatrixChoices choices;
    choices.recipe = true;
    choices.device = QStringLiteral("cuda:0");
    auto plan = planDuel(choices, {});
    ASSERT_TRUE(plan) << plan.error().toStdString();
    EXPECT_EQ(plan->cases, 18U);
    EXPECT_EQ(plan->matrix.device, "cpu");
    EXPECT_FALSE(plan->matrix.recipe);
    ASSERT_EQ(plan->leftOut.size(), 2);
    EXPECT_THAT(plan->leftOut.join(QLatin1Char(' ')).toStdString(), HasSubstr("cuda:0"));
    choices.filterIds.clear();
    plan = planDuel(choices, {});
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().toStdString(), HasSubstr("choose a filter"));
    choices = {};
    choices.customSizes = QStringLiteral("12y12");
    EXPECT_FALSE(planDuel(choices, {}));
}

}  // namespace
}  // namespace workbench
