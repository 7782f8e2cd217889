// SPDX-License-Identifier: MIT
// Which page of the manual belongs to where one is.
#pragma once

#include <QString>

class QWidget;

namespace workbench {

class MainWindow;

struct ManualPlace {
    QString page;
    QString anchor;  // of a heading; empty: the page's beginning
    friend bool operator==(const ManualPlace&, const ManualPlace&) = default;
};

// `focus`: the widget that has the keyboard, in the window or in a dialog of it; null: what is on the screen
// decides.
ManualPlace manualPlaceFor(const MainWindow& window, const QWidget* focus);

}  // namespace workbench
