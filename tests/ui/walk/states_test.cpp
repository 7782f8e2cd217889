// SPDX-License-Identifier: MIT
// What the window says of itself follows what happens: states of actions, folders that are proposed, messages
// that move nothing, and their words.
#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <fstream>
#include <iterator>

#include "core/support/settings.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "tests/ui/walk/tiny_matrix.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/save_job.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_recorder.h"
#include "ui/window/record_job.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;

class StatesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        applyTheme(*qApp, Theme::dark);
        window.setInteractive(false);
        window.resize(1280, 800);
        window.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    }
    void open(const std::filesystem::path& path) {
        window.openPath(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        ASSERT_NE(session.image(), nullptr);
        ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    }
    QAction* action(const QString& menu, const QString& part) {
        for (const auto& [group, actions] : window.actionsByMenu()) {
            for (QAction* one : actions) {
                if (group == menu && one->text().remove(QLatin1Char('&')).contains(part)) return one;
            }
        }
        ADD_FAILURE() << "no action " << part.toStdString();
        return nullptr;
    }
    QAction* run() { return action(QStringLiteral("Benchmark"), QStringLiteral("Run benchmark")); }
    QAction* cancel() { return action(QStringLiteral("Benchmark"), QStringLiteral("Cancel benchmark")); }
    BenchmarkPage& page() { return window.benchmarkPage(); }
    void choose(const QString& sizes, int iterations) {
        page().form().setChoices(walk::tinyMatrix(sizes, iterations));
    }
    // A chord of the keyboard at the window, as a person presses it.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, key, modifiers);
    }
    QString said(const char* subject) { return window.imagePage().messages().textOf(QLatin1String(subject)); }

    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
};

TEST_F(StatesTest, CancelWorksByItsKeysAndRunAfterIt) {
    choose(QStringLiteral("1200x1200"), 5000);
    window.setPage(MainWindow::Page::benchmark);
    EXPECT_TRUE(run()->isEnabled());
    EXPECT_FALSE(cancel()->isEnabled());
    press(Qt::Key_R);
    ASSERT_TRUE(page().isRunning());
    EXPECT_FALSE(run()->isEnabled());
    ASSERT_TRUE(cancel()->isEnabled()) << "without opening the menu";
    press(Qt::Key_Period);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page().isRunning(); }, patience_ms));
    EXPECT_FALSE(cancel()->isEnabled());
    ASSERT_TRUE(run()->isEnabled()) << "without opening the menu";
    choose(QStringLiteral("64x64"), 3);
    press(Qt::Key_R);
    ASSERT_TRUE(page().isRunning());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page().isRunning(); }, patience_ms));
    EXPECT_TRUE(run()->isEnabled());
    EXPECT_EQ(page().desk().results().results().size(), 2U);
}

TEST_F(StatesTest, RecordingAndRunningHoldEachOtherBack) {
    open(written(folder, "in.png", gradient(64, 48)));
    window.operationsPanel().addFilter(6);
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    choose(QStringLiteral("64x64"), 3);
    QAction* record = action(QStringLiteral("Benchmark"), QStringLiteral("Record what I see"));
    auto* button = page().findChild<QPushButton*>(QStringLiteral("runButton"));
    EXPECT_TRUE(record->isEnabled());
    EXPECT_TRUE(button->isEnabled());
    RecordJob& job = window.recorder().job();
    QSignalSpy measured(&job, &RecordJob::measured);
    record->trigger();
    ASSERT_TRUE(job.isMeasuring());
    EXPECT_FALSE(record->isEnabled());
    EXPECT_FALSE(run()->isEnabled());
    EXPECT_FALSE(button->isEnabled()) << "two at once would measure each other";
    page().run();
    EXPECT_FALSE(page().isRunning());
    EXPECT_TRUE(page().messages().textOf(QStringLiteral("run")).contains(QStringLiteral("record")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return measured.count() == 1; }, 60000));
    EXPECT_TRUE(record->isEnabled());
    EXPECT_TRUE(run()->isEnabled());
    EXPECT_TRUE(button->isEnabled());
    QSignalSpy done(&job, &RecordJob::written);
    job.writeInto(folder.path());
    EXPECT_TRUE(job.isWriting());
    EXPECT_FALSE(record->isEnabled());
    ASSERT_TRUE(QTest::qWaitFor([&] { return done.count() == 1; }, patience_ms));
    EXPECT_TRUE(record->isEnabled());
}

TEST_F(StatesTest, FullScreenIsTickedHoweverItBegan) {
    QAction* full = action(QStringLiteral("View"), QStringLiteral("Full screen"));
    EXPECT_FALSE(full->isChecked());
    window.showFullScreen();
    EXPECT_TRUE(QTest::qWaitFor([&] { return full->isChecked(); }, patience_ms));
    window.showNormal();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !full->isChecked(); }, patience_ms));
    full->trigger();
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.isFullScreen(); }, patience_ms));
    full->trigger();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !window.isFullScreen(); }, patience_ms));
}

TEST_F(StatesTest, ChartsAreExportedOnlyWhereThereIsOne) {
    choose(QStringLiteral("64x64"), 3);
    window.setPage(MainWindow::Page::benchmark);
    QList<QAction*> exports;
    for (QAction* one : page().findChildren<QAction*>()) {
        if (one->text() == QStringLiteral("Save as PNG…") || one->text() == QStringLiteral("Whole &record…"))
            exports.append(one);
    }
    ASSERT_GE(exports.size(), 7);
    for (QAction* one : exports) EXPECT_FALSE(one->isEnabled()) << one->text().toStdString();
    page().run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page().isRunning(); }, patience_ms));
    for (QAction* one : exports) EXPECT_TRUE(one->isEnabled()) << one->text().toStdString();
}

TEST_F(StatesTest, AFailedSaveDoesNotRememberItsFolder) {
    open(written(folder, "in.png", gradient(64, 48)));
    SaveJob& job = window.imagePage().saveJob();
    session.settings().export_directory = folder.path().toStdString();
    QSignalSpy failed(&job, &SaveJob::failed);
    job.start(folder.filePath(QStringLiteral("no/such/folder/out.png")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
    EXPECT_EQ(session.settings().export_directory, folder.path().toStdString());
    QDir(folder.path()).mkdir(QStringLiteral("good"));
    QSignalSpy saved(&job, &SaveJob::saved);
    job.start(folder.filePath(QStringLiteral("good/out.png")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return saved.count() == 1; }, patience_ms));
    EXPECT_EQ(session.settings().export_directory, folder.filePath(QStringLiteral("good")).toStdString());
    // Nor does an image that does not open.
    const std::string before = session.settings().last_directory;
    window.openPath(folder.filePath(QStringLiteral("elsewhere/absent.png")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.imagePage().messages().has(QStringLiteral("open")); },
                                patience_ms));
    EXPECT_EQ(session.settings().last_directory, before);
}

TEST_F(StatesTest, TwoNotesAreTwoSentences) {
    Image image = gradient(64, 48);
    image.info.colour_space = "sRGB";
    open(written(folder, "in.png", image));
    SaveJob& job = window.imagePage().saveJob();
    QSignalSpy saved(&job, &SaveJob::saved);
    job.start(folder.filePath(QStringLiteral("out.exr")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return saved.count() == 1; }, patience_ms));
    const QString notes = saved[0][1].toString();
    EXPECT_TRUE(notes.contains(QStringLiteral("was written. Readers of OpenEXR expect linear light")))
        << notes.toStdString();
    EXPECT_TRUE(notes.endsWith(QLatin1Char('.')));
    EXPECT_EQ(toSentences({"one thing", "Another!", "", "ends well."}).toStdString(),
              "One thing. Another! Ends well.");
}

TEST_F(StatesTest, CmykIsSaid) {
    open(std::filesystem::path(IIR2D_SOURCE_DIR) / "tests/core/image/files/cmyk.jpg");
    EXPECT_TRUE(said("reading").contains(QStringLiteral("CMYK"))) << said("reading").toStdString();
    EXPECT_TRUE(said("reading").contains(QStringLiteral("converted to RGB")));
    open(written(folder, "in.png", gradient(64, 48)));
    EXPECT_TRUE(said("reading").isEmpty());
}

// A colour profile that crashes the JPEG decoder costs the file, not the window, and the next one opens.
TEST_F(StatesTest, LivesThroughADecodersCrash) {
    open(written(folder, "before.png", gradient(64, 48)));
    std::ifstream good(IIR2D_SOURCE_DIR "/resources/samples/rocket.jpg", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(good), {}};
    ASSERT_GT(bytes.size(), 178U);
    bytes.replace(174, 4, 4, '\xff');
    const QString damaged = folder.filePath(QStringLiteral("damaged.jpg"));
    std::ofstream(damaged.toStdString(), std::ios::binary) << bytes;
    window.openPath(damaged);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !said("open").isEmpty(); }, patience_ms));
    EXPECT_TRUE(said("open").contains(QStringLiteral("damaged.jpg"))) << said("open").toStdString();
    EXPECT_TRUE(said("open").contains(QStringLiteral("JPEG decoder"))) << said("open").toStdString();
    ASSERT_NE(session.image(), nullptr) << "the image before stays";
    EXPECT_EQ(session.image()->info.width, 64);
    open(written(folder, "after.png", gradient(32, 16)));
    EXPECT_EQ(session.image()->info.width, 32);
}

// Where things are on a page, so that a message that comes between two clicks does not move the second.
TEST_F(StatesTest, MessagesMoveNothing) {
    open(written(folder, "in.png", gradient(64, 48)));
    const auto places = [](QWidget& top, const MessageArea& messages) {
        QList<std::pair<const QWidget*, QRect>> all;
        for (const QWidget* one : top.findChildren<QWidget*>()) {
            if (!one->isVisible() || messages.isAncestorOf(one) || one->isAncestorOf(&messages)) continue;
            all.append({one, QRect(one->mapTo(&top, QPoint()), one->size())});
        }
        return all;
    };
    const auto expectStill = [&](QWidget& top, MessageArea& messages) {
        QApplication::processEvents();
        QApplication::processEvents();
        const auto before = places(top, messages);
        ASSERT_GE(before.size(), 5);
        messages.show(QStringLiteral("x"), MessageArea::Severity::error,
                      QStringLiteral("A sentence that is long enough to need its room. ").repeated(4),
                      {{QStringLiteral("Do"), [] {}}});
        QApplication::processEvents();
        QApplication::processEvents();
        EXPECT_TRUE(messages.isVisible());
        EXPECT_GT(messages.height(), 20);
        for (const auto& [widget, place] : before) {
            if (messages.isAncestorOf(widget)) continue;
            EXPECT_EQ(QRect(widget->mapTo(&top, QPoint()), widget->size()), place)
                << widget->metaObject()->className() << " " << widget->objectName().toStdString();
        }
        // All of its text can be read, and its button reached.
        const QRect shown(messages.mapTo(&top, QPoint()), messages.size());
        EXPECT_TRUE(top.rect().contains(shown));
        messages.clear(QStringLiteral("x"));
        QApplication::processEvents();
        EXPECT_FALSE(messages.isVisible());
    };
    expectStill(window.imagePage(), window.imagePage().messages());
    window.setPage(MainWindow::Page::benchmark);
    expectStill(page(), page().messages());
    window.setPage(MainWindow::Page::release);
    expectStill(window.releasePage(), window.releasePage().messages());
}

}  // namespace
}  // namespace workbench
