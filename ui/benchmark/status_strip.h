// SPDX-License-Identifier: MIT
// A statement that stays: tinted by what it means, with a symbol, a title and a text, and details behind a
// button where there are more than fit.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace workbench {

class StatusStrip : public QWidget {
    Q_OBJECT
  public:
    enum class Tone { good, warning, bad };
    explicit StatusStrip(QWidget* parent = nullptr);

    // Shows plain texts, which are its accessible text too; `details` may be empty.
    void setStatement(Tone tone, const QString& title, const QString& text, const QString& details = {});
    QString title() const;
    QString text() const;
    QString details() const { return m_details; }
    void addButton(QWidget* button);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    QColor colour() const;
    void tint();
    void showText();

    Tone m_tone = Tone::good;
    QString m_text;
    QString m_details;
    QHBoxLayout* m_layout;
    QLabel* m_symbol;
    QLabel* m_title;
    QLabel* m_body;
    QToolButton* m_more;
};

}  // namespace workbench
