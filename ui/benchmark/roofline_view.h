// SPDX-License-Identifier: MIT
// The roofline chart with the button that measures the arithmetic ceiling of this machine.
#pragma once

#include <QWidget>
#include <optional>

#include "core/benchmark/arithmetic_probe.h"

class QPushButton;

namespace workbench {

class RooflineChart;
class ToneLabel;

class RooflineView : public QWidget {
    Q_OBJECT
  public:
    explicit RooflineView(QWidget* parent = nullptr);

    RooflineChart& chart() const { return *m_chart; }
    // Sets what the results were measured on: a ceiling can be measured when that is this machine's
    // processor, for as many threads. `why` says why not otherwise, and is shown.
    void setMachine(int threads, bool measurable, const QString& why);
    void setCeiling(const ArithmeticCeiling& ceiling);  // kept until another number of threads is set
    bool hasCeiling() const;
    void setBusy(bool busy);
    QString note() const;

  Q_SIGNALS:
    void ceilingWanted(int threads);

  private:
    void showNote();

    RooflineChart* m_chart;
    ToneLabel* m_note;
    QPushButton* m_measure;
    int m_threads = 1;
    bool m_measurable = false;
    bool m_busy = false;
    QString m_why;
    std::optional<ArithmeticCeiling> m_ceiling;
};

}  // namespace workbench
