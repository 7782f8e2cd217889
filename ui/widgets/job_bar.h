// SPDX-License-Identifier: MIT
// A long job in one row: what it does, how far it is, and a way out.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;

namespace workbench {

class JobBar : public QWidget {
    Q_OBJECT
  public:
    explicit JobBar(QWidget* parent = nullptr);

    // Appears after a moment: what is done at once needs no bar.
    void begin(const QString& what);
    void setText(const QString& what);
    void setFraction(double fraction);  // below 0: unknown
    void end();
    bool isActive() const { return m_active; }

  Q_SIGNALS:
    void cancelRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton* m_cancel;
    QTimer* m_patience;
    bool m_active = false;
};

}  // namespace workbench
