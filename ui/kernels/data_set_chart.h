// SPDX-License-Identifier: MIT
// Draws what a data set consists of and how fast one is made: bars of counts, and plots.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/inspect/data_set_view.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/plot.h"
#include "ui/kernels/data_set_desk.h"

class QAbstractBarSeries;

namespace workbench {

// Bars as a value, the first row on top.
struct DataSetBars {
    struct Set {
        QString name;
        QList<double> values;  // of each row
    };
    QString heading;
    QString xTitle;
    QStringList rows;
    std::vector<Set> sets;
    bool isStacked = true;  // sets follow each other in one bar; else they stand below each other
    QString words;          // what it shows, for those who do not see it
    QString nothing;        // why it shows nothing; then it has no rows
};

DataSetBars recordsBars(const inspect::DataSetView& set);   // by category and split
DataSetBars rejectedBars(const inspect::DataSetView& set);  // by reason
DataSetBars sizesBars(const inspect::DataSetView& set);     // of texts by target
Plot skeletonsPlot(const inspect::DataSetView& set);
// Pairs a second between one report and the next.
Plot pacePlot(const std::vector<DataSetDesk::Pace>& pace);

class DataSetChart : public ChartView {
    Q_OBJECT
  public:
    explicit DataSetChart(QWidget* parent = nullptr);

    void showBars(DataSetBars bars);
    const DataSetBars& bars() const { return m_bars; }

    QString toolTipAt(const QPointF& position) const override;

  protected:
    void restyle() override;

  private:
    QString make();

    DataSetBars m_bars;
    QAbstractBarSeries* m_series = nullptr;
};

}  // namespace workbench
