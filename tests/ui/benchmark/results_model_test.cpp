// SPDX-License-Identifier: MIT
// The table of results: figures, order, choosing, copying; and the names and texts it is written with.
#include "ui/benchmark/results_model.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/benchmark/made_results.h"
#include "ui/benchmark/results_table.h"
#include "ui/charts/figures.h"

namespace workbench {
namespace {

using iir2d::Precision;
using M = ResultsModel;

QString shown(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

void fill(ResultsModel& model) {
    model.append(madeCase(4, 512, Precision::f32, {3.0, 1.0, 2.0}, 3));
    model.append(failedCase(1, 1024, "parity: too far\tfrom the reference"));
    model.append(madeCase(8, 2048, Precision::mixed, {10.0, 11.0, 12.0}));
    model.append(madeCase(1, 256, Precision::f64, {9.0}));
}

TEST(ResultsModel, ShowsEveryFigure) {
    ResultsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    fill(model);
    EXPECT_EQ(model.rowCount(), 4);
    EXPECT_EQ(shown(model, 0, M::case_name).toStdString(), "F4 mirror f32 512x512");
    EXPECT_EQ(shown(model, 0, M::p50).toStdString(), "2.0000");
    EXPECT_EQ(shown(model, 0, M::p95).toStdString(), "2.9000");
    EXPECT_EQ(shown(model, 0, M::p5).toStdString(), "1.1000");
    EXPECT_EQ(shown(model, 0, M::p99).toStdString(), "2.9800");
    EXPECT_EQ(shown(model, 0, M::minimum).toStdString(), "1.0000");
    EXPECT_EQ(shown(model, 0, M::maximum).toStdString(), "3.0000");
    EXPECT_EQ(shown(model, 0, M::mean).toStdString(), "2.0000");
    EXPECT_EQ(shown(model, 0, M::deviation).toStdString(), "1.0000");
    EXPECT_EQ(shown(model, 0, M::mad).toStdString(), "1.0000");
    EXPECT_EQ(shown(model, 0, M::ratio).toStdString(), "4.00×");
    EXPECT_EQ(shown(model, 0, M::copy_p50).toStdString(), "0.5000");
    EXPECT_EQ(shown(model, 0, M::mpix).toStdString(), "131.1");
    EXPECT_EQ(shown(model, 0, M::gb).toStdString(), "1.049");
    EXPECT_EQ(shown(model, 0, M::samples).toStdString(), "3");
    EXPECT_EQ(shown(model, 0, M::preempted).toStdString(), "1");
    EXPECT_EQ(shown(model, 0, M::parity).toStdString(), "passed");
    EXPECT_EQ(shown(model, 0, M::max_error).toStdString(), "1.50e-07");
    EXPECT_EQ(shown(model, 0, M::bound).toStdString(), "1.00e-05");
    EXPECT_EQ(shown(model, 0, M::size).toStdString(), "512 × 512");
    EXPECT_EQ(shown(model, 0, M::operation).toStdString(), "Filter 4");
    EXPECT_EQ(shown(model, 0, M::border).toStdString(), "mirror");
    EXPECT_EQ(shown(model, 0, M::precision).toStdString(), "f32");
    EXPECT_EQ(shown(model, 0, M::kernel).toStdString(), "iir_lines/two_pass");
    EXPECT_EQ(shown(model, 0, M::failure).toStdString(), "");
    for (int column = 0; column < M::column_count; ++column) {
        EXPECT_FALSE(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
        EXPECT_FALSE(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    }
}

TEST(ResultsModel, AFailureHasWordsAndNoFigures) {
    ResultsModel model;
    fill(model);
    EXPECT_TRUE(model.anyFailed());
    EXPECT_TRUE(shown(model, 1, M::failure).contains(QStringLiteral("too far")));
    for (const int column : {M::p50, M::p95, M::mpix, M::ratio, M::samples, M::parity, M::max_error}) {
        EXPECT_EQ(shown(model, 1, column).toStdString(), "–");
        EXPECT_FALSE(model.index(1, column).data(M::ValueRole).isValid());
    }
}

TEST(ResultsModel, SaysWhatPoolingIs) {
    ResultsModel model;
    using enum iir2d::ElementType;
    model.append(madePool({.window = {3, 3}, .stride = iir2d::Extent{2, 2}}, f16, PoolPass::forward));
    model.append(madePool({.op = iir2d::PoolOp::adaptive_avg, .output = {7, 5}}, bf16, PoolPass::backward));
    model.append(madeCase(1, 64, Precision::f32, {1.0}));
    EXPECT_EQ(shown(model, 0, M::operation).toStdString(), "max pool 3 × 3 stride 2 × 2");
    EXPECT_EQ(shown(model, 0, M::precision).toStdString(), "f16");
    EXPECT_EQ(shown(model, 0, M::pass).toStdString(), "forward");
    EXPECT_EQ(shown(model, 0, M::parity).toStdString(), "passed") << "also where nothing is allowed";
    EXPECT_EQ(shown(model, 0, M::max_error).toStdString(), "0");
    EXPECT_EQ(shown(model, 1, M::operation).toStdString(), "adaptive-avg pool to 7 × 5");
    EXPECT_EQ(shown(model, 1, M::pass).toStdString(), "backward");
    EXPECT_EQ(shown(model, 2, M::pass).toStdString(), "–");
}

TEST(CaseNames, TellPassesAndTypesApart) {
    using enum iir2d::ElementType;
    std::vector<CaseResult> results{madePool({}, f32, PoolPass::forward),
                                    madePool({}, f16, PoolPass::forward)};
    EXPECT_EQ(nameCases(results).cases.join(QLatin1Char('|')).toStdString(), "f32|f16");
    EXPECT_EQ(nameCases(results).common.toStdString(), "max 2 × 2, 512 × 512");
    results.push_back(madePool({}, f16, PoolPass::backward));
    EXPECT_EQ(nameCases(results).cases.join(QLatin1Char('|')).toStdString(), "f32|f16|f16, backward");
}

TEST(ResultsOrder, SortsByValueWithMissingOnesLast) {
    ResultsModel model;
    fill(model);
    ResultsOrder order;
    order.setSourceModel(&model);
    const auto rows = [&order](int column, Qt::SortOrder direction) {
        order.sort(column, direction);
        std::vector<int> sources;
        for (int row = 0; row < order.rowCount(); ++row) {
            sources.push_back(order.mapToSource(order.index(row, 0)).row());
        }
        return sources;
    };
    using ::testing::ElementsAre;
    // As texts "11.000" would come before "2.0000".
    EXPECT_THAT(rows(M::p50, Qt::AscendingOrder), ElementsAre(0, 3, 2, 1));
    EXPECT_THAT(rows(M::p50, Qt::DescendingOrder), ElementsAre(2, 3, 0, 1));
    EXPECT_THAT(rows(M::size, Qt::AscendingOrder), ElementsAre(3, 0, 1, 2));
    EXPECT_THAT(rows(M::failure, Qt::AscendingOrder).front(), 1);
}

TEST(ResultsTable, ChoosesTheSameCaseInAnyOrder) {
    ResultsModel model;
    ResultsTable table(model);
    table.resize(900, 300);
    fill(model);
    QSignalSpy chosen(&table, &ResultsTable::caseChosen);
    table.chooseCase(2);
    EXPECT_TRUE(chosen.isEmpty()) << "what it was told it does not tell";
    table.sortByColumn(M::p50, Qt::DescendingOrder);
    EXPECT_EQ(table.currentIndex().row(), 0);
    QTest::keyClick(&table, Qt::Key_Down);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 3);
    table.chooseCase(0);
    EXPECT_EQ(table.currentIndex().data().toString().toStdString(), "F4 mirror f32 512x512");
    EXPECT_EQ(chosen.size(), 1);
}

TEST(ResultsTable, HidesTheFailureColumnUntilThereIsOne) {
    ResultsModel model;
    ResultsTable table(model);
    model.append(madeCase(1, 64, Precision::f32, {1.0}));
    EXPECT_TRUE(table.isColumnHidden(M::failure));
    model.append(failedCase(2, 64, "no"));
    EXPECT_FALSE(table.isColumnHidden(M::failure));
    for (int column = 0; column < M::column_count; ++column) {
        if (column == M::failure || table.isColumnHidden(column)) continue;
        EXPECT_GE(table.columnWidth(column), static_cast<QAbstractItemView&>(table).sizeHintForColumn(column))
            << column;
    }
}

TEST(ResultsTable, SaysWhatHeldAGpusClocksBack) {
    ResultsModel model;
    ResultsTable table(model);
    CaseResult calm = madeCase(1, 64, Precision::f32, {1.0});
    calm.gpu = GpuStates{.samples = 2, .sm_clock_mhz = course_of({1980, 1980}), .throttle_reasons = 0x1U};
    model.append(calm);
    EXPECT_FALSE(model.anyThrottled()) << "a GPU that is idle between runs is not held back";
    EXPECT_TRUE(table.isColumnHidden(M::throttled));
    CaseResult hot = madeCase(2, 64, Precision::f32, {1.0});
    hot.gpu = calm.gpu;
    hot.gpu->throttle_reasons = 0x25U;
    model.append(hot);
    EXPECT_FALSE(table.isColumnHidden(M::throttled));
    EXPECT_EQ(shown(model, 0, M::throttled).toStdString(), "");
    EXPECT_EQ(shown(model, 1, M::throttled).toStdString(), "power cap, thermal, software");
    const auto tip = model.index(1, M::p50).data(Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.endsWith(QStringLiteral("\nthrottled: power cap, thermal, software")))
        << tip.toStdString();
    EXPECT_FALSE(
        model.index(0, M::p50).data(Qt::ToolTipRole).toString().contains(QStringLiteral("throttled")));
    model.clear();
    EXPECT_TRUE(table.isColumnHidden(M::throttled));
}

TEST(ResultsTable, CopiesRowsAsTabSeparatedText) {
    ResultsModel model;
    ResultsTable table(model);
    fill(model);
    QLocale::setDefault(QLocale(QLocale::German));
    table.selectRow(0);
    const QStringList lines = table.selectionAsTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QLocale::setDefault(QLocale::c());
    ASSERT_EQ(lines.size(), 2);
    const QStringList headers = lines[0].split(QLatin1Char('\t'));
    const QStringList cells = lines[1].split(QLatin1Char('\t'));
    ASSERT_EQ(headers.size(), M::column_count);
    ASSERT_EQ(cells.size(), M::column_count);
    EXPECT_EQ(cells[headers.indexOf(QStringLiteral("p95, ms"))].toDouble(), model.results()[0].latency.p95);
    EXPECT_EQ(cells[headers.indexOf(QStringLiteral("p50, ms"))].toStdString(), "2");

    table.clearSelection();
    const QStringList all = table.selectionAsTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(all.size(), 5);
    for (const QString& line : all) EXPECT_EQ(line.count(QLatin1Char('\t')), M::column_count - 1);

    table.selectRow(2);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("F8 mirror mixed 2048x2048")));
}

TEST(ResultsTable, TakesCopyFromTheWindow) {
    ResultsModel model;
    ResultsTable table(model);
    QKeyEvent override(QEvent::ShortcutOverride, Qt::Key_C, Qt::ControlModifier);
    override.ignore();
    QApplication::sendEvent(&table, &override);
    EXPECT_TRUE(override.isAccepted());
}

TEST(CaseNames, LeaveOutWhatAllHaveInCommon) {
    std::vector<CaseResult> results = {madeCase(1, 512, Precision::f32, {1.0}),
                                       madeCase(1, 512, Precision::mixed, {1.0})};
    CaseNames names = nameCases(results);
    EXPECT_EQ(names.cases.join(QLatin1Char('|')).toStdString(), "f32|mixed");
    EXPECT_EQ(names.common.toStdString(), "Filter 1, mirror, 512 × 512");

    results.push_back(madeCase(4, 1024, Precision::f32, {1.0}));
    names = nameCases(results);
    EXPECT_EQ(names.cases[2].toStdString(), "Filter 4, f32, 1024 × 1024");
    EXPECT_EQ(names.families[2].toStdString(), "Filter 4, f32");
    EXPECT_EQ(names.common.toStdString(), "mirror");

    results.resize(1);
    names = nameCases(results);
    EXPECT_EQ(names.cases[0].toStdString(), "Filter 1, mirror, f32, 512 × 512");
    EXPECT_TRUE(names.common.isEmpty());
}

TEST(Figures, KeepAtLeastFourDigits) {
    EXPECT_EQ(msText(0.12345678).toStdString(), "0.1235");
    EXPECT_EQ(msText(12.3456).toStdString(), "12.346");
    EXPECT_EQ(msText(123.456).toStdString(), "123.46");
    EXPECT_EQ(msText(12345.6).toStdString(), "12345.6");
    EXPECT_EQ(errorText(0).toStdString(), "0");
}

}  // namespace
}  // namespace workbench
