// SPDX-License-Identifier: MIT
// One horizontal bar a case, the first on top, with a whisker and the figure beside it. Horizontal, because
// the names of cases are long; as tall as its cases need, so that no name is ever cut.
#pragma once

#include <QStringList>
#include <optional>

#include "ui/benchmark/charts/chart_view.h"

class QAbstractAxis;
class QBarCategoryAxis;
class QBarSet;

namespace workbench {

class CaseBarsChart : public ChartView {
    Q_OBJECT
  public:
    struct Bar {
        QString name;
        double value = 0;               // 0 when there is none
        std::optional<double> whisker;  // from `value` to here
        QString figure;                 // written beside the bar
        QString toolTip;
        bool failed = false;
    };

    CaseBarsChart(const QString& name, const QString& fileStem, QWidget* parent);

    const std::vector<Bar>& bars() const { return m_bars; }
    bool isLogarithmic() const { return m_logarithmic; }
    void setLogarithmic(bool on);
    // The largest bar over the smallest.
    double spread() const;

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;
    QSize sizeHint() const override;

  protected:
    virtual std::vector<Bar> barsOf(const std::vector<CaseResult>& results) const = 0;
    virtual QString describe(const std::vector<CaseResult>& results) const = 0;
    virtual QString titleText() const = 0;
    virtual QString axisTitle() const = 0;
    virtual QColor barColour() const = 0;
    virtual std::optional<double> reference() const { return {}; }  // a line across all bars
    virtual QString referenceText() const { return {}; }

    QString build(const std::vector<CaseResult>& results, int chosen) override;
    void restyle() override;
    void arrange(const QSizeF& size) override;

  private:
    void makeSeries();
    void draw(QPainter& painter) const;
    double xOf(double value) const;
    double yOf(std::size_t bar) const;
    double rowHeight() const;

    std::vector<Bar> m_bars;
    QString m_common;
    int m_chosen = -1;
    bool m_logarithmic = false;
    double m_low = 0;
    double m_high = 1;
    double m_nameWidth = 0;
    QAbstractAxis* m_valueAxis = nullptr;
    QBarCategoryAxis* m_caseAxis = nullptr;
    QBarSet* m_set = nullptr;
};

}  // namespace workbench
