// SPDX-License-Identifier: MIT
// The tour's stop at records: opened, compared, refused, reproduced, under a roof and over time. All of them
// are measured on the way.
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/history_table.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_actions.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_page.h"
#include "ui/benchmark/roofline_view.h"
#include "ui/charts/roofline_chart.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {

void ScreenshotTour::records() {
    const QTemporaryDir folder;
    BenchmarkPage& page = m_window.benchmarkPage();
    m_window.setPage(MainWindow::Page::benchmark);
    const auto settled = [&](const QString& what) {
        waitFor(
            what,
            [&] { return !page.isRunning() && !page.desk().isBusy() && !page.desk().exporter().isRunning(); },
            300000);
    };
    const auto measure = [&](const QString& name, int threads) {
        MatrixChoices choices = page.form().choices();
        choices.sizes = {{512, 512}, {1024, 1024}};
        choices.filterIds = {1, 4, 8};
        choices.pools = {.ops = {iir2d::PoolOp::max, iir2d::PoolOp::avg}};
        choices.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed};
        choices.threads = threads;
        choices.warmup = 2;
        choices.iterations = 30;
        page.form().setChoices(choices);
        page.run();
        settled(QStringLiteral("the benchmark for %1").arg(name));
        page.exports().exportTo(ExportKind::record, folder.filePath(name));
        settled(QStringLiteral("the record %1").arg(name));
        page.messages().clear(QStringLiteral("export"));
    };
    measure(QStringLiteral("two-threads"), 2);
    measure(QStringLiteral("monday"), 1);
    measure(QStringLiteral("tuesday"), 1);
    if (auto* note = page.findChild<QLineEdit*>(QStringLiteral("resultNote"))) {
        note->setText(QStringLiteral("after the new border code"));
        Q_EMIT note->editingFinished();
    }
    for (ChartView* chart : page.charts().charts()) {
        if (chart->fileStem() == QLatin1String("throughput")) page.charts().setCurrentChart(chart);
    }
    shootInBoth(QStringLiteral("44-throughput-and-note"));
    page.records().compareWithPrevious();
    settled(QStringLiteral("the comparison with the previous run"));
    shoot(QStringLiteral("44-compared-with-previous"));
    page.desk().open(folder.filePath(QStringLiteral("tuesday")));
    settled(QStringLiteral("the record to open"));
    page.charts().setCurrentChart(&page.charts().roofline().chart());
    shoot(QStringLiteral("44-roofline-without-a-ceiling"));
    page.findChild<QPushButton*>(QStringLiteral("measureCeiling"))->click();
    settled(QStringLiteral("the ceiling"));
    shootInBoth(QStringLiteral("45-roofline"));

    page.setTab(BenchmarkPage::Tab::comparison);
    shoot(QStringLiteral("46-nothing-compared"));
    page.desk().compareWith(folder.filePath(QStringLiteral("two-threads")));
    settled(QStringLiteral("the refusal"));
    shoot(QStringLiteral("46-unlike-refused"));
    page.findChild<QPushButton*>(QStringLiteral("insistButton"))->click();
    settled(QStringLiteral("the comparison of unlike records"));
    shootInBoth(QStringLiteral("46-unlike-compared"));
    page.desk().compareWith(folder.filePath(QStringLiteral("monday")));
    settled(QStringLiteral("the comparison"));
    shootInBoth(QStringLiteral("47-compared"));
    page.compareView().showFigures();
    shoot(QStringLiteral("47-compared-figures"));
    page.reproduce();
    settled(QStringLiteral("the reproduction"));
    shootInBoth(QStringLiteral("48-reproduced"));

    page.setHistoryFile(folder.filePath(QStringLiteral("history.sqlite")));
    page.setTab(BenchmarkPage::Tab::history);
    settled(QStringLiteral("no history"));
    shoot(QStringLiteral("49-no-history"));
    for (const char* name : {"monday", "tuesday", "two-threads"}) {
        page.desk().open(folder.filePath(QLatin1String(name)));
        settled(QStringLiteral("the record to open"));
        page.desk().addToHistory();
        settled(QStringLiteral("the record to be added"));
    }
    page.messages().clear(QStringLiteral("record"));
    page.setTab(BenchmarkPage::Tab::history);
    settled(QStringLiteral("the history"));
    HistoryTable& table = page.historyView().table();
    if (QTableWidgetItem* first = table.item(table.rowCount() - 1, HistoryTable::note))
        first->setText(QStringLiteral("before the new border code"));
    settled(QStringLiteral("the note"));
    shootInBoth(QStringLiteral("49-history"));

    const QSize before = m_window.size();
    m_window.resize(800, 600);
    shoot(QStringLiteral("63-small-history"));
    page.setTab(BenchmarkPage::Tab::comparison);
    shoot(QStringLiteral("63-small-compared"));
    page.setTab(BenchmarkPage::Tab::results);
    shoot(QStringLiteral("63-small-record"));
    m_window.resize(before);
    page.desk().open(folder.filePath(QStringLiteral("no-such-record")));
    settled(QStringLiteral("the error message"));
    shoot(QStringLiteral("64-record-not-opened"));
    page.messages().clear(QStringLiteral("record"));
}

}  // namespace workbench
