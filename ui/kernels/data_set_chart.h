// SPDX-License-Identifier: MIT
// What a data set is made of, and how fast one is made, as charts: bars of what is counted, or one line.
#pragma once

#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/inspect/data_set_view.h"
#include "ui/charts/chart_view.h"
#include "ui/kernels/data_set_desk.h"

class QXYSeries;
class QAbstractBarSeries;

namespace workbench {

// A chart as a value. With rows it has bars, the first row on top; else a line.
struct DataSetPlot {
    struct Set {
        QString name;
        QList<double> values;  // of each row
    };
    QString heading;
    QString xTitle;
    QString yTitle;  // of the line
    QStringList rows;
    std::vector<Set> sets;
    bool isStacked = true;  // sets follow each other in one bar; else they stand below each other
    QList<QPointF> line;
    QString words;    // what it shows, for those who do not see it
    QString nothing;  // why it shows nothing; empty: it shows something
};

DataSetPlot recordsPlot(const inspect::DataSetView& set);   // by category and split
DataSetPlot rejectedPlot(const inspect::DataSetView& set);  // by reason
DataSetPlot sizesPlot(const inspect::DataSetView& set);     // of texts by target
DataSetPlot skeletonsPlot(const inspect::DataSetView& set);
// Pairs a second between one report and the next.
DataSetPlot pacePlot(const std::vector<DataSetDesk::Pace>& pace);

class DataSetChart : public ChartView {
    Q_OBJECT
  public:
    explicit DataSetChart(QWidget* parent = nullptr);

    void showPlot(DataSetPlot plot);
    const DataSetPlot& plot() const { return m_plot; }

    QString toolTipAt(const QPointF& position) const override;

  protected:
    void restyle() override;

  private:
    QString make();
    void makeBars();
    void makeLine();

    DataSetPlot m_plot;
    QAbstractBarSeries* m_bars = nullptr;
    QXYSeries* m_line = nullptr;
};

}  // namespace workbench
