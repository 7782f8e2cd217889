// SPDX-License-Identifier: MIT
// Says of what is typed as a library whether it is one, while it is typed. Lives in the GUI thread; files are
// read off it.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>

#include "core/duel/library_file.h"
#include "ui/session/job.h"

namespace workbench {

class LibraryProbe : public QObject {
    Q_OBJECT
  public:
    // Looks at libraries. `side` begins messages about one: "the base".
    explicit LibraryProbe(std::string side, QObject* parent = nullptr);

    // Looks at a path, once typing has paused; an empty one is no library and no fault.
    void look(const QString& given);
    const QString& given() const { return m_given; }
    bool isPending() const { return m_pause.isActive() || m_job.isRunning(); }
    // Returns the library; absent: none was found there, or it is not known yet.
    const std::optional<LibraryFile>& library() const { return m_library; }
    const QString& problem() const { return m_problem; }  // a sentence; empty: none is known

  Q_SIGNALS:
    void changed();

  private:
    void begin();

    std::string m_side;
    QString m_given;
    std::optional<LibraryFile> m_library;
    QString m_problem;
    QTimer m_pause;
    Job m_job{JobPolicy::newest_wins_at_once};
};

}  // namespace workbench
