// SPDX-License-Identifier: MIT
// A duel as a user meets it: the dialog, the chart and the table on the page.
#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "tests/core/duel/duel_testing.h"
#include "tests/ui/benchmark/access.h"
#include "tests/ui/own_time.h"
#include "tests/ui/patience.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/duel_actions.h"
#include "ui/benchmark/duel_dialogs.h"
#include "ui/benchmark/duel_model.h"
#include "ui/benchmark/duel_view.h"
#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/history_table.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/status_strip.h"
#include "ui/charts/duel_chart.h"
#include "ui/charts/verdict_style.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/tour/tour_duel.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

class DuelPageTest : public ::testing::Test {
  protected:
    DuelPageTest() {
        applyTheme(*qApp, Theme::light);
        page.desk().history().setFile(folder.filePath(QStringLiteral("h.sqlite")));
        MatrixChoices c;
        c.sizes = {};
        c.customSizes = QStringLiteral("96x80");
        c.filterIds = {1};
        c.precisions = {iir2d::Precision::f32};
        c.device = QStringLiteral("cpu");
        c.threads = 1;
        page.form().setChoices(c);
        page.resize(1280, 760);
        page.show();
        QApplication::processEvents();
    }
    DuelDialog* ask() {
        page.duelAction()->trigger();
        return page.duels().dialog();
    }
    static QPushButton* confirm(QWidget* dialog) {
        return dialog->findChild<QPushButton*>(QStringLiteral("confirmButton"));
    }
    static bool waitUntil(const std::function<bool()>& condition) {
        return QTest::qWaitFor(condition, patience_ms);
    }
    bool settled() {
        return waitUntil([this] { return !page.isRunning() && !page.desk().isBusy(); });
    }
    QString openEveryVerdict() {
        const QString path = folder.filePath(QStringLiteral("every"));
        const auto record = everyVerdict();
        EXPECT_TRUE(record) << record.error().message;
        EXPECT_TRUE(record && write_duel_record(*record, toPath(path)));
        page.desk().open(path);
        EXPECT_TRUE(settled());
        EXPECT_TRUE(page.desk().duel().shown().record)
            << page.messages().textOf(QStringLiteral("record")).toStdString();
        return path;
    }

    QTemporaryDir folder;
    Session session;
    BenchmarkPage page{session};
};

TEST_F(DuelPageTest, TheDialogSaysAtOnceWhatIsNoLibrary) {
    DuelDialog* dialog = ask();
    ASSERT_NE(dialog, nullptr);
    expectAccessibleNames(*dialog);
    EXPECT_FALSE(confirm(dialog)->isEnabled()) << "nothing is named yet";
    dialog->setBase(folder.path());
    ASSERT_TRUE(waitUntil([&] { return dialog->baseNote().contains(QLatin1String("has no libiir2d")); }));
    EXPECT_FALSE(confirm(dialog)->isEnabled());
    dialog->setBase(QStringLiteral("."));
    ASSERT_TRUE(waitUntil([&] { return dialog->baseNote().contains(QLatin1String("SHA-256")); }));
    EXPECT_TRUE(confirm(dialog)->isEnabled());
    dialog->setNew(QStringLiteral("/no/such/library.so"));
    ASSERT_TRUE(waitUntil([&] { return dialog->newNote().contains(QLatin1String("/no/such")); }));
    EXPECT_FALSE(confirm(dialog)->isEnabled());
    dialog->setNew({});
    EXPECT_TRUE(confirm(dialog)->isEnabled());
    dialog->setRevision({}, folder.path());
    EXPECT_FALSE(confirm(dialog)->isEnabled());
    dialog->setRevision(QStringLiteral("HEAD~1"), folder.path());
    EXPECT_TRUE(confirm(dialog)->isEnabled());
    EXPECT_EQ(dialog->request().revision, QStringLiteral("HEAD~1"));
    EXPECT_TRUE(dialog->request().base.isEmpty());
}

TEST_F(DuelPageTest, ALibraryThatIsDroppedOnThePageIsTheBase) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromUtf8(IIR2D_REAL_LIBRARY))});
    QDragEnterEvent enter(QPoint(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &drop);
    ASSERT_NE(page.duels().dialog(), nullptr);
    EXPECT_TRUE(waitUntil([&] { return confirm(page.duels().dialog())->isEnabled(); }));
}

TEST_F(DuelPageTest, ARefusedRevisionIsSaidInTheDialogWhichStays) {
    DuelDialog* dialog = ask();
    dialog->setRevision(QStringLiteral("no-such-revision"), folder.path());
    QTest::mouseClick(confirm(dialog), Qt::LeftButton);
    EXPECT_TRUE(page.isRunning());
    ASSERT_TRUE(settled());
    ASSERT_EQ(page.duels().dialog(), dialog);
    EXPECT_TRUE(dialog->isVisible());
    QStringList texts;
    for (const auto* label : dialog->findChildren<QLabel*>()) texts.append(label->text());
    EXPECT_TRUE(texts.join(QLatin1Char('\n')).contains(QStringLiteral("git knows no such revision")))
        << texts.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(confirm(dialog)->isEnabled());
}

TEST_F(DuelPageTest, ADuelOfThisLibraryWithItselfFromTheDialogToItsCommand) {
    DuelDialog* dialog = ask();
    dialog->setBase(QString::fromUtf8(IIR2D_REAL_LIBRARY));
    dialog->findChild<NumberBox*>(QStringLiteral("duelBudget"))->setValue(1.5);
    ASSERT_TRUE(waitUntil([&] { return confirm(dialog)->isEnabled(); }));
    QTest::mouseClick(confirm(dialog), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return page.desk().duel().isMeasuring(); }));
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::duel);
    EXPECT_EQ(page.duels().dialog(), nullptr);
    EXPECT_FALSE(page.duelAction()->isEnabled());
    EXPECT_TRUE(page.findChild<QPushButton*>(QStringLiteral("cancelButton"))->isVisible());
    EXPECT_FALSE(page.findChild<QToolButton*>(QStringLiteral("duelButton"))->isVisible());
    EXPECT_FALSE(page.form().isEnabled());
    EXPECT_EQ(page.runningText(), QStringLiteral("A duel is still running."));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromUtf8(IIR2D_REAL_LIBRARY))});
    QDragEnterEvent enter(QPoint(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &enter);
    EXPECT_TRUE(enter.isAccepted()) << "the window would take it for an image";
    QDropEvent drop(QPointF(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page, &drop);
    EXPECT_EQ(page.duels().dialog(), nullptr);
    EXPECT_THAT(
        page.messages().textOf(QStringLiteral("record")).toStdString(),
        ::testing::AllOf(HasSubstr("A duel is still running."), HasSubstr("again when that is done")));
    EXPECT_TRUE(page.duelView().stateText().startsWith(QStringLiteral("Case 1 of 1")));
    ASSERT_TRUE(settled());
    DuelView& view = page.duelView();
    EXPECT_TRUE(view.verdictStrip().isVisible());
    EXPECT_EQ(view.model().rowCount(), 1);
    EXPECT_TRUE(page.findChild<QPushButton*>(QStringLiteral("runButton"))->isVisible());
    EXPECT_TRUE(page.findChild<QToolButton*>(QStringLiteral("duelButton"))->isVisible());
    page.duels().copyCommand();
    EXPECT_THAT(QApplication::clipboard()->text().toStdString(),
                ::testing::AllOf(HasSubstr("iir2d duel "), HasSubstr("--budget 1.5")));
    EXPECT_THAT(session.settings().duel_bases, ::testing::Contains(std::string(IIR2D_REAL_LIBRARY)));
    expectAccessibleNames(page);
}

TEST_F(DuelPageTest, ARecordShowsEveryVerdictInWordsMarksAndOrder) {
    openEveryVerdict();
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::duel);
    DuelView& view = page.duelView();
    const DuelRows& rows = view.model().rows();
    std::vector<DuelVerdict> verdicts;
    for (const DuelRow& row : rows.rows) verdicts.push_back(row.verdict);
    EXPECT_THAT(verdicts,
                ::testing::ElementsAre(DuelVerdict::same, DuelVerdict::slower, DuelVerdict::faster,
                                       DuelVerdict::ambiguous, DuelVerdict::failed, DuelVerdict::wrong));
    const auto cell = [&](int row, int column) {
        return view.model().index(row, column).data().toString().toStdString();
    };
    EXPECT_EQ(cell(1, DuelModel::verdict), "▶ SLOWER");
    EXPECT_THAT(cell(1, DuelModel::change), HasSubstr("+"));
    EXPECT_EQ(cell(4, DuelModel::change), "") << "there is none, not 0";
    EXPECT_THAT(cell(4, DuelModel::notes), HasSubstr("iir2d_pool_forward_cpu"));
    EXPECT_THAT(view.verdictStrip().title().toStdString(), HasSubstr("Not passed"));
    EXPECT_THAT(view.stateText().toStdString(), HasSubstr("not signed"));
    EXPECT_THAT(view.chart().summary().toStdString(),
                ::testing::AllOf(HasSubstr("SLOWER"), HasSubstr("control")));
    const std::string copied = view.table().selectionAsTsv().toStdString();
    EXPECT_THAT(copied, ::testing::AllOf(HasSubstr("AMBIGUOUS"), HasSubstr("\t")));
    // By the keyboard: the table's choice is the chart's.
    view.table().setFocus();
    view.chooseCase(0);
    QTest::keyClick(&view.table(), Qt::Key_Down);
    EXPECT_EQ(view.chosenCase(), 1);
    view.chart().setFocus();
    QTest::keyClick(&view.chart(), Qt::Key_Down);
    EXPECT_EQ(view.chosenCase(), 2);
    EXPECT_EQ(view.table().currentIndex().row(), 2);
    view.chooseCase(3);
    EXPECT_THAT(view.caseText().toStdString(), HasSubstr("after the most pairs, 48"));
}

TEST_F(DuelPageTest, TheChartHasTheMarginTheIntervalsAndTheControl) {
    openEveryVerdict();
    DuelChart& chart = page.duelView().chart();
    ASSERT_EQ(chart.bars().size(), 6U);
    const DuelRow& slower = page.duelView().model().rows().rows[1];
    EXPECT_NEAR(chart.bars()[1].value, 100 * (slower.look->effect.ratio - 1), 1e-9);
    EXPECT_LT(chart.low(), -2);
    EXPECT_GT(chart.high(), chart.bars()[1].value);
    EXPECT_LT(chart.xOf(0), chart.xOf(2)) << "slower is to the right";
    // The band of the margin, the interval and the paler control are drawn where they belong.
    const QImage image = chart.grab().toImage();
    const auto at = [&](double x, double y) { return image.pixelColor(int(x), int(y)); };
    const double between = chart.yOf(4) + chart.rowHeight() * 0.45;  // of cases that were not timed
    EXPECT_NE(at(chart.xOf(1.0), between), at(chart.xOf(6.3), between));
    const double y = chart.yOf(1);
    const QColor interval = at(chart.xOf(100 * (slower.look->effect.interval.high - 1) - 0.1), y);
    EXPECT_GT(interval.red(), interval.blue() + 40) << interval.name().toStdString();
}

TEST_F(DuelPageTest, AWideIntervalDoesNotPushTheOthersTogether) {
    const auto record = everyVerdict();
    ASSERT_TRUE(record);
    DuelRows rows = rowsOf(record->duel);
    DuelChart chart;
    chart.resize(700, 360);
    chart.show();
    chart.showDuel(rows, -1);
    const double high = chart.high();
    rows.rows[3].state = DuelRow::State::measuring;
    rows.rows[3].look->effect.interval = {0.05, 40};
    chart.showDuel(rows, -1);
    EXPECT_LE(chart.high(), high);
    EXPECT_FALSE(chart.grab().isNull());
}

// What a view costs while pairs come in: a duel of very many shows at most ten rows a second.
TEST_F(DuelPageTest, ShowingARowIsCheap) {
    const auto record = everyVerdict();
    ASSERT_TRUE(record);
    DuelRows rows = rowsOf(record->duel);
    rows.rows[0].state = DuelRow::State::measuring;
    DuelChart chart;
    chart.resize(700, 360);
    chart.show();
    const double before = ownMilliseconds();
    for (int i = 0; i < 20; ++i) {
        rows.rows[0].pairs = std::size_t(1'000'000 + i);
        chart.showDuel(rows, 0);
        QApplication::processEvents();
    }
    EXPECT_LT(ownMilliseconds() - before, 20 * 100) << "half a second's share of twenty";
}

TEST_F(DuelPageTest, OneThatIsNotKeptIsOfferedToBeSavedWhileItIsShown) {
    page.desk().history().setFile(folder.filePath(QStringLiteral("no/such/folder/h.sqlite")));
    DuelRequest request{.base = QString::fromUtf8(IIR2D_REAL_LIBRARY)};
    request.settings = quick_settings();
    page.desk().startDuel(request);
    ASSERT_TRUE(settled());
    EXPECT_TRUE(page.messages().has(QStringLiteral("duel-kept")));
    openEveryVerdict();
    EXPECT_FALSE(page.messages().has(QStringLiteral("duel-kept"))) << "its button would save another";
    EXPECT_TRUE(page.messages().has(QStringLiteral("duel-aside")));
    EXPECT_TRUE(page.desk().hasUnkept());
}

TEST_F(DuelPageTest, SavingAsksWhereAndSaysThatItVerifies) {
    openEveryVerdict();
    page.duels().save();
    SaveDuelDialog* dialog = page.duels().saveDialog();
    ASSERT_NE(dialog, nullptr);
    expectAccessibleNames(*dialog);
    for (auto* edit : dialog->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QLatin1String("Folder")) edit->setText(folder.path());
        if (edit->objectName() == QLatin1String("duelName")) edit->setText(QStringLiteral("kept"));
    }
    QTest::mouseClick(confirm(dialog), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return page.messages().has(QStringLiteral("duel")); }));
    EXPECT_THAT(page.messages().textOf(QStringLiteral("duel")).toStdString(), HasSubstr("accepted"));
    EXPECT_TRUE(load_duel_record(toPath(folder.filePath(QStringLiteral("kept")))));
}

TEST_F(DuelPageTest, TheHistoryListsDuelsAndOpensThem) {
    page.desk().open(openEveryVerdict());
    ASSERT_TRUE(settled());
    page.desk().duel().addToHistory();
    ASSERT_TRUE(settled());
    const std::string id = page.desk().duel().shown().record->record_id;
    page.setTab(BenchmarkPage::Tab::history);
    ASSERT_TRUE(settled());
    HistoryTable& table = page.historyView().table();
    ASSERT_EQ(table.rowCount(), 1);
    EXPECT_TRUE(table.isDuelChosen());
    EXPECT_THAT(table.item(0, HistoryTable::device)->text().toStdString(), HasSubstr("duel with 8f3c2b7d90"));
    EXPECT_FALSE(page.findChild<QPushButton*>(QStringLiteral("compareKept"))->isEnabled());
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("openKept")), Qt::LeftButton);
    ASSERT_TRUE(settled());
    EXPECT_EQ(page.tab(), BenchmarkPage::Tab::duel);
    EXPECT_EQ(page.desk().duel().shown().record->record_id, id);
    EXPECT_FALSE(page.desk().duel().mayAddToHistory());
}

TEST_F(DuelPageTest, EverythingHasAName) {
    page.setTab(BenchmarkPage::Tab::duel);
    expectAccessibleNames(page);
    openEveryVerdict();
    page.resize(640, 480);
    QApplication::processEvents();
    expectAccessibleNames(page);
}

}  // namespace
}  // namespace workbench
