// SPDX-License-Identifier: MIT
// No run is lost: what ended is in the history, whatever comes after it.
#include "ui/session/kept_runs.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/evidence/history.h"
#include "tests/ui/benchmark/made_records.h"
#include "tests/ui/patience.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/history_table.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using ::testing::SizeIs;

class KeptRunsTest : public ::testing::Test {
  protected:
    KeptRunsTest() {
        applyTheme(*qApp, Theme::light);
        show();
    }
    void show() {
        page = std::make_unique<BenchmarkPage>(session);
        page->resize(1280, 760);
        page->setHistoryFile(file);
        page->show();
        MatrixChoices c;
        c.sizes = {};
        c.customSizes = QStringLiteral("64x64");
        c.filterIds = {1, 4};
        c.precisions = {iir2d::Precision::f32};
        c.device = QStringLiteral("cpu");
        c.threads = 1;
        c.warmup = 0;
        c.iterations = 3;
        page->form().setChoices(c);
        wait();
    }
    void wait() {
        EXPECT_TRUE(
            QTest::qWaitFor([this] { return !page->desk().isBusy() && !page->isRunning(); }, patience_ms));
        QApplication::processEvents();
    }
    void run() {
        page->run();
        EXPECT_TRUE(page->isRunning());
        wait();
    }
    std::vector<HistoryEntry> kept() const {
        const auto history = History::open_to_read(file.toStdString());
        if (!history) return {};
        const auto entries = history->list();
        return entries ? *entries : std::vector<HistoryEntry>{};
    }
    QLineEdit& note() { return *page->findChild<QLineEdit*>(QStringLiteral("resultNote")); }
    QString said(const char* subject) { return page->messages().textOf(QLatin1String(subject)); }
    void click(const char* name) {
        auto* button = page->findChild<QPushButton*>(QLatin1String(name));
        ASSERT_NE(button, nullptr) << name;
        ASSERT_TRUE(button->isEnabled()) << name;
        QTest::mouseClick(button, Qt::LeftButton);
        wait();
    }

    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("h.sqlite"));
    Session session;
    std::unique_ptr<BenchmarkPage> page;
};

TEST_F(KeptRunsTest, EveryRunThatEndsIsInTheHistory) {
    run();
    EXPECT_THAT(kept(), SizeIs(1));
    EXPECT_FALSE(page->desk().hasUnkept());
    EXPECT_TRUE(note().isVisible());
    const double first = page->desk().results().results()[0].latency.p50;
    run();
    const auto entries = kept();
    ASSERT_THAT(entries, SizeIs(2));
    EXPECT_EQ(entries[0].cases, 2);
    // The first one again, by its row: the newest is on top.
    page->setTab(BenchmarkPage::Tab::history);
    wait();
    HistoryTable& table = page->historyView().table();
    ASSERT_EQ(table.rowCount(), 2);
    table.setCurrentCell(1, 0);
    click("openKept");
    EXPECT_EQ(page->tab(), BenchmarkPage::Tab::results);
    ASSERT_TRUE(page->desk().opened());
    EXPECT_EQ(page->desk().opened()->record_id, entries[0].record_id);
    EXPECT_DOUBLE_EQ(page->desk().results().results()[0].latency.p50, first);
    EXPECT_TRUE(said("record").isEmpty()) << "nothing was lost, so nothing is offered back";
}

TEST_F(KeptRunsTest, ClosingWhileItRunsKeepsTheCasesThatAreComplete) {
    MatrixChoices c = page->form().choices();
    c.customSizes = QStringLiteral("32x32, 1200x1200");
    c.filterIds = {1, 2, 3, 4, 5, 6, 7, 8};
    c.iterations = 60;
    page->form().setChoices(c);
    QSignalSpy inserted(&page->desk().results(), &QAbstractItemModel::rowsInserted);
    page->run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !inserted.isEmpty(); }, patience_ms));
    page.reset();
    const auto entries = kept();
    ASSERT_THAT(entries, SizeIs(1));
    EXPECT_GE(entries[0].cases, 1);
    EXPECT_LT(entries[0].cases, 16);
}

TEST_F(KeptRunsTest, ANoteStaysWithItsRun) {
    run();
    note().setText(QStringLiteral("before the change"));
    QTest::keyClick(&note(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return kept()[0].note == "before the change"; }, patience_ms));
    run();
    EXPECT_TRUE(note().text().isEmpty()) << "another run, another note";
    // Typed, and the window is closed before anything else happens.
    note().setText(QStringLiteral("after it"));
    page.reset();
    ASSERT_THAT(kept(), SizeIs(2));
    EXPECT_EQ(kept()[0].note, "before the change");
    EXPECT_EQ(kept()[1].note, "after it");
    // Written in the list too.
    show();
    page->setTab(BenchmarkPage::Tab::history);
    wait();
    HistoryTable& table = page->historyView().table();
    EXPECT_EQ(table.item(0, HistoryTable::note)->text().toStdString(), "after it");
    table.item(1, HistoryTable::note)->setText(QStringLiteral("the first"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return kept()[0].note == "the first"; }, patience_ms));
    table.setCurrentCell(1, 0);
    click("openKept");
    EXPECT_EQ(note().text().toStdString(), "the first");
}

TEST_F(KeptRunsTest, ComparingWithThePreviousIsOneClick) {
    QAction* previous = page->recordActions()[2];
    EXPECT_FALSE(previous->isEnabled()) << "nothing is shown";
    run();
    EXPECT_TRUE(previous->isEnabled());
    previous->trigger();
    wait();
    EXPECT_TRUE(said("record").contains(QStringLiteral("no earlier record"))) << said("record").toStdString();
    run();
    previous->trigger();
    wait();
    EXPECT_EQ(page->tab(), BenchmarkPage::Tab::comparison);
    ASSERT_TRUE(page->compareView().compared()) << said("record").toStdString();
    const RecordComparison& c = page->compareView().compared()->comparison;
    EXPECT_EQ(c.base->record_id, kept()[0].record_id);
    EXPECT_EQ(c.now->record_id, kept()[1].record_id);
    EXPECT_EQ(c.cases.size(), 2U);
}

TEST_F(KeptRunsTest, ComparesWithTheRowThatIsChosen) {
    for (int i = 0; i < 3; ++i) run();
    page->setTab(BenchmarkPage::Tab::history);
    wait();
    page->historyView().table().setCurrentCell(2, 0);
    click("compareKept");
    ASSERT_TRUE(page->compareView().compared()) << said("record").toStdString();
    EXPECT_EQ(page->compareView().compared()->comparison.base->record_id, kept()[0].record_id);
}

TEST_F(KeptRunsTest, ARecordOfTheHistoryIsReproduced) {
    run();
    page->setTab(BenchmarkPage::Tab::history);
    wait();
    click("openKept");
    page->reproduce();
    EXPECT_TRUE(page->isRunning());
    wait();
    EXPECT_EQ(page->tab(), BenchmarkPage::Tab::comparison);
    ASSERT_TRUE(page->compareView().compared()) << said("run").toStdString();
    EXPECT_EQ(page->compareView().compared()->comparison.base->record_id, kept()[0].record_id);
    EXPECT_THAT(kept(), SizeIs(2)) << "what was measured again is kept too";
}

TEST_F(KeptRunsTest, WhatCannotBeKeptIsSaidAndOfferedBack) {
    page->setHistoryFile(folder.filePath(QStringLiteral("no/such/folder/h.sqlite")));
    wait();
    run();
    EXPECT_TRUE(page->desk().hasUnkept());
    EXPECT_TRUE(said("kept").contains(QStringLiteral("not in the history"))) << said("kept").toStdString();
    EXPECT_FALSE(note().isVisible()) << "there is no place for a note";
    const double first = page->desk().results().results()[0].latency.p50;
    run();
    EXPECT_TRUE(said("aside").contains(QStringLiteral("neither exported nor kept")))
        << said("aside").toStdString();
    QPushButton* again = nullptr;
    for (auto* button : page->messages().findChildren<QPushButton*>()) {
        if (button->text() == QLatin1String("Show it again")) again = button;
    }
    ASSERT_NE(again, nullptr);
    QTest::mouseClick(again, Qt::LeftButton);
    EXPECT_DOUBLE_EQ(page->desk().results().results()[0].latency.p50, first);
    // Exported, it is kept; the one in whose place it is shown is not.
    const auto exportTo = [&](const QString& name) {
        page->exports().exportTo(ExportKind::record, folder.filePath(name));
        EXPECT_TRUE(QTest::qWaitFor([&] { return !page->desk().exporter().isRunning(); }, patience_ms));
    };
    exportTo(QStringLiteral("first"));
    EXPECT_FALSE(page->desk().shown().isUnkept());
    EXPECT_TRUE(page->desk().hasUnkept());
    page->desk().showAside();
    EXPECT_NE(page->desk().results().results()[0].latency.p50, first);
    exportTo(QStringLiteral("second"));
    EXPECT_FALSE(page->desk().hasUnkept());
}

TEST_F(KeptRunsTest, ARecordThatWasAlteredInTheHistoryIsRefused) {
    const KeptRun run = keepRun(file, madeRecord({{1, 1.0}}));
    ASSERT_TRUE(run.problem.isEmpty()) << run.problem.toStdString();
    ASSERT_TRUE(openKept(file, run.id));
    EXPECT_EQ(openKept(file, QStringLiteral("0000000000000000")).error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(openKept(folder.filePath(QStringLiteral("none")), run.id).error().kind, ErrorKind::bad_input);
    EXPECT_FALSE(writeNotes(file, {{QStringLiteral("0000"), QStringLiteral("x")}}));
    EXPECT_TRUE(writeNotes(file, {}));
}

}  // namespace
}  // namespace workbench
