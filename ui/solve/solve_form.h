// SPDX-License-Identifier: MIT
// The form of page Solve: the problem, and below it the choices that it has, each with its range.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "ui/solve/solve_choices.h"

class QGridLayout;
class QLabel;

namespace workbench {

class PathField;
class SolveModel;

class SolveForm : public QWidget {
    Q_OBJECT
  public:
    explicit SolveForm(SolveModel& model, QWidget* parent = nullptr);

  private:
    // Says which problems a row belongs to and, beyond that, when it counts.
    struct Row {
        unsigned problems = 0;
        QWidget* field = nullptr;
        std::vector<QWidget*> widgets;
        std::function<void(const SolveChoices&)> show = {};
        std::function<bool(const SolveChoices&)> counts = {};
    };
    Row& addRow(const QString& label, QWidget* field, const QString& spoken, const QString& help,
                const QString& range, unsigned problems);
    // Adds a choice among names, of which each stands for a value.
    template <class Value>
    Row& addChoice(const QString& label, Value SolveChoices::*value, const std::vector<Value>& values,
                   const QStringList& names, const QString& spoken, const QString& help, unsigned problems);
    // The values are those of the enumeration, or false and true.
    template <class Value>
    Row& addChoice(const QString& label, Value SolveChoices::*value, const QStringList& names,
                   const QString& spoken, const QString& help, unsigned problems);
    Row& addCount(const QString& label, int SolveChoices::*value, const QString& spoken, const QString& help,
                  unsigned problems);
    Row& addReal(const QString& label, double SolveChoices::*value, const QString& spoken,
                 const QString& help, unsigned problems);
    void addProblem();
    void addEquations();
    void addMinimisations();
    void addCommon();
    void edit(const std::function<void(SolveChoices&)>& change);
    void showChoices();

    SolveModel& m_model;
    QGridLayout* m_grid;
    PathField* m_target = nullptr;
    QLabel* m_rowRange = nullptr;  // of the image's rows
    std::vector<Row> m_rows;
    bool m_isShowing = false;
};

}  // namespace workbench
