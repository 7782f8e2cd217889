// SPDX-License-Identifier: MIT
// What a window keeps for the next start, and how it comes back. tests/app kills the whole program.
#include "ui/window/autosave.h"

#include <gmock/gmock.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include "core/support/files.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"
#include "ui/window/restore_offer.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;
namespace fs = std::filesystem;

class AutosaveTest : public ::testing::Test {
  protected:
    // A window as the program has it.
    struct Window {
        explicit Window(const fs::path& folder) : autosave(window, *StateFile::create(folder)) {
            window.show();
        }
        void open(const fs::path& path) {
            window.openPath(text(path));
            ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        }
        Session session;
        MainWindow window{session};
        Autosave autosave;
    };
    int stateFiles() {
        int count = 0;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(state, error)) {
            if (entry.path().filename().string().ends_with(".session.json")) ++count;
        }
        return count;
    }

    static RecordDesk& deskOf(Window& window) { return window.window.benchmarkPage().desk(); }
    static void startRun(Window& window) {
        BenchmarkPage& page = window.window.benchmarkPage();
        MatrixChoices few;
        few.sizes = {{64, 64}};
        few.filterIds = {1};
        few.precisions = {iir2d::Precision::f32};
        few.warmup = 0;
        few.iterations = 2;
        page.form().setChoices(few);
        page.run();
    }
    static void waitForRun(Window& window) {
        ASSERT_TRUE(QTest::qWaitFor([&] { return !window.window.benchmarkPage().isRunning(); }, 60000));
    }

    QTemporaryDir folder;
    fs::path state = fs::path(folder.path().toStdU16String()) / "state";
};

TEST_F(AutosaveTest, AnEmptyWindowKeepsNothing) {
    Window window(state);
    QTest::qWait(2 * Autosave::delay_ms);
    window.autosave.saveNow();
    EXPECT_EQ(stateFiles(), 0);
}

TEST_F(AutosaveTest, EachEditIsWrittenWithoutAWord) {
    Window window(state);
    for (int i = 0; i < 3; ++i) {
        window.window.operationsPanel().addFilter(6);
        const Recipe now = window.session.recipe();
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                for (const auto& entry : fs::directory_iterator(state)) {
                    if (!entry.path().filename().string().ends_with(".session.json")) continue;
                    const auto saved = savedStateFrom(*read_file(entry.path()));
                    return saved && saved->history.recipes[std::size_t(saved->history.position)] == now;
                }
                return false;
            },
            patience_ms));
    }
    window.session.undoStack()->setIndex(0);
    window.autosave.saveNow();
    EXPECT_EQ(stateFiles(), 1) << "there is something to redo";
}

TEST_F(AutosaveTest, ChangesWithoutAPauseAreWrittenToo) {
    Window window(state);
    QSignalSpy saved(&window.autosave, &Autosave::written);
    // A drag: no two changes are further apart than the delay.
    for (int i = 1; i < 2000 && saved.isEmpty(); ++i) {
        Recipe next;
        next.operations = {
            {.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", i * 0.01 + 1}}}}};
        window.session.changeRecipe(QStringLiteral("drag"), next, 1);
        QTest::qWait(10);
    }
    EXPECT_FALSE(saved.isEmpty());
}

TEST_F(AutosaveTest, ClosingTheWindowEndsIt) {
    Window window(state);
    window.window.setInteractive(false);
    window.window.operationsPanel().addFilter(6);
    window.autosave.saveNow();
    ASSERT_EQ(stateFiles(), 1);
    window.window.close();
    EXPECT_EQ(stateFiles(), 0);
    window.window.operationsPanel().addFilter(6);
    QTest::qWait(2 * Autosave::delay_ms);
    EXPECT_EQ(stateFiles(), 0);
}

TEST_F(AutosaveTest, AnEndingSessionSavesAndClosesWithoutAQuestion) {
    {
        Window window(state);
        window.window.operationsPanel().addFilter(6);  // not saved: closing would ask
        window.window.setPage(MainWindow::Page::release);
        window.autosave.endSession();
        EXPECT_TRUE(window.window.close());
    }
    const auto ended = claimEndedSessions(state);
    ASSERT_EQ(ended.size(), 1U);
    Window window(state);
    window.autosave.restore(ended[0]);
    EXPECT_EQ(window.window.page(), MainWindow::Page::release);
}

TEST_F(AutosaveTest, EverythingComesBack) {
    const auto path = written(folder, "in.exr", gradient(640, 480, 0.5F, SampleType::f32));
    RecipeHistory history;
    {
        Window window(state);
        window.open(path);
        window.window.operationsPanel().addFilter(6);
        window.window.operationsPanel().addFilter(1);
        window.window.operationsPanel().addPool(iir2d::PoolOp::max);
        window.window.operationsPanel().selectRow(1);
        window.session.undoStack()->undo();
        window.session.setThreads(1);
        window.window.imagePage().viewBar().setExposure(-1.25);
        window.window.imagePage().view().setSplitPosition(0.3);
        window.window.imagePage().view().setSplit(true);
        window.window.imagePage().view().showAt(4.0, {200, 150});
        history = window.session.history();
        window.autosave.endSession();
        window.window.close();
    }
    auto ended = claimEndedSessions(state);
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_TRUE(RestoreOffer::describe(ended[0].state).contains(QStringLiteral("in.exr, 2 operations")))
        << RestoreOffer::describe(ended[0].state).toStdString();

    Window window(state);
    window.session.setThreads(0);
    window.autosave.restore(ended[0]);
    ended.clear();
    EXPECT_EQ(stateFiles(), 1) << "it is this window's now";
    EXPECT_EQ(window.session.history(), history);
    EXPECT_EQ(window.window.operationsPanel().selectedRow(), 1);
    EXPECT_TRUE(window.session.isRecipeModified());
    EXPECT_EQ(window.session.threads(), 1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.session.image() != nullptr; }, patience_ms));
    EXPECT_EQ(window.session.image()->info.path, path);
    const ImageView& view = window.window.imagePage().view();
    EXPECT_DOUBLE_EQ(view.displayOptions().exposure_stops, -1.25);
    EXPECT_TRUE(view.hasSplit());
    EXPECT_DOUBLE_EQ(view.splitPosition(), 0.3);
    EXPECT_DOUBLE_EQ(view.transform().zoom(), 4.0);
    const QSize size = view.transform().viewSize();
    const QPointF middle = view.transform().toImage(QPointF(size.width(), size.height()) / 2);
    // Whole device pixels, four to a pixel of the image.
    EXPECT_NEAR(middle.x(), 200, 0.25) << "the view had no size yet when it was shown";
    EXPECT_NEAR(middle.y(), 150, 0.25);
    window.session.undoStack()->redo();
    EXPECT_EQ(window.session.recipe().operations.size(), 3U);
}

TEST_F(AutosaveTest, ThePageOfAnImageThatIsBeingOpenedIsKept) {
    Window window(state);
    window.session.openImage(QStringLiteral("/pictures/pages.tif"), 2);
    const SavedState saved = window.autosave.state();
    EXPECT_EQ(saved.image, QStringLiteral("/pictures/pages.tif"));
    EXPECT_EQ(saved.imageIndex, 2);
}

TEST_F(AutosaveTest, AnImageThatIsGoneLeavesTheRest) {
    const auto path = written(folder, "in.png", gradient(64, 48));
    {
        Window window(state);
        window.open(path);
        window.window.operationsPanel().addFilter(6);
        window.autosave.endSession();
        window.window.close();
    }
    fs::remove(path);
    Window window(state);
    QSignalSpy failed(&window.session, &Session::openFailed);
    window.autosave.restore(claimEndedSessions(state)[0]);
    ASSERT_TRUE(failed.wait(patience_ms));
    EXPECT_EQ(window.session.recipe().operations.size(), 1U);
}

TEST_F(AutosaveTest, WorkOfThisWindowIsOneUndoAway) {
    {
        Window window(state);
        window.window.operationsPanel().addFilter(6);
        window.autosave.endSession();
        window.window.close();
    }
    Window window(state);
    window.window.operationsPanel().addFilter(1);
    const Recipe own = window.session.recipe();
    window.autosave.restore(claimEndedSessions(state)[0]);
    EXPECT_NE(window.session.recipe(), own);
    window.session.undoStack()->undo();
    EXPECT_EQ(window.session.recipe(), own);
}

TEST_F(AutosaveTest, OffersSeveralSessionsByKeyboard) {
    for (int count = 1; count <= 3; ++count) {
        const auto file = StateFile::create(state);
        SavedState saved;
        saved.savedUtc = QStringLiteral("2026-01-0%1T00:00:00.000Z").arg(count);
        saved.image = QStringLiteral("/pictures/%1.png").arg(count);
        ASSERT_TRUE(file->write(saved));
    }
    QWidget host;
    RestoreOffer offer(claimEndedSessions(state), &host);
    QStringList restored;
    QObject::connect(&offer, &RestoreOffer::restoreRequested,
                     [&](const EndedSession& session) { restored << session.state.image; });
    QSignalSpy answered(&offer, &RestoreOffer::answered);
    host.resize(800, 60);
    offer.resize(800, 60);
    host.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&host));
    offer.setFocus();
    auto* choice = offer.findChild<QComboBox*>();
    EXPECT_EQ(choice->count(), 3);
    EXPECT_TRUE(choice->itemText(0).contains(QStringLiteral("3.png"))) << "the newest first";
    EXPECT_EQ(QApplication::focusWidget(), offer.findChild<QPushButton*>(QStringLiteral("restoreButton")));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(restored, QStringList{QStringLiteral("/pictures/3.png")});
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down);
    QTest::keyClick(choice, Qt::Key_Tab);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    EXPECT_EQ(QApplication::focusWidget(), offer.findChild<QPushButton*>(QStringLiteral("discardButton")));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(stateFiles(), 2) << "1.png is discarded; 3.png is its restorer's to remove";
    EXPECT_FALSE(choice->isVisible()) << "one is left";
    EXPECT_TRUE(answered.isEmpty());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(answered.size(), 1);
    EXPECT_EQ(restored.size(), 1);
}

TEST_F(AutosaveTest, ResultsThatNoFileHasComeBack) {
    {
        Window window(state);
        startRun(window);
        waitForRun(window);
        ASSERT_NE(deskOf(window).run(), nullptr);
        window.autosave.endSession();
        window.window.close();
    }
    Window window(state);
    const std::string folderOfRecords = window.session.settings().record_directory;
    auto ended = claimEndedSessions(state);
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_TRUE(RestoreOffer::describe(ended[0].state).contains(QStringLiteral("benchmark results")));
    window.autosave.restore(ended[0]);
    ended.clear();
    ASSERT_TRUE(QTest::qWaitFor([&] { return deskOf(window).opened() != nullptr; }, patience_ms));
    EXPECT_EQ(deskOf(window).results().rowCount(), 1);
    window.autosave.saveNow();
    EXPECT_EQ(window.autosave.state().results.size(), 1U) << "and would come back again";
    EXPECT_EQ(window.session.settings().record_directory, folderOfRecords)
        << "the state folder is not a folder of records";
    EXPECT_TRUE(claimEndedSessions(state).empty()) << "they are this window's now";
}

TEST_F(AutosaveTest, ResultsAreTakenOverWhileABenchmarkRuns) {
    {
        Window window(state);
        startRun(window);
        waitForRun(window);
        window.autosave.endSession();
        window.window.close();
    }
    {
        Window window(state);
        startRun(window);
        ASSERT_TRUE(window.window.benchmarkPage().isRunning());
        QSignalSpy failed(&window.autosave, &Autosave::failed);
        window.autosave.restore(claimEndedSessions(state)[0]);
        EXPECT_TRUE(failed.isEmpty());
        EXPECT_TRUE(claimEndedSessions(state).empty());
        waitForRun(window);
        EXPECT_EQ(window.autosave.state().results.size(), 2U) << "what was restored, and the run";
        const QString said = window.window.benchmarkPage().messages().textOf(QStringLiteral("aside"));
        EXPECT_TRUE(said.contains(QStringLiteral("results of an ended session"))) << said.toStdString();
        window.autosave.endSession();
        window.window.close();
    }
    Window window(state);
    window.autosave.restore(claimEndedSessions(state)[0]);
    ASSERT_TRUE(QTest::qWaitFor([&] { return deskOf(window).opened() != nullptr; }, patience_ms));
    EXPECT_EQ(deskOf(window).aside().size(), 1U) << "the older of the two waits";
    EXPECT_EQ(window.autosave.state().results.size(), 2U);
}

}  // namespace
}  // namespace workbench
