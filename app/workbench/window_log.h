// SPDX-License-Identifier: MIT
// Writes what happens in the window into the event log, for the report of a crash: pages, images by their
// size and type, steps of the recipe, devices, failures, and what Qt says. No pixels, and no names but those
// in messages of failures. One object at a time.
#pragma once

#include <QObject>

namespace workbench {

class MainWindow;

class WindowLog : public QObject {
    Q_OBJECT
  public:
    // The window must outlive it.
    explicit WindowLog(MainWindow& window);
    ~WindowLog() override;
};

}  // namespace workbench
