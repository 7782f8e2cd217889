// SPDX-License-Identifier: MIT
// Finds the page of the manual for the part of the window that is in use, and opens it by a key in dialogs.
#pragma once

#include <QObject>
#include <QString>
#include <span>

class QWidget;

namespace workbench {

class MainWindow;

struct ManualPlace {
    QString page;
    QString anchor;  // of a heading; empty: the page's beginning
    friend bool operator==(const ManualPlace&, const ManualPlace&) = default;
};

// Returns the place in the manual. `focus`: the widget that has the keyboard focus, in the window or in a
// dialog of it; null: what is on the screen decides.
ManualPlace manualPlaceFor(const MainWindow& window, const QWidget* focus);

// Dialogs with a place of their own. Others have that of what they were opened from.
struct DialogPlace {
    const QMetaObject* dialog;
    ManualPlace place;
};
std::span<const DialogPlace> dialogPlaces();

// Opens the manual on F1 in the dialogs of a window, whose own shortcuts do not act there. To be installed
// on the application.
class DialogHelp : public QObject {
    Q_OBJECT
  public:
    explicit DialogHelp(MainWindow* window);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    MainWindow* m_window;
};

}  // namespace workbench
