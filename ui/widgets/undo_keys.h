// SPDX-License-Identifier: MIT
// Keeps the keys of undo and redo for the window: a text takes them only while it has something of its own to
// undo. Qt's text widgets take them always, also those that can only be read.
#pragma once

#include <QObject>

class QWidget;

namespace workbench {

// Filters the application's events: to be installed on it.
class UndoKeys : public QObject {
    Q_OBJECT
  public:
    explicit UndoKeys(QWidget* window);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* m_window;
};

}  // namespace workbench
