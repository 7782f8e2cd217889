// SPDX-License-Identifier: MIT
// Draws one row for each case, the first on top: a bar with a whisker, or two of them, and the figure beside
// it. Horizontal, because the names of cases are long; as tall as its cases need, so that no name is ever
// cut.
#pragma once

#include <QStringList>
#include <optional>

#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/widgets/theme.h"

class QAbstractAxis;
class QBarCategoryAxis;
class QBarSet;

namespace workbench {

class CaseBarsChart : public ChartView {
    Q_OBJECT
  public:
    struct Bar {
        QString name;
        double value = 0;                   // 0 when there is none
        std::optional<double> whisker;      // from `value`, or from `whiskerFrom`, to here
        std::optional<double> whiskerFrom;  // for an interval around the value
        std::optional<double> beside;       // a second bar, above this one
        QString figure;                     // written beside the bar
        QString toolTip;
        bool failed = false;
        bool blank = false;  // there is nothing to draw yet
    };

    // Holds the texts and colours of a chart that do not depend on its bars.
    struct Look {
        QString title;
        QString axis;
        QString logarithmicAxis = {};
        QColor ThemeColours::*colour = &ThemeColours::accent;
        std::optional<double> reference = {};  // a line across all bars
        QString referenceText = {};
        int rowPadding = 3;         // added to the height of a name; two bars take 12
        bool figuresAtEnd = false;  // in a column of their own, where they stay when their bars change
    };

    CaseBarsChart(const QString& name, const QString& fileStem, Look look, QWidget* parent);

    const std::vector<Bar>& bars() const { return m_bars; }
    void setLogarithmic(bool on);
    // Returns the largest bar over the smallest.
    double largestOverSmallest() const;
    double xOf(double value) const;  // in the view's coordinates
    double yOf(std::size_t bar) const;
    double rowHeight() const;

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;
    QSize sizeHint() const override;

  protected:
    // Shows `bars`; `common` is what all cases share, for the title.
    void buildBars(std::vector<Bar> bars, const QString& common, int chosen);
    Look& look() { return m_look; }  // to be changed before buildBars()
    // Returns where the axis begins; absent: at 0. And where it ends; absent: at the largest bar.
    virtual std::optional<double> lowEnd() const { return {}; }
    virtual std::optional<double> highEnd() const { return {}; }
    // Draw what lies below the rows, and what takes the place of a row's bar: then no bars are drawn.
    virtual void drawBelow(QPainter& /*painter*/, const QRectF& /*plot*/) const {}
    virtual bool drawsMarks() const { return false; }
    virtual void drawMark(QPainter& /*painter*/, std::size_t /*bar*/, const QPointF& /*at*/) const {}
    virtual QColor figureColour(std::size_t bar) const;

    void restyle() override;
    void arrange(const QSizeF& size) override;

  private:
    void makeSeries();
    void spreadTicks(double room);  // so far that their numbers have room
    void draw(QPainter& painter) const;
    void drawRow(QPainter& painter, std::size_t index) const;

    Look m_look;
    std::vector<Bar> m_bars;
    QString m_common;
    int m_chosen = -1;
    bool m_logarithmic = false;
    TickScale m_scale;  // of a value axis that is not logarithmic
    double m_low = 0;
    double m_high = 1;
    double m_nameWidth = 0;
    QAbstractAxis* m_valueAxis = nullptr;
    QBarCategoryAxis* m_caseAxis = nullptr;
    QBarSet* m_set = nullptr;
    QBarSet* m_besideSet = nullptr;
};

// Draws the results of a run: a case that was not timed has no bar, and says why.
class ResultBarsChart : public CaseBarsChart {
    Q_OBJECT
  public:
    struct Figures {
        QString subject;                            // what the bars are of, a sentence
        Bar (*bar)(const CaseResult& timed);        // all but the name
        QString (*words)(const CaseResult& timed);  // the bar's figures
    };
    ResultBarsChart(const QString& name, const QString& fileStem, Look look, Figures figures,
                    QWidget* parent);

  protected:
    QString build(const std::vector<CaseResult>& results, int chosen) override;

  private:
    Figures m_figures;
};

// Draws p50 of each case as a bar, p95 as a whisker.
class LatencyChart : public ResultBarsChart {
    Q_OBJECT
  public:
    explicit LatencyChart(QWidget* parent = nullptr);
};

// Draws each case's p50 over the time of copying the same plane in the same run.
class RatioChart : public ResultBarsChart {
    Q_OBJECT
  public:
    explicit RatioChart(QWidget* parent = nullptr);
};

}  // namespace workbench
