// SPDX-License-Identifier: MIT
// The device dock: which device computes and why, the choice, and everything known of every device.
#pragma once

#include <QWidget>

#include "iir2d/device.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace workbench {

class CountBox;
class Session;

class DevicePanel : public QWidget {
    Q_OBJECT
  public:
    explicit DevicePanel(Session& session, QWidget* parent = nullptr);

    // Returns all properties as text, one a line; the last run's parts first, when a GPU made it.
    QString text() const;

  private:
    void showChoice();
    void showRun();
    void refresh();
    void showDevices();
    void copy();

    Session& m_session;
    QLabel* m_name;
    QLabel* m_reason;
    QLabel* m_run;  // hidden unless a GPU made the last result
    QComboBox* m_choice;
    CountBox* m_threads;
    QTreeWidget* m_tree;
    QPushButton* m_refresh;
};

// Returns a short text for the badge: "EPYC 7763 · 8 threads".
QString deviceBadgeText(const iir2d::Device& device);

}  // namespace workbench
