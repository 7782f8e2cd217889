// SPDX-License-Identifier: MIT
// Shows above the results what they are and what can be done with them. In a narrow window the buttons keep
// their icons only.
#pragma once

#include <QWidget>

#include "ui/widgets/form_parts.h"

class QAction;
class QHBoxLayout;
class QToolButton;

namespace workbench {

class ResultsHeader : public QWidget {
    Q_OBJECT
  public:
    explicit ResultsHeader(QWidget* parent = nullptr);

    void setState(const QString& text, ToneLabel::Tone tone);
    QToolButton* addAction(QAction* action);  // a button that follows the action
    QToolButton* exportButton() const { return m_export; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fit();

    ToneLabel* m_state;
    QHBoxLayout* m_row;
    QToolButton* m_export;
    QList<QToolButton*> m_buttons;
};

}  // namespace workbench
