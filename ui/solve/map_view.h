// SPDX-License-Identifier: MIT
// The solution on the square and its error, side by side: zoomed and moved as one, with the values under the
// cursor of either.
#pragma once

#include <QWidget>
#include <array>

#include "ui/solve/solve_model.h"

namespace workbench {

class ElidedLabel;
class ImageView;

// Shows what the colours of a map mean.
class ColourScale : public QWidget {
    Q_OBJECT
  public:
    explicit ColourScale(QWidget* parent = nullptr);
    void setRange(double low, double high, bool isSigned);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    double m_low = 0, m_high = 0;
    bool m_isSigned = false;
};

class SolutionMapView : public QWidget {
    Q_OBJECT
  public:
    explicit SolutionMapView(QWidget* parent = nullptr);

    void showOutcome(const SolveOutcomePtr& outcome);
    ImageView& solutionView() const { return *m_views[0]; }
    ImageView& errorView() const { return *m_views[1]; }
    QString valueText() const { return m_text; }  // at the cursor; empty: none is there
    // Returns both maps with their scales, as a file.
    QByteArray asSvg(const QString& caption) const;

  private:
    static QString mapTitle(std::size_t map);
    void follow(int from);
    void showValue(int from);

    SolveOutcomePtr m_outcome;
    std::array<ImageView*, 2> m_views{};
    std::array<ColourScale*, 2> m_scales{};
    ElidedLabel* m_value;
    QString m_text;
    bool m_isFollowing = false;
};

}  // namespace workbench
