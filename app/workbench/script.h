// SPDX-License-Identifier: MIT
// Does in the window what the lines of a file say, for tests of the whole program. Each line is one of
//   open PATH      waits until the image is there
//   await PATH     waits until there is such a file
//   add N          adds filter N
//   edits MS       from now on one edit every MS milliseconds, each told on stdout:
//                  "edit NUMBER UNIX-MS HASH"
//   page NAME      image, benchmark or release
//   undo | redo | restore | discard | modal | wait MS | close
//   state          tells "state HASH UNDO-INDEX UNDO-COUNT MODIFIED PAGE IMAGE" and "offers COUNT"
//   quit (as a person does)
//   crash segv|abort|terminate, and "crashes 1" where a report of one is offered
// HASH is the SHA-256 of the recipe's JSON.
#pragma once

#include <QObject>
#include <QStringList>

namespace workbench {

class MainWindow;

class Script : public QObject {
    Q_OBJECT
  public:
    explicit Script(MainWindow& window);
    void run(const QString& path);

  private:
    void next();
    int perform(const QString& command, const QString& argument);  // milliseconds until the next line
    void edit();
    static void crash(const QString& how);
    void tellState() const;

    MainWindow& m_window;
    QStringList m_lines;
    int m_edits = 0;
};

}  // namespace workbench
