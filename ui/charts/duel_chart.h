// SPDX-License-Identifier: MIT
// The change of each case's time in a duel: its interval over the control's, which is paler, with the margin
// as a band around 0 %. Shown anew as pairs come in, when intervals shrink.
#pragma once

#include "ui/charts/case_bars_chart.h"
#include "ui/charts/duel_rows.h"

namespace workbench {

class DuelChart : public CaseBarsChart {
    Q_OBJECT
  public:
    explicit DuelChart(QWidget* parent = nullptr);
    void showDuel(const DuelRows& rows, int chosen);

    // Return the ends of the axis, in percent of change.
    double low() const { return m_low; }
    double high() const { return m_high; }

  protected:
    std::optional<double> lowEnd() const override { return m_low; }
    std::optional<double> highEnd() const override { return m_high; }
    void drawBelow(QPainter& painter, const QRectF& plot) const override;
    bool drawsMarks() const override { return true; }
    void drawMark(QPainter& painter, std::size_t bar, const QPointF& at) const override;
    QColor figureColour(std::size_t bar) const override;

  private:
    struct Drawn {
        DuelVerdict verdict = DuelVerdict::undecided;
        bool isDone = false;
        std::optional<Interval> effect, control;  // in percent of change
        QString reason;                           // where there is no interval
    };
    void fitAxis(const DuelRows& rows);
    // Draws an interval with its ends; one that goes on beyond the plot has an arrow there.
    void drawInterval(QPainter& painter, const Interval& interval, double y, double cap) const;

    std::vector<Drawn> m_drawn;
    double m_margin = 2;  // in percent
    double m_low = -5;
    double m_high = 5;
};

}  // namespace workbench
