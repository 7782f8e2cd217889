// SPDX-License-Identifier: MIT
#include "ui/benchmark/export_menu.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QToolButton>
#include <QUrl>
#include <utility>

#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/record_desk.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_view.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString exportSubject = QStringLiteral("export");

QString captionWith(const std::string& device, int threads, const std::string& started,
                    const std::string& version) {
    QStringList parts{toText(device), ExportMenu::tr("%n thread(s)", nullptr, threads), toText(started),
                      QStringLiteral("iir2d ") + toText(version)};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString cancelledText(std::size_t done, std::int64_t total) {
    return QStringLiteral(" · ") +
           ExportMenu::tr("cancelled: %1 of %n case(s)", nullptr, int(total)).arg(done);
}

QString captionOf(const Record& record) {
    const BenchmarkRun& run = record.run;
    return captionWith(run.device.name, run.threads, run.started_utc, record.environment.version) +
           (run.cancelled ? cancelledText(run.results.size(), run.case_total) : QString());
}

}  // namespace

ExportMenu::ExportMenu(RecordDesk& desk, ChartsArea& charts, Session& session, QToolButton* button)
    : QMenu(button), m_desk(desk), m_charts(charts), m_session(session), m_button(button) {
    setToolTipsVisible(true);
    m_record = add(tr("Whole &record…"),
                   tr("A new directory with record.json, record.csv, record.md and SHA256SUMS"),
                   &ExportMenu::exportRecord);
    m_record->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
    m_record->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addSeparator();
    add(tr("&CSV…"), tr("One row a case"), &ExportMenu::exportCsv);
    add(tr("&JSON…"), tr("Everything, with every sample"), &ExportMenu::exportJson);
    add(tr("&Markdown…"), tr("A report to read"), &ExportMenu::exportMarkdown);
    addSeparator();
    addCharts();
    add(tr("&All charts…"), tr("Each as PNG and SVG, into a directory"), &ExportMenu::exportAllCharts);
    addSeparator();
    QAction* copy = addAction(themedIcon(QStringLiteral("copy")), tr("Copy the &table"), this,
                              &ExportMenu::copyTableWanted);
    copy->setToolTip(tr("Tab-separated, with the headers"));
    button->setMenu(this);
    connectExporter();
    for (const auto signal : {&RecordDesk::shownChanged, &RecordDesk::stateChanged, &RecordDesk::exported})
        connect(&desk, signal, this, &ExportMenu::showState);
    connect(&desk, &RecordDesk::runningChanged, this, &ExportMenu::showState);
    showState();
}

QAction* ExportMenu::add(const QString& text, const QString& help, void (ExportMenu::*slot)()) {
    QAction* action = addAction(text, this, slot);
    action->setToolTip(help);
    return action;
}

void ExportMenu::addCharts() {
    QMenu* png = addMenu(tr("Chart as &PNG"));
    QMenu* svg = addMenu(tr("Chart as &SVG"));
    const QList<ChartView*>& charts = m_charts.charts();
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
        m_chartActions.append({chartPng, chartSvg});
    }
}

void ExportMenu::showState() {
    const bool may = mayExport();
    m_button->setEnabled(may);
    for (QAction* action : std::as_const(m_chartActions)) action->setEnabled(may);
    // A record that was opened lies in its own directory.
    m_record->setEnabled(may && m_desk.run());
    m_button->setToolTip(m_desk.isRunning() ? tr("Results can be exported when the run has ended")
                                            : tr("Write the record, its CSV, JSON or Markdown, or a chart"));
}

bool ExportMenu::mayExport() const {
    return (m_desk.run() || m_desk.opened()) && !m_desk.isRunning() && !m_desk.exporter().isRunning();
}

QString ExportMenu::caption() const {
    return m_desk.run() ? captionOf(*m_desk.run()) : captionOf(*m_desk.opened());
}

QString ExportMenu::directory() const {
    return m_session.exportFolder();
}

void ExportMenu::say(bool good, const QString& text, const QString& folder, const QString& path) {
    m_messages->show(
        exportSubject, good ? MessageArea::Severity::info : MessageArea::Severity::error, text,
        {{tr("Open folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }},
         {tr("Copy path"), [path] { QApplication::clipboard()->setText(path); }}});
    showState();
    Q_EMIT message(text);
}

void ExportMenu::connectExporter() {
    const ResultExporter* exporter = &m_desk.exporter();
    connect(exporter, &ResultExporter::written, this, [this](const QString& path, const QString& what) {
        const QString folder = QFileInfo(path).isDir() ? path : QFileInfo(path).absolutePath();
        m_session.keepExportFolder(m_into);
        say(true, tr("%1 was written to %2").arg(what, QDir::toNativeSeparators(path)), folder, path);
    });
    connect(exporter, &ResultExporter::verified, this,
            [this](const QString& path, bool accepted, const QString& verdict) {
                say(accepted,
                    tr("The record was written to %1. %2").arg(QDir::toNativeSeparators(path), verdict), path,
                    path);
            });
    connect(exporter, &ResultExporter::failed, this, [this](const QString& why) {
        const QString text = tr("Nothing was exported: %1").arg(why);
        m_messages->show(exportSubject, MessageArea::Severity::error, text);
        showState();
        Q_EMIT message(text);
    });
}

void ExportMenu::exportTo(ExportKind kind, const QString& path) {
    if (!mayExport() || path.isEmpty()) return;
    m_messages->clear(exportSubject);
    m_into = kind == ExportKind::all_charts ? path : QFileInfo(path).absolutePath();
    ResultExporter& exporter = m_desk.exporter();
    switch (kind) {
        case ExportKind::record:
            m_desk.exportWhole(path);
            break;
        case ExportKind::csv:
        case ExportKind::json:
        case ExportKind::markdown:
            exporter.writeText(kind, m_desk.run() ? m_desk.run() : m_desk.opened(), path);
            break;
        case ExportKind::png:
        case ExportKind::svg:
            break;  // of which chart: exportChartTo()
        case ExportKind::all_charts: {
            m_charts.refreshAll();
            std::vector<RenderedFile> files;
            for (ChartView* chart : m_charts.charts()) {
                if (!chart->emptyText().isEmpty()) continue;
                const QString stem = QDir(path).filePath(chart->fileStem());
                files.push_back({stem + QStringLiteral(".png"), chartAsPng(*chart, caption())});
                files.push_back({stem + QStringLiteral(".svg"), chartAsSvg(*chart, caption())});
            }
            exporter.writeFiles(std::move(files), tr("The chart"));
            break;
        }
    }
    showState();
}

void ExportMenu::exportChartTo(int index, ExportKind kind, const QString& path) {
    if (!mayExport() || path.isEmpty()) return;
    m_messages->clear(exportSubject);
    m_into = QFileInfo(path).absolutePath();
    m_charts.refreshAll();
    ChartView& chart = *m_charts.charts()[index];
    if (!chart.emptyText().isEmpty()) {
        m_messages->show(exportSubject, MessageArea::Severity::error,
                         tr("There is no chart to export: %1").arg(chart.emptyText()));
        return;
    }
    m_desk.exporter().writeFiles(
        {{path, kind == ExportKind::svg ? chartAsSvg(chart, caption()) : chartAsPng(chart, caption())}},
        tr("The chart"));
    showState();
}

void ExportMenu::exportReportTo(const ComparedRecordsPtr& compared, const QString& path) {
    if (!compared || path.isEmpty() || m_desk.exporter().isRunning()) return;
    m_into = QFileInfo(path).absolutePath();
    m_desk.exporter().writeFiles(
        {{path, QByteArray::fromStdString(comparison_to_markdown(compared->comparison))}},
        tr("The comparison"));
    showState();
}

// Dialogs -----------------------------------------------------------------------------------------------

void ExportMenu::exportRecord() {
    if (!mayExport() || !m_desk.run()) return;
    const QString base =
        QFileDialog::getExistingDirectory(m_button, tr("Where to make the record's directory"), directory());
    if (base.isEmpty()) return;
    exportTo(ExportKind::record, fromPath(new_record_directory(toPath(base))));
}

void ExportMenu::exportFile(ExportKind kind, const QString& title, const QString& suffix,
                            const QString& filter) {
    if (!mayExport()) return;
    exportTo(kind,
             QFileDialog::getSaveFileName(
                 m_button, title, m_session.inExportFolder(QStringLiteral("benchmark.") + suffix), filter));
}

void ExportMenu::exportCsv() {
    exportFile(ExportKind::csv, tr("Export as CSV"), QStringLiteral("csv"), tr("CSV (*.csv)"));
}

void ExportMenu::exportJson() {
    exportFile(ExportKind::json, tr("Export as JSON"), QStringLiteral("json"), tr("JSON (*.json)"));
}

void ExportMenu::exportMarkdown() {
    exportFile(ExportKind::markdown, tr("Export as Markdown"), QStringLiteral("md"), tr("Markdown (*.md)"));
}

void ExportMenu::exportAllCharts() {
    if (!mayExport()) return;
    exportTo(ExportKind::all_charts,
             QFileDialog::getExistingDirectory(m_button, tr("Where to write the charts"), directory()));
}

void ExportMenu::exportChart(int index, ExportKind kind) {
    if (!mayExport()) return;
    const ChartView& chart = *m_charts.charts()[index];
    const QString suffix = kind == ExportKind::svg ? QStringLiteral("svg") : QStringLiteral("png");
    exportChartTo(
        index, kind,
        QFileDialog::getSaveFileName(m_button, tr("Save the chart"),
                                     m_session.inExportFolder(chart.fileStem() + QLatin1Char('.') + suffix),
                                     kind == ExportKind::svg ? tr("SVG (*.svg)") : tr("PNG (*.png)")));
}

void ExportMenu::exportReport(const ComparedRecordsPtr& compared) {
    if (!compared) return;
    exportReportTo(compared,
                   QFileDialog::getSaveFileName(m_button, tr("Write the comparison as Markdown"),
                                                m_session.inExportFolder(QStringLiteral("comparison.md")),
                                                tr("Markdown (*.md)")));
}

}  // namespace workbench
