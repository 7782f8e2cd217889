// SPDX-License-Identifier: MIT
// The kernels page as a person sees it.
#include <gmock/gmock.h>

#include <QApplication>
#include <QChart>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>
#include <algorithm>

#include "core/solve/kernels.h"
#include "core/support/files.h"
#include "tests/ui/kernels/desk_testing.h"
#include "tests/ui/kernels/kernels_testing.h"
#include "tests/ui/kernels/planted.h"
#include "tests/ui/patience.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/plot_chart.h"
#include "ui/kernels/code_pane.h"
#include "ui/kernels/data_set_chart.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/generated_panel.h"
#include "ui/kernels/kernel_view.h"
#include "ui/kernels/kernels_page.h"
#include "ui/kernels/make_form.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/ours_panel.h"
#include "ui/kernels/own_source.h"
#include "ui/kernels/run_tab.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

class KernelsPageTest : public ::testing::Test {
  protected:
    void SetUp() override {
        applyTheme(*qApp, Theme::light);
        const auto file = testing::installedKernels(folder);
        ASSERT_FALSE(file.empty());
        page.ours().loadFrom(file);
        page.resize(1200, 760);
        page.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.ours().isLoading(); }, patience_ms));
    }
    void choose(const char* name) {
        page.showKernel(QLatin1String(name));
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return page.shown().kernel() && page.shown().kernel()->kernel == name; }, patience_ms));
    }
    void runIt() {
        page.view().runTab().run();
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.shown().isRunning() && page.shown().outcome(); },
                                    patience_ms));
    }
    QString cell(const TextTable& table, int row, int column) {
        return table.model()->index(row, column).data().toString();
    }

    QTemporaryDir folder;
    Session session;
    KernelsPage page{session};
};

TEST_F(KernelsPageTest, AChosenRowIsShownAndSearchNarrowsTheList) {
    TextTable& list = page.oursPanel().list();
    EXPECT_EQ(list.shownRows(), 2);
    QTest::keyClicks(&page.oursPanel().search(), QStringLiteral("MAX pool"));
    EXPECT_EQ(list.shownRows(), 1);
    list.setCurrentIndex(list.model()->index(0, 0));
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return page.shown().kernel() && page.shown().kernel()->kernel == "pool_max_f32"; },
        patience_ms));
    EXPECT_TRUE(page.view().textPane().toPlainText().contains(QLatin1String(".entry pool_max_f32")));
}

TEST_F(KernelsPageTest, ShowsFactsOpcodesAndMix) {
    choose("twice");
    const TextTable& facts = page.view().table(KernelView::Tab::facts);
    EXPECT_EQ(cell(facts, 0, 0).toStdString(), "Parameter 0");
    EXPECT_EQ(cell(facts, 0, 1).toStdString(), "u64");
    const TextTable& mix = page.view().table(KernelView::Tab::mix);
    int all = 0;
    for (int row = 0; row < mix.shownRows(); ++row) all += cell(mix, row, 1).toInt();
    EXPECT_EQ(all, 18);
}

TEST_F(KernelsPageTest, AFindingMarksItsLine) {
    choose("twice");
    page.view().setTab(KernelView::Tab::run);
    RunTab& run = page.view().runTab();
    inspect::RunRequest request = run.request();
    EXPECT_EQ(request.arguments.size(), 3U);
    request.arguments = {"in:f32:1,2", "out:f32:2", "i32:3"};
    run.setRequest(request);
    runIt();
    ASSERT_EQ(run.findings().shownRows(), 2);
    run.findings().setCurrentIndex(run.findings().model()->index(0, 0));
    ASSERT_EQ(page.view().textPane().markedLines().size(), 1);
    const int line = page.view().textPane().markedLines().front();
    EXPECT_TRUE(page.view().textPane().document()->findBlockByNumber(line - 1).text().contains(
        QLatin1String("ld.global.f32")));
    EXPECT_EQ(cell(run.results(), 0, 1).toStdString(), "2, 4");
}

TEST_F(KernelsPageTest, TheFormOfARunFitsANarrowWindow) {
    page.resize(900, 480);
    choose("twice");
    page.view().setTab(KernelView::Tab::run);
    QTest::qWait(10);
    const auto* form = page.findChild<QScrollArea*>(QStringLiteral("runForm"));
    ASSERT_NE(form, nullptr);
    EXPECT_EQ(form->horizontalScrollBar()->maximum(), 0);
}

TEST_F(KernelsPageTest, ALineOfOnesOwnSourceMarksWhatItBecame) {
    page.showYours();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page.own().isCompiling() && !page.shown().isReading(); },
                                2 * patience_ms));
    if (!page.own().compiled()) GTEST_SKIP() << page.own().problem().toStdString();
    CodePane& editor = page.view().editor();
    EXPECT_TRUE(editor.isVisible());
    ASSERT_TRUE(page.shown().kernel());
    editor.goToLine(1);
    QTest::keyClick(&editor, Qt::Key_Down);
    for (int line = 2; line < 5; ++line) QTest::keyClick(&editor, Qt::Key_Down);
    ASSERT_EQ(editor.currentLine(), 5);
    EXPECT_EQ(editor.markedLines(), QList<int>{5});
    const QList<int> marked = page.view().textPane().markedLines();
    ASSERT_FALSE(marked.isEmpty());
    editor.markLines({});
    page.view().textPane().goToLine(marked.front() + 1);
    QTest::keyClick(&page.view().textPane(), Qt::Key_Up);
    EXPECT_EQ(editor.markedLines(), QList<int>{5}) << "and back";
    editor.setPlainText(QStringLiteral("__global__ void f(int* x) {\n    y = 2;\n}\n"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page.own().isCompiling() && !page.shown().isReading(); },
                                2 * patience_ms));
    EXPECT_EQ(page.own().problemLine(), 2);
    EXPECT_EQ(editor.extraSelections().size(), 1) << "the line at fault";
    EXPECT_TRUE(editor.isVisible());
    choose("twice");
    EXPECT_FALSE(editor.isVisible());
}

TEST_F(KernelsPageTest, OpensAKernelOfTheSolversAsASource) {
    const std::string name = solve::kernels().front().name;
    page.showYours();
    const QString typed = QStringLiteral("// typed before");
    page.view().editor().setPlainText(typed);
    page.showKernel(QStringLiteral("solve/") + QString::fromStdString(name));
    EXPECT_TRUE(page.view().editor().isVisible());
    EXPECT_NE(page.view().editor().toPlainText(), typed);
    page.view().editor().undo();
    EXPECT_EQ(page.view().editor().toPlainText(), typed) << "Undo brings it back";
    page.view().editor().redo();
    EXPECT_TRUE(page.view().editor().toPlainText().contains(QString::fromStdString(name)));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page.own().isCompiling() && !page.shown().isReading(); },
                                2 * patience_ms));
    if (!page.own().compiled()) GTEST_SKIP() << page.own().problem().toStdString();
    ASSERT_TRUE(page.shown().kernel());
    EXPECT_EQ(page.shown().kernel()->kernel, name);
    EXPECT_TRUE(page.shown().kernel()->origin.startsWith(QLatin1String("solve/")));
    page.showKernel(QStringLiteral("solve/no_such"));
    EXPECT_TRUE(page.messages().textOf(QStringLiteral("kernels")).contains(QLatin1String("no_such")));
}

TEST_F(KernelsPageTest, CopiesTheRunAndTheText) {
    choose("twice");
    page.view().setTab(KernelView::Tab::run);
    for (auto* button : page.findChildren<QToolButton*>()) {
        if (button->accessibleName() == QLatin1String("Copy the run as command line")) button->click();
    }
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QLatin1String("iir2d ptx run ")));
    for (auto* button : page.findChildren<QToolButton*>()) {
        if (button->accessibleName() == QLatin1String("Copy the text of the kernel")) button->click();
    }
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(), page.shown().kernel()->text);
}

TEST_F(KernelsPageTest, AFormSaysWhatADataSetIsToBe) {
    page.showGenerated();
    page.generatedPanel().setTab(GeneratedPanel::Tab::make);
    MakeForm& form = page.generatedPanel().form();
    const auto quota = [&](const char* category) {
        return form.findChild<QLabel*>(QStringLiteral("quota-") + QLatin1String(category))->text();
    };
    DataSetRequest request{
        .folder = QStringLiteral("/some where"), .count = 100, .seed = 3, .backward = true};
    form.setRequest(request);
    EXPECT_EQ(form.request(), request);
    EXPECT_EQ(quota("arithmetic"), QStringLiteral("8"));
    EXPECT_EQ(quota("pool"), QStringLiteral("7"));
    request.weights = {{synth::Category::math, 3}, {synth::Category::iir, 1}};
    request.levels = QStringList{QStringLiteral("V0"), QStringLiteral("V3")};
    form.setRequest(request);
    EXPECT_EQ(form.request(), request);
    EXPECT_EQ(quota("math"), QStringLiteral("75"));
    EXPECT_EQ(quota("arithmetic"), QStringLiteral("–"));
    EXPECT_EQ(commandLine(request).toStdString(),
              "iir2d synth generate --out '/some where' --count 100 --seed 3 --categories math,iir --weights "
              "math=3,iir=1 --levels V0,V3 --backward");
    form.setTargets({{.target = "ptx-nvrtc:sm_90", .is_available = true},
                     {.target = "llvm-host-o2", .is_available = true},
                     {.target = "cubin:sm_90", .reason = "no nvJitLink"}});
    request.targets = QStringList{QStringLiteral("llvm-host-o2")};
    form.setRequest(request);
    EXPECT_EQ(form.request(), request);
    const auto* make = form.findChild<QPushButton*>(QStringLiteral("makeDataSet"));
    EXPECT_TRUE(make->isEnabled());
    auto* targets = form.findChild<QListWidget*>(QStringLiteral("targets"));
    for (int k = 0; k < targets->count(); ++k) targets->item(k)->setCheckState(Qt::Unchecked);
    EXPECT_FALSE(make->isEnabled()) << "the default targets would be taken";
    EXPECT_TRUE(make->toolTip().contains(QLatin1String("target"))) << make->toolTip().toStdString();
    form.setRequest({.folder = request.folder});
    EXPECT_TRUE(make->isEnabled()) << "the default ones are asked for";
}

TEST_F(KernelsPageTest, ChartsShowWhatADataSetHas) {
    page.showGenerated();
    GeneratedPanel& panel = page.generatedPanel();
    panel.setTab(GeneratedPanel::Tab::charts);
    EXPECT_FALSE(panel.shownChart().emptyText().isEmpty()) << "no data set is open";
    page.dataSets().open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.dataSets().record().has_value(); }, patience_ms));
    const auto sum = [](const DataSetBars& bars) {
        double all = 0;
        for (const DataSetBars::Set& set : bars.sets) {
            EXPECT_EQ(set.values.size(), bars.rows.size());
            for (const double value : set.values) all += value;
        }
        return all;
    };
    const DataSetBars& bars = panel.bars().bars();
    EXPECT_TRUE(panel.shownChart().emptyText().isEmpty());
    EXPECT_EQ(bars.rows.size(), 14);
    EXPECT_EQ(sum(bars), 28);
    EXPECT_TRUE(panel.shownChart().summary().contains(QLatin1String("arithmetic: train 2"))) << "in words";
    panel.setChart(GeneratedPanel::Chart::sizes);
    EXPECT_TRUE(bars.rows.contains(QLatin1String("ptx-nvrtc:sm_90")));
    panel.setChart(GeneratedPanel::Chart::skeletons);
    EXPECT_EQ(&panel.shownChart(), &panel.line());
    ASSERT_EQ(panel.line().plot().lines.size(), 1U);
    const QPointF last = panel.line().plot().lines.front().points.back();
    EXPECT_EQ(last.x(), 28);
    EXPECT_EQ(last.y(), double(page.dataSets().dataSet()->skeletons));
    panel.setChart(GeneratedPanel::Chart::pace);
    EXPECT_FALSE(panel.shownChart().emptyText().isEmpty()) << "none was made here";

    const Plot pace = pacePlot({{}, {0.2, 10}, {1.0, 100}, {3.0, 500}});
    ASSERT_EQ(pace.lines.size(), 1U);
    EXPECT_EQ(pace.lines[0].points, (QList<QPointF>{QPointF(1, 100), QPointF(3, 200)}));

    PlotChart& chart = panel.line();
    chart.showPlot(pacePlot({{}, {1.0, 100}}));
    QApplication::processEvents();
    const QPointF place = chart.chart()->mapToPosition(QPointF(1, 100), chart.chart()->series().front());
    EXPECT_EQ(chart.grab().toImage().pixelColor(place.toPoint() + QPoint(2, -2)), seriesColour(0))
        << "a dot, as one point makes no line";
}

TEST_F(KernelsPageTest, CopiesTheRecordWhereACommandPrintsIt) {
    page.showGenerated();
    QToolButton* copy = nullptr;
    for (auto* button : page.generatedPanel().findChildren<QToolButton*>()) {
        if (button->accessibleName() == QLatin1String("Copy the record as command line")) copy = button;
    }
    ASSERT_NE(copy, nullptr);
    EXPECT_FALSE(copy->isEnabled()) << "no data set is open";
    DataSetDesk& desk = page.dataSets();
    desk.open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.record().has_value(); }, patience_ms));
    ASSERT_TRUE(testing::chooseRecordWithBackward(desk));
    desk.setBackward(true);
    ASSERT_TRUE(copy->isEnabled());
    copy->click();
    EXPECT_EQ(QApplication::clipboard()->text(), desk.commandLine());
    desk.setOtherTarget(desk.targets().value(1));
    EXPECT_FALSE(copy->isEnabled()) << "synth diff compares forward texts";
    EXPECT_TRUE(copy->toolTip().contains(QLatin1String("backward")));
    desk.setBackward(false);
    EXPECT_TRUE(copy->isEnabled());
    EXPECT_EQ(copy->toolTip(), copy->accessibleName());
}

TEST_F(KernelsPageTest, SavesAChartOfADataSet) {
    page.showGenerated();
    GeneratedPanel& panel = page.generatedPanel();
    panel.setTab(GeneratedPanel::Tab::charts);
    QToolButton* save = nullptr;
    for (auto* button : panel.findChildren<QToolButton*>()) {
        if (button->accessibleName() == QLatin1String("Save the chart")) save = button;
    }
    ASSERT_NE(save, nullptr);
    EXPECT_FALSE(save->isEnabled()) << "no data set is open";
    page.dataSets().open(QStringLiteral(IIR2D_SOURCE_DIR "/tests/app/golden_set"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.dataSets().record().has_value(); }, patience_ms));
    EXPECT_TRUE(save->isEnabled());
    QSignalSpy wrote(&page.shown(), &ShownKernelModel::wrote);
    const auto saved = [&](const char* name) {
        const QString file = folder.filePath(QLatin1String(name));
        wrote.clear();
        panel.saveChartTo(file);
        EXPECT_TRUE(QTest::qWaitFor([&] { return wrote.count() == 1; }, patience_ms));
        return read_file(file.toStdString()).value_or("");
    };
    const std::string svg = saved("records.svg");
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("golden_set"), std::string::npos) << "of which data set";
    panel.setChart(GeneratedPanel::Chart::skeletons);
    EXPECT_TRUE(saved("skeletons.png").starts_with("\x89PNG"));
    EXPECT_EQ(session.exportFolder(), folder.path()) << "where the next one is offered";
}

TEST_F(KernelsPageTest, AMismatchThatWasLeftCanBeChosenAgain) {
    page.showGenerated();
    std::string kernel;
    const QString path = folder.filePath(QStringLiteral("faulty"));
    const auto made = testing::makeFaultySet(path.toStdString(), "ptx-nvrtc:sm_90", kernel);
    if (!made) GTEST_SKIP() << made.error().message;
    DataSetDesk& desk = page.dataSets();
    desk.open(path);
    ASSERT_TRUE(QTest::qWaitFor([&] { return desk.record().has_value(); }, patience_ms));
    TextTable& records = page.generatedPanel().records();
    TextTable& mismatches = page.generatedPanel().mismatches();
    for (int time = 0; time < 2; ++time) {
        mismatches.setCurrentIndex(mismatches.model()->index(0, 0));
        ASSERT_TRUE(QTest::qWaitFor([&] { return desk.mismatch() != nullptr; }, 2 * patience_ms)) << time;
        EXPECT_EQ(mismatches.chosenRow(), 0);
        EXPECT_EQ(records.chosenRow(), -1) << "the record is not what is shown";
        desk.setTarget(desk.target());
        EXPECT_EQ(mismatches.chosenRow(), -1);
        EXPECT_EQ(records.chosenRow(), 0);
    }
}

TEST_F(KernelsPageTest, ResumeGoesOnWithWhatWasCancelled) {
    page.showGenerated();
    page.generatedPanel().setTab(GeneratedPanel::Tab::make);
    DataSetDesk& desk = page.dataSets();
    MakeForm& form = page.generatedPanel().form();
    auto* make = form.findChild<QPushButton*>(QStringLiteral("makeDataSet"));
    auto* resume = form.findChild<QPushButton*>(QStringLiteral("resumeDataSet"));
    EXPECT_FALSE(make->isEnabled()) << "no folder is named";
    const QString path = folder.filePath(QStringLiteral("set"));
    form.setRequest({.folder = path, .count = 60, .levels = {QStringLiteral("V0"), QStringLiteral("V2")}});
    make->click();
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return !desk.progress().isEmpty() || !desk.isMaking(); }, 3 * patience_ms));
    if (!desk.isMaking()) GTEST_SKIP() << page.messages().textOf(QStringLiteral("kernels")).toStdString();
    EXPECT_FALSE(resume->isEnabled());
    desk.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.isMaking(); }, 3 * patience_ms));
    ASSERT_TRUE(QTest::qWaitFor([&] { return resume->isEnabled(); }, patience_ms));
    form.setRequest({.folder = path});  // it goes on as it was begun, whatever stands here
    resume->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !desk.isMaking() && desk.record(); }, 6 * patience_ms))
        << page.messages().textOf(QStringLiteral("kernels")).toStdString();
    EXPECT_TRUE(desk.dataSet()->is_complete);
    EXPECT_EQ(desk.dataSet()->rows.size(), 60U);
}

TEST_F(KernelsPageTest, WhatCanBeTouchedHasAName) {
    choose("twice");
    int seen = 0;
    for (int tab = 0; tab < 7; ++tab) {
        page.view().setTab(KernelView::Tab(tab));
        for (const QWidget* one : page.findChildren<QWidget*>()) {
            if (!one->isVisible() || one->focusPolicy() == Qt::NoFocus) continue;
            if (qobject_cast<const QTabBar*>(one) || qobject_cast<const QLabel*>(one)) continue;
            if (one->parentWidget() && one->parentWidget()->focusProxy() == one) continue;
            if (one->objectName().startsWith(QLatin1String("qt_"))) continue;  // parts of Qt's own widgets
            ++seen;
            EXPECT_FALSE(one->accessibleName().isEmpty())
                << one->metaObject()->className() << " " << one->objectName().toStdString();
        }
    }
    EXPECT_GT(seen, 20);
}

}  // namespace
}  // namespace workbench
