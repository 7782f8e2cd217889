// SPDX-License-Identifier: MIT
// The menu that results are exported with: its dialogs, the names of files, and what is said afterwards.
#pragma once

#include <QList>
#include <QMenu>
#include <QString>

#include "ui/benchmark/result_exporter.h"
#include "ui/charts/compared_records.h"

class QToolButton;

namespace workbench {

class ChartsArea;
class MessageArea;
class RecordDesk;
class Session;

class ExportMenu : public QMenu {
    Q_OBJECT
  public:
    // Becomes the menu of `button`, which it enables while something can be exported.
    ExportMenu(RecordDesk& desk, ChartsArea& charts, Session& session, QToolButton* button);

    void setMessages(MessageArea* messages) { m_messages = messages; }
    QAction* recordAction() const { return m_record; }
    // Returns the directory that the next dialog begins in.
    QString directory() const;
    bool mayExport() const;

    // Exports without asking for a name. Does nothing while a run is under way or an export is being written.
    void exportTo(ExportKind kind, const QString& path);
    void exportChartTo(int chart, ExportKind kind, const QString& path);
    // Exports the comparison as Markdown.
    void exportReportTo(const ComparedRecordsPtr& compared, const QString& path);

    // Exports with a dialog.
    void exportRecord();
    void exportCsv();
    void exportJson();
    void exportMarkdown();
    void exportAllCharts();
    void exportReport(const ComparedRecordsPtr& compared);

  public Q_SLOTS:
    void showState();

  Q_SIGNALS:
    void copyTableWanted();
    void message(const QString& text);

  private:
    QAction* add(const QString& text, const QString& help, void (ExportMenu::*slot)());
    void addCharts();
    void connectExporter();
    void exportFile(ExportKind kind, const QString& title, const QString& suffix, const QString& filter);
    void exportChart(int chart, ExportKind kind);
    QString caption() const;
    void say(bool good, const QString& text, const QString& folder, const QString& path);

    RecordDesk& m_desk;
    ChartsArea& m_charts;
    Session& m_session;
    QToolButton* m_button;
    MessageArea* m_messages = nullptr;
    QAction* m_record = nullptr;
    QList<QAction*> m_chartActions;  // On the charts themselves.
    QString m_into;                  // The directory to remember when the export has succeeded.
};

}  // namespace workbench
