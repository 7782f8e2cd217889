// SPDX-License-Identifier: MIT
// Shows two records beside each other: what is compared and how, a verdict for each case, the charts, and
// what is behind the chosen one's verdict. What it cannot do itself it asks for by signals.
#pragma once

#include <QWidget>

#include "core/evidence/reproduce.h"
#include "ui/charts/compared_records.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QSplitter;
class QStackedWidget;
class QTextBrowser;
class QToolButton;

namespace workbench {

class ChartView;
class CompareBarsChart;
class CompareDistributionChart;
class CompareRatioChart;
class ComparisonModel;
class ElidedLabel;
class FiguresTable;
class NumberBox;
class SideBySideTabs;
class StatusStrip;

class CompareView : public QWidget {
    Q_OBJECT
  public:
    explicit CompareView(QWidget* parent = nullptr);

    // Returns what the controls say; allow_unlike is the caller's to set.
    CompareSettings settings() const;

    void showComparison(const ComparedRecordsPtr& compared);
    // Shows why there is none, in place of it; `mayInsist` offers to compare all the same.
    void showRefusal(const Record& base, const Record& now, const QString& why, bool mayInsist);
    // Shows the result of a reproduction above its comparison, until another comparison takes its place.
    void showReproduction(const Reproduction& reproduction, const ComparedRecordsPtr& compared);
    void clear();

    const ComparedRecordsPtr& compared() const;
    int chosenCase() const { return m_chosen; }  // a row of the model; -1: none
    void chooseCase(int row);
    void showFigures();  // the medians side by side, and both distributions

    ComparisonModel& model() const { return *m_model; }
    FiguresTable& table() const { return *m_table; }
    CompareRatioChart& ratioChart() const { return *m_ratio; }
    CompareBarsChart& barsChart() const { return *m_bars; }
    CompareDistributionChart& distributionChart() const { return *m_distribution; }
    QList<ChartView*> charts() const;
    StatusStrip& verdictStrip() const { return *m_verdict; }
    StatusStrip& unlikeStrip() const { return *m_unlike; }
    StatusStrip& reproductionStrip() const { return *m_reproduction; }
    QString evidence() const;

  Q_SIGNALS:
    void recordWanted();     // choose one to compare with
    void settingsChanged();  // compare anew
    void swapWanted();
    void insisted();            // compare although they are unlike
    void reportWanted();        // write the Markdown report
    void recordExportWanted();  // of the reproduction's new record

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeNothing();
    QWidget* makeHeader();
    QWidget* makeSettings();
    QWidget* makeBody();
    void showSides(const Record& base, const Record& now);
    void showVerdict();
    void showCharts();

    ComparisonModel* m_model;
    QStackedWidget* m_stack;
    QBoxLayout* m_controls = nullptr;
    ElidedLabel* m_base = nullptr;
    ElidedLabel* m_now = nullptr;
    QToolButton* m_report = nullptr;
    QComboBox* m_metric = nullptr;
    NumberBox* m_margin = nullptr;
    QCheckBox* m_limited = nullptr;
    NumberBox* m_limit = nullptr;
    StatusStrip* m_reproduction = nullptr;
    StatusStrip* m_unlike = nullptr;
    StatusStrip* m_verdict = nullptr;
    StatusStrip* m_refusal = nullptr;
    QWidget* m_insist = nullptr;
    QSplitter* m_splitter = nullptr;
    SideBySideTabs* m_tabs = nullptr;
    CompareRatioChart* m_ratio = nullptr;
    CompareBarsChart* m_bars = nullptr;
    CompareDistributionChart* m_distribution = nullptr;
    QTextBrowser* m_evidence = nullptr;
    FiguresTable* m_table = nullptr;
    int m_chosen = -1;
    bool m_keepReproduction = false;
};

}  // namespace workbench
