// SPDX-License-Identifier: MIT
// The docks beside the pages: the operations, which belong to the picture, and the devices.
#pragma once

#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;

namespace workbench {

class SideDocks : public QObject {
    Q_OBJECT
  public:
    // Ends before the window does.
    SideDocks(QMainWindow& window, QWidget* operations, QWidget* devices);

    // Puts both where they are at first.
    void reset();
    // Shows the recipe's dock beside the picture alone, not beside charts and gates.
    void setBesidePicture(bool picture);
    void showDevices(bool on);
    bool showsDevices() const;
    QList<QAction*> actions() const;  // that show and hide them

  private:
    void nameDocks();

    QMainWindow& m_window;
    QDockWidget* m_operations;
    QDockWidget* m_devices;
    bool m_besidePicture = true;
    bool m_operationsWanted = true;  // beside the picture
};

}  // namespace workbench
