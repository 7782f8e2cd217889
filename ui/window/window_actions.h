// SPDX-License-Identifier: MIT
// The window's actions: its menus, its tool bar, and which of them are possible now.
#pragma once

#include <array>

#include "ui/window/main_window.h"

namespace workbench {

class SideDocks;

class WindowActions : public QObject {
    Q_OBJECT
  public:
    // Makes menus and tool bar of the window, whose pages are complete. Ends before the window does.
    WindowActions(MainWindow& window, SideDocks& docks);

    QList<std::pair<QString, QList<QAction*>>> byMenu() const;
    void showState();

  private:
    void makeActions(SideDocks& docks);
    void makeToolBar();
    void makeMenus(SideDocks& docks);
    void fillRecentMenu();

    MainWindow& m_window;
    Session& m_session;
    QMenu* m_recentMenu = nullptr;
    QAction* m_open = nullptr;
    QAction* m_openSample = nullptr;
    QAction* m_save = nullptr;
    QAction* m_quit = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_copyImage = nullptr;
    QAction* m_copyCommand = nullptr;
    QAction* m_record = nullptr;
    std::array<std::pair<QAction*, MainWindow::Page>, 6> m_pages;
    QAction* m_runBenchmark = nullptr;
    QAction* m_cancelBenchmark = nullptr;
    QAction* m_fullScreen = nullptr;
    QAction* m_resetLayout = nullptr;
    QAction* m_manual = nullptr;
    QAction* m_shortcuts = nullptr;
    QAction* m_about = nullptr;
};

}  // namespace workbench
