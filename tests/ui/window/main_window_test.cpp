// SPDX-License-Identifier: MIT
#include "ui/window/main_window.h"

#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>
#include <set>

#include "tests/ui/own_time.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/duel_desk.h"
#include "ui/benchmark/record_desk.h"
#include "ui/kernels/kernels_page.h"
#include "ui/kernels/own_source.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/solve/solve_page.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/device_panel.h"
#include "ui/window/help_dialogs.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;

class MainWindowTest : public ::testing::Test {
  protected:
    void SetUp() override {
        applyTheme(*qApp, Theme::dark);
        window.setInteractive(false);
        window.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    }
    void open(const std::filesystem::path& path) {
        window.openPath(text(path));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !session.isOpening(); }, patience_ms));
        ASSERT_NE(session.image(), nullptr);
    }
    QAction* action(const QString& part) {
        for (const auto& [group, actions] : window.actionsByMenu()) {
            for (QAction* one : actions) {
                if (one->text().remove(QLatin1Char('&')).contains(part)) return one;
            }
        }
        ADD_FAILURE() << "no action " << part.toStdString();
        return nullptr;
    }

    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
};

bool isInteractive(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractSlider*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
           qobject_cast<const ImageView*>(widget);
}

// Parts that Qt puts inside a widget and that are reached through it.
bool isPartOfAnother(const QWidget* widget) {
    if (widget->objectName().startsWith(QLatin1String("qt_"))) return true;
    for (const QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget()) {
        if (qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
            qobject_cast<const QLineEdit*>(parent))
            return true;
        if (qobject_cast<const QAbstractItemView*>(parent)) return true;
    }
    return qobject_cast<const QScrollBar*>(widget) != nullptr;
}

TEST_F(MainWindowTest, EverythingOneCanTouchHasAName) {
    open(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32)));
    window.imagePage().messages().show(QStringLiteral("test"), MessageArea::Severity::error,
                                       QStringLiteral("a message with a button"),
                                       {{QStringLiteral("Do"), [] {}}});
    int walked = 0;
    const auto walk = [&] {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || !isInteractive(widget) || isPartOfAnother(widget)) continue;
            if (widget->inherits("QLineEditIconButton")) continue;  // Qt's own, inside a named line edit
            ++walked;
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            ASSERT_NE(face, nullptr);
            EXPECT_FALSE(face->text(QAccessible::Name).isEmpty())
                << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
                << widget->parentWidget()->metaObject()->className();
        }
    };
    walk();
    for (int id = 1; id <= int(iir2d::filter_table().size()); ++id) {
        window.operationsPanel().addFilter(id);
        QTest::qWait(1);
        walk();
    }
    for (const auto op : {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp}) {
        window.operationsPanel().addPool(op);
        QTest::qWait(1);
        walk();
    }
    window.showDevices(true);
    QTest::qWait(1);
    walk();
    window.setPage(MainWindow::Page::benchmark);
    QTest::qWait(1);
    walk();
    window.setPage(MainWindow::Page::release);
    QTest::qWait(1);
    walk();
    window.setPage(MainWindow::Page::kernels);
    QTest::qWait(1);
    walk();
    EXPECT_GT(walked, 200);
}

TEST_F(MainWindowTest, HasPagesAndRemembersThePicturesDocks) {
    for (const auto& [name, page] : {std::pair{QStringLiteral("Release"), MainWindow::Page::release},
                                     std::pair{QStringLiteral("Benchmark"), MainWindow::Page::benchmark},
                                     std::pair{QStringLiteral("Kernels"), MainWindow::Page::kernels},
                                     std::pair{QStringLiteral("Release"), MainWindow::Page::release},
                                     std::pair{QStringLiteral("Image"), MainWindow::Page::image}}) {
        QAction* chosen = nullptr;
        for (const auto& [group, actions] : window.actionsByMenu()) {
            for (QAction* one : actions) {
                if (group == QLatin1String("View") && one->text().remove(QLatin1Char('&')) == name)
                    chosen = one;
            }
        }
        ASSERT_NE(chosen, nullptr) << name.toStdString();
        chosen->trigger();
        EXPECT_EQ(window.page(), page);
        EXPECT_TRUE(chosen->isChecked());
        EXPECT_EQ(window.operationsPanel().isVisible(), page == MainWindow::Page::image);
    }
}

TEST_F(MainWindowTest, TheTitleSaysUnsavedWhateverWasPinnedBefore) {
    session.pinConfig(iir2d::Config{.threads = 1});
    EXPECT_FALSE(window.isWindowModified());
    window.operationsPanel().addFilter(6);
    EXPECT_TRUE(window.isWindowModified());
    session.undoStack()->undo();
    EXPECT_FALSE(window.isWindowModified());
}

TEST_F(MainWindowTest, ShortcutsAreUnique) {
    std::set<QString> seen;
    std::set<const QAction*> counted;
    for (const auto& [group, actions] : window.actionsByMenu()) {
        for (const QAction* one : actions) {
            if (!counted.insert(one).second) continue;
            for (const QKeySequence& keys : one->shortcuts()) {
                EXPECT_TRUE(seen.insert(keys.toString()).second)
                    << keys.toString().toStdString() << " of " << one->text().toStdString();
            }
        }
    }
    EXPECT_GT(seen.size(), 20U);
}

TEST_F(MainWindowTest, HelpListsEveryShortcut) {
    action(QStringLiteral("Keyboard shortcuts"))->trigger();
    auto* dialog = window.findChild<ShortcutsDialog*>();
    ASSERT_NE(dialog, nullptr);
    auto* tree = dialog->findChild<QTreeWidget*>();
    ASSERT_NE(tree, nullptr);
    for (const auto& [group, actions] : window.actionsByMenu()) {
        for (const QAction* one : actions) {
            if (one->shortcut().isEmpty()) continue;
            EXPECT_FALSE(
                tree->findItems(one->text().remove(QLatin1Char('&')), Qt::MatchExactly | Qt::MatchRecursive)
                    .isEmpty())
                << one->text().toStdString();
        }
    }
    dialog->close();
}

TEST_F(MainWindowTest, AboutGathersDiagnostics) {
    action(QStringLiteral("About"))->trigger();
    auto* dialog = window.findChild<AboutDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog->isComplete(); }, patience_ms));
    const QString shown = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    for (const char* part : {"Qt: 6", "OpenImageIO: ", "Formats that are read: ", "png", "Package: none 1",
                             "Build: iir2d", "Device: ", "CPU: "}) {
        EXPECT_TRUE(shown.contains(QString::fromLatin1(part))) << part << "\n" << shown.toStdString();
    }
    dialog->close();
}

TEST_F(MainWindowTest, StartsEmptyAndSaysWhatToDo) {
    EXPECT_FALSE(window.imagePage().view().isVisible());
    auto* openButton = window.findChild<QAbstractButton*>(QStringLiteral("openButton"));
    ASSERT_NE(openButton, nullptr);
    EXPECT_TRUE(openButton->isVisible());
    EXPECT_FALSE(action(QStringLiteral("Save result"))->isEnabled());
}

TEST_F(MainWindowTest, OpensWhateverItIsGiven) {
    const QString source = QStringLiteral(IIR2D_SOURCE_DIR);
    window.openAny(source + QStringLiteral("/tests/core/record/golden"));
    EXPECT_EQ(window.page(), MainWindow::Page::benchmark);
    window.openAny(source + QStringLiteral("/resources/presets/half-size.json"));
    EXPECT_EQ(window.page(), MainWindow::Page::image);
    EXPECT_EQ(session.recipe().name, "Half size, without moire");
    window.openAny(source);
    ASSERT_TRUE(window.imagePage().messages().has(QStringLiteral("open")));
}

TEST_F(MainWindowTest, AFileThatCannotBeOpenedIsSaidInPlace) {
    window.openPath(folder.filePath(QStringLiteral("absent.png")));
    MessageArea& messages = window.imagePage().messages();
    ASSERT_TRUE(QTest::qWaitFor([&] { return messages.has(QStringLiteral("open")); }, patience_ms));
    EXPECT_TRUE(messages.isVisible());
    EXPECT_TRUE(messages.textOf(QStringLiteral("open")).contains(QStringLiteral("absent.png")));
    open(written(folder, "in.png", gradient(64, 48)));
    EXPECT_FALSE(messages.has(QStringLiteral("open"))) << "the next one that opens takes it away";
}

TEST_F(MainWindowTest, ADroppedFileOpens) {
    const auto path = written(folder, "in.png", gradient(64, 48));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(text(path))});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    EXPECT_TRUE(window.findChild<DropCue*>()->isVisible());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    EXPECT_FALSE(window.findChild<DropCue*>()->isVisible());
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.image() != nullptr; }, patience_ms));
    EXPECT_EQ(session.image()->pixels.width(), 64);
}

TEST_F(MainWindowTest, ADroppedRecordIsNoRecipe) {
    QMimeData data;
    data.setUrls(
        {QUrl::fromLocalFile(QStringLiteral(IIR2D_SOURCE_DIR "/tests/core/record/golden/record.json"))});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    EXPECT_EQ(window.findChild<DropCue*>()->accessibleName(),
              QStringLiteral("Drop to open the record record.json"));
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    EXPECT_EQ(window.page(), MainWindow::Page::benchmark);
}

TEST_F(MainWindowTest, SomethingElseDroppedIsRefused) {
    QMimeData data;
    data.setText(QStringLiteral("words"));
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QCoreApplication::sendEvent(&window, &enter);
    EXPECT_FALSE(window.findChild<DropCue*>()->isVisible());
}

TEST_F(MainWindowTest, ExposureIsForFloatImages) {
    open(written(folder, "in.png", gradient(64, 48)));
    EXPECT_FALSE(action(QStringLiteral("Brighter"))->isVisible());
    open(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32)));
    EXPECT_TRUE(action(QStringLiteral("Brighter"))->isVisible());
    action(QStringLiteral("Brighter"))->trigger();
    EXPECT_DOUBLE_EQ(window.imagePage().view().displayOptions().exposure_stops, 0.25);
    action(QStringLiteral("Reset exposure"))->trigger();
    EXPECT_DOUBLE_EQ(window.imagePage().view().displayOptions().exposure_stops, 0.0);
    EXPECT_TRUE(window.imagePage().view().displayOptions().linear_source);
}

TEST_F(MainWindowTest, NumbersThatAreNoneAreCounted) {
    Image image = gradient(64, 48, 0.5F, SampleType::f32);
    image.pixels.plane_f32(0)[7] = std::nanf("");
    open(written(folder, "in.exr", image));
    EXPECT_TRUE(
        window.imagePage().messages().textOf(QStringLiteral("content")).contains(QStringLiteral("1 NaN")));
}

TEST_F(MainWindowTest, MarksProxyAndExact) {
    open(written(folder, "in.png", gradient(64, 48)));
    window.operationsPanel().addFilter(6);
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    EXPECT_EQ(window.imagePage().mark().kind, ViewMark::Kind::exact);
    session.changeRecipe(QStringLiteral("change"), {});
    EXPECT_NE(window.imagePage().mark().kind, ViewMark::Kind::exact);
}

TEST_F(MainWindowTest, TheCommandLineNamesTheImageAndAReadableRecipe) {
    EXPECT_TRUE(window.commandLine().isEmpty());
    const auto path = written(folder, "in.png", gradient(64, 48));
    open(path);
    window.operationsPanel().addFilter(6);
    const QString one = window.commandLine();
    EXPECT_TRUE(one.startsWith(QStringLiteral("iir2d filter"))) << one.toStdString();
    EXPECT_TRUE(one.contains(text(path)));
    window.operationsPanel().addPool(iir2d::PoolOp::max);
    const QString two = window.commandLine();
    EXPECT_TRUE(two.startsWith(QStringLiteral("iir2d run "))) << two.toStdString();
    const QString recipeFile = QProcess::splitCommand(two).value(2);
    const auto recipe = load_recipe(recipeFile.toStdString());
    ASSERT_TRUE(recipe) << recipe.error().message;
    EXPECT_EQ(*recipe, session.recipe());
}

TEST_F(MainWindowTest, CopiesTheImage) {
    open(written(folder, "in.png", gradient(64, 48)));
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    QApplication::clipboard()->clear();
    action(QStringLiteral("Copy image"))->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !QApplication::clipboard()->image().isNull(); }, patience_ms));
    const QImage copy = QApplication::clipboard()->image();
    EXPECT_EQ(copy.size(), QSize(64, 48));
    EXPECT_NEAR(qBlue(copy.pixel(10, 10)), 128, 1);
}

TEST_F(MainWindowTest, PagesSwitchByKeyboard) {
    action(QStringLiteral("Benchmark"))->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::benchmark);
    EXPECT_FALSE(window.operationsPanel().isVisible());
    action(QStringLiteral("Image"))->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::image);
    EXPECT_TRUE(window.operationsPanel().isVisible());
}

TEST_F(MainWindowTest, TheSolversKernelsOpenOnTheirPage) {
    window.setPage(MainWindow::Page::solve);
    Q_EMIT window.solvePage().kernelAsked(QStringLiteral("solve/poisson1d_jacobi"));
    EXPECT_EQ(window.page(), MainWindow::Page::kernels);
    EXPECT_TRUE(window.kernelsPage().own().text().contains(QLatin1String("poisson1d_jacobi")));
}

TEST_F(MainWindowTest, UndoAndRedoSayWhat) {
    window.operationsPanel().addFilter(6);
    QAction* undo = action(QStringLiteral("Undo"));
    EXPECT_TRUE(undo->isEnabled());
    EXPECT_GT(undo->text().size(), 5);
    undo->trigger();
    EXPECT_TRUE(session.recipe().operations.empty());
    EXPECT_FALSE(undo->isEnabled());
    action(QStringLiteral("Redo"))->trigger();
    EXPECT_EQ(session.recipe().operations.size(), 1U);
}

TEST_F(MainWindowTest, DevicesAreListedAndCopyable) {
    DevicePanel& panel = window.devicePanel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.session().isListingDevices(); }, patience_ms));
    EXPECT_TRUE(panel.text().contains(QStringLiteral("cpu: ")));
    EXPECT_TRUE(panel.text().contains(QStringLiteral("usable")));
    auto* badge = window.findChild<QToolButton*>(QStringLiteral("deviceBadge"));
    ASSERT_NE(badge, nullptr);
    EXPECT_TRUE(badge->toolTip().contains(toSentence(session.device().reason)));
    badge->click();
    EXPECT_TRUE(panel.isVisible());
    badge->click();
    EXPECT_FALSE(panel.isVisible());
}

TEST_F(MainWindowTest, SmallWindowsKeepAPicture) {
    window.resize(800, 600);
    open(written(folder, "in.png", gradient(640, 480)));
    window.operationsPanel().addFilter(4);
    QTest::qWait(20);
    EXPECT_LE(window.width(), 800);
    EXPECT_GE(window.imagePage().view().width(), 300);
    EXPECT_GE(window.imagePage().view().height(), 250);
}

// Turns with a timer while sliders are dragged over an image that takes long: what the thread computes
// between two turns is how long the window is stuck on a free machine.
TEST_F(MainWindowTest, TheEventLoopTurnsWhileALargeImageIsFiltered) {
    open(written(folder, "large.tif", gradient(3000, 2000)));
    window.operationsPanel().addFilter(6);
    window.imagePage().view().setSplit(true);
    double before = ownMilliseconds();
    double longest = 0;
    int turns = 0;
    QTimer timer;
    timer.setInterval(1);
    QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
        const double now = ownMilliseconds();
        longest = std::max(longest, now - before);
        before = now;
        ++turns;
        Recipe recipe = session.recipe();
        std::get<FilterOperation>(recipe.operations.at(0).what).parameters["sigma"] = 1.0 + turns % 40;
        session.changeRecipe(QStringLiteral("sigma"), recipe, 5);
    });
    timer.start();
    EXPECT_TRUE(QTest::qWaitFor([&] { return turns > 30; }, patience_ms));
    timer.stop();
    session.endMerge();
    EXPECT_LT(longest, 400) << "ms; 50 is the aim";
    EXPECT_TRUE(QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms));
    RecordProperty("longest_gap_ms", int(longest));
}

TEST_F(MainWindowTest, ClosesInTheMiddleOfWork) {
    const auto path = written(folder, "large.tif", gradient(2000, 2000));
    open(path);
    window.operationsPanel().addFilter(6);
    window.openPath(text(path));
    EXPECT_TRUE(window.close());
    EXPECT_FALSE(session.isOpening());
}

// Presses the button of that text in the next question.
void answer(const char* button, QString& asked) {
    QTimer::singleShot(0, [button, &asked] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr) << "no question";
        asked = box->text();
        for (QAbstractButton* b : box->buttons()) {
            if (b->text().remove(QLatin1Char('&')) == QLatin1String(button)) return b->click();
        }
        ADD_FAILURE() << "no button " << button;
        box->reject();
    });
}

TEST_F(MainWindowTest, ClosingAsksWhileADuelIsMeasured) {
    RecordDesk& desk = window.benchmarkPage().desk();
    desk.history().setFile(folder.filePath(QStringLiteral("h.sqlite")));
    DuelRequest request{.base = QStringLiteral(".")};
    request.settings.matrix.sizes = {{512, 512}};
    request.settings.matrix.filter_ids = {1};
    request.settings.matrix.precisions = {iir2d::Precision::f32};
    request.settings.matrix.threads = 1;
    request.settings.rule.margin = 0.001;  // no verdict comes before the questions
    request.settings.budget_seconds = 600;
    desk.startDuel(request);
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.duel().isMeasuring(); }, patience_ms));
    window.setInteractive(true);
    QString asked;
    answer("Keep the window open", asked);
    EXPECT_FALSE(window.close());
    EXPECT_EQ(asked, QStringLiteral("A duel is still running."));
    EXPECT_TRUE(desk.duel().isMeasuring());
    answer("Cancel it and close", asked);
    EXPECT_TRUE(window.close());
    EXPECT_TRUE(QTest::qWaitFor([&] { return !desk.isRunning(); }, patience_ms));
}

TEST_F(MainWindowTest, ThemesChangeWhileItRuns) {
    open(written(folder, "in.png", gradient(64, 48)));
    const QImage dark = window.grab().toImage();
    applyTheme(*qApp, Theme::light);
    QTest::qWait(20);
    const QImage light = window.grab().toImage();
    EXPECT_GT(qGray(light.pixel(5, 5)), qGray(dark.pixel(5, 5)) + 100);
    EXPECT_GT(qGray(light.pixel(20, light.height() - 5)), 180) << "the line at the bottom";
}

}  // namespace
}  // namespace workbench
