// SPDX-License-Identifier: MIT
// Keeps the window's work in its state file, so that a process that is killed loses at most the last moments:
// written soon after each change, off the GUI thread, whole or not at all. Closing the window ends that.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "ui/session/job.h"
#include "ui/session/saved_state.h"

namespace workbench {

class MainWindow;

class Autosave : public QObject {
    Q_OBJECT
  public:
    static constexpr int delay_ms = 200;  // from a change to its writing, also while changes go on

    // Saves the state of a window, which must outlive it.
    Autosave(MainWindow& window, StateFile file);
    ~Autosave() override;  // writes what waits

    // Returns when it is on the disk.
    void saveNow();
    // Saves when the process is about to be ended from outside, and lets the window close without a question.
    void endSession();
    // Makes an ended session's work this window's. In a window that has work already, its recipe becomes one
    // step that can be undone.
    void restore(const EndedSession& ended);

    SavedState state() const;

  Q_SIGNALS:
    void written();  // the newest state
    void failed(const QString& message);

  private:
    struct Queue;
    void changed();
    void write();
    void writeResults();
    // Runs `work` after all that was given before, off the GUI thread. It returns whether it wrote something.
    void enqueue(std::function<Result<bool>()> work);
    void showView(const SavedView& view);

    MainWindow& m_window;
    StateFile m_file;
    QTimer m_timer;
    std::shared_ptr<Queue> m_queue;
    // Holds benchmark results beside the state, each in a file with a number of its own.
    struct KeptResults {
        std::shared_ptr<const void> what;
        int number = 0;
    };
    std::vector<KeptResults> m_results;
    int m_nextNumber = 0;
    bool m_closed = false;
    Job m_writer{JobPolicy::in_order};  // the last member: its work uses the others
};

}  // namespace workbench
