// SPDX-License-Identifier: MIT
// Shows rows above a page that appear and disappear without moving anything on it: messages and running jobs.
// A row that took its room from the page would push what a person is about to click away from under the
// cursor.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace workbench {

class FloatingColumn : public QWidget {
    Q_OBJECT
  public:
    enum class Edge { top, bottom };

    // Lies over `host`, its parent, at that edge; rows are in the order of add() from the top. `freeRight` of
    // the host's width stays free at the right, for what is shown there.
    FloatingColumn(Edge edge, QWidget* host, int freeRight = 0);
    void add(QWidget* row);

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void place();

    Edge m_edge;
    int m_freeRight;
    QVBoxLayout* m_layout;
};

}  // namespace workbench
