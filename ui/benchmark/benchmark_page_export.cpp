// SPDX-License-Identifier: MIT
// The export half of the benchmark page: its menu, names of files, and what is said afterwards.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QUrl>
#include <filesystem>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/results_table.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/figures.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString exportSubject = QStringLiteral("export");

QString caption(const std::string& device, int threads, const std::string& started,
                const std::string& version) {
    QStringList parts{toText(device), BenchmarkPage::tr("%n thread(s)", nullptr, threads), toText(started),
                      QStringLiteral("iir2d ") + toText(version)};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString cancelledText(std::size_t done, std::int64_t total) {
    return QStringLiteral(" · ") +
           BenchmarkPage::tr("cancelled: %1 of %n case(s)", nullptr, int(total)).arg(done);
}

QString captionOf(const Record& record) {
    const BenchmarkRun& run = record.run;
    return caption(run.device.name, run.threads, run.started_utc, record.environment.version) +
           (run.cancelled ? cancelledText(run.results.size(), run.case_total) : QString());
}

}  // namespace

QMenu* BenchmarkPage::makeExportMenu() {
    auto* menu = new QMenu(m_export);
    menu->setToolTipsVisible(true);
    const auto add = [this](QMenu* to, const QString& text, const QString& help, auto slot) {
        QAction* action = to->addAction(text, this, slot);
        action->setToolTip(help);
        return action;
    };
    QAction* record = add(menu, tr("Whole &record…"),
                          tr("A new directory with record.json, record.csv, record.md and SHA256SUMS"),
                          &BenchmarkPage::exportRecord);
    record->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
    record->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(record);
    m_exportRecordAction = record;
    menu->addSeparator();
    add(menu, tr("&CSV…"), tr("One row a case"), &BenchmarkPage::exportCsv);
    add(menu, tr("&JSON…"), tr("Everything, with every sample"), &BenchmarkPage::exportJson);
    add(menu, tr("&Markdown…"), tr("A report to read"), &BenchmarkPage::exportMarkdown);
    menu->addSeparator();
    QMenu* png = menu->addMenu(tr("Chart as &PNG"));
    QMenu* svg = menu->addMenu(tr("Chart as &SVG"));
    const QList<ChartView*>& charts = m_charts->charts();
    for (int i = 0; i < int(charts.size()); ++i) {
        const QString text = charts[i]->name() + QStringLiteral("…");
        QAction* asPng = png->addAction(text, this, [this, i] { exportChart(i, ExportKind::png); });
        QAction* asSvg = svg->addAction(text, this, [this, i] { exportChart(i, ExportKind::svg); });
        // The same on the chart itself.
        auto* chartPng = new QAction(tr("Save as PNG…"), charts[i]);
        auto* chartSvg = new QAction(tr("Save as SVG…"), charts[i]);
        connect(chartPng, &QAction::triggered, asPng, &QAction::trigger);
        connect(chartSvg, &QAction::triggered, asSvg, &QAction::trigger);
        charts[i]->addActions({chartPng, chartSvg});
        charts[i]->setContextMenuPolicy(Qt::ActionsContextMenu);
        m_exportActions.append({chartPng, chartSvg});
    }
    add(menu, tr("&All charts…"), tr("Each as PNG and SVG, into a directory"),
        &BenchmarkPage::exportAllCharts);
    menu->addSeparator();
    menu->addAction(themedIcon(QStringLiteral("copy")), tr("Copy the &table"), m_table,
                    [this] {
                        m_table->clearSelection();
                        m_table->copySelection();
                        m_table->chooseCase(m_chosen);
                    })
        ->setToolTip(tr("Tab-separated, with the headers"));
    return menu;
}

bool BenchmarkPage::mayExport() const {
    return (m_record != nullptr || m_opened != nullptr) && !isRunning() && !m_exporter->isRunning();
}

QString BenchmarkPage::chartCaption() const {
    return m_record ? captionOf(*m_record) : captionOf(*m_opened);
}

QString BenchmarkPage::exportDirectory() const {
    const std::string& directory = m_session.settings().export_directory;
    return directory.empty() ? QDir::homePath() : QString::fromStdString(directory);
}

void BenchmarkPage::rememberExport(const QString& directory) {
    m_session.settings().export_directory = directory.toStdString();
    m_session.saveSettings();
}

void BenchmarkPage::connectExporter() {
    connect(m_exporter, &ResultExporter::written, this, [this](const QString& path, const QString& what) {
        const QString folder = QFileInfo(path).isDir() ? path : QFileInfo(path).absolutePath();
        rememberExport(m_exportInto);
        const QString text = tr("%1 was written to %2").arg(what, QDir::toNativeSeparators(path));
        m_messages->show(
            exportSubject, MessageArea::Severity::info, text,
            {{tr("Open folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }},
             {tr("Copy path"), [path] { QApplication::clipboard()->setText(path); }}});
        showState();
        Q_EMIT message(text);
    });
    connect(m_exporter, &ResultExporter::verified, this,
            [this](const QString& path, bool accepted, const QString& verdict) {
                if (accepted && m_record) {
                    m_recordWrittenTo = path;
                    Q_EMIT recordWritten();
                }
                showState();
                const QString text =
                    tr("The record was written to %1. %2").arg(QDir::toNativeSeparators(path), verdict);
                m_messages->show(
                    exportSubject, accepted ? MessageArea::Severity::info : MessageArea::Severity::error,
                    text,
                    {{tr("Open folder"), [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); }},
                     {tr("Copy path"), [path] { QApplication::clipboard()->setText(path); }}});
                Q_EMIT message(text);
            });
    connect(m_exporter, &ResultExporter::failed, this, [this](const QString& why) {
        const QString text = tr("Nothing was exported: %1").arg(why);
        m_messages->show(exportSubject, MessageArea::Severity::error, text);
        showState();
        Q_EMIT message(text);
    });
}

void BenchmarkPage::exportTo(ExportKind kind, const QString& path) {
    if (!mayExport() || path.isEmpty()) return;
    m_messages->clear(exportSubject);
    m_exportInto = kind == ExportKind::all_charts ? path : QFileInfo(path).absolutePath();
    switch (kind) {
        case ExportKind::record:
            if (m_record) m_exporter->writeRecord(m_record, path);
            break;
        case ExportKind::csv:
        case ExportKind::json:
        case ExportKind::markdown:
            m_exporter->writeText(kind, m_record ? m_record : m_opened, path);
            break;
        case ExportKind::png:
        case ExportKind::svg:
            break;  // of which chart: exportChartTo()
        case ExportKind::all_charts: {
            m_charts->refreshAll();
            const QString caption = chartCaption();
            std::vector<RenderedFile> files;
            for (ChartView* chart : m_charts->charts()) {
                if (!chart->emptyText().isEmpty()) continue;
                const QString stem = QDir(path).filePath(chart->fileStem());
                files.push_back({stem + QStringLiteral(".png"), chartAsPng(*chart, caption)});
                files.push_back({stem + QStringLiteral(".svg"), chartAsSvg(*chart, caption)});
            }
            m_exporter->writeFiles(std::move(files), tr("The chart"));
            break;
        }
    }
    showState();
}

void BenchmarkPage::exportChartTo(int index, ExportKind kind, const QString& path) {
    if (!mayExport() || path.isEmpty()) return;
    m_messages->clear(exportSubject);
    m_exportInto = QFileInfo(path).absolutePath();
    m_charts->refreshAll();
    ChartView& chart = *m_charts->charts()[index];
    if (!chart.emptyText().isEmpty()) {
        m_messages->show(exportSubject, MessageArea::Severity::error,
                         tr("There is no chart to export: %1").arg(chart.emptyText()));
        return;
    }
    const QString caption = chartCaption();
    m_exporter->writeFiles(
        {{path, kind == ExportKind::svg ? chartAsSvg(chart, caption) : chartAsPng(chart, caption)}},
        tr("The chart"));
    showState();
}

void BenchmarkPage::exportRecord() {
    if (!mayExport() || !m_record) return;  // an opened record lies in its own directory
    const QString base = QFileDialog::getExistingDirectory(this, tr("Where to make the record's directory"),
                                                           exportDirectory());
    if (base.isEmpty()) return;
    const auto directory = new_record_directory(std::filesystem::path(base.toStdU16String()));
    exportTo(ExportKind::record, QString::fromStdU16String(directory.u16string()));
}

void BenchmarkPage::exportFile(ExportKind kind, const QString& title, const QString& suffix,
                               const QString& filter) {
    if (!mayExport()) return;
    exportTo(kind, QFileDialog::getSaveFileName(
                       this, title, QDir(exportDirectory()).filePath(QStringLiteral("benchmark.") + suffix),
                       filter));
}

void BenchmarkPage::exportCsv() {
    exportFile(ExportKind::csv, tr("Export as CSV"), QStringLiteral("csv"), tr("CSV (*.csv)"));
}

void BenchmarkPage::exportJson() {
    exportFile(ExportKind::json, tr("Export as JSON"), QStringLiteral("json"), tr("JSON (*.json)"));
}

void BenchmarkPage::exportMarkdown() {
    exportFile(ExportKind::markdown, tr("Export as Markdown"), QStringLiteral("md"), tr("Markdown (*.md)"));
}

void BenchmarkPage::exportAllCharts() {
    if (!mayExport()) return;
    exportTo(ExportKind::all_charts,
             QFileDialog::getExistingDirectory(this, tr("Where to write the charts"), exportDirectory()));
}

void BenchmarkPage::exportChart(int index, ExportKind kind) {
    if (!mayExport()) return;
    const ChartView& chart = *m_charts->charts()[index];
    const QString suffix = kind == ExportKind::svg ? QStringLiteral("svg") : QStringLiteral("png");
    exportChartTo(index, kind,
                  QFileDialog::getSaveFileName(
                      this, tr("Save the chart"),
                      QDir(exportDirectory()).filePath(chart.fileStem() + QLatin1Char('.') + suffix),
                      kind == ExportKind::svg ? tr("SVG (*.svg)") : tr("PNG (*.png)")));
}

}  // namespace workbench
