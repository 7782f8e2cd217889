// SPDX-License-Identifier: MIT
// Shows, on a page without content, its icon, what is missing, and what can be done about it.
#pragma once

#include <QString>
#include <QWidget>

class QAbstractButton;
class QLabel;
class QVBoxLayout;

namespace workbench {

class ToneLabel;

class EmptyPage : public QWidget {
    Q_OBJECT
  public:
    // Makes the page. `icon` is one of the theme; empty: none.
    EmptyPage(const QString& icon, QWidget* parent);

    void setTexts(const QString& title, const QString& text);
    // Adds a row of buttons, below the others.
    void addButtons(const QList<QAbstractButton*>& buttons);

  private:
    QLabel* m_title;
    ToneLabel* m_text;
    QVBoxLayout* m_rows;
};

}  // namespace workbench
