// SPDX-License-Identifier: MIT
// The page Tuning: how kernels' execution is chosen. Left stand the mode and the work that measures and
// trains; right the models, why a problem is executed as it is, what was measured, and what was counted and
// learned.
#pragma once

#include <QWidget>

#include "ui/tuning/tuning_model.h"

class QTabWidget;
class QToolButton;

namespace workbench {

class DecisionTab;
class MeasuredTab;
class MessageArea;
class Session;

class TuningPage : public QWidget {
    Q_OBJECT
  public:
    // Names the tabs in their order.
    enum class Tab { models, decision, predictions, regret, headroom, use };

    explicit TuningPage(Session& session, QWidget* parent = nullptr);
    ~TuningPage() override;

    TuningModel& model() const { return *m_model; }
    MessageArea& messages() const { return *m_messages; }
    void setTab(Tab tab);
    Tab tab() const;
    DecisionTab& decisions() const { return *m_decision; }
    MeasuredTab& measured() const { return *m_measured; }
    // Shows why a problem is executed as it is.
    void showSpec(const QString& spec);

  public Q_SLOTS:
    void copyCommandLine();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* makeRight();
    void showState();
    void showEnd();
    void exportJudged(const QString& title, const QString& suffix, TuningModel::Format format);
    void exportAs(const QString& title, const QString& stem, const QString& suffix,
                  const std::function<void(const QString&)>& write);

    Session& m_session;
    TuningModel* m_model;
    MessageArea* m_messages;
    QTabWidget* m_tabs = nullptr;
    DecisionTab* m_decision = nullptr;
    MeasuredTab* m_measured = nullptr;
    QToolButton* m_export = nullptr;
    bool m_wasShown = false;
};

}  // namespace workbench
