// SPDX-License-Identifier: MIT
// Page Tuning as a person has it: its panel, its tabs, and the badge beside the picture.
#include "ui/tuning/tuning_page.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

#include "core/support/shell.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "tests/ui/tuning/some_models.h"
#include "ui/charts/plot_chart.h"
#include "ui/operations/operations_panel.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/decision_tab.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/measured_tab.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TuningPageTest : public ::testing::Test {
  protected:
    void SetUp() override {
        qputenv("IIR2D_CONFIG_DIR", folder.path().toLocal8Bit());
        iir2d::forget_models();
        iir2d::set_tune_options({});
        applyTheme(*qApp, Theme::light);
        window.setInteractive(false);
        window.resize(1280, 800);
        window.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    }
    void TearDown() override { iir2d::set_tune_options({}); }
    // The page, with everything that it reads at first.
    void look() {
        QSignalSpy read(&model(), &TuningModel::stateRead);
        window.setPage(MainWindow::Page::tuning);
        ASSERT_TRUE(QTest::qWaitFor([&] { return read.count() > 0 && !model().decision().spec.isEmpty(); },
                                    patience_ms));
    }
    void judge() {
        testing::writeRecording(retrainDatabase());
        page().findChild<QComboBox*>(QStringLiteral("tuningKind"))->setCurrentIndex(3);
        ASSERT_TRUE(button("tuningRun")->isEnabled()) << model().hindrance().toStdString();
        button("tuningRun")->click();
        EXPECT_TRUE(button("tuningCancel")->isEnabled());
        ASSERT_TRUE(QTest::qWaitFor([this] { return !model().isRunning(); }, patience_ms));
        QApplication::processEvents();
    }
    QPushButton* button(const char* name) { return page().findChild<QPushButton*>(QLatin1String(name)); }
    TextTable* table(const QString& accessibleName) {
        for (auto* one : page().findChildren<TextTable*>()) {
            if (one->accessibleName() == accessibleName) return one;
        }
        ADD_FAILURE() << "no table " << accessibleName.toStdString();
        return nullptr;
    }
    TuningPage& page() { return window.tuningPage(); }
    TuningModel& model() { return page().model(); }
    std::string copied() {
        page().copyCommandLine();
        return QApplication::clipboard()->text().toStdString();
    }

    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
};

TEST_F(TuningPageTest, TheFieldsOfBothFormsBeginAtOneEdge) {
    look();
    const auto left = [this](const char* name) {
        const auto* box = page().findChild<QComboBox*>(QLatin1String(name));
        return box->mapTo(&page(), QPoint(0, 0)).x();
    };
    EXPECT_EQ(left("tuneMode"), left("tuningKind"));
}

TEST_F(TuningPageTest, WithoutModelsItSaysWhatToDo) {
    look();
    EXPECT_FALSE(table(QStringLiteral("Models"))->isVisible());
    page().setTab(TuningPage::Tab::decision);
    EXPECT_THAT(page().decisions().words().toStdString(), StartsWith("static, because there is no model"));
    EXPECT_GT(page().decisions().candidates().shownRows(), 1);
    EXPECT_THAT(copied(), StartsWith("IIR2D_TUNE=auto iir2d tune select 'filter:6 "));
    page().setTab(TuningPage::Tab::regret);
    EXPECT_THAT(page().measured().regretChart().emptyText().toStdString(), HasSubstr("Nothing judged yet"));
    EXPECT_THAT(copied(), StartsWith("iir2d tune retrain --budget 300"));
    auto* kind = page().findChild<QComboBox*>(QStringLiteral("tuningKind"));
    kind->setCurrentIndex(3);
    EXPECT_FALSE(button("tuningRun")->isEnabled()) << "there is nothing to judge by";
    kind->setCurrentIndex(1);
    EXPECT_TRUE(button("tuningRun")->isEnabled());
    EXPECT_TRUE(page().findChild<QSpinBox*>(QStringLiteral("tuningSeconds"))->isVisible());
}

TEST_F(TuningPageTest, ASpecIsTypedAndRefused) {
    look();
    page().setTab(TuningPage::Tab::decision);
    QSignalSpy said(&model(), &TuningModel::decisionChanged);
    QLineEdit* const edit = page().decisions().spec().lineEdit();
    edit->setText(QStringLiteral("pool:max window:16x16 stride:8x8 size:1024x1024"));
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return said.count() > 0; }, patience_ms));
    EXPECT_EQ(model().decision().said.purpose, "pool-cpu");
    EXPECT_GT(page().decisions().candidates().shownRows(), 2);
    edit->setText(QStringLiteral("pool:max window:none"));
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !model().decision().failure.isEmpty(); }, patience_ms));
    EXPECT_EQ(page().decisions().candidates().shownRows(), 0);
    EXPECT_EQ(edit->text(), QStringLiteral("pool:max window:none")) << "what was typed stays";
}

TEST_F(TuningPageTest, WhatIsBeingTypedStays) {
    look();
    page().setTab(TuningPage::Tab::decision);
    QLineEdit* const edit = page().decisions().spec().lineEdit();
    QTest::keyClicks(edit, QStringLiteral(" planes:2"));  // not asked yet
    const QString typed = edit->text();
    ASSERT_THAT(typed.toStdString(), EndsWith(" planes:2"));
    edit->setCursorPosition(3);
    const QString other = QStringLiteral("pool:max window:16x16 stride:8x8 size:1024x1024");
    model().explain(other);
    ASSERT_TRUE(QTest::qWaitFor([&] { return model().decision().spec == other; }, patience_ms));
    EXPECT_EQ(edit->text(), typed);
    session.resetRecipe({.operations = {{.what = FilterOperation{.filter_id = 6}}}});  // another list
    EXPECT_EQ(edit->text(), typed);
    EXPECT_EQ(edit->cursorPosition(), 3);
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return model().decision().spec == typed; }, patience_ms));
    page().showSpec(other);
    EXPECT_TRUE(QTest::qWaitFor([&] { return edit->text() == other; }, patience_ms));
}

TEST_F(TuningPageTest, ProblemsAreListedWhenTheyAreSeen) {
    window.openPath(testing::text(testing::written(folder, "in.png", testing::gradient(400, 300))));
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.image() != nullptr; }, patience_ms));
    window.operationsPanel().addFilter(6);
    const QComboBox& spec = page().decisions().spec();
    EXPECT_EQ(spec.count(), 0);
    look();
    EXPECT_EQ(model().decision().spec, model().recipeSpecs().front());
    page().setTab(TuningPage::Tab::decision);
    const int listed = spec.count();
    EXPECT_GE(listed, 1);
    window.operationsPanel().addFilter(8);
    EXPECT_EQ(spec.count(), listed + 1);
}

TEST_F(TuningPageTest, ModelsAreListedAndJudged) {
    if (!testing::canHaveModels()) GTEST_SKIP() << "two threads and known caches are needed";
    testing::installModel("1");
    testing::installModel("2");
    look();
    TextTable* const models = table(QStringLiteral("Models"));
    EXPECT_TRUE(models->isVisible());
    EXPECT_EQ(models->shownRows(), 2);
    models->chooseRow(0);
    EXPECT_FALSE(button("activateModel")->isEnabled()) << "it decides already";
    models->selectRow(1);
    EXPECT_TRUE(button("activateModel")->isEnabled());
    EXPECT_TRUE(button("removeModel")->isEnabled());
    judge();
    EXPECT_EQ(model().failure().toStdString(), "");
    page().setTab(TuningPage::Tab::predictions);
    PlotChart& scatter = page().measured().predictionChart();
    EXPECT_EQ(scatter.emptyText().toStdString(), "");
    Q_EMIT scatter.caseChosen(2);
    EXPECT_EQ(page().measured().chosenProblem(), 2);
    EXPECT_EQ(table(QStringLiteral("Measured problems"))->chosenRow(), 2);
    const JudgedProblem& chosen = model().figures()->purposes.front().problems[2];
    EXPECT_EQ(table(QStringLiteral("Configs of the chosen problem"))->shownRows(),
              int(chosen.configs.size()));
    EXPECT_TRUE(page().measured().shownAsSvg(page().measured().predictions()).contains("<svg"));
    QSignalSpy said(&model(), &TuningModel::decisionChanged);
    page().showSpec(toText(chosen.spec));
    ASSERT_TRUE(QTest::qWaitFor([&] { return said.count() > 0; }, patience_ms));
    EXPECT_EQ(page().tab(), TuningPage::Tab::decision);
    EXPECT_THAT(page().decisions().words().toStdString(), HasSubstr("By iir-cpu/2;"));
    page().setTab(TuningPage::Tab::headroom);
    EXPECT_GT(page().measured().headroomTable().shownRows(), 3);
    EXPECT_TRUE(page().measured().shownAsSvg(page().measured().headroom()).isEmpty());
}

TEST_F(TuningPageTest, WhatIsDamagedIsSaid) {
    testing::writeRecording(retrainDatabase());
    look();
    QFile file(fromPath(retrainDatabase()));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("no database");
    file.close();
    page().findChild<QComboBox*>(QStringLiteral("tuningKind"))->setCurrentIndex(3);
    button("tuningRun")->click();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !model().isRunning(); }, patience_ms));
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return page().messages().has(QStringLiteral("tuning")); }, patience_ms));
    page().messages().clear(QStringLiteral("tuning"));
    QSignalSpy read(&model(), &TuningModel::stateRead);
    model().refresh();
    ASSERT_TRUE(QTest::qWaitFor([&] { return read.count() > 0; }, patience_ms));
    EXPECT_FALSE(page().messages().has(QStringLiteral("tuning"))) << "what was dismissed stays away";
}

TEST_F(TuningPageTest, TheModeIsChosen) {
    look();
    auto* mode = page().findChild<QComboBox*>(QStringLiteral("tuneMode"));
    EXPECT_EQ(mode->currentText(), QStringLiteral("auto"));
    mode->setCurrentText(QStringLiteral("off"));
    EXPECT_EQ(iir2d::tune_options().mode, iir2d::TuneMode::off);
    page().setTab(TuningPage::Tab::decision);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            return page().decisions().words().startsWith(QStringLiteral("static, because the tuner is off"));
        },
        patience_ms));
}

TEST_F(TuningPageTest, TheBadgeSaysTheConfigAndPinsAnother) {
    auto* badge = window.findChild<QToolButton*>(QStringLiteral("configBadge"));
    ASSERT_NE(badge, nullptr);
    EXPECT_FALSE(badge->isVisible()) << "nothing is executed";
    window.openPath(testing::text(testing::written(folder, "in.png", testing::gradient(400, 300))));
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.image() != nullptr; }, patience_ms));
    window.operationsPanel().addFilter(6);
    ASSERT_TRUE(QTest::qWaitFor([&] { return badge->isVisible(); }, patience_ms));
    EXPECT_EQ(badge->text().trimmed(), QStringLiteral("static"));
    EXPECT_THAT(badge->toolTip().toStdString(), HasSubstr("because there is no model"));
    EXPECT_FALSE(window.commandLine().contains(QStringLiteral("--config")));
    Q_EMIT badge->menu()->aboutToShow();
    QAction* pin = nullptr;
    for (QAction* one : badge->menu()->actions()) {
        if (one->text().startsWith(QStringLiteral("threads:1"))) pin = one;
    }
    ASSERT_NE(pin, nullptr);
    const std::string wanted = pin->text().section(QStringLiteral("   "), 0, 0).toStdString();
    pin->trigger();
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return badge->text().contains(QStringLiteral("pinned")); }, patience_ms));
    EXPECT_THAT(window.commandLine().toStdString(), HasSubstr(" --config " + shell_quoted(wanted)));
    iir2d::set_tune_options({.mode = iir2d::TuneMode::off});
    EXPECT_THAT(window.commandLine().toStdString(), HasSubstr(" --tune off"));
    // One that it is not valid for is not what it is executed by.
    session.pinConfig(iir2d::Config{.task = 1 << 20});
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return badge->text().trimmed() == QStringLiteral("static"); }, patience_ms));
    EXPECT_FALSE(window.commandLine().contains(QStringLiteral("--config")));
    session.undoStack()->undo();
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return badge->text().contains(QStringLiteral("pinned")); }, patience_ms));
    session.undoStack()->undo();
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return badge->text().trimmed() == QStringLiteral("static"); }, patience_ms));
    EXPECT_FALSE(window.commandLine().contains(QStringLiteral("--config")));
}

}  // namespace
}  // namespace workbench
