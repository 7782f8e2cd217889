// SPDX-License-Identifier: MIT
// What keys do in the whole window: undo from everywhere, mnemonics that mean one thing, operations by
// keyboard, and numbers in every field.
#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QDateEdit>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTest>
#include <QUndoStack>
#include <map>

#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/duel_dialogs.h"
#include "ui/kernels/kernels_page.h"
#include "ui/operations/operation_list.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/sign_off_dialog.h"
#include "ui/session/session.h"
#include "ui/solve/solve_page.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/number_field.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

using testing::gradient;
using testing::text;
using testing::written;

class KeysTest : public ::testing::Test {
  protected:
    void SetUp() override {
        window.setInteractive(false);
        window.resize(1280, 800);
        window.show();
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    }
    void open() {
        window.openPath(text(written(folder, "in.exr", gradient(64, 48, 0.5F, SampleType::f32))));
        ASSERT_TRUE(QTest::qWaitFor([&] { return session.image() != nullptr; }, patience_ms));
    }
    static void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    template <class Visit>
    void onAllPages(Visit visit) {
        for (const auto page :
             {MainWindow::Page::image, MainWindow::Page::benchmark, MainWindow::Page::release,
              MainWindow::Page::kernels, MainWindow::Page::solve, MainWindow::Page::tuning}) {
            window.setPage(page);
            QTest::qWait(1);
            visit();
        }
    }
    // Shows every tab of the bar, and then the one from before.
    template <class Visit>
    static void onTabsOf(QTabBar& bar, Visit visit) {
        const int before = bar.currentIndex();
        for (int tab = 0; tab < bar.count(); ++tab) {
            if (!bar.isTabEnabled(tab)) continue;
            bar.setCurrentIndex(tab);
            QTest::qWait(1);
            visit();
        }
        bar.setCurrentIndex(before);
    }
    // Shows every tab of every tab bar that is seen, with every tab of the bars that are seen beside it.
    template <class Visit>
    static void onAllTabs(QWidget& page, Visit visit) {
        for (QTabBar* bar : page.findChildren<QTabBar*>()) {
            if (!bar->isVisible()) continue;
            onTabsOf(*bar, [&] {
                visit();
                for (QTabBar* other : page.findChildren<QTabBar*>()) {
                    if (other != bar && other->isVisible()) onTabsOf(*other, visit);
                }
            });
        }
    }
    int operations() { return int(session.recipe().operations.size()); }

    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
};

TEST_F(KeysTest, ATypedNumberIsUndoneAndRedone) {
    window.operationsPanel().addFilter(6);
    NumberBox* sigma = nullptr;
    for (NumberBox* box : window.findChildren<NumberBox*>()) {
        if (box->isVisible() && box->accessibleName() == QLatin1String("Sigma")) sigma = box;
    }
    ASSERT_NE(sigma, nullptr);
    const double before = sigma->value();
    sigma->setFocus();
    sigma->selectAll();
    QTest::keyClicks(sigma, QStringLiteral("7,5"));
    press(Qt::Key_Return);
    EXPECT_EQ(sigma->value(), 7.5);
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(sigma->value(), before);
    press(Qt::Key_Y, Qt::ControlModifier);
    EXPECT_EQ(sigma->value(), 7.5);
    press(Qt::Key_Z, Qt::ControlModifier);
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(operations(), 0) << "the field is gone with its operation";
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    press(Qt::Key_Y, Qt::ControlModifier);
    EXPECT_EQ(operations(), 1);
    EXPECT_EQ(sigma->value(), 7.5);
}

TEST_F(KeysTest, UndoWorksWhereverTheFocusIs) {
    open();
    window.operationsPanel().addPool(iir2d::PoolOp::avg);
    window.operationsPanel().addFilter(6);
    window.showDevices(true);
    window.imagePage().messages().show(QStringLiteral("test"), MessageArea::Severity::info,
                                       QStringLiteral("a text that can be selected"));
    int walked = 0;
    onAllPages([&] {
        for (const bool devices : {false, true}) {
            window.showDevices(devices);
            for (QWidget* widget : window.findChildren<QWidget*>()) {
                if (!widget->isVisible() || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus)
                    continue;
                widget->setFocus();
                if (!widget->hasFocus()) continue;
                ++walked;
                const int index = session.undoStack()->index();
                QTest::keyClick(widget, Qt::Key_Z, Qt::ControlModifier);
                EXPECT_EQ(session.undoStack()->index(), index - 1)
                    << widget->metaObject()->className() << " " << widget->accessibleName().toStdString();
                press(Qt::Key_Y, Qt::ControlModifier);
                EXPECT_EQ(session.undoStack()->index(), index)
                    << widget->metaObject()->className() << " " << widget->accessibleName().toStdString();
                session.undoStack()->setIndex(index);
            }
        }
    });
    EXPECT_GT(walked, 60);
}

TEST_F(KeysTest, TheRecipesNameIsUndoneWithTheRecipe) {
    QLineEdit* name = nullptr;
    for (QLineEdit* edit : window.findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QLatin1String("Recipe name")) name = edit;
    }
    ASSERT_NE(name, nullptr);
    name->setFocus();
    QTest::keyClicks(name, QStringLiteral("soft"));
    EXPECT_EQ(session.recipe().name, "soft");
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(session.recipe().name, "");
    EXPECT_EQ(session.undoStack()->index(), 0);
    press(Qt::Key_Y, Qt::ControlModifier);
    EXPECT_EQ(session.recipe().name, "soft");
}

// Keys that act on the operation that was just added.
TEST_F(KeysTest, WhatIsAddedByKeyboardCanBeDuplicatedAndRemoved) {
    auto* menu = window.findChild<QMenu*>(QStringLiteral("addMenu"));
    ASSERT_NE(menu, nullptr);
    const auto addByKeyboard = [&] {
        for (auto* button : window.findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->accessibleName() == QLatin1String("Add an operation"))
                button->setFocus();
        }
        menu->popup(window.mapToGlobal(QPoint(100, 100)));
        QTest::keyClick(menu, Qt::Key_6);
        // Without a window manager nobody gives the window the focus back from the menu.
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    };
    addByKeyboard();
    ASSERT_EQ(operations(), 1);
    press(Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(operations(), 2);
    press(Qt::Key_Delete);
    EXPECT_EQ(operations(), 1);
    press(Qt::Key_Delete);
    EXPECT_EQ(operations(), 0);
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_TRUE(QApplication::focusWidget()->accessibleName().contains(QStringLiteral("first operation")));
    press(Qt::Key_Z, Qt::ControlModifier);
    press(Qt::Key_Delete);
    EXPECT_EQ(operations(), 0) << "the list has the keys again";
}

QString mnemonicOf(const QString& label) {
    return QKeySequence::mnemonic(label).toString();
}

// Letters that do something with Alt now, and what each would do.
std::map<QString, QStringList> mnemonics(const QWidget& window, const QMenuBar* bar) {
    std::map<QString, QStringList> letters;
    const auto add = [&](const QString& label) {
        if (const QString key = mnemonicOf(label); !key.isEmpty()) letters[key] << label;
    };
    if (bar != nullptr) {
        for (const QAction* action : bar->actions()) add(action->text());
    }
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &window) continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget);
            label != nullptr && label->buddy() != nullptr)
            add(label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) add(button->text());
        if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i));
        }
    }
    return letters;
}

void expectUnique(const std::map<QString, QStringList>& letters, const char* where) {
    for (const auto& [key, labels] : letters) {
        EXPECT_EQ(labels.size(), 1) << key.toStdString() << " " << where << ": "
                                    << labels.join(QStringLiteral(" | ")).toStdString();
    }
}

void expectUniqueIn(const QMenu* menu) {
    std::map<QString, QStringList> letters;
    for (const QAction* action : menu->actions()) {
        if (const QString key = mnemonicOf(action->text()); !key.isEmpty()) letters[key] << action->text();
        if (action->menu() != nullptr) expectUniqueIn(action->menu());
    }
    expectUnique(letters, menu->title().toUtf8().constData());
}

TEST_F(KeysTest, NoMnemonicMeansTwoThings) {
    int seen = 0;
    const auto look = [&](const char* where) {
        QTest::qWait(1);
        const auto letters = mnemonics(window, window.menuBar());
        seen += int(letters.size());
        expectUnique(letters, where);
    };
    look("empty");
    open();
    look("image without operations");
    for (int id = 1; id <= int(iir2d::filter_table().size()); ++id) {
        window.operationsPanel().addFilter(id);
        look("filter");
    }
    for (const auto op :
         {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp, iir2d::PoolOp::adaptive_max}) {
        window.operationsPanel().addPool(op);
        look("pooling");
    }
    for (const bool devices : {false, true}) {
        window.showDevices(devices);
        onAllPages([&] { look(devices ? "with devices" : "page"); });
        window.setPage(MainWindow::Page::benchmark);
        for (auto tab :
             {BenchmarkPage::Tab::results, BenchmarkPage::Tab::comparison, BenchmarkPage::Tab::history}) {
            window.benchmarkPage().setTab(tab);
            look("benchmark tab");
        }
    }
    int kernelTabs = 0;
    window.setPage(MainWindow::Page::kernels);
    onAllTabs(window.kernelsPage(), [&] {
        ++kernelTabs;
        look("kernels tab");
    });
    EXPECT_GT(kernelTabs, 6);
    window.setPage(MainWindow::Page::solve);
    SolveModel& solving = window.solvePage().model();
    solving.setChoices({.problem = SolveProblem::heat, .heatSteps = 3});
    solving.run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !solving.isRunning(); }, patience_ms));
    for (int problem = 0; problem < solveProblemCount; ++problem) {
        solving.setChoices(withProblem({}, static_cast<SolveProblem>(problem)));
        look("problem beside heat over time");
    }
    window.setPage(MainWindow::Page::tuning);
    for (int kind = 0; kind < 4; ++kind) {
        window.tuningPage().model().setWork({.kind = static_cast<TuningWork::Kind>(kind)});
        for (int tab = 0; tab <= int(TuningPage::Tab::use); ++tab) {
            window.tuningPage().setTab(static_cast<TuningPage::Tab>(tab));
            look("tuning tab");
        }
    }
    EXPECT_GT(seen, 100);
    for (const QAction* action : window.menuBar()->actions()) {
        if (action->menu() == nullptr) continue;
        Q_EMIT action->menu()->aboutToShow();  // some are filled by it
        expectUniqueIn(action->menu());
    }
    for (const QMenu* menu : window.findChildren<QMenu*>()) expectUniqueIn(menu);
    const auto lookAt = [](QDialog&& dialog) {
        dialog.show();
        expectUnique(mnemonics(dialog, nullptr), dialog.objectName().toUtf8().constData());
    };
    const auto release = std::make_shared<const ReleaseSnapshot>();
    lookAt(NewReleaseDialog(QString(), &window));
    lookAt(AttachDialog(*release, QString(), QString(), &window));
    lookAt(WaiverDialog(*release, QString(), &window));
    lookAt(SignOffDialog(release, QString(), &window));
    lookAt(DuelDialog(std::unexpected(QStringLiteral("no case")), Settings{}, &window));
    lookAt(SaveDuelDialog(folder.path(), QStringLiteral("duel"), QString(), &window));
}

// A value in force, a text that is none, and what is shown of it.
template <class Box>
void expectTakenOrRefused(Box* box) {
    const std::string name = box->accessibleName().toStdString();
    const auto type = [&](const QString& text) {
        box->setEnabled(true);  // a form may switch it off again for the choices that it has
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    };
    const double before = double(box->value());
    for (const char* wrong : {"abc", "1e99", "--3", "1,2,3"}) {
        type(QString::fromLatin1(wrong));
        EXPECT_EQ(double(box->value()), before) << name << ": " << wrong;
        EXPECT_EQ(box->text(), box->prefix() + QString::fromLatin1(wrong) + box->suffix()) << name;
        EXPECT_FALSE(box->wrong().isEmpty()) << name << ": " << wrong;
        EXPECT_EQ(box->accessibleDescription(), box->wrong()) << name;
        QTest::keyClick(box, Qt::Key_Escape);
        EXPECT_TRUE(box->wrong().isEmpty()) << name;
    }
    // Each end of the range as it is written, and with an exponent.
    for (const double value : {double(box->minimum()), double(box->maximum())}) {
        type(QString::number(value, 'e', 17));
        EXPECT_EQ(double(box->value()), value) << name << ": " << value << " " << box->wrong().toStdString();
    }
}

TEST_F(KeysTest, EveryNumberFieldTakesWhatIsTypedOrRefusesIt) {
    open();
    for (const QLocale& locale :
         {QLocale(QLocale::English, QLocale::UnitedStates), QLocale(QLocale::German)}) {
        Session own;
        QLocale::setDefault(locale);
        MainWindow walked(own);
        walked.setInteractive(false);
        walked.show();
        NewReleaseDialog dialog(QString(), &walked);
        int fields = 0;
        for (auto* spin : walked.findChildren<QAbstractSpinBox*>()) {
            if (qobject_cast<QDateEdit*>(spin) != nullptr) continue;
            ++fields;
            if (auto* number = qobject_cast<NumberBox*>(spin)) {
                expectTakenOrRefused(number);
                if (number->minimum() <= 2.5 && number->maximum() >= 2.5) {
                    for (const char* text : {"2,5", "2.5", "25e-1"}) {
                        number->selectAll();
                        QTest::keyClicks(number, QString::fromLatin1(text));
                        QTest::keyClick(number, Qt::Key_Return);
                        EXPECT_EQ(number->value(), 2.5) << text;
                    }
                }
            } else if (auto* count = qobject_cast<CountBox*>(spin)) {
                expectTakenOrRefused(count);
            } else {
                ADD_FAILURE() << spin->metaObject()->className() << " "
                              << spin->accessibleName().toStdString();
            }
        }
        EXPECT_GT(fields, 30);
    }
    QLocale::setDefault(QLocale::c());
}

}  // namespace
}  // namespace workbench
