// SPDX-License-Identifier: MIT
// A duel, while it is measured and afterwards: what is duelled and how far it is, each case's interval over
// the control's, and the figures. A view of its DuelDesk.
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace workbench {

class DuelChart;
class DuelDesk;
class DuelModel;
class ElidedLabel;
class EmptyPage;
class FiguresTable;
class StatusStrip;

class DuelView : public QWidget {
    Q_OBJECT
  public:
    explicit DuelView(DuelDesk& desk, QWidget* parent = nullptr);

    // Gives actions buttons above the chart, or on the page that is shown while there is no duel.
    void addActions(const QList<QAction*>& actions);
    void addEmptyActions(const QList<QAction*>& actions);

    int chosenCase() const { return m_chosen; }  // a row; -1: none
    void chooseCase(int row);

    DuelModel& model() const { return *m_model; }
    FiguresTable& table() const { return *m_table; }
    DuelChart& chart() const { return *m_chart; }
    StatusStrip& verdictStrip() const { return *m_verdict; }
    QString stateText() const;
    QString caseText() const;  // what is said of the chosen case

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeHeader();
    QWidget* makeBody();
    void showDuel();
    void showRow(int row);
    void showState();
    void showVerdict();
    void showCase();
    void fitButtons();

    DuelDesk& m_desk;
    DuelModel* m_model;
    QStackedWidget* m_stack;
    EmptyPage* m_empty;
    ElidedLabel* m_now = nullptr;
    ElidedLabel* m_base = nullptr;
    ElidedLabel* m_state = nullptr;
    QHBoxLayout* m_buttonRow = nullptr;
    QList<QToolButton*> m_buttons;
    StatusStrip* m_verdict = nullptr;
    DuelChart* m_chart = nullptr;
    FiguresTable* m_table = nullptr;
    ElidedLabel* m_case = nullptr;
    int m_chosen = -1;
    bool m_userChose = false;
};

}  // namespace workbench
