// SPDX-License-Identifier: MIT
// Provides what all charts of the page share: theme, hover, choosing a case by mouse and keys, an accessible
// description, drawing for export.
#pragma once

#include <QChartView>
#include <QMargins>
#include <functional>
#include <vector>

#include "core/benchmark/benchmark.h"

namespace workbench {

class ChartView : public QChartView {
    Q_OBJECT
  public:
    // Makes an empty chart. `fileStem` names the chart's files: "latency".
    ChartView(const QString& name, const QString& fileStem, QWidget* parent);

    QString name() const { return m_name; }
    QString fileStem() const { return m_fileStem; }
    // Returns what the chart shows, in words; also the accessible description.
    QString summary() const { return accessibleDescription(); }
    // Returns the text that is shown instead of a chart while there is nothing to draw; else empty.
    QString emptyText() const { return m_emptyText; }

    // Shows results, in charts of such; those of something else have a function of their own. `chosen` is an
    // index into results, -1: none. Keeps no reference.
    void showResults(const std::vector<CaseResult>& results, int chosen);

    // Returns the heading above the chart.
    QString heading() const { return m_heading; }

    // Draws the chart as it would be at `size`, on the theme's background.
    void renderTo(QPainter& painter, const QSizeF& size);

    // Returns what a mouse at `position` (of the view) is about; empty and -1: nothing.
    virtual QString toolTipAt(const QPointF& position) const = 0;
    virtual int caseAt(const QPointF& /*position*/) const { return -1; }

  Q_SIGNALS:
    void caseChosen(int index);

  protected:
    // Makes the chart of results anew and gives its description; `results` is not empty.
    virtual QString build(const std::vector<CaseResult>& /*results*/, int /*chosen*/) { return {}; }
    // Does what showResults() does, for whatever a chart shows: `make` is called unless `count` is 0, when
    // `nothing` is said.
    void present(int count, int chosen, const QString& nothing, const std::function<QString()>& make);
    // Colours and fonts of what build made; also after a change of theme.
    virtual void restyle() = 0;
    // Prepares to lay out the chart at a size.
    virtual void arrange(const QSizeF& /*size*/) {}

    void setEmptyText(const QString& text);
    // Sets the heading. With `labelled`, a line below it is left for what stands at lines of the plot:
    // labelBaseline().
    void setHeading(const QString& heading, bool labelled = false);
    double labelBaseline() const;
    // Sets the room at the other edges for what is drawn there.
    void setFreeEdges(int left, int right, int bottom);
    // Draws over the series, in the coordinates of the view.
    void setOverlay(std::function<void(QPainter&)> draw);
    void updateOverlay();

    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    class Overlay;
    void applyStyle();
    void applyMargins();
    void drawHeading(QPainter& painter) const;

    QString m_name;
    QString m_fileStem;
    QString m_emptyText;
    QString m_heading;
    bool m_labelled = false;
    QMargins m_edges{8, 4, 12, 4};
    Overlay* m_overlay;
    int m_count = 0;
    int m_chosen = -1;
};

// Returns a scroll area for a chart that grows with its cases, named as the chart is.
QWidget* inScrollArea(ChartView* chart, QWidget* parent);

}  // namespace workbench
