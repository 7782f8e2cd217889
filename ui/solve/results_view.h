// SPDX-License-Identifier: MIT
// Shows what was solved, or is being solved: the solution in the form that its problem has, how it was
// reached, and how errors fall with h.
#pragma once

#include <QWidget>

#include "ui/solve/solve_model.h"

class QLabel;
class QPushButton;
class QSlider;
class QStackedWidget;
class QTabWidget;

namespace workbench {

class ElidedLabel;
class ImageView;
class PlotChart;
class SolutionMapView;

class SolveResultsView : public QWidget {
    Q_OBJECT
  public:
    enum Tab { solutionTab, historyTab, errorsTab };

    explicit SolveResultsView(SolveModel& model, QWidget* parent = nullptr);

    QTabWidget& tabs() const { return *m_tabs; }
    PlotChart& solutionChart() const { return *m_solution; }
    PlotChart& historyChart() const { return *m_history; }
    PlotChart& errorsChart() const { return *m_errors; }
    PlotChart& pathChart() const { return *m_path; }
    SolutionMapView& maps() const { return *m_maps; }
    QSlider& timeSlider() const { return *m_time; }

    // Returns the plot that is shown, as an SVG; empty: a picture is shown, or nothing.
    QByteArray shownAsSvg(const QString& caption);
    QString shownStem() const;  // for its file

  private:
    QWidget* makeLine();
    QWidget* makeTuned();
    void showOutcome();
    void showLive();
    void showTuned();
    void showTime();
    void showState();
    void showTabsOf(SolveProblem problem);

    SolveModel& m_model;
    QTabWidget* m_tabs;
    QStackedWidget* m_solutions;
    PlotChart* m_solution;
    PlotChart* m_path;
    PlotChart* m_history;
    PlotChart* m_errors;
    SolutionMapView* m_maps;
    QWidget* m_timeRow = nullptr;
    QSlider* m_time = nullptr;
    QLabel* m_timeText = nullptr;
    QWidget* m_linePage = nullptr;
    QWidget* m_tunedPage = nullptr;
    ImageView* m_tuned = nullptr;
    ElidedLabel* m_tunedText = nullptr;
    QPushButton* m_put = nullptr;
    ImagePtr m_shownSource;
    bool m_isRunShown = false;
};

}  // namespace workbench
